"""A notebook's answers to the front end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kgnb.errors import KgnbError

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Answering:
    """A comm target of a kernel; a shell without a kernel has no comms."""

    def __init__(self, shell: Any, target: str, answer: Answer) -> None:
        self.target, self._answer = target, answer
        self._comms: list[Any] = []
        self._manager = getattr(getattr(shell, "kernel", None), "comm_manager", None)
        if self._manager is not None:
            self._manager.register_target(target, self._open)

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a question; an error is part of the answer, for the front end to show."""
        try:
            found = dict(self._answer(question))
        except (KgnbError, ValueError, TypeError, KeyError) as error:
            found = {"error": str(error)}
        return found | {"id": question.get("id")}

    def tell(self, content: Mapping[str, Any]) -> None:
        """Sends this to every front end that has connected."""
        for comm in list(self._comms):
            comm.send(dict(content))

    def stop(self) -> None:
        """Closes all comms and removes the target."""
        if self._manager is None:
            return
        if self.target in self._manager.targets:
            self._manager.unregister_target(self.target, self._open)
        for comm in list(self._comms):
            comm.close()
        self._comms.clear()

    def _open(self, comm: Any, _message: Any) -> None:
        self._comms.append(comm)
        comm.on_msg(lambda message: comm.send(self.answer(message["content"]["data"])))
        comm.on_close(lambda _message: self._comms.remove(comm) if comm in self._comms else None)
