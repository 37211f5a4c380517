"""Files made to hang or kill a reader: a hundred kilobytes of one unit repeated, and structures
nested deep.
"""

import random

PREFIX = "@prefix : <http://hut.example/> .\n"
RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:h="http://hut.example/">'

NESTED = {
    "quoted.ttl": (PREFIX + ":a :b ", "<<( :a :b ", ":c ", ")>> ", "."),
    "quoted.nt": ("<urn:a> <urn:b> ", "<<( <urn:a> <urn:b> ", "<urn:c> ", ")>> ", ".\n"),
    "reified.ttl": (PREFIX + ":a :b ", "<< :a :b ", ":c ", ">> ", "."),
    "collection.ttl": (PREFIX + ":a :b ", "(", "", ")", " ."),
    "blank.ttl": (PREFIX + ":a :b ", "[ :p ", ":c ", "]", " ."),
    "elements.owl": (RDF, "<h:D><h:p>", "", "</h:p></h:D>", "</rdf:RDF>"),
    "hidden.owl": (RDF, "<h:D h:q='/>'><!--</h:D></h:D>--><h:p>", "", "</h:p></h:D>", "</rdf:RDF>"),
    "objects.jsonld": ('{"@id":"urn:a","urn:p":', '{"@id":"urn:a","urn:p":', '"x"', "}", "}"),
    "lists.jsonld": ('{"@id":"urn:a","urn:p":', "[", '"x"', "]", "}"),
}


def nested(name: str, deep: int) -> str:
    """One of ``NESTED``, so deep."""
    head, opening, middle, closing, tail = NESTED[name]
    return head + opening * deep + middle + closing * deep + tail


REPEATED = [
    "<!DOCTYPE a ",
    "<!DOCTYPE a [",
    "<!--",
    "<?",
    "<![CDATA[",
    "<!---->",
    "<a \"<b'",
    "</a",
    '\\"',
    '\\"a.^',
    "'''\\\"",
    "&a",
]

_TOKENS = {
    ".owl": [
        *(
            "<",
            ">",
            "<!--",
            "-->",
            "<!DOCTYPE ",
            "[",
            "]",
            "<?",
            "?>",
            "<![CDATA[",
            "]]>",
            "<a ",
            "</a>",
            "/>",
            '"',
            "'",
        ),
        *(
            "&",
            "&amp;",
            "&a;",
            '<!ENTITY a "',
            ' rdf:ID="',
            " rdf:nodeID='",
            'xmlns:a="',
            "=",
            " ",
            "\n",
            "x",
            ";",
            "#",
        ),
        *(RDF, "</rdf:RDF>", '<h:p rdf:parseType="Literal">', 'encoding="', "<h:D><h:p>"),
    ],
    ".ttl": [
        *(
            "<",
            ">",
            "<<",
            ">>",
            "<<(",
            ")>>",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            '"',
            '""',
            '"""',
            "'",
            "'''",
            "\\",
            "\\u",
            '\\"',
        ),
        *(
            "\n",
            "#",
            "@",
            "@en_",
            "^^",
            ":a ",
            ":a :b :c",
            ".",
            ";",
            ",",
            "_:a",
            "%",
            "<http://h/a b>",
            " ",
            "{|",
            "|}",
            PREFIX,
        ),
    ],
    ".jsonld": [
        *(
            "{",
            "}",
            "[",
            "]",
            '"',
            "\\",
            "\\u",
            '"a"',
            ":",
            ",",
            '"@id"',
            '"@context"',
            '"@graph"',
            "1",
            "e",
            "-",
            "null",
        ),
        *(" ", "\n", '{"@id":"urn:a"', '"urn:p":', '"@list"', '"@set"', '"@reverse"'),
    ],
}
_SUFFIXES = {
    ".owl": [".owl", ".rdf"],
    ".ttl": [".ttl", ".nt", ".trig", ".n3", ".nq", ".txt"],
    ".jsonld": [".jsonld"],
}
_HEADS = {
    ".owl": [
        "",
        '<?xml version="1.0"?>',
        RDF,
        f'<!DOCTYPE r [<!ENTITY a "x">]>{RDF}<rdf:Description><h:p>',
    ],
    ".ttl": ["", PREFIX, PREFIX + ":a :b ", ':a :b "'],
    ".jsonld": ["", '{"@id":"urn:a","urn:p":', '{"@context":{"a":"urn:a"},"@graph":['],
}


def repetition(seed: int, size: int = 60_000) -> tuple[str, str]:
    """A suffix and a text of this many characters in which a few tokens of a format repeat: what
    regular expressions that go back and forth take minutes for.
    """
    rng = random.Random(seed)
    kind = rng.choice([".owl", ".owl", ".ttl", ".ttl", ".jsonld"])
    first = "".join(rng.choices(_TOKENS[kind], k=rng.randint(1, 6)))
    second = "".join(rng.choices(_TOKENS[kind], k=rng.randint(0, 4)))
    times = size // max(1, len(first))
    tail = rng.choice(["", second * times, second])
    return rng.choice(_SUFFIXES[kind]), rng.choice(_HEADS[kind]) + first * times + tail
