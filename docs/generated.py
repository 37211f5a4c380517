"""Pages MkDocs makes of the code: what every magic and every command takes, and each agent's stages."""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any

import click
from mkdocs.structure.files import File, Files

import kgnb.agents
import kgnb.magics
from kgnb.agents.agent import Agent, first_sentence
from kgnb.agents.known import our_agent
from kgnb.cli import kgnb as main
from kgnb.magics.verbs import VerbMagics


def on_files(files: Files, *, config: Any) -> Files:
    """MkDocs' hook: adds the pages."""
    for name, text in {"magics.md": magics(), "commands.md": commands(), **agents()}.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """MkDocs' hook: a link into the repository becomes the path it leads to, for a site stands by itself."""
    up = "../" * (page.file.src_uri.count("/") + 1)
    return re.sub(rf"\[([^\]]*)\]\({re.escape(up)}([^)]*)\)", r"\1 (`\2`)", markdown)


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
