"""An alignment counts, shows and tabulates itself."""

from kgnb.mappings import Alignment, Dropped, Evidence, Mapping

FULL = Alignment(
    (
        Mapping(
            "http://a#Hut",
            "http://b#RF_1",
            confidence=0.875,
            source_label="Hut",
            target_label="<script>refuge</script>",
            judged_by="rule",
            rationale="the same place",
            evidence=(Evidence("exact label", "hut = hut", 1.0), Evidence("note", "no score")),
        ),
        Mapping("http://a#RescueHut", "http://b#RF_1", "broader", 0.5),
        Mapping("http://a#altitude", "http://b#has_altitude", kind="datatype property"),
    ),
    dropped=(
        Dropped(Mapping("http://a#x", "http://b#y"), "below 0.50"),
        Dropped(Mapping("http://a#x", "http://b#z"), "below 0.50"),
    ),
    unsure=(Mapping("http://a#Season", "http://b#Saison", "unsure", 0.4),),
    notes=("12 entities have no label",),
)


def test_the_table_shows_labels_evidence_and_what_was_dropped() -> None:
    table = FULL.table()
    text = table.text()
    assert "87.5 %" in text
    assert "2 dropped: 2 below 0.50" in text
    assert "1 pair could not be decided: review them" in text
    assert "12 entities have no label" in text
    assert table.details is not None
    assert table.details[0] == (
        ("rationale", "the same place"),
        ("exact label (1.00)", "hut = hut"),
        ("note", "no score"),
        ("justification", "semapv:CompositeMatching"),
    )
    assert str(FULL) == text


def test_the_data_frame_has_every_field_and_row() -> None:
    frame = FULL.df()
    assert list(frame["source"]) == ["http://a#Hut", "http://a#RescueHut", "http://a#altitude"]
    assert list(frame["confidence"]) == [0.875, 0.5, 1.0]
    assert list(frame.columns) == [
        *("source", "target", "relation", "confidence", "kind", "source_label", "target_label"),
        *("justification", "judged_by", "rationale"),
    ]
    assert len(Alignment(()).df()) == 0
