"""``%om review`` without a widget: list what waits, decide by line, hand decisions on and take them over as SSSOM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgnb.agents.ontology_matching.reviewed import MatchDecisions, Reviewed, Ruling
from kgnb.agents.ontology_matching.values import Described, Description, Judged, MatchQuestion, Validated
from kgnb.errors import DataError
from kgnb.judging import Pending
from kgnb.kg.labels import readable
from kgnb.kg.ontology import Kind, Ontology
from kgnb.magics.arguments import argument
from kgnb.magics.explain import named
from kgnb.mapping_files import reviews
from kgnb.mapping_files.reviews import Review
from kgnb.mappings import Mapping, which_concepts
from kgnb.results.bundle import count
from kgnb.results.escaping import one_line
from kgnb.results.table import Table
from kgnb.widgets.review import nothing_waits, review_table, suggested, waiting

DECISIONS = "decisions.jsonl"  # where answers are kept unless told otherwise
RELATIONS = {"accept": "equivalent", "broader": "broader", "narrower": "narrower", "related": "related"}
ACTIONS = (*RELATIONS, "reject", "withdraw")
HELP = {
    "accept": "candidate CHOICE (a number or a name; default: the likeliest) means the same as ITEM",
    "broader": "the candidate is the broader of the two",
    "narrower": "the candidate is the narrower of the two",
    "related": "the candidate is close, yet neither",
    "reject": "CHOICE is wrong; without CHOICE: none of the candidates fits",
    "withdraw": "take back what was decided on ITEM",
}


def answers(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a verb with one option an answer, each taking ITEM [CHOICE]."""
    for action in reversed(ACTIONS):
        method = argument(f"--{action}", nargs="+", metavar=("ITEM", "CHOICE"), default=(), help=HELP[action])(method)
    return method


def decisions_at(path: str) -> MatchDecisions:
    """The file answers are added to; ValueError for an SSSOM file, which is read and written whole."""
    if path.lower().endswith(".tsv"):
        raise ValueError(f"answers are added to a .jsonl file; %om review --import {path} takes over what it holds")
    return MatchDecisions(path)


@dataclass(frozen=True)
class Queue:
    """What waits for a person in a validated matching. Numbers stay as they are until validate runs again."""

    validated: Validated
    decisions: MatchDecisions
    below: float = 0.0

    @property
    def entries(self) -> list[tuple[int, Pending[MatchQuestion]]]:
        """The questions nobody has answered, with their numbers, those first that are expected to bring most."""
        every = waiting(self.validated.judged, below=self.below)
        verdicts = Reviewed(self.decisions).judge([entry.question for entry in every])
        return [
            (number, entry)
            for number, (entry, verdict) in enumerate(zip(every, verdicts, strict=True), start=1)
            if not verdict.sure
        ]

    def table(self) -> Table:
        """The queue, and how to answer."""
        entries = self.entries
        shown = review_table([entry for _, entry in entries], [number for number, _ in entries])
        decided = len(self.decisions)
        notes = [f"{count(decided, 'decision')} in {self.decisions.path}"] if decided else []
        notes += ["Answer: %om review --accept # [CHOICE], or --reject #"] if entries else [self.nothing()]
        return replace(shown, notes=notes)

    def nothing(self) -> str:
        """What is said where nothing waits."""
        return nothing_waits(self.validated.judged, "%om review", self.below)

    def decide(self, action: str, words: Sequence[str], who: str = "") -> str:
        """Takes one decision; what was decided, in a line.

        Raises:
            ValueError: more than an item and a choice is given, or a choice that is not there.
            DataError: the item is not there, or may be several.
        """
        if len(words) > 2:
            raise ValueError(f"--{action} takes an item and a choice; a name with blanks goes into quotes")
        judged = self._item(words[0])
        question, chosen = judged.question, None
        if len(words) == 2:
            chosen = _choice(words[1], question)
        elif action in RELATIONS:
            chosen = question.others[suggested(question, judged.verdict)]
        name = question.about.name
        if action == "withdraw":
            self.decisions.withdraw(question, who=who)
            return self._kept(f"{name}: taken back", who)
        if action == "reject":
            if chosen is None:
                self.decisions.decide(question, "different", who=who)
                return self._kept(f"{name}: none of the {len(question.others)} candidates fits", who)
            self.decisions.reject(question, chosen.iri, who=who)
            return self._kept(f"{name} is not {chosen.name}", who)
        assert chosen is not None
        self.decisions.decide(question, RELATIONS[action], chosen.iri, who=who)
        return self._kept(f"{name}: {RELATIONS[action]} {chosen.name}", who)

    def _kept(self, what: str, who: str) -> str:
        by = f" ({who})" if who else ""
        left = len(self.entries)
        return one_line(f"{what}{by}, kept in {self.decisions.path}; {left} left. %om validate takes it over.")

    def _item(self, item: str) -> Judged:
        """The question an item names: its number in the queue, or an entity that was asked about."""
        word = str(item)
        if word.isdigit():
            every = waiting(self.validated.judged, below=self.below)
            if not 0 < int(word) <= len(every):
                raise DataError(
                    f"there is no question {word}", where="", fix="%om review --list shows those that wait."
                )
            entry = every[int(word) - 1]
            return Judged(entry.question, entry.verdict)
        keys = {(one.side, one.key) for one in named(word, self.validated.described)}
        about = [one for one in self.validated.judged if (one.question.side, one.question.about.key) in keys]
        open_ids = {entry.question.id for _, entry in self.entries}
        found = [one for one in about if one.question.id in open_ids] or about
        if len(found) == 1:
            return found[0]
        if not found:
            raise DataError(f"nothing was asked about {word!r}", where="", fix="%om review --list shows what waits.")
        names = ", ".join(f"{one.question.side} {one.question.about.iri}" for one in found[:4])
        raise DataError(f"{word!r} may be {names}", where="", fix="Give its number in %om review --list, or its IRI.")


def _choice(word: str, question: MatchQuestion) -> Description:
    """The candidate a word names: its number, IRI, local name or label."""
    word = str(word)
    if word.isdigit() and 0 < int(word) <= len(question.others):
        return question.others[int(word) - 1]
    described = Described(*(Ontology("", "", "", ()),) * 2, question.others)
    found = [] if word.isdigit() else named(word, described)
    if len(found) != 1:
        names = "; ".join(f"{at}. {other.name}" for at, other in enumerate(question.others, start=1))
        raise ValueError(f"{word!r} is no candidate of {question.about.name}: choose of {names}")
    return found[0]


def export(decisions: MatchDecisions, path: str, source: Ontology, target: Ontology) -> str:
    """Writes the decisions as SSSOM, with reviewer and time; what was done, in a line."""
    rulings = decisions.rulings().values()
    found = [
        Review(
            Mapping(
                *(one.source, one.target, one.relation, 1.0, one.kind),
                source_label=_label(source, one.source, one.kind),
                target_label=_label(target, one.target, one.kind),
                rationale=one.note,
                concepts=which_concepts(_is_concept(source, one.source), _is_concept(target, one.target)),
            ),
            one.who,
            one.when,
        )
        for one in rulings
    ]
    written = reviews.save(found, Path(path).expanduser(), source.iri, target.iri)
    return f"wrote {count(len(found), 'decided pair')} to {written}"


def take_over(decisions: MatchDecisions, path: str, source: Ontology, target: Ontology) -> str:
    """Adds what people decided in an SSSOM file, whichever of the two ontologies comes first in it."""
    found, foreign = list[Ruling](), 0
    for review in reviews.read(Path(path).expanduser()):
        mapping = review.mapping
        kind: Kind = mapping.kind  # type: ignore[assignment]  # a kind the ontologies lack is looked up below
        ruling = Ruling(
            mapping.source, mapping.target, kind, mapping.relation, review.who, review.when, mapping.rationale
        )
        if source.find(ruling.source) is None and target.find(ruling.source) is not None:
            ruling = ruling.turned
        entity = source.find(ruling.source, ruling.kind) or source.find(ruling.source)
        if entity is None or target.find(ruling.target) is None or ruling.relation == "unsure":
            foreign += 1
            continue
        found.append(replace(ruling, kind=entity.kind))
    added = decisions.take_over(found)
    beside = f"; {foreign} about other entities left out" if foreign else ""
    return f"took over {count(added, 'decided pair')} into {decisions.path}{beside}"


def _label(ontology: Ontology, iri: str, kind: Kind) -> str:
    entity = ontology.find(iri, kind)
    return readable(entity) if entity is not None else ""


def _is_concept(ontology: Ontology, iri: str) -> bool:
    entity = ontology.find(iri, "class")
    return entity is not None and entity.concept
