"""Checking call by call agrees with checking at the end: lasting violations are refused, nothing
else.
"""

import pytest

from tests.agents.kg_construction.kitchen import pack_of
from tests.benchmarks.agents.walks import walk

OWL_BOX = """
:Hut a owl:Class ; owl:disjointWith :Hall , :Bed ; rdfs:subClassOf
  [ a owl:Restriction ; owl:onProperty :has ; owl:maxQualifiedCardinality 2 ; owl:onClass :Bed ] ,
  [ a owl:Restriction ; owl:onProperty :has ; owl:minQualifiedCardinality 1 ; owl:onClass :Oven ] .
:Hall a owl:Class . :Bed a owl:Class . :Oven a owl:Class ; owl:disjointWith :Bed .
:has a owl:ObjectProperty , owl:InverseFunctionalProperty ; rdfs:domain :Hut ; owl:inverseOf :of .
:of a owl:ObjectProperty , owl:FunctionalProperty .
:near a owl:ObjectProperty , owl:SymmetricProperty , owl:IrreflexiveProperty ; rdfs:domain :Hut ; rdfs:range :Hut .
:above a owl:ObjectProperty , owl:AsymmetricProperty ; owl:propertyDisjointWith :near .
:owns a owl:ObjectProperty ; rdfs:range [ a owl:Class ; owl:unionOf ( :Hut :Hall ) ] .
"""
SHACL_BOX = """
:Hut a owl:Class . :Bed a owl:Class . :Oven a owl:Class .
:has a owl:ObjectProperty . :of a owl:ObjectProperty . :near a owl:ObjectProperty . :above a owl:ObjectProperty .
:S1 a sh:NodeShape ; sh:targetSubjectsOf :near ; sh:property [ sh:path :has ; sh:class :Bed ; sh:maxCount 2 ] .
:S2 a sh:NodeShape ; sh:targetObjectsOf :near ; sh:not [ sh:path :of ; sh:minCount 1 ] .
:S3 a sh:NodeShape ; sh:targetClass :Hut ; sh:property [ sh:path [ sh:inversePath :above ] ; sh:maxCount 2 ] ;
  sh:property [ sh:path ( :has :of ) ; sh:maxCount 2 ; sh:nodeKind sh:IRI ] ;
  sh:property [ sh:path :above ; sh:disjoint :near ; sh:qualifiedMaxCount 1 ;
    sh:qualifiedValueShape [ sh:class :Oven ] ] .
"""


@pytest.mark.parametrize("box", [OWL_BOX, SHACL_BOX])
@pytest.mark.parametrize("seed", range(2))
def test_the_calls_accepted_one_by_one_are_valid_together(box: str, seed: int) -> None:
    walked = walk(pack_of(box), number=120, seed=seed)
    assert (walked.faults, walked.differences) == ((), ()) and 0 < walked.accepted < 110
