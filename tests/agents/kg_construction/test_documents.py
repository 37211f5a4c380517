"""Documents of every kind become text, and damaged ones are errors that say what is wrong."""

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.agents.kg_construction.documents import (
    Document,
    find_documents,
    html_text,
    passages,
    read_document,
)
from kgnb.datasets import huts
from kgnb.errors import DataError


def one_page_pdf(text: str) -> bytes:
    """A minimal PDF without a table of cross-references, which readers rebuild."""
    content = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    ]
    body = b"".join(
        b"%d 0 obj\n%s\nendobj\n" % (number, one) for number, one in enumerate(objects, start=1)
    )
    return b"%PDF-1.4\n" + body + b"trailer << /Size 5 /Root 1 0 R >>\nstartxref\n0\n%%EOF\n"


def word_file(path: Path, content: str) -> Path:
    """A .docx with this body, as XML without the prefix of its names."""
    names = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        packed.writestr(
            "word/document.xml", f'<document xmlns="{names}"><body>{content}</body></document>'
        )
    return path


def test_a_word_document_is_read_with_headings_lists_and_tables(tmp_path: Path) -> None:
    names = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    cells = "".join(
        f"<tr>{''.join(f'<tc><p><r><t>{cell}</t></r></p></tc>' for cell in row)}</tr>"
        for row in (("name", "beds", "height"), ("Ambre", "28", "2,100"))
    )
    content = (
        f'<p xmlns:w="{names}"><pPr><pStyle w:val="Heading1"/></pPr><r><t>Huts</t></r>'
        '<r><rPr><vertAlign w:val="superscript"/></rPr><t>1</t></r></p>'
        "<p><pPr><numPr/></pPr><r><t>beds: 2</t></r><r><t>8 &lt; 30</t></r></p>"
        "<p><r><t>Open</t><tab/><t>all year.</t></r><del><r><delText>Gone.</delText></r></del></p>"
        f"<tbl>{cells}</tbl><sectPr/>"
    )
    [entry] = find_documents(word_file(tmp_path / "huts.docx", content))
    text = read_document(entry).text
    assert text.startswith("# Huts¹\n\n- beds: 28 < 30\n\nOpen all year.")
    assert "| name | beds | height |\n|---|---|---|\n| Ambre | 28 | 2,100 |" in text
    assert "Gone" not in text


def test_a_damaged_or_hostile_word_document_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "no.docx").write_bytes(b"not a zip")
    with ZipFile(tmp_path / "entity.docx", "w") as packed:
        packed.writestr("word/document.xml", '<!DOCTYPE d [<!ENTITY a "b">]><d>&a;</d>')
    word_file(tmp_path / "bomb.docx", " " * 50_000_001)
    for entry in find_documents(tmp_path):
        with pytest.raises(DataError, match="the document cannot be read"):
            read_document(entry)


def test_the_kitchen_notes_are_read_without_scripts() -> None:
    documents = [read_document(entry) for entry in find_documents(huts.path("kitchen-notes"))]
    assert len(documents) == 15
    assert not any("99 kg" in document.text for document in documents)
    assert "1. Slice the stale bread." in documents[3].text
    assert "175 °C" in documents[8].text


def test_a_pdf_is_read_and_unreadable_files_are_errors(tmp_path: Path) -> None:
    (tmp_path / "soup.pdf").write_bytes(one_page_pdf("Simmer for 90 minutes"))
    (entry,) = find_documents(tmp_path)
    assert "Simmer for 90 minutes" in read_document(entry).text
    for name, content, said in (
        ("broken.pdf", b"%PDF-1.4 nothing here", "the PDF cannot be read"),
        ("empty.txt", b" \n", "there is no text in it"),
        ("empty.csv", b"\n,,\n", "there is no text in it"),
        ("quote.csv", b'book,pages\n"Salt,98\n', "the table cannot be read"),
        ("picture.txt", b"\x89PNG\0\0\0", r"picture.txt:1: this is not text"),
        ("log.txt", b"first\nsecond\x00\n", r"log.txt:2: this is not text.*\n.*take the byte out"),
    ):
        (tmp_path / name).write_bytes(content)
        (entry,) = find_documents(tmp_path / name)
        with pytest.raises(DataError, match=said):
            read_document(entry)


def test_rows_of_a_file_become_a_table(tmp_path: Path) -> None:
    for text in (
        "book,pages\nSalt,98\nNight | Day,1\n\n",
        'book;pages\r\nSalt;98\r\n"Night | Day";1',
    ):
        (tmp_path / "books.csv").write_text(text, encoding="utf-8", newline="")
        (entry,) = find_documents(tmp_path)
        rows = ["| book | pages |", "|---|---|", "| Salt | 98 |", "| Night \\| Day | 1 |"]
        assert read_document(entry).text.split("\n") == rows


def test_encodings_are_recognised(tmp_path: Path) -> None:
    for name, encoding in (("a.txt", "utf-8-sig"), ("b.txt", "utf-16"), ("c.txt", "cp1252")):
        (tmp_path / name).write_bytes("Gemüse".encode(encoding))
    assert {read_document(entry).text for entry in find_documents(tmp_path)} == {"Gemüse"}


def test_names_are_unique_and_no_file_is_read_twice(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "note.md").write_text(folder)
    found = find_documents([tmp_path / "one", tmp_path / "two", tmp_path / "one" / "note.md"])
    assert [entry.name for entry in found] == ["note.md", "two/note.md"]
    with pytest.raises(ValueError, match="two documents are called a"):
        find_documents([Document("a", "x"), Document("a", "y")])
    with pytest.raises(DataError, match="there is no such document"):
        find_documents("Boil the barley for 20 minutes.")


def test_html_keeps_numbers_of_lists_and_cells_apart() -> None:
    page = "<ol start=3><li>a<li>b</ol><table><tr><td>1</td><td>g</td></tr></table><p>x<script>y</script>z"
    assert html_text(page) == "3. a\n4. b\n\n1 g\n\nxz"
    for head in (
        "<head><title>t</title><body>",
        "<head><title>t</title><style>s</style><p>",
    ):  # without its end
        assert html_text(f"{head}Soup") == "Soup"


@given(
    st.text(alphabet=st.sampled_from("ab .\n<é"), max_size=300),
    st.integers(2, 40),
    st.integers(0, 20),
)
def test_passages_cover_the_text_and_know_their_place(text: str, length: int, overlap: int) -> None:
    document = Document("note", text)
    found = passages(document, length, min(overlap, length // 2))
    covered: set[int] = set()
    for one in found:
        assert text[one.start : one.end] == one.text
        assert 0 < len(one.text) <= length
        covered |= set(range(one.start, one.end))
    assert all(text[at].isspace() for at in range(len(text)) if at not in covered)
