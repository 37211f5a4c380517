"""Pages MkDocs makes: of the code (magics, commands, agents), and of notebooks, run as the site is built.

On every page the first use of a term leads to the glossary.
"""

from __future__ import annotations

import html
import importlib
import os
import pkgutil
import re
import tempfile
from pathlib import Path
from typing import Any

import click
import nbformat
from bs4 import BeautifulSoup, NavigableString
from mkdocs.structure.files import File, Files
from nbclient import NotebookClient

import kgnb.agents
import kgnb.magics
from kgnb.agents.agent import Agent, first_sentence
from kgnb.agents.known import our_agent
from kgnb.cli import kgnb as main
from kgnb.magics.verbs import VerbMagics

ROOT = Path(__file__).parent.parent
SHOWN = {
    "tour.md": "00-tour.ipynb",
    "tutorial.md": "tutorials/solutions/01-triples-and-sparql.ipynb",
}
# In a tree of its own, so that the site's styles for tables and folds leave an output as it is.
APART = '<div style="overflow-x: auto"><template shadowrootmode="open">{}</template></div>'
OUTPUTS: dict[str, str] = {}  # by the comment that stands for each in a page

NO_TERMS = ("glossary.md", "magics.md", "commands.md", "api.md")
EVERYDAY = set(
    "assignment budget bundle card coverage decision evidence journal lenient link mean micro pack partial path"
    " proof recording reference risk run seed sheet stage strict task tool view workspace".split()
)  # these are terms only after an article or its like, and not where a reader begins
BEGIN = ("index", "install", "start/", "tour", "tutorial", "teaching")
ARTICLE = r"\b(?:an?|the|each|every|its|this|one|no|whose)\s+"


def on_files(files: Files, *, config: Any) -> Files:
    """MkDocs' hook: adds the pages."""
    pages = {"magics.md": magics(), "commands.md": commands(), **agents()}
    pages |= {name: notebook(name, file) for name, file in SHOWN.items()}
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """MkDocs' hook: a link into the repository becomes the path it leads to, for a site stands by itself."""
    up = "../" * (page.file.src_uri.count("/") + 1)
    return re.sub(rf"\[([^\]]*)\]\({re.escape(up)}([^)]*)\)", r"\1 (`\2`)", markdown)


def on_page_content(text: str, *, page: Any, files: Files, **_: Any) -> str:
    """MkDocs' hook: links terms, then puts in what notebooks' cells showed."""
    if page.file.src_uri == "glossary.md":
        return with_anchors(text)
    if page.file.src_uri not in NO_TERMS:
        glossary = files.get_file_from_path("glossary.md")
        assert glossary is not None
        meant = terms()
        if page.file.src_uri.startswith(BEGIN):
            meant = {term: row for term, row in meant.items() if term not in EVERYDAY}
        text = with_terms(text, meant, glossary.url_relative_to(page.file))
    return re.sub(r"<!--output:\S+-->", lambda found: OUTPUTS[found[0]], text)


def terms() -> dict[str, str]:
    """The glossary's terms, each with the anchor of its row."""
    rows = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)
    return {term: anchor(row) for row in rows[2:] for term in row.split(", ")}


def anchor(row: str) -> str:
    """The anchor of a row of the glossary."""
    return re.sub(r"\W+", "-", row.split(", ")[0].lower())


def with_anchors(text: str) -> str:
    """The glossary with an anchor a row."""
    soup = BeautifulSoup(text, "html.parser")
    for row in soup.select("tbody tr"):
        row["id"] = anchor(row.td.get_text())
    return str(soup)


def with_terms(text: str, meant: dict[str, str], glossary: str) -> str:
    """A page on which the first use of each term, in running text, is a link to its meaning."""
    soup = BeautifulSoup(text, "html.parser")
    left = dict(meant)
    for part in list(soup.find_all(string=True)):
        if type(part) is not NavigableString or part.find_parent(
            ["a", "code", "pre", "h1", "h2", "h3", "th", "summary"]
        ):
            continue
        written = html.escape(part, quote=False)
        for term, row in list(left.items()):
            before = ARTICLE if term in EVERYDAY else r"\b"
            use = re.compile(
                rf"(?<![\w<>/#-])({before})({re.escape(term)}s?)(?![\w>-])", re.IGNORECASE
            )
            link = rf'\1<a class="term" href="{glossary}#{row}">\2</a>'
            written, found = use.subn(link, written, count=1)
            if found:
                del left[term]
        if "<a " in written:
            part.replace_with(BeautifulSoup(written, "html.parser"))
    return str(soup)


def notebook(name: str, file: str) -> str:
    """A notebook of ours as a page, with what its cells show when they are run now."""
    book = nbformat.read(ROOT / "notebooks" / file, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        where = {"metadata": {"path": folder}}
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        NotebookClient(book, timeout=600, resources=where).execute(env=environment)
    parts = []
    for number, cell in enumerate(book.cells):
        if cell.cell_type == "markdown":
            parts.append(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell.source))
            continue
        if not cell.metadata.get("jupyter", {}).get("source_hidden"):
            parts.append(f"```python\n{cell.source}\n```")
        for place, output in enumerate(cell.outputs):
            key = f"<!--output:{name}-{number}-{place}-->"
            OUTPUTS[key] = APART.format(shown(output))
            parts.append(key)
    return "\n\n".join(parts) + "\n"


def shown(output: Any) -> str:
    """An output of a cell as HTML."""
    data = output.get("data", {})
    if "text/html" in data:
        return str(data["text/html"])
    if "image/png" in data:
        return f'<img alt="" src="data:image/png;base64,{data["image/png"].strip()}">'
    return f"<pre>{html.escape(data.get('text/plain', output.get('text', '')))}</pre>"


def magics() -> str:
    """Every magic with its verbs and their help."""
    for module in pkgutil.iter_modules(kgnb.magics.__path__):
        importlib.import_module(f"kgnb.magics.{module.name}")
    parts = ["# Magics", "", "`%load_ext kgnb` loads them. Made from their own help."]
    for magic in sorted(families(), key=lambda each: each.magic):
        parts += [
            "",
            f"## %{magic.magic}",
            "",
            first_sentence(getattr(magic, magic.magic, magic).__doc__),
        ]
        for name, method in magic.verbs.items():
            parts += [
                "",
                f"### %{magic.magic} {name}",
                "",
                "```text",
                method.parser.format_help().strip(),
                "```",
            ]
    return "\n".join(parts)


def families(of: type[VerbMagics] = VerbMagics) -> list[type[VerbMagics]]:
    """All magics with verbs, those of agents too."""
    found = [each for sub in of.__subclasses__() for each in (sub, *families(sub))]
    return [each for each in dict.fromkeys(found) if each.magic and each.verbs]


def commands() -> str:
    """Every command with its help."""
    context = click.Context(main, info_name="kgnb")
    parts = ["# Commands", "", "Made from `kgnb COMMAND --help`."]
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        if command is not None:
            told = command.get_help(click.Context(command, parent=context, info_name=name))
            parts += ["", f"## kgnb {name}", "", "```text", told, "```"]
    return "\n".join(parts)


def agents() -> dict[str, str]:
    """A page an agent: what its package says of itself, and where its reference lies."""
    pages = {}
    for found in pkgutil.iter_modules(kgnb.agents.__path__):
        if found.ispkg:
            doc = (importlib.import_module(f"kgnb.agents.{found.name}").__doc__ or "").strip()
            title = {"kg_construction": "Graph construction"}.get(
                found.name, found.name.replace("_", " ").capitalize()
            )
            more = "Its magic and all options: [magics](../magics.md); its commands: [commands](../commands.md)."
            tables = "\n".join(described(our_agent(found.name)))
            name = f"agents/{found.name.replace('_', '-')}.md"
            pages[name] = f"# {title}\n\n```text\n{doc}\n```\n\n{more}\n\n{tables}\n"
    return pages


def described(agent: Agent) -> list[str]:
    """An agent's inputs, stages and options as tables, as it says them itself."""
    lines = ["## Inputs", "", "| input | what it is | where it is left out |", "|---|---|---|"]
    for one in agent.taken:
        if one.kind != "value":
            default = (
                (f"`{one.default}`" if one.default else "none")
                if one.optional
                else "it is required"
            )
            several = "; several may be given" if one.many else ""
            lines.append(f"| `{one.name}` | {cell(one.help)}{several} | {default} |")
    lines += ["", "## Stages", "", "| stage | what it does | options |", "|---|---|---|"]
    for stage in agent.stages:
        lines.append(
            f"| `{stage.name}` | {cell(stage.summary)} | {', '.join(f'`{name}`' for name in stage.options)} |"
        )
    lines += [
        "",
        "## Options",
        "",
        "| option | what it is | allowed | default |",
        "|---|---|---|---|",
    ]
    for option in agent.knobs():
        lines.append(
            f"| `{option.name}` | {cell(option.help)} | {cell(option.allowed)} | `{option.default!r}` |"
        )
    return lines


def cell(text: str) -> str:
    """A text for a cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;")
