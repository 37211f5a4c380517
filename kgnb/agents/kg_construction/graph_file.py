"""The file of a served graph, with a write-ahead journal.

Rewriting a graph of n facts after each fact takes time n squared in all. Each write is therefore
appended to ``FILE.journal`` and synced to the disk before it is acknowledged; the file itself is
rewritten soon after a write and at the end, and the journal is emptied then. The next start reads
the file and replays the journal, so a process that is killed loses nothing it had acknowledged.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from kgnb.errors import BackendError, DataError
from kgnb.files import Claim, OwnFile, from_json, hold, is_filled, refuse_link, settle
from kgnb.kg.loading import load
from kgnb.kg.quads import Quad, read_n_quads, written

if TYPE_CHECKING:
    from kgnb.agents.kg_construction.session import ConstructionSession

_HEAD = '{"kgnb": "journal", "version": 1}'
IDLE = 2.0
"""Seconds after a write in which further ones may come before the file is rewritten."""
_AGAIN = 30.0  # seconds until a rewriting that failed is tried again
_SHARE = 200  # at most one part in this many of the time goes into rewriting the file


class GraphFile:
    """A session saved in a file. Open it before the first call, close it after the last.

    A file that somebody else has changed meanwhile is set aside before it is written, and this is
    said.

    Raises:
        DataError: the file or its journal cannot be read; neither is touched.
        BackendError: another process uses this file.
    """

    def __init__(self, path: Path, session: ConstructionSession, idle: float | None = IDLE) -> None:
        self.path = path
        self.journal = path.with_name(f"{path.name}.journal")
        self.loaded = 0
        self._session = session
        self._idle = idle
        self._noted = 0  # writes noted since the start
        self._saved = 0  # of them in the file
        self._took = 0.0  # seconds the last writing of the whole took
        self._closed = False
        self._saving = threading.Lock()
        self._timer: threading.Timer | None = None  # of the next rewriting
        refuse_link(self.journal)
        try:
            self._claim = Claim(path)
        except DataError as error:
            raise self._in_use(f": {error.what}") from error
        self._own = OwnFile(path)
        self._stream = self.journal.open("ab", buffering=0)
        try:
            self._lock()
        except BaseException:
            # the journal is another process's, which may have written nothing yet
            self._stream.close()
            self._claim.release()
            raise
        try:
            settle(path.absolute().parent)
            self._begin()
        except BaseException:
            self._let_go()
            raise
        session.log = self.note

    def _lock(self) -> None:
        try:
            hold(self._stream.fileno(), wait=False)
            if not os.path.samestat(os.stat(self.journal), os.fstat(self._stream.fileno())):
                raise BlockingIOError("its journal was removed just now")
        except OSError as error:
            raise self._in_use() from error

    def _in_use(self, why: str = "") -> BackendError:
        return BackendError(
            f"another process keeps its graph in this file{why}",
            service=str(self.path),
            fix="Name another file, or let the clients share one server (kgnb serve --http).",
        )

    def _begin(self) -> None:
        """Read what is there."""
        store = self._session.store
        if is_filled(self.path):
            load(store, self.path)
        lines = self.journal.read_bytes().split(b"\n")
        whole, torn = lines[:-1], lines[-1]
        if whole and whole[0].decode("utf-8", "replace") != _HEAD:
            raise DataError(
                "this is not a journal of kgnb", where=str(self.journal), fix="move it elsewhere"
            )
        for number, line in enumerate(whole[1:], 2):
            try:
                entry = from_json(line)
                added, removed = read_n_quads(entry["add"]), read_n_quads(entry.get("remove", ""))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise DataError(
                    "this line of the journal is damaged",
                    where=f"{self.journal}:{number}",
                    fix="mend or delete the line: each line is one write, in order",
                ) from error
            self._session.replay(added, removed)
        if torn:  # cut off while it was written, and so never acknowledged
            os.ftruncate(self._stream.fileno(), len(b"\n".join(whole)) + bool(whole))
        self._session.reload()
        self.loaded = len(self._session.facts)
        self._noted = max(0, len(whole) - 1)

    @property
    def changed(self) -> bool:
        """Whether there are writes that the file does not contain yet."""
        return self._noted > self._saved

    def note(self, added: Sequence[Quad], removed: Sequence[Quad]) -> None:
        """Journal one write, before the session does it. Raises BackendError where that fails."""
        entry = {"add": written(added, "n-quads")} | (
            {"remove": written(removed, "n-quads")} if removed else {}
        )
        line = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
        end = os.fstat(self._stream.fileno()).st_size
        try:
            self._append(line if end else _HEAD.encode() + b"\n" + line)
        except OSError as error:
            os.ftruncate(self._stream.fileno(), end)
            raise BackendError(
                f"the fact could not be put onto the disk: {error.strerror or error}",
                service=str(self.journal),
                fix="Make room on the disk; nothing was written, the same call can be made again.",
            ) from error
        self._noted += 1
        self._rewrite_after(self._idle)

    def _append(self, data: bytes) -> None:
        view = memoryview(data)
        while view:  # an unbuffered write may take a part only
            view = view[self._stream.write(view) or 0 :]
        os.fsync(self._stream.fileno())

    def save(self) -> None:
        """Rewrite the file, if anything changed, and empty the journal."""
        with self._saving:
            noted, begun = self._noted, monotonic()
            if noted == self._saved:
                return
            self._own.set_aside()
            self._session.save(self.path, lasting=True)
            self._own.note()
            with self._session.lock:
                self._saved = noted
                self._took = monotonic() - begun
                # a write that came meanwhile is in the journal; replaying all of it over the new file
                # is harmless
                if self._noted == noted:
                    os.ftruncate(self._stream.fileno(), 0)

    def close(self) -> None:
        """Write the file if anything changed and release it; the journal remains only where that
        fails.
        """
        with self._session.lock:
            closed, self._closed, timer = self._closed, True, self._timer
        if closed:
            return
        if timer is not None:
            timer.cancel()
            timer.join()
        try:
            self.save()
        finally:
            self._session.log = None
            self._let_go()

    def _let_go(self) -> None:
        if os.fstat(self._stream.fileno()).st_size == 0:
            self.journal.unlink(missing_ok=True)
        self._stream.close()
        self._claim.release()

    def _rewrite_after(self, seconds: float | None) -> None:
        with self._session.lock:
            if seconds is None or self._timer is not None or self._closed:
                return
            self._timer = threading.Timer(max(seconds, _SHARE * self._took), self._rewrite)
            self._timer.daemon = True
            self._timer.start()

    def _rewrite(self) -> None:
        again = self._idle
        try:
            self.save()
        except (DataError, OSError) as error:  # the journal has what the file lacks
            print(f"kgnb: {self.path} could not be written: {error}", file=sys.stderr, flush=True)
            again = _AGAIN
        with self._session.lock:
            self._timer = None
            if self.changed:
                self._rewrite_after(again)
