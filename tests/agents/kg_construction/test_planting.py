"""Show 1 on our own T-Box: every planted mistake is refused by name, every twin accepted, and pyshacl agrees."""

from __future__ import annotations

import pytest

from kgnb.agents.kg_construction.agreement import agreement
from kgnb.agents.kg_construction.planting import plant
from tests.agents.kg_construction.kitchen import kitchen, pack_of


@pytest.fixture(scope="module")
def planted():
    pack = kitchen()
    return pack, plant(pack)


def test_every_mistake_is_refused_by_name_and_every_twin_accepted(planted) -> None:
    pack, found = planted
    tried = [one for one in found if one.case is not None]
    assert [(one.kind, one.note) for one in tried if not one.fine] == []
    assert {one.kind for one in tried} >= set(pack.counts()["constraints by kind"]) - {"sh:minLength"}


def test_what_no_call_can_break_is_listed(planted) -> None:
    _, found = planted
    assert {one.about.rsplit("#", 1)[-1] for one in found if one.case is None} <= {"Course"}


def test_pyshacl_agrees_on_everything(planted) -> None:
    pack, found = planted
    compared = agreement(pack, found)
    assert compared.whole, compared.differences[:5]
    assert compared.illegal >= sum(one.fine for one in found)


def test_a_class_that_can_have_no_instance_is_told_of() -> None:
    pack = pack_of(":A a owl:Class ; owl:disjointWith :B . :B a owl:Class . :C a owl:Class ; rdfs:subClassOf :A , :B .")
    assert "unsatisfiable class" in {warning.kind for warning in pack.warnings}
    assert not pack.session().call("create_c", {"label": "x"}).ok
