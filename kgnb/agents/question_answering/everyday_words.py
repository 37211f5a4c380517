"""What people call the relations of common vocabularies, whose own names are a standard's: nobody
asks who is "based near" London, but who lives there.

The words are those that the vocabularies' specifications use to explain a relation, or the nouns and
verbs of daily use for the same thing. They are compared with questions besides a relation's own
names, and shown to nobody.
"""

from __future__ import annotations

from kgnb.kg.prefixes import PREFIXES

_SCHEMA = "https://schema.org/"
_TABLES = {
    PREFIXES["foaf"]: """
based_near: lives, residence, home
mbox: email address, email, e-mail
homepage: website
maker: creator, made by, made, wrote, written
interest: interested, hobby
topic_interest: interested, hobby
phone: phone number, telephone number
depiction: picture, photo
currentProject: project, works on
member: members, belongs
primaryTopic: subject, about
""",
    "http://www.w3.org/ns/org#": """
memberOf: works, works for, employer, employee, member, department
hasMember: employee, works for, staff, member
headOf: leads, manages, runs
reportsTo: boss, manager, supervisor, line manager
unitOf: part of, parent organization
subOrganizationOf: part of, parent organization
hasUnit: department, division
hasSubOrganization: subsidiary, department
holds: post, position
basedAt: office, works at, workplace
""",
    "http://www.w3.org/2006/vcard/ns#": """
bday: birthday, birth date, born
hasEmail: email address, email, e-mail
email: email address, e-mail
hasTelephone: phone number, telephone number, phone
tel: phone number, telephone number
locality: city, town
region: state, county
country-name: country
postal-code: postcode, zip code
street-address: street
title: job title, job
hasURL: website
""",
    PREFIXES["dcterms"]: """
creator: author, made by, made, wrote, written, write
issued: publication date, published, release date, released
modified: updated, last update, changed
created: creation date, made
license: licence, terms of use
accrualPeriodicity: update frequency, updated
spatial: place, area covered
temporal: period
subject: topic, about
extent: length, size
isPartOf: belongs, part of
hasPart: contains, part
rightsHolder: owner, owns
conformsTo: standard
""",
    "http://www.w3.org/ns/dcat#": """
keyword: tag, subject
theme: topic, category
byteSize: file size
downloadURL: download
accessURL: access, download
contactPoint: contact, contact person
landingPage: web page, website
mediaType: format, file format
distribution: file
""",
    PREFIXES["skos"]: """
notation: code, number
inScheme: vocabulary, thesaurus
""",
    "http://www.w3.org/ns/sosa/": """
isHostedBy: located, place, mounted, installed
hosts: contains
observes: measures
hasSimpleResult: result, value, reading
hasResult: result, reading
madeBySensor: sensor, measured by, recorded by
madeObservation: observation, measurement
observedProperty: measured
resultTime: time, date
phenomenonTime: time, date
hasFeatureOfInterest: about
""",
    "http://qudt.org/schema/qudt/": """
numericValue: value, amount
hasUnit: unit
""",
    PREFIXES["prov"]: """
wasAttributedTo: author, made by, made, responsible
wasGeneratedBy: made by, produced by, created by
wasAssociatedWith: done by, carried out by, responsible, performed by
wasDerivedFrom: source, based on, made from
startedAtTime: start, began
endedAtTime: end, finished
generatedAtTime: created, made
actedOnBehalfOf: works for, employer
atLocation: place, takes place
""",
    "http://purl.org/vocab/relationship/": """
spouseOf: married, husband, wife, spouse
employedBy: works for, employer
employerOf: employs, employee
worksWith: colleague
livesWith: housemate
""",
    "http://www.w3.org/2003/01/geo/wgs84_pos#": """
lat: latitude
long: longitude
alt: altitude, height
""",
    _SCHEMA: """
alumniOf: studied, school, university, graduated
worksFor: works, employer
jobTitle: job, profession
telephone: phone number
numberOfPages: length, pages
datePublished: publication date, published
dateCreated: made, created
price: cost
availability: in stock, available
addressLocality: city, town
addressCountry: country
addressRegion: region, state
streetAddress: street
postalCode: postcode, zip code
location: venue, takes place, held
startDate: start, begins
endDate: end, ends
duration: length
actor: cast, stars, plays
byArtist: artist, singer, performed by, recorded by, sings
inAlbum: album
recipeIngredient: ingredient, contains, use, needs
recipeYield: servings, serves
cookTime: cooking time
prepTime: preparation time
ratingValue: rating, stars
reviewRating: rating, stars
manufacturer: made by, maker
foundingDate: founded, established
numberOfEmployees: employees, staff
containedInPlace: located, part of
openingHours: open
servesCuisine: cuisine, food
inLanguage: language
spouse: married, husband, wife
""",
}


def _read() -> dict[str, tuple[str, ...]]:
    found = {}
    for namespace, table in _TABLES.items():
        for line in table.split("\n"):
            name, _, texts = line.partition(": ")
            if name:
                found[namespace + name] = tuple(texts.split(", "))
    plain = {iri.replace("https:", "http:"): texts for iri, texts in found.items()}
    return {**plain, **found}


_WORDS = _read()


def everyday(relation: str) -> tuple[str, ...]:
    """What people call a relation of a common vocabulary; empty for all others.

    >>> everyday("http://xmlns.com/foaf/0.1/based_near")
    ('lives', 'residence', 'home')
    """
    return _WORDS.get(relation, ())
