"""For the tests of whoever writes an agent, a judge or an adapter: models without a model.

``ScriptedModel`` answers from a list, a mapping or a function, in the process. ``StubServer`` speaks
OpenAI's protocol on loopback, answers as told and fails as told, so that the real client is tested::

    from kgnb.testing import StubServer, rate_limited

    with StubServer(lambda body: "A", faults=[rate_limited(after_ms=5)]) as server:
        settings = kgnb.Settings(model="stub", base_url=server.url)
        kgnb.match_ontologies("huts:alpine", "huts:refuge", judge="model", settings=settings)
        assert server.prompts

A model of your own is a peer of these: any object with the methods of ``kgnb.llm.model.ChatModel``.
"""

from kgnb.llm.scripted import ScriptedModel
from kgnb.testing.stub_server import (
    CUT_JSON,
    DROPPED,
    HTML,
    Fault,
    SeenRequest,
    StubCall,
    StubServer,
    rate_limited,
    server_error,
    unauthorised,
)

__all__ = [
    "CUT_JSON",
    "DROPPED",
    "HTML",
    "Fault",
    "ScriptedModel",
    "SeenRequest",
    "StubCall",
    "StubServer",
    "rate_limited",
    "server_error",
    "unauthorised",
]
