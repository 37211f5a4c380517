import re
import urllib.parse
import xml.etree.ElementTree as ET
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from kgnb.results import graph_svg
from kgnb.results.graph import MOST, Edge, GraphPicture, Node
from kgnb.results.graph_svg import HEIGHT, lay_out

HUTS = GraphPicture(
    [
        Node("http://huts.example/id/hochkar", "Hochkarhaus", "hut", emphasis=True),
        Node("b", "Wilma", "person"),
    ],
    [
        Edge("http://huts.example/id/hochkar", "b", "has warden", emphasis=True),
        Edge("b", "b", "knows"),
    ],
    "Who keeps it",
    ["two of nine"],
)


def drawn(picture: GraphPicture) -> ET.Element:
    """The picture as it lies in the HTML."""
    [source] = re.findall(r'src="data:image/svg\+xml,([^"]+)"', picture.html())
    return ET.fromstring(urllib.parse.unquote(source))


def texts(picture: GraphPicture) -> list[str | None]:
    return [element.text for element in drawn(picture).iter("{http://www.w3.org/2000/svg}text")]


def many(count: int, seed: int = 0) -> GraphPicture:
    """A made-up graph, a tree and a few lines more, with names of usual length."""
    random = Random(seed)
    nodes = [
        Node(f"http://huts.example/id/{at}", f"Hut number {at}", random.choice("abc"))
        for at in range(count)
    ]
    ends = [(at, random.randrange(at)) for at in range(1, count)]
    ends += [(random.randrange(count), random.randrange(count)) for _ in range(count // 5)]
    return GraphPicture(
        nodes, [Edge(nodes[a].id, nodes[b].id, random.choice(["near", "lies in"])) for a, b in ends]
    )


def test_the_picture_is_an_image_of_valid_xml_that_is_the_same_every_time() -> None:
    again = GraphPicture(HUTS.nodes, HUTS.edges, HUTS.title, HUTS.notes)
    assert HUTS.html() == again.html() and HUTS.json() == again.json()
    assert {"Hochkarhaus", "Wilma", "has warden", "knows", "hut", "person"} == set(texts(HUTS))
    assert "<svg" not in HUTS.html() and "<script" not in HUTS.html()


def test_plain_text_names_every_line_and_what_stands_alone() -> None:
    lonely = GraphPicture(
        [*HUTS.nodes, Node("c", "Nebelsattel")], HUTS.edges, HUTS.title, HUTS.notes
    )
    assert str(lonely).splitlines() == [
        "Who keeps it",
        "",
        "Hochkarhaus -- has warden --> Wilma",
        "Wilma -- knows --> Wilma",
        "by themselves: Nebelsattel",
        "two of nine",
    ]
    assert (
        str(GraphPicture([])) == "(an empty graph)"
        and "Nothing to draw." in GraphPicture([]).html()
    )


def test_the_json_holds_positions_and_lines_by_position() -> None:
    data = HUTS.json()
    assert data["kinds"] == ["hut", "person"] and data["edges"] == [
        [0, 1, "has warden", 1],
        [1, 1, "knows"],
    ]
    [first, second] = data["nodes"]
    assert first[:3] == ["http://huts.example/id/hochkar", "Hochkarhaus", 0] and first[5:] == [
        "",
        1,
        0,
    ]
    assert second[:3] == ["b", "Wilma", 1] and len(second) == 5
    assert all(
        0 <= place <= limit
        for node in data["nodes"]
        for place, limit in zip(node[3:5], data["size"], strict=True)
    )


def test_an_end_that_is_no_node_is_drawn_under_its_id_and_two_of_one_id_are_refused() -> None:
    assert "http://huts.example/id/rose" not in str(
        GraphPicture([], [Edge("a", "http://huts.example/id/rose")])
    )
    assert str(GraphPicture([], [Edge("a", "b")])) == "a --> b"
    with pytest.raises(ValueError, match="two nodes have the id 'a'"):
        GraphPicture([Node("a", "A"), Node("a", "B")])


def test_no_two_names_overlap_and_parts_that_nothing_joins_are_set_side_by_side() -> None:
    picture = many(60)
    widths = np.array([graph_svg.width(node.label) for node in picture.nodes])
    places = np.array([node[3:5] for node in picture.json()["nodes"]])
    for one in range(len(places)):
        for other in range(one):
            across, down = np.abs(places[one] - places[other])
            assert across >= (widths[one] + widths[other]) / 2 or down >= HEIGHT
    apart = lay_out([60.0] * 4, {(0, 1): 30.0, (2, 3): 30.0})
    assert len({tuple(place) for place in apart.tolist()}) == 4 and apart.min() >= 0
    wide, high = GraphPicture([], [Edge(f"a{at}", f"b{at}", "knows") for at in range(100)]).json()[
        "size"
    ]
    assert 1 < wide / high < 3  # about as wide as a screen, and not a column


def test_too_many_nodes_are_put_together_and_then_the_lightest_left_out() -> None:
    star = GraphPicture(
        [Node("hub", "hub", emphasis=True)], [Edge("hub", f"n{at}", "has") for at in range(1000)]
    )
    assert len(star.json()["nodes"]) == 2 and "1,000 others" in str(star)
    assert any(
        "1,000 nodes at the end of one line are grouped" in note for note in star.json()["notes"]
    )
    assert len(star.table()) == 1000
    ring = GraphPicture(
        [Node(str(at), str(at)) for at in range(400)],
        [Edge(str(at), str((at + 1) % 400)) for at in range(400)],
    )
    assert len(ring.json()["nodes"]) == MOST
    assert any(f"{MOST} of 400 nodes are drawn" in note for note in ring.json()["notes"])


def crowd(names: int) -> GraphPicture:
    """Everything joined with everything, each line with a name."""
    ids = [f"n{at}" for at in range(names)]
    edges = [Edge(one, other, f"leads to {other}") for one in ids for other in ids if one < other]
    return GraphPicture([Node(each, f"Node {each}") for each in ids], edges)


def test_names_that_would_lie_on_each_other_are_left_to_the_list_but_not_of_what_stands_out() -> (
    None
):
    picture = crowd(12)
    left = len(picture.edges) - picture.svg().count(">leads to ")
    assert 0 < left < len(picture.edges) / 2
    assert f"{left} lines without room for a name: see the list." in picture.html()
    marked = GraphPicture(picture.nodes, [replace(edge, emphasis=True) for edge in picture.edges])
    assert "without room" not in marked.html() and "without room" not in crowd(5).html()


def test_what_is_left_out_is_not_joined_first_and_travels_along_to_be_opened() -> None:
    chain = [Edge(f"n{at}", f"n{at + 1}", "next") for at in range(600)]
    hubs = [Edge("n0", f"h{at}", "has") for at in range(2)] + [
        Edge(f"x{at}", f"y{at}", "apart") for at in range(200)
    ]
    data = GraphPicture([], [*hubs, *chain]).json()
    ids = {node[0] for node in data["nodes"]}
    assert len(ids) == MOST and len(data["edges"]) == MOST - 1  # one connected piece
    assert "n0" in ids and not any(key.startswith("x") for key in ids)
    assert len(data["beyond"]["nodes"]) == 603 + 400 - MOST


def test_places_that_are_given_are_kept_however_many_there_are() -> None:
    rows = GraphPicture(
        [Node(str(at), str(at)) for at in range(400)],
        places=[(50.0, 32.0 * at) for at in range(400)],
    )
    assert [node[3:5] for node in rows.json()["nodes"]] == [[50.0, 32.0 * at] for at in range(400)]
