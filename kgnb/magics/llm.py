"""``%llm``: choose the model, limit its cost and see what it has cost; ``%vectors``: the vector
store.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kgnb.cli.batch import readable, typed_reply
from kgnb.cli.progress import cost, spent
from kgnb.errors import ConfigError, DataError
from kgnb.kg.terms import local_name
from kgnb.llm import batch as batches
from kgnb.llm.model import Message, Request
from kgnb.llm.replay import address_of, models_in, server_alias
from kgnb.magics.arguments import LineError, Number, argument
from kgnb.magics.kg import COUNTED
from kgnb.magics.progress import interruptible
from kgnb.magics.verbs import Verb, VerbMagics, verb
from kgnb.results.run_view import state_of
from kgnb.results.table import Column, LabelledIri, Table, TableRows, numbers, texts
from kgnb.results.wording import seconds as in_time
from kgnb.run.record import totals_of
from kgnb.settings import Settings
from kgnb.tasks.running import prices_of
from kgnb.vectors.index import Hit

TEST = Request((Message("user", "Answer with the single word: ready"),), max_tokens=200)
BUDGETS = {
    "calls": "calls_limit",
    "tokens": "tokens_limit",
    "usd": "usd_limit",
    "seconds": "seconds_limit",
}


class LlmMagics(VerbMagics, magic="llm"):
    """Choose the model, limit what it may cost, and see what it has cost."""

    @verb(
        "llm use",
        "%llm use gpt-4o-mini --key env:OPENAI_API_KEY",
        "%llm use qwen2.5:7b --base-url http://localhost:11434/v1",
    )
    @argument("model", metavar="MODEL", help="the model's name as its server knows it")
    @argument(
        "--base-url", metavar="URL", default="", help="an OpenAI-compatible server [OpenAI's]"
    )
    @argument(
        "--key", metavar="env:NAME", default="", help="the environment variable that holds the key"
    )
    @argument(
        "--price",
        metavar="IN/OUT",
        default="",
        help="US dollars per million tokens, as 0.15/0.6; 0/0: free",
    )
    @argument(
        "--prices", metavar="FILE", default="", help="a TOML file of prices (see docs/settings.md)"
    )
    def use(self, arguments: argparse.Namespace) -> None:
        """Use this model from now on."""
        if arguments.key and not arguments.key.startswith(("env:", "keyring:")):
            raise LineError(
                "give the name of the key's variable, never the key itself",
                line="%llm use MODEL --key env:NAME",
                at="env:NAME",
                fix="Put the key in an environment variable, and delete it from this cell: notebooks are shared.",
            )
        settings = self.session.settings.with_(
            model=arguments.model, base_url=arguments.base_url, key=arguments.key
        )
        kept = self.session.settings.price if arguments.model == self.session.settings.model else ""
        settings = settings.with_(price=arguments.price or kept)
        settings = settings.with_(prices=Path(arguments.prices)) if arguments.prices else settings
        prices_of(settings)  # raises if the table cannot be read
        key = (
            settings.api_key()
        )  # raises now if the variable is not set, not in the middle of a run
        self.session.settings = settings
        asked = not settings.base_url and ":" not in settings.model and not key.reveal()
        hint = (
            "OpenAI's server needs a key: add --key env:NAME, or --base-url"
            if asked
            else "try it: %llm test"
        )
        print(f"model: {_name(settings)}; {hint}")

    @verb("llm off", "%llm off")
    def off(self, arguments: argparse.Namespace) -> None:
        """Use no model: rules decide."""
        self.session.settings = self.session.settings.with_(model="", base_url="", key="")
        print("no model: rules decide")

    @verb("llm test", "%llm test")
    def test(self, arguments: argparse.Namespace) -> Table:
        """Ask the model one short question; show its answer and cost."""
        model = self.session.model()
        if model is None:
            raise ConfigError("no model is set", fix="Name one first: %llm use MODEL")
        run = self.session.new_run("llm test", {}, {})
        reply = run.watch(model).ask(TEST)
        seconds = run.steps[-1].calls[-1].seconds
        rows = [
            ["model", reply.model or model.name],
            ["answer", reply.text.strip()],
            ["took", ", ".join([*spent(run.totals), in_time(seconds)])],
        ]
        return Table(texts(what="what", value="value"), rows, caption=_name(self.session.settings))

    @verb("llm cost", "%llm cost")
    def cost(self, arguments: argparse.Namespace) -> Table:
        """Show what the runs of this notebook have cost: calls, tokens, money, time."""
        runs = self.session.begun
        columns = texts(run="run", state="state") + numbers(calls="calls", cached="from cache")
        columns += numbers(prompt="tokens in", completion="tokens out") + texts(
            usd="money", seconds="time"
        )
        rows = [
            _costs(f"{number}. {run.agent.replace('_', ' ')}", state_of(run.to_json()), run.totals)
            for number, run in enumerate(runs, start=1)
        ]
        every = totals_of(step for run in runs for step in run.steps)
        return Table(
            columns,
            [*rows, _costs("all", "", every)],
            caption="Costs of the runs of this notebook",
            notes=[_priced(self.session.settings), _budget(self.session.settings)],
        )

    @verb(
        "llm cache",
        "%llm cache",
        "%llm cache export shared/replies",
        "%llm cache import shared/replies",
    )
    @argument(
        "do",
        nargs="?",
        default="info",
        choices=["info", "export", "import"],
        help="what to do [info]",
    )
    @argument("folder", metavar="DIR", nargs="?", default="", help="the folder to write or read")
    def cache(self, arguments: argparse.Namespace) -> Table:
        """Show the cache of model replies, export it for a colleague, or import a colleague's."""
        from kgnb.reporting.sharing import contents, export_cache, import_cache

        kept = self.session.settings.cache
        if arguments.do == "info":
            counts = {name: count for name, (count, _) in contents(kept).items()}
        elif not arguments.folder:
            raise ConfigError("no folder is named", fix=f"%llm cache {arguments.do} DIR")
        else:
            counts = (export_cache if arguments.do == "export" else import_cache)(
                kept, arguments.folder
            )
        rows = [*counts.items()]
        caption = {"info": "In the cache", "export": "Exported", "import": "New in the cache"}[
            arguments.do
        ]
        return Table(texts(what="what") + numbers(count="how many"), rows, caption=caption)

    @verb(
        "llm batch",
        "%llm batch status asked",
        "%llm batch show asked",
        "%llm batch answer asked {{reply}}",
    )
    @argument("what", metavar="WHAT", choices=("status", "show", "answer"), help="what to do")
    @argument("folder", metavar="FOLDER", help="the folder of a batch: model")
    @argument("reply", metavar="REPLY", nargs="?", default="", help="for answer: the reply's text")
    @argument("--id", metavar="ID", default="", help="of a request [the first that waits]")
    def batch(self, arguments: argparse.Namespace) -> Table | None:
        """Look at the requests of a batch: model, and answer them one by one."""
        folder, reply = str(arguments.folder), str(arguments.reply).strip()
        rows = {row["custom_id"]: row["body"] for row in batches.requests_in(Path(folder))}
        standing = batches.standing(folder)
        request = arguments.id or next(iter(standing.waiting), "")
        if arguments.what != "status" and request and request not in rows:
            raise ValueError(f"there is no request {request} in {folder}")
        if arguments.what == "answer" and not reply:
            raise ValueError("the reply is missing: %llm batch answer FOLDER {{reply}}")
        if arguments.what != "status" and not request:
            print("no request is waiting: run the cell that asked again")
            return None
        if arguments.what == "show":
            print(readable(request, rows[request]))
            return None
        if arguments.what == "answer":
            batches.answer(folder, request, typed_reply(reply, rows[request]))
            standing = batches.standing(folder)
        figures = {
            "requests": standing.requests,
            "answered": standing.answered,
            "waiting": len(standing.waiting),
            "answered with an error": standing.failed,
            "tokens waiting, about": standing.tokens,
        }
        columns = texts(what="what") + numbers(count="count")
        return Table(columns, [*figures.items()], caption=folder)

    @verb("llm replay", "%llm replay shared/replies", "%llm replay", "%llm replay off")
    @argument(
        "folder",
        metavar="FOLDER",
        nargs="?",
        default="",
        help="a colleague's export to import first; off: ask the model again",
    )
    def replay(self, arguments: argparse.Namespace) -> None:
        """Answer from cached replies only: no key, no network, no cost."""
        settings = self.session.settings
        if arguments.folder == "off":
            self.session.settings = settings.with_(replay="record")
            print("the model is asked again for replies that are not in the cache")
            return
        new = 0
        if arguments.folder:
            from kgnb.reporting.sharing import import_cache

            new = import_cache(settings.cache, arguments.folder)["replies"]
        asked = models_in(settings.cache)
        if not settings.model and len(asked) == 1:
            [(model, server)] = asked
            settings = settings.with_(model=model, base_url=address_of(server), key="")
        self.session.settings = settings.with_(replay="replay")
        known = ", ".join(f"{model} at {server}" for model, server in asked) or "no model"
        print(
            f"replaying from {settings.cache} ({new:,} new replies), with replies of {known}; no model is asked"
        )
        if not settings.model:
            print("no model is set: name the one to replay with %llm use MODEL [--base-url URL]")
        elif (settings.model, server_alias(settings.base_url)) not in asked:
            print(f"none of the replies is from {_name(settings)}")

    @verb("llm budget", "%llm budget --calls 500 --usd 1", "%llm budget --usd 0")
    @argument(
        "--calls",
        type=Number(int, 0, None),
        metavar="N",
        help="model calls a run may make; 0: no limit",
    )
    @argument(
        "--tokens", type=Number(int, 0, None), metavar="N", help="tokens a run may use; 0: no limit"
    )
    @argument(
        "--usd",
        type=Number(float, 0, None),
        metavar="X",
        help="US dollars a run may spend; 0: no limit",
    )
    @argument(
        "--seconds",
        type=Number(float, 0, None),
        metavar="X",
        help="seconds a run may take; 0: no limit",
    )
    def budget(self, arguments: argparse.Namespace) -> None:
        """Limit what each run may cost from now on; limits you do not name stay as they are."""
        changes = {
            setting: getattr(arguments, name)
            for name, setting in BUDGETS.items()
            if getattr(arguments, name) is not None
        }
        self.session.settings = self.session.settings.with_(**changes)
        lines = [
            f"%{task.agent.magic} {task.agent.sequence[0]} or %{task.agent.magic} run"
            for task in self.session.tasks.values()
            if task.run.steps
        ]
        print(
            _budget(self.session.settings)
            + (f"; applies from the next {', '.join(lines)}" if lines else "")
        )

    def current(self, method: Verb) -> dict[str, object]:
        """What the settings say."""
        settings = self.session.settings
        values: dict[str, object] = {
            "model": settings.model,
            "base_url": settings.base_url,
            "key": settings.key,
        }
        return values | {name: getattr(settings, setting) for name, setting in BUDGETS.items()}


def _priced(settings: Settings) -> str:
    prices = prices_of(settings)
    if prices is None:
        return "prices: none known; set one with %llm use MODEL --price IN/OUT"
    date = f"a table of {prices.date} ({settings.prices})" if prices.date else ""
    stated = (
        f"{settings.price} US dollars per million tokens in/out of {settings.model}"
        if settings.price
        else ""
    )
    return f"prices: {', '.join(filter(None, (stated, date)))}"


def _name(settings: Settings) -> str:
    return settings.model + (f" at {settings.base_url}" if settings.base_url else "")


def _costs(name: str, state: str, totals: Mapping[str, Any]) -> list[Any]:
    usd = cost(totals["usd"] if totals["calls"] else 0.0)
    counts = [totals[key] for key in ("calls", "cached", "prompt_tokens", "completion_tokens")]
    return [name, state, *counts, usd, in_time(totals["seconds"])]


def _budget(settings: Settings) -> str:
    limits = [
        f"{getattr(settings, setting):g} {name}"
        for name, setting in BUDGETS.items()
        if getattr(settings, setting)
    ]
    return f"budget of a run: {', '.join(limits) or 'no limit'}"


class VectorsMagics(VerbMagics, magic="vectors"):
    """Look at the vectors that agents store and search."""

    @verb(
        "vectors use",
        "%vectors use memory",
        "%vectors use ./vectors",
        "%vectors use http://localhost:6333",
    )
    @argument("location", metavar="WHERE", help="memory, a folder, or the URL of a Qdrant server")
    @argument(
        "--key", metavar="env:NAME", default="", help="the environment variable that holds the key"
    )
    @argument(
        "--embedder", metavar="NAME", default="", help="local, characters, tiny, openai:MODEL, ..."
    )
    def use(self, arguments: argparse.Namespace) -> Table:
        """Choose where vectors are stored and which embedder makes them."""
        changes = {"index": arguments.location}
        changes |= {"index_key": arguments.key} if arguments.key else {}
        changes |= {"embedder": arguments.embedder} if arguments.embedder else {}
        before = self.session.settings
        self.session.settings = before.with_(**changes)
        try:
            shown: Table = self.info(arguments)
            return shown
        except Exception:  # a location that cannot be opened is not kept
            self.session.settings = before
            raise

    @verb("vectors info", "%vectors info")
    def info(self, arguments: argparse.Namespace) -> Table:
        """Show where vectors are stored, which embedder makes them, and how many there are."""
        index = self.session.index()
        rows: TableRows = [[name, index.count(name)] for name in interruptible(index.collections)]
        note = f"embedder: {self.session.settings.embedder}"
        columns = texts(collection="collection") + numbers(points="points")
        return Table(columns, rows, caption=f"Vectors in {index.name}", notes=[note])

    @verb(
        "vectors search",
        '%vectors search "mountain hut"',
        "%vectors search warden --view lexical --kind class",
    )
    @argument("text", metavar="TEXT", help="what to search for; quote several words")
    @argument(
        "--view",
        choices=("syntactic", "lexical", "semantic"),
        default="syntactic",
        help="which vectors [syntactic]",
    )
    @argument("--kind", choices=COUNTED, default="", help="only entities of this kind")
    @argument(
        "--k",
        metavar="N",
        type=Number(int, 1, 1000),
        default=10,
        help="most hits from each collection [10]",
    )
    @argument("--collection", metavar="NAME", default="", help="search only this one [all]")
    def search(self, arguments: argparse.Namespace) -> Table:
        """Find the texts nearest to yours, with scores."""
        index = self.session.index()
        names = [arguments.collection] if arguments.collection else list(index.collections())
        if not names:
            raise DataError(
                "there are no vectors yet",
                where=index.name,
                fix="Store some first, for example with %om store.",
            )
        vector = interruptible(lambda: self.session.embedder().embed([arguments.text]))[0]
        hits: list[tuple[str, Hit]] = []
        for name in names:
            found = index.search(name, arguments.view, vector, k=arguments.k, kind=arguments.kind)
            hits += [(name, hit) for hit in found]
        hits.sort(key=lambda one: (-one[1].score, one[1].id))
        rows: TableRows = [
            [
                hit.score,
                str(hit.payload.get("text", "")),
                LabelledIri(iri, local_name(iri))
                if (iri := str(hit.payload.get("iri", "")))
                else None,
                str(hit.payload.get("kind", "")),
                name,
            ]
            for name, hit in hits
        ]
        columns = [*numbers(score="cosine"), *texts(text="text"), Column("iri", "of", "iri")]
        columns += texts(kind="kind", collection="collection")
        return Table(columns, rows, caption=f"Nearest to “{arguments.text}” ({arguments.view})")

    def suggestions(self, name: str) -> Sequence[str]:
        """Names of collections."""
        return self.session.index().collections() if name == "collection" else ()
