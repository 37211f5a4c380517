from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.magic_arguments import argument, magic_arguments

from kgnb.agents.options import Field, described
from kgnb.agents.options import options as options_class
from kgnb.magics.agent import options_of
from kgnb.magics.arguments import Bound, LineError, bound_value, cell_body, parse, quote, split
from tests.magics.conftest import Notebook


@options_class
class Knobs:
    k: int = Field(default=3, ge=1, le=50, description="how many, 50% at most")
    similarity: float | None = Field(default=None, ge=0.0, le=1.0, description="threshold")
    cardinality: Literal["1:1", "n:m"] = Field(default="1:1")
    individuals: bool = False
    fusion_constant: float = 0.0
    context: str = ""


@magic_arguments("toy")
@options_of(described(Knobs))
@argument("name", nargs="?")
def toy(line: str) -> None:
    """A toy."""


def parsed(line: str, **names: object) -> dict[str, object]:
    return vars(parse(toy.parser, split(line, names), line=f"%toy {line}"))


def test_quotes_group_words_and_other_characters_are_ordinary() -> None:
    assert split("""a "b c" 'd "e"' f""") == ["a", "b c", 'd "e"', "f"]
    assert split(r"C:\data\huts.ttl http://x.example/o#Hut") == [
        r"C:\data\huts.ttl",
        "http://x.example/o#Hut",
    ]


def test_an_open_quote_is_named_with_a_caret_under_it() -> None:
    with pytest.raises(LineError) as caught:
        split("--context huts' wardens")
    rendered = "\n".join(caught.value._render_traceback_())
    assert "never closed" in rendered and "double quotes" in rendered
    line, caret = rendered.splitlines()[1:3]
    assert line[caret.index("^")] == "'"


@given(
    st.lists(
        st.text(st.characters(blacklist_characters="{}", blacklist_categories=["Cs", "Cc"])),
        max_size=5,
    )
)
def test_what_quote_writes_split_reads_back(words: list[str]) -> None:
    assert split(" ".join(quote(word) for word in words)) == words


def test_a_bound_word_carries_its_value_and_is_never_split_or_read_as_an_option() -> None:
    words = split("a {{ path }} b", {"path": "--k 7"})
    assert [bound_value(word) for word in words] == ["a", "--k 7", "b"]
    assert isinstance(words[1], Bound)
    assert parsed("{{name}}", name="--k") == {"name": "--k"}
    with pytest.raises(LineError, match="no variable missing"):
        split("{{missing}}")


def test_options_are_typed_and_bounded() -> None:
    line = (
        "--k 5 --similarity 0.5 --cardinality n:m --individuals --fusion-constant 2 --context 'a b'"
    )
    assert parsed(line) == {
        "name": None,
        "k": 5,
        "similarity": 0.5,
        "cardinality": "n:m",
        "individuals": True,
        "fusion_constant": 2.0,
        "context": "a b",
    }
    assert parsed("--similarity none --no-individuals") == {
        "name": None,
        "similarity": None,
        "individuals": False,
    }
    assert parsed("--k {{k}}", k=4)["k"] == 4


WRONG = (
    ("--k many", "a whole number from 1 to 50, not 'many'", "many"),
    ("--k 99", "a whole number from 1 to 50, not '99'", "99"),
    ("--similarity nan", "not 'nan'", "nan"),
    ("--cardinality 2:2", "invalid choice: '2:2'", "2:2"),
    ("--fusionconstant 3", "no option --fusionconstant", "--fusionconstant"),
    ("one two", "does not take 'two'", "two"),
    ("--k", "expected one argument", "--k"),
)


def test_a_bad_word_is_named_and_pointed_at() -> None:
    for line, says, under in WRONG:
        with pytest.raises(LineError) as caught:
            parsed(line)
        rendered = "\n".join(caught.value._render_traceback_()).splitlines()
        assert says in rendered[0] and rendered[1].strip() == f"%toy {line}"
        start = rendered[2].index("^")
        assert rendered[1][start : start + rendered[2].count("^")] == under
        assert "%toy --help" in rendered[3] and ("fusion-constant" in rendered[3]) == (
            "fusion" in line
        )


def test_an_abbreviated_help_shows_default_and_percent_signs() -> None:
    text = toy.parser.format_help()
    assert "50% at most [3]" in text and "threshold [none]" in text


def test_the_cell_body_is_overruled_by_the_line() -> None:
    body = cell_body(
        'k = 7\ncontext = "from the cell"\nindividuals = true\nfusion-constant = 1.5\n'
    )
    arguments = vars(parse(toy.parser, ["--k", "2"], line="%toy --k 2", body=body))
    assert arguments == {
        "k": 2,
        "context": "from the cell",
        "individuals": True,
        "fusion_constant": 1.5,
        "name": None,
    }


def test_a_cell_body_names_a_choice_in_quotes(notebook: Notebook) -> None:
    notebook.good("%om start alpine.ttl refuge.ttl")
    notebook.good('%%om run\njudge = "rule"\none-sided = false')
    assert notebook.matching.option("judge") == "rule"
    assert "choose from" in notebook('%%om run\njudge = "dice"').why


def test_a_cell_body_with_an_unknown_setting_or_no_settings_is_refused() -> None:
    with pytest.raises(LineError, match="no option contxt"):
        parse(toy.parser, [], line="%%toy", body={"contxt": "x"})
    with pytest.raises(LineError, match="not options"):
        cell_body("k: 7")
