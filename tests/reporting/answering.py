"""A model for the stub server that answers a judge's questions, the same every time: the first option, or none."""

import json
import re
from typing import Any

ASKED = re.compile(r"^\S+ question (\d+)$", re.MULTILINE)


def answer(body: dict[str, Any]) -> str:
    """An answer to each question of the prompt; whether it is yes hangs on how long the question is."""
    prompt = body["messages"][-1]["content"]
    ends = [*(found.start() for found in ASKED.finditer(prompt)), len(prompt)]
    told = []
    for found, end in zip(ASKED.finditer(prompt), ends[1:], strict=True):
        same = (end - found.start()) % 3 > 0
        told.append(
            {"question": int(found[1]), "why": "by its length", "letter": "A" if same else "none"}
            | {"decision": "equivalent" if same else "different", "confidence": 0.8}
        )
    return json.dumps({"answers": told})
