"""Everyday questions of graphs in common vocabularies, by the rule: whose relations are called as a
standard calls them, whose facts hang on nodes without a name, whose things have codes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kgnb.agents.question_answering.answer import Answer
from kgnb.tasks.asking import answer_question

PREFIXES = """
@prefix schema: <https://schema.org/> . @prefix org: <http://www.w3.org/ns/org#> .
@prefix vcard: <http://www.w3.org/2006/vcard/ns#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rel: <http://purl.org/vocab/relationship/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix c: <http://erp.example/schema#> .
@prefix : <http://house.example/id/> .
"""
GRAPHS = {
    "books": """
:b1 a schema:Book ; schema:name "Salt and Stone" ; schema:author :p1 ; schema:numberOfPages 275 ;
    schema:datePublished "2016-09-01"^^xsd:date ; schema:offers [ a schema:Offer ; schema:price 9.99 ] .
:b2 a schema:Book ; schema:name "A History of Tea" ; schema:author :p2 ; schema:numberOfPages 512 ;
    schema:datePublished "1998-05-20"^^xsd:date ; schema:offers [ a schema:Offer ; schema:price 24.0 ] .
:b3 a schema:Book ; schema:name "Night Trains" ; schema:author :p1 ; schema:numberOfPages 198 ;
    schema:datePublished "2020-11-02"^^xsd:date ; schema:offers [ a schema:Offer ; schema:price 11.25 ] .
:p1 a schema:Person ; schema:name "Marta Lind" ; schema:birthPlace "Uppsala" .
:p2 a schema:Person ; schema:name "Owen Parry" ; schema:birthPlace "Cardiff" .
:r1 a schema:Review ; schema:itemReviewed :b3 ; schema:author :p2 .
:o1 a schema:Organization ; schema:name "Quay Books" ; schema:address [ a schema:PostalAddress ;
    schema:addressLocality "Leeds" ] .
""",
    "staff": """
:acme a org:Organization ; skos:prefLabel "Bright Council" ; org:hasUnit :fin, :it .
:fin a org:OrganizationalUnit ; skos:prefLabel "Finance" .
:it a org:OrganizationalUnit ; skos:prefLabel "IT Services" .
:u1 a vcard:Individual ; vcard:fn "Joan Mercer" ; vcard:bday "1970-04-11"^^xsd:date ; org:memberOf :fin ;
    org:headOf :fin ; vcard:hasEmail <mailto:joan@bright.example> .
:u2 a vcard:Individual ; vcard:fn "Dilip Shah" ; vcard:bday "1988-10-02"^^xsd:date ; org:memberOf :fin ;
    org:reportsTo :u1 .
:u3 a vcard:Individual ; vcard:fn "Sam Okoye" ; vcard:bday "1995-06-17"^^xsd:date ; org:memberOf :it ;
    org:reportsTo :u4 .
:u4 a vcard:Individual ; vcard:fn "Lucy Grant" ; vcard:bday "1979-09-09"^^xsd:date ; org:memberOf :it .
""",
    "firm": """
:C-100 a c:CustomerAccount ; c:accountName "Nordwind GmbH" ; c:billingCity "Hamburg" ; c:accountManager :E7 .
:C-101 a c:CustomerAccount ; c:accountName "Blue Heron Ltd" ; c:billingCity "Leeds" ; c:accountManager :E8 .
:E7 a c:SalesRep ; c:fullName "Rita Koch" . :E8 a c:SalesRep ; c:fullName "Alan Pugh" .
:SO-9001 a c:SalesOrder ; c:orderNo "SO-9001" ; c:placedBy :C-100 ; c:orderDate "2024-01-10"^^xsd:date ;
    c:orderStatus "shipped" ; c:containsItem :P-55, :P-56 .
:SO-9002 a c:SalesOrder ; c:orderNo "SO-9002" ; c:placedBy :C-101 ; c:orderDate "2024-02-03"^^xsd:date ;
    c:orderStatus "open" ; c:containsItem :P-55 .
:P-55 a c:ProductItem ; c:productName "Copper Kettle" ; c:unitPrice 62.1 .
:P-56 a c:ProductItem ; c:productName "Gas Hob" ; c:unitPrice 499.0 .
""",
    "friends": """
:ada a foaf:Person ; foaf:name "Ada Byron" ; foaf:age 36 ; foaf:based_near "London" ; rel:spouseOf :cy .
:bob a foaf:Person ; foaf:name "Bob Ross" ; foaf:age 52 ; foaf:knows :ada ; rel:parentOf :eve .
:cy a foaf:Person ; foaf:name "Cyril King" ; foaf:age 40 ; foaf:based_near "London" .
:eve a foaf:Person ; foaf:name "Eve Ross" ; foaf:age 21 ; foaf:knows :ada .
:club a foaf:Group ; foaf:name "Chess Circle" ; foaf:member :ada, :cy, :eve .
""",
    "kitchen": """
:pan a skos:Concept ; skos:prefLabel "frying pan"@en, "Bratpfanne"@de ; skos:altLabel "skillet"@en ;
    skos:notation "K12" .
:wok a skos:Concept ; skos:prefLabel "wok"@en ; skos:broader :pan .
:pot a skos:Concept ; skos:prefLabel "stock pot"@en ; skos:notation "K14" .
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("graphs")
    for name, text in GRAPHS.items():
        (made / f"{name}.ttl").write_text(PREFIXES + text)
    return made


def ask(folder: Path, graph: str, question: str) -> Answer:
    return answer_question(question, folder / f"{graph}.ttl", judge="rule")


@pytest.mark.parametrize(
    ("graph", "question", "told"),
    [
        # what an offer or a review says of a book, neither of which has a name
        ("books", "How much does Night Trains cost?", "11.25"),
        ("books", "What is the cheapest book?", "Salt and Stone"),
        ("books", "Which books cost less than twelve?", "Salt and Stone, Night Trains"),
        ("books", "Who reviewed Night Trains?", "Owen Parry"),
        # what is asked of an extreme
        ("books", "Who wrote the longest book?", "Owen Parry"),
        ("books", "When was the oldest book published?", "1998-05-20"),
        ("friends", "How old is the oldest person?", "52"),
        ("friends", "Who is the spouse of the oldest member of the Chess Circle?", "Ada Byron"),
        # texts that are stated of some
        ("books", "Was Owen Parry born in Uppsala?", "false"),
        ("firm", "Is SO-9002 shipped?", "false"),
        # a standard's relations in the words of people
        ("staff", "Who works for IT Services?", "Sam Okoye, Lucy Grant"),
        ("staff", "How many people work in Finance?", "2"),
        ("staff", "Which unit does Dilip work for?", "Finance"),
        ("staff", "Who is Dilip Shah's boss?", "Joan Mercer"),
        ("staff", "What is Joan's email address?", "joan@bright.example"),
        ("staff", "Who is the head of Finance?", "Joan Mercer"),
        ("staff", "Who is the oldest member of Finance?", "Joan Mercer"),
        ("friends", "Who lives in London?", "Ada Byron, Cyril King"),
        ("friends", "Who are the parents of Eve Ross?", "Bob Ross"),
        # others than a thing that is named
        ("staff", "Which people are younger than Lucy Grant?", "Dilip Shah, Sam Okoye"),
        ("friends", "Who is younger than Ada Byron?", "Eve Ross"),
        ("friends", "Which people are over 35?", "Ada Byron, Bob Ross, Cyril King"),
        # codes, and classes by the word of their name that says something
        ("firm", "What is the status of SO-9001?", "shipped"),
        ("firm", "Which products are in order SO-9001?", "Copper Kettle, Gas Hob"),
        ("firm", "Which orders did Nordwind GmbH place?", "SO-9001"),
        ("firm", "Which customers ordered the Copper Kettle?", "Nordwind GmbH, Blue Heron Ltd"),
        ("firm", "Who is the account manager of Blue Heron Ltd?", "Alan Pugh"),
        ("kitchen", "Which concept has the code K12?", "frying pan"),
        ("kitchen", "What is the German word for frying pan?", "Bratpfanne"),
        ("kitchen", "What is another name for frying pan?", "skillet"),
        ("kitchen", "Which concepts are narrower than frying pan?", "wok"),
    ],
)
def test_an_everyday_question_is_answered(
    folder: Path, graph: str, question: str, told: str
) -> None:
    answer = ask(folder, graph, question)
    assert sorted(map(answer.label, answer.values)) == sorted(told.split(", ")), answer.rationale


@pytest.mark.parametrize(
    ("graph", "question"),
    [
        ("books", "When was Owen Parry born?"),  # where is known, when is not
        ("books", "Who translated Night Trains?"),
        ("books", "What is the address of Quay Books?"),  # a node without a name
        ("staff", "What is Sam Okoye's salary?"),
        ("staff", "Who is the head of Legal?"),
        ("firm", "When was SO-9001 delivered?"),  # the date is that of the order
        ("firm", "What colour is the Copper Kettle?"),
        ("friends", "How old is Ross?"),  # there are two
        ("kitchen", "What is the French word for wok?"),
    ],
)
def test_what_the_graph_does_not_say_is_left_open(folder: Path, graph: str, question: str) -> None:
    answer = ask(folder, graph, question)
    assert answer.status == "unsure", answer.rationale


def test_what_is_asked_of_an_extreme_is_proved_with_it(folder: Path) -> None:
    answer = ask(folder, "books", "Who wrote the longest book?")
    relations = {triple[1].rpartition("/")[2] for triple in answer.support}
    assert {"author", "numberOfPages"} <= relations
    assert "A History of Tea: all members of Book" in answer.rationale
