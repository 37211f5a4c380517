"""A model as the agents ask it: one client, and everything that stands around its calls."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from kgnb.errors import BackendError, ConfigError, DataError, NotKept, shown
from kgnb.files import locked
from kgnb.llm.model import ChatModel, ChatServer, Reply, Request
from kgnb.llm.pacing import Pace
from kgnb.llm.replay import (
    OVERFLOW,
    Key,
    MissingReply,
    ReplayCache,
    server_alias,
    without_secrets,
)


class Recorder(Protocol):
    """Who keeps account of a model's calls, and refuses them once a budget is spent: a run."""

    def record_call(self, model: Model, request: Request) -> Reply:
        """The model's ``reply`` to a request that is complete."""


@dataclass(frozen=True, eq=False)
class Model:
    """A chat model with all that a call of it passes.

    A request is completed by ``sampling``, recorded, answered from the ``cache`` if it holds a
    reply, and else sent by the ``client`` at the ``pace``, and again after a failure that may pass.
    When two threads or processes ask the same at the same time, only one of them is sent.
    """

    name: str
    client: ChatModel | None  # None: the cache alone answers
    server: str = ""  # in keys of the cache: tells apart models of one name on several servers
    free: bool = False
    sampling: Mapping[str, Any] = field(default_factory=dict)  # fields of Request
    cache: ReplayCache | None = None
    pace: Pace | None = None  # None: at once, and only once
    retries: int = 4
    recorder: Recorder | None = None
    while_asking: Callable[[], AbstractContextManager[None]] = nullcontext
    # which models the server has named in this process: no other one's cached replies are used
    reported: set[str] = field(default_factory=set, repr=False)

    @classmethod
    def of(cls, model: ChatModel, **fields: Any) -> Model:
        """Any chat model as one of these, with other ``fields`` than it has."""
        if isinstance(model, Model):
            return replace(model, **fields) if fields else model
        if isinstance(model, ChatServer):
            fields.setdefault("server", server_alias(model.base_url))
        fields.setdefault("free", bool(getattr(model, "free", False)))
        return cls(model.name, model, **fields)

    def ask(self, request: Request) -> Reply:
        """The reply to a request, cached or new; recorded, if somebody keeps account.

        Raises:
            LimitError: a budget of the run is spent; nothing was asked.
            MissingReply (a DataError): there is no client, and no reply to this request is cached.
            DataError: the cache is damaged.
        """
        request = self._completed(request)
        with self.while_asking():
            if self.recorder is not None:
                return self.recorder.record_call(self, request)
            return self.reply(request)

    def key(self, request: Request) -> Key:
        """What a reply to a complete request is cached and recorded under."""
        return Key.of(request, self.name, self.server)

    def reply(self, request: Request) -> Reply:
        """The cached or the new reply to a complete request, recorded by nobody."""
        if self.cache is None:
            return self._sent(request)
        key = self.key(request)
        if cached := self._cached(self.cache, key):
            return cached
        if self.client is None:
            raise self._missing(self.cache, key, request)
        with locked(self.cache.path.with_name(f".{key.digest[:32]}.asking")):
            # somebody else may have asked meanwhile
            return self._cached(self.cache, key) or self._added(self.cache, key, request)

    def check_answering(self) -> None:
        """Check that the server is there before long work that needs it; cached replies may stand
        in for it, and a model without a server always passes.

        Raises:
            ConfigError: the key or the model's name is refused.
            BackendError: the server cannot be reached, or its answer is not a reply.
        """
        if not isinstance(self.client, ChatServer):
            return
        try:
            self.client.check_answering()
        except (BackendError, ConfigError):
            if self.cache is None or (self.name, self.server) not in self.cache.models():
                raise

    def _completed(self, request: Request) -> Request:
        """The request with the settings for this model's calls, so that a cache tells them apart.

        What a request sets itself (to something else than the default) wins, and its options are
        merged over the settings'.
        """
        plain = Request(())
        changes = {
            name: value
            for name, value in self.sampling.items()
            if getattr(request, name) == getattr(plain, name)
        }
        if "options" in self.sampling:
            changes["options"] = {**self.sampling["options"], **request.options}
        return replace(request, **changes)

    def _sent(self, request: Request) -> Reply:
        assert self.client is not None
        if self.pace is None:
            return self.client.ask(request)
        return self.pace.ask(self.client, request, self.retries)

    def _cached(self, cache: ReplayCache, key: Key) -> Reply | None:
        """The cached reply, if today's model would be the one to answer."""
        reply = cache.get(key)
        if reply is None or self.client is None:
            return reply
        if reply.finish_reason == OVERFLOW:
            return None  # a prompt that was too long may fit today's server
        if not self.reported and isinstance(self.client, ChatServer):
            self.reported.update(filter(None, [self.client.served()]))
        if not self.reported or not reply.model or reply.model in self.reported:
            return reply
        others = (cache.get(key.answered_by(name)) for name in sorted(self.reported))
        return next(filter(None, others), None)

    def _added(self, cache: ReplayCache, key: Key, request: Request) -> Reply:
        reply = without_secrets(self._sent(request))
        if reply.model:
            self.reported.add(reply.model)
        try:
            cache.put(key, reply)
        except DataError as error:  # the reply is paid for: it is used, cached or not
            warnings.warn(f"a reply is not kept: {error.what}", NotKept, stacklevel=2)
        return reply

    def _missing(self, cache: ReplayCache, key: Key, request: Request) -> MissingReply:
        prompt = shown(request.messages[-1].text, 80) if request.messages else ""
        server = self.server or "no server"
        return MissingReply(
            f"no reply of {self.name} ({server}) is kept for: {prompt} [{key.digest[:12]}]",
            digest=key.digest,
            where=str(cache.path),
            fix="A replay never asks a model. Import the folder that holds this reply, or set model.replay to record.",
        )
