"""A handful of entities a side, as people's first ontologies have them, matched without a model.

``python -m tests.benchmarks.agents.tiny_pairs`` prints precision and recall with and without what
is left over (``kgnb/agents/ontology_matching/leftover.py``), and how many pairs are held equal
between ontologies that have nothing to do with each other. ``FIRST`` were drawn before anything was
changed, and one limit was chosen on them; ``SECOND`` were drawn afterwards, and asked once.
"""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import click

from kgnb.agents.ontology_matching import leftover
from kgnb.kg.terms import OWL, RDFS, XSD
from kgnb.mappings import Alignment
from kgnb.tasks.matching import match_ontologies

# Of each pair both sides, classes as ``Name`` or ``Name<Parent``, properties as ``name:Domain>Range``,
# and what is equal.
FIRST = {
    "museum": (
        (
            "Work Painting<Work Sculpture<Work Artist Room paintedBy:Painting>Artist "
            "hangsIn:Work>Room yearMade:Work>gYear born:Artist>gYear"
        ),
        (
            "Creator Painter<Creator Artwork Canvas<Artwork Statue<Artwork ExhibitionSpace "
            "creator:Artwork>Creator isShownIn:Artwork>ExhibitionSpace creationYear:Artwork>gYear "
            "birthYear:Creator>gYear"
        ),
        (
            "Work=Artwork Painting=Canvas Sculpture=Statue Artist=Creator Room=ExhibitionSpace "
            "paintedBy=creator hangsIn=isShownIn yearMade=creationYear born=birthYear"
        ),
    ),
    "uni": (
        (
            "Person Student<Person Teacher<Person Course Faculty attends:Student>Course "
            "teaches:Teacher>Course belongsTo:Course>Faculty name:Person>string "
            "email:Person>string"
        ),
        (
            "Human Pupil<Human Lecturer<Human Module Department Building enrolledIn:Pupil>Module "
            "givesLecture:Lecturer>Module offeredBy:Module>Department fullName:Human>string "
            "mailAddress:Human>string locatedIn:Department>Building"
        ),
        (
            "Person=Human Student=Pupil Teacher=Lecturer Course=Module Faculty=Department "
            "attends=enrolledIn teaches=givesLecture belongsTo=offeredBy name=fullName "
            "email=mailAddress"
        ),
    ),
    "shop": (
        (
            "Customer Order Product Category placedBy:Order>Customer contains:Order>Product "
            "inCategory:Product>Category price:Product>decimal orderDate:Order>date"
        ),
        (
            "Client Purchase Article ArticleGroup Supplier purchaser:Purchase>Client "
            "hasItem:Purchase>Article group:Article>ArticleGroup suppliedBy:Article>Supplier "
            "cost:Article>decimal date:Purchase>date vatNumber:Supplier>string"
        ),
        (
            "Customer=Client Order=Purchase Product=Article Category=ArticleGroup "
            "placedBy=purchaser contains=hasItem inCategory=group price=cost orderDate=date"
        ),
    ),
    "hospital": (
        (
            "Patient Doctor Nurse Ward Diagnosis treatedBy:Patient>Doctor liesIn:Patient>Ward "
            "hasDiagnosis:Patient>Diagnosis worksOn:Nurse>Ward admissionDate:Patient>date"
        ),
        (
            "Physician SickPerson Station Disease Drug attends:Physician>SickPerson "
            "staysAt:SickPerson>Station suffersFrom:SickPerson>Disease prescribed:SickPerson>Drug "
            "admitted:SickPerson>date dose:Drug>string"
        ),
        (
            "Patient=SickPerson Doctor=Physician Ward=Station Diagnosis=Disease liesIn=staysAt "
            "hasDiagnosis=suffersFrom admissionDate=admitted"
        ),
    ),
    "partial": (
        (
            "Recipe Ingredient Cook uses:Recipe>Ingredient writtenBy:Recipe>Cook "
            "minutes:Recipe>integer"
        ),
        (
            "Dish Ingredient Restaurant Guest Menu madeOf:Dish>Ingredient onMenu:Dish>Menu "
            "servedAt:Menu>Restaurant reservedBy:Restaurant>Guest price:Dish>decimal"
        ),
        "Ingredient=Ingredient uses=madeOf Recipe=Dish",
    ),
    "unrelated": (
        "Planet Star Moon<Planet orbits:Planet>Star mass:Planet>decimal discovered:Planet>date",
        (
            "Invoice Debtor LineItem billedTo:Invoice>Debtor lineOf:LineItem>Invoice "
            "amount:LineItem>decimal due:Invoice>date"
        ),
        "",
    ),
    "unrelated2": (
        ("Song Album Band onAlbum:Song>Album by:Album>Band length:Song>integer title:Song>string"),
        (
            "Bridge River Engineer spans:Bridge>River designedBy:Bridge>Engineer "
            "span:Bridge>integer built:Bridge>date"
        ),
        "",
    ),
    "football": (
        (
            "Team Player Match Stadium playsFor:Player>Team homeTeam:Match>Team "
            "awayTeam:Match>Team playedAt:Match>Stadium goals:Player>integer "
            "kickOff:Match>dateTime capacity:Stadium>integer"
        ),
        (
            "Club Footballer Game Arena Referee memberOf:Footballer>Club host:Game>Club "
            "guest:Game>Club venue:Game>Arena ledBy:Game>Referee scored:Footballer>integer "
            "starts:Game>dateTime seats:Arena>integer"
        ),
        (
            "Team=Club Player=Footballer Match=Game Stadium=Arena playsFor=memberOf homeTeam=host "
            "awayTeam=guest playedAt=venue goals=scored kickOff=starts capacity=seats"
        ),
    ),
    "employees": (
        (
            "Employee Department Project Manager<Employee worksIn:Employee>Department "
            "assignedTo:Employee>Project managedBy:Department>Manager salary:Employee>decimal "
            "startDate:Project>date"
        ),
        (
            "Worker Unit Undertaking Head<Worker unitOf:Worker>Unit partOfTeam:Worker>Undertaking "
            "ledBy:Unit>Head pay:Worker>decimal begins:Undertaking>date"
        ),
        (
            "Employee=Worker Department=Unit Project=Undertaking Manager=Head worksIn=unitOf "
            "assignedTo=partOfTeam managedBy=ledBy salary=pay startDate=begins"
        ),
    ),
}
SECOND = {
    "zoo": (
        (
            "Animal Keeper Enclosure Feeding livesIn:Animal>Enclosure caresFor:Keeper>Animal "
            "fedAt:Feeding>Animal bornOn:Animal>date species:Animal>string"
        ),
        (
            "Specimen Caretaker Cage Visitor Ticket housedIn:Specimen>Cage "
            "looksAfter:Caretaker>Specimen buys:Visitor>Ticket dateOfBirth:Specimen>date "
            "scientificName:Specimen>string amount:Ticket>decimal"
        ),
        (
            "Animal=Specimen Keeper=Caretaker Enclosure=Cage livesIn=housedIn caresFor=looksAfter "
            "bornOn=dateOfBirth species=scientificName"
        ),
    ),
    "flights": (
        (
            "Flight Airport Airline Passenger departsFrom:Flight>Airport arrivesAt:Flight>Airport "
            "operatedBy:Flight>Airline booked:Passenger>Flight flightNumber:Flight>string "
            "departureTime:Flight>dateTime"
        ),
        (
            "Connection Aerodrome Carrier Traveller Luggage origin:Connection>Aerodrome "
            "destination:Connection>Aerodrome carrier:Connection>Carrier "
            "travelsOn:Traveller>Connection number:Connection>string takeOff:Connection>dateTime "
            "weight:Luggage>decimal owner:Luggage>Traveller"
        ),
        (
            "Flight=Connection Airport=Aerodrome Airline=Carrier Passenger=Traveller "
            "departsFrom=origin arrivesAt=destination operatedBy=carrier booked=travelsOn "
            "flightNumber=number departureTime=takeOff"
        ),
    ),
    "news": (
        (
            "Article Journalist Section Newspaper author:Article>Journalist "
            "appearsIn:Article>Section sectionOf:Section>Newspaper headline:Article>string "
            "published:Article>date"
        ),
        (
            "Story Reporter Column Outlet Comment writtenBy:Story>Reporter partOf:Story>Column "
            "belongsTo:Column>Outlet title:Story>string publicationDate:Story>date "
            "on:Comment>Story text:Comment>string"
        ),
        (
            "Article=Story Journalist=Reporter Section=Column Newspaper=Outlet author=writtenBy "
            "appearsIn=partOf sectionOf=belongsTo headline=title published=publicationDate"
        ),
    ),
    "cars": (
        (
            "Car Owner Garage Repair Part ownedBy:Car>Owner repairedAt:Repair>Garage "
            "ofCar:Repair>Car usesPart:Repair>Part mileage:Car>integer plate:Car>string "
            "costs:Repair>decimal"
        ),
        (
            "Vehicle Person Workshop Service SparePart hasOwner:Vehicle>Person "
            "doneBy:Service>Workshop vehicle:Service>Vehicle component:Service>SparePart "
            "kilometres:Vehicle>integer licencePlate:Vehicle>string price:Service>decimal"
        ),
        (
            "Car=Vehicle Owner=Person Garage=Workshop Repair=Service Part=SparePart "
            "ownedBy=hasOwner repairedAt=doneBy ofCar=vehicle usesPart=component "
            "mileage=kilometres plate=licencePlate costs=price"
        ),
    ),
    "farm": (
        (
            "Field Crop Farmer Harvest grows:Field>Crop owns:Farmer>Field harvestOf:Harvest>Field "
            "tonnes:Harvest>decimal area:Field>decimal"
        ),
        (
            "Parcel Plant Grower Tractor plantedWith:Parcel>Plant tends:Grower>Parcel "
            "drives:Grower>Tractor hectares:Parcel>decimal power:Tractor>integer"
        ),
        "Field=Parcel Crop=Plant Farmer=Grower grows=plantedWith owns=tends area=hectares",
    ),
    "movies": (
        (
            "Film Actor Director Cinema actsIn:Actor>Film directs:Director>Film "
            "showsAt:Film>Cinema runtime:Film>integer released:Film>date"
        ),
        (
            "Movie Performer Filmmaker Studio starredIn:Performer>Movie made:Filmmaker>Movie "
            "producedBy:Movie>Studio duration:Movie>integer releaseDate:Movie>date "
            "budget:Movie>decimal"
        ),
        (
            "Film=Movie Actor=Performer Director=Filmmaker actsIn=starredIn directs=made "
            "runtime=duration released=releaseDate"
        ),
    ),
    "nil1": (
        "Comet Observatory seenFrom:Comet>Observatory period:Comet>decimal seenOn:Comet>date",
        (
            "Loan Bank Debtor lentBy:Loan>Bank takenBy:Loan>Debtor sum:Loan>decimal "
            "repaidOn:Loan>date"
        ),
        "",
    ),
    "nil2": (
        (
            "Chess Opening Move after:Move>Move inOpening:Move>Opening name:Opening>string "
            "year:Opening>gYear"
        ),
        (
            "Soil Sample Laboratory takenFrom:Sample>Soil testedAt:Sample>Laboratory "
            "ph:Sample>decimal label:Sample>string"
        ),
        "",
    ),
}


def written(spec: str, at: str, file: Path) -> Path:
    """The ontology of a line, as Turtle."""
    lines = []
    for entity in spec.split():
        local, *more = re.split("[:<>]", entity)
        if len(more) == 2:
            kind, to = ("Datatype", XSD) if more[1][0].islower() else ("Object", at)
            said = (
                f"{kind}Property> ; <{RDFS}domain> <{at}{more[0]}> ; <{RDFS}range> <{to}{more[1]}>"
            )
        else:
            said = "Class>" + "".join(f" ; <{RDFS}subClassOf> <{at}{parent}>" for parent in more)
        lines.append(f"<{at}{local}> a <{OWL}{said} .")
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def named(alignment: Alignment) -> set[str]:
    """The pairs, as the tables above have them."""
    return {"=".join(iri.rsplit("/", 1)[-1] for iri in mapping.pair) for mapping in alignment}


@click.command()
def main() -> None:
    """Print the figures of both tables."""
    with TemporaryDirectory() as folder:
        for title, pairs in (("FIRST", FIRST), ("SECOND", SECOND)):
            files = {
                (name, side): written(
                    spec[number],
                    f"http://{side}.{name}.example/",
                    Path(folder, f"{name}-{side}.ttl"),
                )
                for name, spec in pairs.items()
                for number, side in enumerate("ab")
            }
            for how, sizes in (("rule alone", range(0)), ("with the rest", leftover.SIZES)):
                right = found = wanted = 0
                with patch.object(leftover, "SIZES", sizes):
                    for name, (_, _, same) in pairs.items():
                        those = named(
                            match_ontologies(files[name, "a"], files[name, "b"], judge="rule")
                        )
                        right += len(those & set(same.split()))
                        found, wanted = found + len(those), wanted + len(same.split())
                click.echo(f"{title} {how:14} {right} of {found} right, {wanted} wanted")
            apart = [
                named(match_ontologies(files[one, "a"], files[other, "b"], judge="rule"))
                for one, other in permutations(pairs, 2)
            ]
            held = sum(map(len, apart))
            click.echo(f"{title} of different things: {held} held equal in {len(apart)} pairs")


if __name__ == "__main__":
    main()
