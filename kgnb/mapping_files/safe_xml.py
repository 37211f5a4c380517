"""XML into small elements that know their line, with nothing fetched and nothing blown up.

Python's expat never opens an external entity by itself; here a file that declares one is refused outright, as is an
entity made of entities or a long one, so that a small file cannot unfold into a large text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from kgnb.errors import DataError

MAX_ENTITY = 400  # characters; a namespace fits, a bomb does not
MAX_ENTITIES = 100
MAX_DEPTH = 100


@dataclass(slots=True)
class Element:
    """One element: its local name, namespace, attributes by local name, children, own text and line."""

    name: str
    namespace: str
    line: int
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The element's own text, without that of its children."""
        return "".join(self.texts)

    def attribute(self, name: str) -> str:
        """An attribute by its local name, or ""."""
        return self.attributes.get(name, "").strip()

    def all(self, name: str) -> list[Element]:
        """The children of that local name."""
        return [child for child in self.children if child.name == name]

    def first(self, *names: str) -> Element | None:
        """The first child of one of those local names, or None."""
        return next((child for child in self.children if child.name in names), None)


def parse(content: bytes, where: str) -> Element:
    """The root element; DataError with file and line for what is not well-formed or not safe."""
    body = content.removeprefix(b"\xef\xbb\xbf").lstrip()  # real files put tabs before the prolog
    skipped = content[: len(content) - len(body)].count(b"\n")
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    root = Element("", "", 0)
    stack = [root]
    entities = 0

    def at() -> str:
        return f"{where}:{parser.CurrentLineNumber + skipped}"

    def unsafe(what: str) -> DataError:
        return DataError(what, where=at(), fix="Remove the entity declarations from the file.")

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(stack) > MAX_DEPTH:
            raise DataError(f"elements nest deeper than {MAX_DEPTH}", where=at(), fix="This is no alignment file.")
        namespace, _, local = name.rpartition(" ")
        element = Element(local, namespace, parser.CurrentLineNumber + skipped)
        element.attributes = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        stack[-1].children.append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack.pop()

    def text(data: str) -> None:
        stack[-1].texts.append(data)

    def entity(name: str, parameter: bool, value: str | None, *_: str | None) -> None:
        nonlocal entities
        entities += 1
        if value is None or parameter:
            raise unsafe(f"the entity {name!r} refers to another file")
        if "&" in value or len(value) > MAX_ENTITY or entities > MAX_ENTITIES:
            raise unsafe(f"the entity {name!r} unfolds too far")

    def external(*_: str | None) -> bool:
        raise unsafe("the file refers to another file")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = entity
    parser.ExternalEntityRefHandler = external
    try:
        parser.Parse(body, True)
    except expat.ExpatError as error:
        message = expat.errors.messages.get(error.code, "error")
        raise DataError(
            f"is not well-formed XML: {message}",
            where=f"{where}:{error.lineno + skipped}",
            fix="Look at that line; a file in another format needs another suffix (.sssom.tsv, .ttl).",
        ) from error
    except (LookupError, ValueError) as error:  # an encoding that Python does not know or cannot hand to expat
        raise DataError(f"cannot be decoded: {error}", where=where, fix="Save the file as UTF-8.") from error
    return root.children[0]
