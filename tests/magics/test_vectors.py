from kgnb.errors import KgnbError
from tests.magics.conftest import Notebook


def test_what_a_stage_stored_can_be_searched(notebook: Notebook) -> None:
    assert "no vectors yet" in str(notebook("%vectors search hut").error)
    for line in ("%om start alpine.ttl refuge.ttl", "%om retrieve", "%om store"):
        notebook.good(line)
    info = notebook.good("%vectors info").value
    assert len(info) == 2 and info.df()["points"].min() > 0
    found = notebook.good('%vectors search "has warden" --kind "object property" --k 2').value.df()
    assert (
        found["text"].tolist()[0] == "has warden"
        and found["cosine" if "cosine" in found else "score"].iloc[0] > 0.9
    )
    assert set(found["kind"]) == {"object property"}


def test_a_place_that_cannot_be_opened_is_not_kept(notebook: Notebook, folder: object) -> None:
    before = notebook.session.settings
    cell = notebook("%vectors use http://127.0.0.1:9 --key sk-12345678")
    assert isinstance(cell.error, KgnbError) and "env:NAME" in str(cell.error)
    assert notebook.session.settings == before
    assert "Vectors in" in notebook.good("%vectors use ./kept --embedder tiny").value.text()
    assert notebook.session.settings.embedder == "tiny"
