"""``kgnb report``: runs a parameterised report, lists them, or shows their parameters; ``kgnb
scan``: finds secrets.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from kgnb.cli.outcome import say_path
from kgnb.cli.progress import TerminalLine
from kgnb.results.bundle import count


class Helpful(click.Command):
    """``kgnb report NAME --help`` lists the parameters of that report, read from its notebook."""

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Adds the named report's parameters below the options."""
        words = context.meta.get("words", [])
        pairs = zip(["", *words], words, strict=False)
        names = [
            word
            for before, word in pairs
            if not word.startswith("-") and before not in ("-p", "--parameter", "--out")
        ]
        if names:
            formatter.write("\n" + parameters_help(names[0]))

    def parse_args(self, context: click.Context, words: list[str]) -> list[str]:
        """Keeps the words, as --help is answered before the name is parsed."""
        context.meta["words"] = list(words)
        return super().parse_args(context, words)


@click.command(cls=Helpful)
@click.argument("name", required=False)
@click.option(
    "--parameter",
    "-p",
    "given",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a parameter. Repeatable.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Where to write. [default: reports/NAME/<digest>]",
)
@click.option("--open", "show", is_flag=True, help="Open the page in a browser at the end.")
@click.option("--pdf", is_flag=True, help="Also print the page to report.pdf, using a browser.")
@click.option(
    "--index",
    is_flag=True,
    help="Only write index.html of all reports in --out. [default: reports]",
)
def report(
    name: str | None, given: tuple[str, ...], out: str | None, show: bool, pdf: bool, index: bool
) -> None:
    """Run the report NAME; without NAME, list all reports.

    NAME is one of them, or your own notebook (a .ipynb file whose first code cell is tagged
    "parameters"). The folder gets report.html (one file that needs no network), report.ipynb,
    metrics.json and the trace in run/. The headline figures and the page's path go to standard
    output. A report whose notebook fails is saved as well.

    \b
    Examples:
      kgnb report                                    all reports
      kgnb report ontology-matching --help           its parameters
      kgnb report ontology-matching -p dataset=oaei-conference -p k=10
      kgnb report ./my-report.ipynb -p year=2026 --out today
      kgnb report --index                            reports/index.html
    """
    from kgnb.reporting.html import print_pdf
    from kgnb.reporting.report import REPORTS, run_report, templates
    from kgnb.reporting.session import marks

    if index:
        if name or given:
            raise click.UsageError("--index does not run a report: leave out NAME and -p")
        from kgnb.reporting.compare import write_index  # draws; slow to import

        say_path(write_index(Path(out) if out else REPORTS))
        return
    if name is None:
        for template in templates():
            click.echo(f"{template.name:24} {template.summary}")
        return
    with TerminalLine() as line:
        result = run_report(
            name,
            split(given),
            out,
            on_cell=lambda done, total, title: line.draw(
                f"cell {done} of {total}: {title}", now=True
            ),
            on_announcement=line.say,
        )
    for text in (*headline(result.metrics), *marks(result.metrics, few=False)):
        click.echo(text)
    say_path(result.html)
    if pdf:
        say_path(print_pdf(result.html))
    if show:
        click.launch(str(result.html))


def split(given: tuple[str, ...]) -> dict[str, str]:
    """``key=value`` words as a mapping; ValueError for a word without = or a key given twice."""
    values: dict[str, str] = {}
    for word in given:
        key, equals, value = word.partition("=")
        key = key.strip()
        if not equals or not key:
            raise ValueError(f"-p {word}: write a parameter as KEY=VALUE")
        if key in values:
            raise ValueError(f"-p {key} is given twice")
        values[key] = value
    return values


def parameters_help(name: str) -> str:
    """A report's parameters: name, default, meaning and allowed values."""
    from kgnb.reporting.parameters import typed
    from kgnb.reporting.report import find_template

    template = find_template(name)
    lines = [f"Parameters of {template.name}: {template.title}", ""]
    for entry in template.parameters:
        lines.append(f"  -p {entry.name}={typed(entry.default)}")
        lines += [f"      {entry.help}"] if entry.help else []
        lines.append(f"      {entry.allowed}")
    return "\n".join(lines) + "\n"


def headline(metrics: Mapping[str, Any]) -> list[str]:
    """The rows of ``metrics["headline"]`` in aligned columns, if the report has any."""
    from kgnb.reporting.compare import aligned

    rows = metrics.get("headline") or []
    if not rows:
        return []
    # why a figure is empty is on the page
    names = [name for name in rows[0] if name not in ("empty", "few")]
    return aligned([names, *([_shown(row, name) for name in names] for row in rows)])


def _shown(row: Mapping[str, Any], name: str) -> str:
    """A figure; a share of few items with their number and its bounds."""
    from kgnb.reporting.session import of_few_in

    told = of_few_in(row, name)
    return f"{_cell(row.get(name))} ({told})" if told else _cell(row.get(name))


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return (
            f"{value:.1f}" if abs(value) > 1 or value == 0 else f"{value:.3f}"
        )  # shares in percent; an MRR
    return str(value)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--allow",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="What is known not to be secret; default: .kgnb-scan-allow in PATH.",
)
@click.option("--digests", is_flag=True, help="Print the findings as lines for such a file.")
def scan(paths: tuple[str, ...], allow: str | None, digests: bool) -> int:
    """Find secrets in notebooks, runs, reports and settings below PATH; the exit status is 1 if
    there are any.

    All files, and all parts of notebooks, are searched for the secrets that kgnb.toml and the
    environment name, keys with a known prefix, authorization headers, passwords in URLs and
    configuration, and long mixed values under names such as api_key; also inside gzip, zip, Base64
    and colour codes. Findings are named but never shown. Lines with "pragma: allowlist secret" are
    skipped, and so is what FILE lists (a digest of the value, or *, and a pattern of paths).

    \b
    Examples:
      kgnb scan .
      kgnb scan notebooks reports runs
    """
    from kgnb.errors import shown
    from kgnb.reporting.scan import ALLOW_FILE, known_secrets
    from kgnb.reporting.scan import scan as find

    known = set(known_secrets(_settings(Path())))
    for path in map(Path, paths):
        home = path if path.is_dir() else path.parent
        if home.is_dir():
            known |= set(known_secrets(_settings(home)))
    findings = [
        finding
        for path in paths
        for finding in find(path, sorted(known), Path(allow) if allow else None)
    ]
    for finding in findings:
        click.echo(
            f"{finding.digest} {finding.file.as_posix()}  # {finding.what}" if digests else finding
        )
    if findings:
        where = f"{count(len(findings), 'secret')} in {count(len({finding.file for finding in findings}), 'file')}"
        click.echo(
            f"kgnb: {where}. Remove them, and have each key replaced by whoever issued it.",
            err=True,
        )
        return 1
    lists = [Path(allow)] if allow else [Path(path, ALLOW_FILE) for path in paths]
    besides = [f", besides what {one} lists" for one in lists if one.is_file()]
    click.echo(shown(f"kgnb: no secrets found{''.join(besides)}"), err=True)
    return 0


def _settings(folder: Path):  # type: ignore[no-untyped-def]  # Settings, imported late
    from kgnb.errors import KgnbError
    from kgnb.settings import Settings

    try:
        return Settings.load(folder, found="any")
    except KgnbError:  # a kgnb.toml with a key in it is refused, and found by the scan
        return Settings()
