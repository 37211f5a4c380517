"""A learned planner: a small classifier from an entity's statistics to its way, kept as plain JSON.

Logistic regression (scikit-learn) over standardised statistics. The file holds numbers only, so a policy from a
stranger can be loaded without running anything of theirs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.entity_alignment.paths import Path, Record, named, path_of
from kgnb.agents.entity_alignment.questions import TAKE, PlanQuestion
from kgnb.agents.entity_alignment.values import FEATURES
from kgnb.errors import DataError
from kgnb.files import from_json, write_whole
from kgnb.judging import Verdict

FORMAT = "kgnb entity-alignment policy"
VERSION = 1
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Policy:
    """Chooses the likeliest path that is possible. ``coefficients`` is (paths, features); one path: always that one."""

    paths: tuple[Path, ...]
    mean: Matrix
    scale: Matrix
    coefficients: Matrix
    intercepts: Matrix
    trained_on: int = 0
    record: Record = field(default_factory=dict)
    temperature: float = 0.0  # 0: the likeliest path; above it a path is drawn, by ``seed`` and the entity
    seed: int = 0
    name = "policy"

    def judge(self, questions: Sequence[PlanQuestion]) -> list[Verdict]:
        """One path a question."""
        if not questions:
            return []
        chances = self.chances(np.array([question.statistics for question in questions]))
        return [self._verdict(question, row) for question, row in zip(questions, chances, strict=True)]

    def chances(self, statistics: Matrix) -> Matrix:
        """The probability of each path (columns as in ``paths``) for each row of statistics."""
        scaled = (statistics - self.mean) / self.scale
        logits = scaled @ self.coefficients.T + self.intercepts
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def _verdict(self, question: PlanQuestion, chances: Matrix) -> Verdict:
        possible = [at for at, path in enumerate(self.paths) if path in question.paths]
        if not possible:  # nothing it knows can be done here: the shortest that asks at all
            path = min((one for one in question.paths if one), key=len, default=())
            return Verdict(TAKE, named(path), 0.0, "no path of the policy is possible here", self.name)
        best = (
            self._drawn(question, possible, chances) if self.temperature else max(possible, key=lambda at: chances[at])
        )
        return Verdict(TAKE, named(self.paths[best]), float(chances[best]), "learned", self.name)

    def _drawn(self, question: PlanQuestion, possible: Sequence[int], chances: Matrix) -> int:
        """A possible path by its chance to the power of 1 / temperature; the same one for the same entity and seed."""
        logs = np.log(np.maximum(chances[list(possible)], 1e-12)) / self.temperature
        weights = np.exp(logs - logs.max())
        digest = hashlib.sha256(f"{self.seed}\0{question.iri}".encode("utf-8", "surrogatepass")).digest()
        at = int.from_bytes(digest[:8], "big") / 2**64
        place = int(np.searchsorted(np.cumsum(weights / weights.sum()), at, side="right"))
        return possible[min(place, len(possible) - 1)]

    def sampled(self, temperature: float, seed: int = 0) -> Policy:
        """The same policy with paths that are drawn instead of the likeliest."""
        return replace(self, temperature=temperature, seed=seed)

    def to_json(self) -> dict[str, Any]:
        """Plain numbers and names."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "features": list(FEATURES),
            "paths": [named(path) for path in self.paths],
            "mean": self.mean.tolist(),
            "scale": self.scale.tolist(),
            "coefficients": self.coefficients.tolist(),
            "intercepts": self.intercepts.tolist(),
            "trained on": self.trained_on,
            "record": {named(path): [list(score) for score in scores] for path, scores in self.record.items()},
        }

    def save(self, path: FilePath | str) -> FilePath:
        """Write it as JSON."""
        return write_whole(FilePath(path), json.dumps(self.to_json(), indent=1) + "\n")

    @classmethod
    def load(cls, path: FilePath | str) -> Policy:
        """The policy in a file.

        Raises:
            DataError: it is missing, no policy, or one of other features or shapes.
        """
        fix = "Write one with %ea optimise --policy FILE, or kgnb.agents.entity_alignment.optimise."
        try:
            content = from_json(FilePath(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise DataError(f"the policy cannot be read: {error.strerror}", where=str(path), fix=fix) from error
        except ValueError as error:
            raise DataError("the policy is not JSON", where=str(path), details=str(error), fix=fix) from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise DataError("this is no policy of entity alignment", where=str(path), fix=fix)
        if content.get("version") != VERSION or content.get("features") != list(FEATURES):
            raise DataError("the policy was made for other statistics", where=str(path), fix=fix)
        try:
            numbers = {
                key: np.array(content[key], dtype=np.float64) for key in ("mean", "scale", "coefficients", "intercepts")
            }
            made = cls(
                tuple(path_of(name) for name in content["paths"]),
                numbers["mean"],
                numbers["scale"],
                numbers["coefficients"],
                numbers["intercepts"],
                int(content.get("trained on", 0)),
                _record(content.get("record", {})),
            )
            made._check()
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"the policy is damaged: {error}", where=str(path), fix=fix) from error
        return made

    def _check(self) -> None:
        size, width = len(self.paths), len(FEATURES)
        arrays = (self.mean, self.scale, self.coefficients, self.intercepts)
        if [one.shape for one in arrays] != [(width,), (width,), (size, width), (size,)] or not size:
            raise ValueError("its numbers do not fit its paths")
        if not all(np.isfinite(one).all() for one in arrays) or not (self.scale > 0).all():
            raise ValueError("a number in it is not finite, or a scale is not above 0")


def _record(content: Mapping[str, Any]) -> Record:
    found = {}
    for name, scores in content.items():
        (asked, right), (others, more) = scores
        if not 0 <= right <= asked or not 0 <= more <= others:
            raise ValueError(f"the record of {name} has more right answers than questions")
        found[path_of(name)] = ((int(asked), int(right)), (int(others), int(more)))
    return found


def learn(statistics: NDArray[Any], paths: Sequence[Path], *, weights: Sequence[float] | None = None) -> Policy:
    """The policy that does best what ``paths`` did for entities with these ``statistics`` (one row each).

    Raises:
        ValueError: there is nothing to learn from.
    """
    from sklearn.linear_model import LogisticRegression  # takes a second to import, and nothing else here needs it

    rows = np.asarray(statistics, dtype=np.float64)
    if len(rows) == 0 or len(rows) != len(paths):
        raise ValueError(f"{len(rows)} rows of statistics and {len(paths)} paths give nothing to learn from")
    known = sorted(set(paths), key=named)
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale[scale < 1e-9] = 1.0
    labels = np.array([known.index(path) for path in paths])
    if len(known) == 1:
        return Policy((known[0],), mean, scale, np.zeros((1, rows.shape[1])), np.zeros(1), len(rows))
    model = LogisticRegression(C=1.0, max_iter=2000)
    model.fit((rows - mean) / scale, labels, sample_weight=weights)
    coefficients, intercepts = model.coef_, model.intercept_
    if len(known) == 2:  # scikit-learn keeps one row for two classes
        coefficients, intercepts = np.vstack([-coefficients, coefficients]) / 2, np.array([-1, 1]) * intercepts / 2
    return Policy(tuple(known), mean, scale, coefficients, intercepts, len(rows))
