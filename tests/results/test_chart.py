"""A table as a chart: what is drawn follows from what the columns hold."""

import pytest

from kgnb.kg.terms import Literal
from kgnb.results.chart import MOST_BARS, Chart
from kgnb.results.table import Column, LabelledIri, Table, numbers, texts

WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"
XSD = "http://www.w3.org/2001/XMLSchema#"


def axes_of(chart: Chart) -> object:
    (axes,) = chart.figure.axes
    return axes


def test_names_and_a_number_are_bars_the_largest_first() -> None:
    rows = [
        [LabelledIri(f"http://huts.example/{n}", f"hut $%{n}"), n] for n in range(MOST_BARS + 9)
    ]
    chart = Table([*texts(hut="Hut"), *numbers(beds="Beds")], rows, caption="Beds").plot()
    axes = axes_of(chart)
    assert [bar.get_width() for bar in axes.patches] == list(range(MOST_BARS + 8, 8, -1))  # type: ignore[attr-defined]
    assert axes.get_yticklabels()[0].get_text() == rf"hut \$%{MOST_BARS + 8}"  # type: ignore[attr-defined]
    assert f"the {MOST_BARS} largest of {MOST_BARS + 9}" in chart.text()  # what is left out is said


def test_coordinates_are_a_map_as_columns_or_as_points() -> None:
    columns = [Column("name", "name"), *numbers(lat="lat", lon="Long")]
    told = Table(columns, [["Ambre", 46.1, 7.2], ["Bel", 46.3, 7.9], ["nowhere", None, 7.0]]).plot()
    points = [
        ["Ambre", Literal("POINT(7.2 46.1)", datatype=WKT)],
        [
            "Bel",
            Literal("<http://www.opengis.net/def/crs/OGC/1.3/CRS84> Point(7.9 46.3)", datatype=WKT),
        ],
    ]
    pointed = Table(texts(name="name", where="where"), points).plot()
    for chart in (told, pointed):
        (marks,) = axes_of(chart).collections  # type: ignore[attr-defined]
        assert marks.get_offsets().tolist() == [[7.2, 46.1], [7.9, 46.3]]
        assert "2 places on a map" in chart.text()


def test_dates_and_numbers_are_lines_in_the_order_of_time() -> None:
    days = [Literal(day, datatype=f"{XSD}date") for day in ("2021-03-04", "2020-01-02")]
    table = Table(
        [*texts(day="day"), *numbers(beds="beds")], [[days[0], 2], [days[1], 1], [None, 5]]
    )
    (line,) = axes_of(table.plot()).lines  # type: ignore[attr-defined]
    assert list(line.get_ydata()) == [1, 2]
    assert [day.isoformat()[:10] for day in line.get_xdata()] == ["2020-01-02", "2021-03-04"]


def test_a_chart_is_an_image_with_words_and_stays_the_same() -> None:
    table = Table(numbers(a="a", b="b"), [[1, 2], [2, 3]], caption="<b>Two</b>")
    bundle = table.plot()._repr_mimebundle_()
    assert (
        set(bundle) == {"text/html", "text/plain"} and bundle["text/plain"] == "<b>Two</b>: b by a"
    )
    assert (
        'alt="&lt;b&gt;Two' in bundle["text/html"]
        and "data:image/png;base64," in bundle["text/html"]
    )
    assert bundle == table.plot()._repr_mimebundle_()


def test_what_does_not_fit_is_refused_with_what_would() -> None:
    table = Table(texts(name="name"), [["Ambre"], ["Bel"]])
    with pytest.raises(ValueError, match="make no chart: a map needs coordinates"):
        table.plot()
    with pytest.raises(ValueError, match="make no map"):
        Table(numbers(a="a"), [[1]]).plot("map")
    with pytest.raises(ValueError, match="choose map, line, bar, scatter, histogram"):
        table.plot("pie")
    assert "how often" in Table(numbers(a="a"), [[1], [2]]).plot().text()
