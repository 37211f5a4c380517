"""Atomic file writes, JSON Lines that grow, and JSON read with a single kind of error."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import shutil
import socket
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import file_digest
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, TextIO, cast

from kgnb.errors import DataError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_ANOTHER = "Name another place, in a folder that exists and may be written to."
_WAYS = dict.fromkeys(
    (errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "Make room there, or name another place."
)


def write_whole(
    path: Path, content: str | bytes | Callable[[IO[bytes]], object], *, lasting: bool = False
) -> Path:
    """Write beside ``path`` and rename into place, so that readers see the old file or the new one,
    never a part.

    Text is written as UTF-8 with its own line ends; a function writes its own content. Even a power
    cut leaves the old file or the new one; ``lasting`` waits until the new one is on disk.

    A link is followed. What is no file (a device, a pipe) and what has several names (hard links)
    is written to as it stands, which is not done at once.

    Raises:
        DataError: the file cannot be written, or is read-only; the old one stays.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    given, path = path, Path(os.path.realpath(path))
    with _written(path):
        there = path.stat() if path.exists() else None
        if there is not None and not there.st_mode & 0o222:
            # root could write it all the same, and so could a renaming
            raise OSError(errno.EACCES, "it is read-only")
        if there is not None and (not stat.S_ISREG(there.st_mode) or there.st_nlink > 1):
            with path.open("wb") as stream:
                data(stream) if callable(data) else stream.write(data)
            return given
        part = path.with_name(f".{path.name[:200]}.{token_hex(4)}.part")
        try:
            with part.open("xb") as stream:
                if path.exists():
                    part.chmod(path.stat().st_mode & 0o777)
                data(stream) if callable(data) else stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)  # already gone if interrupted just after the renaming
            raise
        if lasting:
            settle(path.parent)
    return given


def no_file(path: Path | str, fix: str, kind: str = "file") -> DataError:
    """The error of a place where no file is, which a pipe is not either: inputs are read more than
    once.
    """
    if Path(path).expanduser().exists() and not Path(path).expanduser().is_dir():
        what = "is a pipe or a device, and inputs are read more than once"
        return DataError(what, where=path, fix="Save it as a file first: COMMAND > FILE.")
    return DataError(f"there is no such {kind}", where=str(path)[:200], fix=fix)


def read_input(path: Path | str, fix: str) -> str:
    """The text of a file in UTF-8 that a person named.

    Raises:
        DataError: there is none, it is a pipe or a device, or something else.
    """
    path = Path(path).expanduser()
    if not (path.is_file() or path.is_dir()):
        raise no_file(path, fix)
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "") or "it is not UTF-8 text"
        raise DataError(f"cannot be read: {why}", where=path, fix=fix) from error


def is_filled(path: Path) -> bool:
    """Whether there is a file, and something in it.

    Raises:
        DataError: it is a pipe or a device.
    """
    if not path.exists():
        return False
    if not path.is_file():
        raise no_file(path, _ANOTHER)
    with path.open("rb") as stream:
        return bool(stream.read(4096).strip())


def make_private(folder: Path) -> None:
    """Make a folder that only its user may read, with its parents; one that is there stays."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def refuse_link(path: Path) -> None:
    """Raise DataError for a link at a name that kgnb chose: a folder of a stranger would have it
    write into any file of the user.
    """
    if path.is_symlink():
        raise DataError(
            f"is a link to {os.readlink(path)}, through which kgnb does not write here",
            where=path,
            fix="Delete the link, or name another place.",
        )


def refuse_links(folder: Path) -> None:
    """Raise DataError where a folder that is there holds a link; what is in its folders is not
    looked at.
    """
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            refuse_link(path)


class OwnFile:
    """A file as kgnb last read or wrote it: what somebody else has put there since is set aside
    before it is written again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known = ""
        self.note()

    def note(self) -> None:
        """What is there now is known: it was read, or written."""
        self.known = _digest(self.path)

    def set_aside(self) -> None:
        """Keep what somebody else has written there under another name, and say so."""
        found = _digest(self.path)
        if found in ("", self.known):
            return
        kept = unused(self.path, "-changed")
        shutil.copyfile(self.path, kept)
        what = f"{self.path} was changed by somebody else; that version is kept in {kept}"
        print(f"kgnb: {what}", file=sys.stderr, flush=True)


def unused(path: Path, mark: str = "") -> Path:
    """The first of the names ``STEM``, the mark and -1, -2... beside a file that nothing has."""
    number = 1
    while (other := path.with_stem(f"{path.stem}{mark}-{number}")).exists():
        number += 1
    return other


def _digest(path: Path) -> str:
    """The SHA-256 of a file, "" where there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(
            f"cannot be written: {error.strerror or error}",
            where=path,
            fix=_WAYS.get(error.errno or 0, _ANOTHER),
        ) from error


def write_json(path: Path, content: Any) -> Path:
    """``write_whole`` for a JSON value, indented and in UTF-8."""
    return write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_at_most(stream: BinaryIO | gzip.GzipFile, most: int) -> bytes:
    """The first bytes of a stream, read in pieces: Python allocates the whole size of a single read
    at once.
    """
    pieces = []
    while most and (piece := stream.read(min(16 << 20, most))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def most_unpacked(size: int) -> int:
    """The bytes that a packed file of this size may unpack to; RDF of many repeats packs to a
    thirtieth.
    """
    return max(64 << 20, 100 * size)


def packed_or_plain(path: Path) -> Path | None:
    """The file, or its gzipped copy ``NAME.gz``; None where neither exists."""
    return next((one for one in (path, path.with_name(f"{path.name}.gz")) if one.is_file()), None)


def open_text(path: Path) -> TextIO:
    """A UTF-8 file, gzipped or not, for reading line by line.

    Reading raises DataError where it unpacks to more than ``most_unpacked``.
    """
    if path.suffix != ".gz":
        return path.open(encoding="utf-8")
    return io.TextIOWrapper(cast(BinaryIO, _Unpacked(path)), encoding="utf-8")


class _Unpacked(gzip.GzipFile):
    """A packed file that is read to a bound; a line of it may be all there is."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._path, self._left = path, most_unpacked(path.stat().st_size)

    def read1(self, size: int = -1) -> bytes:
        data = super().read1(size)
        self._left -= len(data)
        if self._left < 0:
            raise DataError(
                "unpacks to more than a hundred times its size",
                where=self._path,
                fix="Unpack it yourself, if it comes from somebody you trust.",
            )
        return data


MOST_JSON = 256 << 20
"""Bytes of a JSON text that is read."""


def from_json(text: str | bytes, **reading: Any) -> Any:
    """The value of a JSON text; ``reading`` is what else ``json.loads`` takes.

    Raises:
        ValueError: it is no JSON, is too long, nests too deep, or holds a number of thousands of
            digits (which takes the square of them).

    >>> from_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: it nests too deep
    """
    if len(text) > MOST_JSON:
        raise ValueError(f"it has more than {MOST_JSON >> 20} MiB")
    try:
        return json.loads(text, **reading)
    except RecursionError:
        raise ValueError("it nests too deep") from None


def settle(folder: Path) -> None:
    """Wait until a folder's entries, such as a new file, are on disk, where the system supports it."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# marks a line that a kill left unfinished: its writer never learnt that it was saved
CUT = " <- cut short"


def append_lines(path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    """Add entries in one write, on disk before this returns; an unfinished last line is marked and
    closed first.

    ASCII only, so that a write cut short anywhere leaves valid UTF-8.

    Raises:
        DataError: it cannot be written, or is a link.
    """
    if not entries:
        return
    refuse_link(path)
    text = "".join(
        json.dumps(entry, ensure_ascii=True, allow_nan=False) + "\n" for entry in entries
    )
    with _written(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        new = not path.exists()
        any(_appended(path, text, last=turn == 9) for turn in range(10))
        if new:
            settle(path.parent)


def _appended(path: Path, text: str, *, last: bool) -> bool:
    """Add a text, alone; False where another file was put in this one's place meanwhile, except the
    ``last`` time: some network file systems number a file anew each time.
    """
    with path.open("ab+", buffering=0) as file:
        hold(file.fileno())
        here = path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno()))
        if not (here or last):
            return False
        rest = (_closing(cast(BinaryIO, file)) + text).encode()
        while rest:  # one write, except on a full disk, where the next one fails
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())
        return True


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each entry with its line number; none without a file. Lines that were cut short are left out.

    Raises:
        DataError: a line is not a JSON object.
    """
    if not path.exists():
        return
    if not path.is_file():
        raise no_file(path, "Name a file.")
    lines = path.read_text(encoding="utf-8-sig", errors="replace").split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.endswith(CUT):
            continue
        entry = _entry(line)
        if entry is not None:
            yield number, entry
        elif number < len(lines):
            raise DataError(
                "not a JSON object",
                where=f"{path}:{number}",
                fix="Mend the line, or delete it: each stands alone.",
            )


# of a network's file system without its lock service
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS)


def hold(handle: int, *, wait: bool = True, shared: bool = False) -> bool:
    """Lock an open file until it is closed; False where the file system knows no locks.

    Raises:
        BlockingIOError: another one holds it, and this one does not wait.
    """
    if fcntl is None:
        return False
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(handle, kind if wait else kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        return False
    return True


def knows_locks(folder: Path) -> bool:
    """Whether parts of files can be locked there, as SQLite does."""
    try:
        with TemporaryFile(dir=folder) as file:
            if fcntl is not None:
                fcntl.lockf(file, fcntl.LOCK_EX)
    except OSError as error:
        return error.errno not in _NO_LOCKS
    return True


def from_yaml(text: str, *, texts: bool = False) -> Any:
    """The value of a YAML text, whose parts must not refer to one another: they unfold to any size.

    ``texts``: what is no list or map is a text, as it stands, never a date or a yes.

    Raises:
        yaml.YAMLError: it is not YAML.
        ValueError: it is too long, or nests too deep.

    >>> from_yaml("a: [1, 2]")
    {'a': [1, 2]}
    """
    import yaml

    deep = 0
    for number, event in enumerate(yaml.parse(text, yaml.SafeLoader)):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError("it refers to its own parts, which may unfold to any length")
        deep += isinstance(event, yaml.CollectionStartEvent)
        deep -= isinstance(event, yaml.CollectionEndEvent)
        if deep > 100:
            raise ValueError("it nests too deep")
        if number > 100_000:
            raise ValueError("it has more than 100,000 parts")
    return yaml.load(text, yaml.BaseLoader if texts else yaml.SafeLoader)


def _entry(line: str) -> dict[str, Any] | None:
    try:
        entry = from_json(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _closing(file: BinaryIO) -> str:
    """The missing end of the last line, if any."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        return ""
    file.seek(size - 1)
    if file.read(1) == b"\n":
        return ""
    file.seek(0)
    last = file.read().decode("utf-8", "replace").rpartition("\n")[2]
    return "\n" if _entry(last) is not None else f"{CUT}\n"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock that one thread of one process has at a time; the file is only there while
    somebody wants it.

    A process that dies lets go of it. Where there is no ``flock`` (Windows, some network file
    systems), or the folder is read-only, it keeps nobody out.
    """
    handle = _flocked(path)
    try:
        yield
    finally:
        if handle is not None:
            path.unlink(missing_ok=True)
            os.close(handle)


class Claim:
    """What is written at ``path`` is written by this one alone until it is released; those that are
    ``shared`` go together, and a process may claim ``again`` what it has claimed.

    Where there is no ``flock`` or the folder is read-only, and for what is no file, it keeps nobody
    out. A process that dies lets go of it.

    Raises:
        DataError: another process has claimed it; named in the message.
    """

    def __init__(self, path: Path, *, shared: bool = False, again: bool = False) -> None:
        real = Path(os.path.realpath(path))
        self._path = real.with_name(f".{real.name[:200]}.in-use")
        self._handle: int | None = None
        if real.exists() and not real.is_file():
            return
        try:
            self._handle = _flocked(self._path, wait=False, shared=shared)
        except BlockingIOError as error:
            if again and self._holder() == _this_process():
                return
            raise DataError(
                f"is being written by {self._holder() or 'another process'}",
                where=path,
                fix="Wait until it has ended, or name another place.",
            ) from error
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.write(self._handle, _this_process().encode())

    @property
    def held(self) -> bool:
        """Whether it keeps others out."""
        return self._handle is not None

    def _holder(self) -> str:
        try:
            return self._path.read_text(encoding="utf-8")[:200].strip()
        except OSError:
            return ""

    def release(self) -> None:
        """Let others write it."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        try:
            hold(handle, wait=False)
            self._path.unlink(missing_ok=True)
        except BlockingIOError:
            # the others that share it need the file
            pass
        finally:
            os.close(handle)

    def __enter__(self) -> Claim:
        return self

    def __exit__(self, *given: object) -> None:
        self.release()


@contextmanager
def claimed(paths: Iterable[Path | str]) -> Iterator[None]:
    """Each of these is written by this process alone until the block ends; see ``Claim``."""
    with ExitStack() as claims:
        for path in paths:
            claims.enter_context(Claim(Path(path)))
        yield


def _this_process() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _flocked(path: Path, *, wait: bool = True, shared: bool = False) -> int | None:
    while fcntl is not None:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        except OSError:
            return None
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            # somebody put another file in its place, which is not to be emptied
            os.close(handle)
            return None
        try:
            if not hold(handle, wait=wait, shared=shared):
                path.unlink(missing_ok=True)
                os.close(handle)
                return None
            if path.exists() and os.path.samestat(path.stat(), os.fstat(handle)):
                return handle
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # whoever held it before has removed this file: another one counts now
    return None
