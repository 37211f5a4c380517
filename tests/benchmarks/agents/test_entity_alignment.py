"""Propose, with its defaults, reaches on a real pair what it has reached before.

A bounded run: names hidden on the whole of one pair, and names as they are on a part of it,
spelling in place of the embedding model, few rounds. All of it: see ``entity_alignment``.
"""

from pathlib import Path

import numpy as np
import pytest

from kgnb.agents.entity_alignment import names
from kgnb.agents.entity_alignment.values import Options
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.benchmarks.agents import locales, small_graphs
from tests.benchmarks.agents.entity_alignment import Case, asked, case

pytestmark = pytest.mark.benchmark
PAIR = "srprs/en_fr"


@pytest.fixture
def small(benchmark_data: Path) -> Case:
    return case(benchmark_data / PAIR)


def test_names_and_structure_without_seeds_keep_their_floor(small: Case) -> None:
    part = small._replace(tests=small.tests[::5])
    row = asked(PAIR, part, CharacterEmbedder(128), Options(rounds=1), small.seeds[:0])
    assert row.hits1 >= 0.985
    assert row.f1 >= 0.98


def test_structure_alone_keeps_its_floor(small: Case) -> None:
    row = asked(PAIR, small, CharacterEmbedder(128), Options(rounds=1, names="hidden"), small.seeds)
    assert row.hits1 >= 0.42


@pytest.mark.parametrize("language", ["zh", "ru"])
def test_romanised_names_find_what_folded_ones_do_not(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Baseline: the same run with names only folded, in their own scripts."""
    pair = locales.pair("en", language)

    def reached() -> float:
        return asked(language, pair, CharacterEmbedder(128), Options(rounds=1), pair.seeds).hits1

    romanised = reached()
    monkeypatch.setattr(
        names, "spelt", lambda one, other: [names.folded(name) for name in (*one, *other)]
    )
    folded = reached()
    ratio = romanised / max(folded, 1e-9)
    print(f"en-{language}: Hits@1 {romanised:.3f} romanised, {folded:.3f} folded: {ratio:.1f} x")
    assert romanised >= folded + 0.3


def test_small_samples_of_our_own_pair_are_right_where_they_are_written() -> None:
    found = list(small_graphs.samples("huts", Path(), 6))
    written = sum(one.written for one in found)
    assert written and sum(one.right_written for one in found) >= 0.9 * written
    own = list(small_graphs.BELIEF).index("own value")
    alike = np.concatenate([one.right[one.features[:, own] > 0] for one in found])
    assert (
        len(alike) > 10 and alike.mean() >= 0.9
    )  # who have a value in common that nobody else has
    assert small_graphs.fitted(found).shape == (len(small_graphs.BELIEF),)
    assert small_graphs.line(
        "all", found, [(one.written, one.right_written) for one in found]
    ).startswith("| all |")
