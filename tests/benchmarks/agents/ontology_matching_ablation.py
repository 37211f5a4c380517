"""What each ingredient of the rule judge is worth: the table, as Markdown.

``KGNB_DATA=... KGNB_CACHE=... python -m tests.benchmarks.agents.ontology_matching_ablation``
"""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from kgnb.agents.ontology_matching.rule import Weights
from tests.benchmarks.agents.tracks import WORLD, figures, tracks

LEFT_OUT: dict[str, dict[str, Any]] = {
    "nothing (the default)": {},
    "names: word overlap": {"name": 0.0, "property_name": 0.0},
    "names: vectors": {"vector": 0.0},
    "names: mined words": {"wordbook": False},
    "names: words the surroundings supply": {"supplied": 0.0},
    "names: words the other side left out": {"known": 0.0},
    "definitions": {"meaning": 0.0},
    "what axioms mention": {"context": 0.0},
    "relatives that agree": {"support": 0.0},
    "domain and range": {"ends_agree": 0.0, "ends_clash": 0.0},
    "rivals": {"rivals": False},
    "how usual counterparts are": {"prior": 0.0},
    "what arises by chance": {"chance": 0.0},
    "rounds (one instead of three)": {"rounds": 1},
}


def main() -> int:
    """Print the table."""
    if "KGNB_DATA" not in os.environ:
        print("Set KGNB_DATA to the folder of benchmark data.", file=sys.stderr)
        return 2
    ready = list(tracks(Path(os.environ["KGNB_DATA"]), *WORLD))
    columns: list[str] = []
    for name, change in LEFT_OUT.items():
        scores = figures(ready, replace(Weights(), **change))
        if not columns:
            columns = list(scores)
            print(f"| left out | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
        cells = [f"{100 * s.precision:.1f} / {100 * s.recall:.1f} / {100 * s.f1:.1f}" for s in scores.values()]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
