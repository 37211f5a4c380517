"""Each command twice, in fresh processes with other hash seeds, threads and languages: the same
bytes.

In the short form one command; what all four agents show is compared between two kernels in
test_kernels.
"""

from pathlib import Path

import pytest

from tests.faults.commands import ALIGN, ASK, BUILD, MATCH, Place
from tests.faults.tries import WHOLE

pytestmark = [pytest.mark.fault("determinism"), pytest.mark.slow]
RULES = [
    tuple("rule" if word == "model" else word for word in words)
    for words in (MATCH, ALIGN, BUILD, ASK)
]
SURROUNDINGS = [
    {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"},
    {
        "PYTHONHASHSEED": "271828",
        "OMP_NUM_THREADS": "2",
        "LC_ALL": "de_DE.UTF-8",
        "TZ": "Pacific/Auckland",
    },
    {"PYTHONHASHSEED": "random", "OMP_NUM_THREADS": "4", "LANG": "tr_TR.UTF-8"},
]


@pytest.mark.parametrize("words", RULES if WHOLE else [RULES[2]], ids=lambda words: words[0])
def test_the_same_bytes_whatever_surrounds_it(tmp_path: Path, words: tuple[str, ...]) -> None:
    written = []
    for number, surroundings in enumerate(SURROUNDINGS if WHOLE else SURROUNDINGS[:2]):
        place = Place(tmp_path / str(number), None, surroundings)
        status, _, told = place.run(*words)
        assert status == 0, told
        written.append(place.out(words[0]))
    assert written[0]
    assert len(set(written)) == 1
