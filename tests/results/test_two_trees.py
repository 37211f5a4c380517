import base64
import re
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from kgnb.results.two_trees import Branch, TreeLink, TwoTrees

LEFT = (Branch("building"), Branch("hut", 1, marked=True), Branch("+3 more", 1, more=True))
RIGHT = (Branch("house"), Branch("mountain hut", 1))
PICTURE = TwoTrees(("alpine", "refuge"), LEFT, RIGHT, (TreeLink(0, 0, 0.98), TreeLink(1, 1, 0.5, "broader")), "Both")


def drawn(picture: TwoTrees) -> str:
    """The picture as it lies in the HTML."""
    [source] = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', picture.html())
    return base64.b64decode(source).decode()


def test_the_picture_is_an_image_of_valid_xml_that_is_the_same_every_time() -> None:
    svg = drawn(PICTURE)
    assert svg == drawn(PICTURE)
    root = ET.fromstring(svg)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"alpine", "refuge", "hut", "mountain hut", "+3 more", "⊂"} <= set(texts)
    assert "<svg" not in PICTURE.html() and "<script" not in PICTURE.html()


def test_lines_are_numbered_alike_in_the_picture_and_the_table() -> None:
    frame = PICTURE.table().df()
    assert frame["number"].tolist() == [1, 2]
    assert frame["left"].tolist() == ["building", "hut"] and frame["right"].tolist() == ["house", "mountain hut"]
    assert drawn(PICTURE).count(">2</text>") == 2
    assert "The same as a table" in PICTURE.html() and "the table below lists them" in PICTURE.html()


def test_plain_text_reads_well() -> None:
    assert str(PICTURE).splitlines() == [
        "Both",
        "",
        "alpine    refuge",
        "--------- --------------------",
        "building  = house (0.98)",
        "  hut     ⊂ mountain hut (0.50)",
        "  +3 more",
    ]
    assert "only in refuge: mountain hut" in str(TwoTrees(("alpine", "refuge"), LEFT, RIGHT, (TreeLink(0, 0, 1.0),)))


@given(st.text(), st.text(max_size=200), st.floats(0, 1))
def test_any_name_is_only_text(title: str, name: str, strength: float) -> None:
    picture = TwoTrees((title, title), (Branch(name),), (Branch(name),), (TreeLink(0, 0, strength, name),), title)
    ET.fromstring(drawn(picture))
    assert len(str(picture).splitlines()) <= 6
    hostile = '"><img src=x onerror=alert(1)><script>alert(1)</script>'
    html = TwoTrees((hostile, hostile), (Branch(hostile),), (Branch(hostile),), (TreeLink(0, 0, 1.0),), hostile).html()
    assert html.count("<img") == 1 and "<script" not in html
