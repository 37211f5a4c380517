"""Where benchmark data is kept, and how to download it, checked by SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from kgnb.errors import BackendError, DataError
from kgnb.files import locked, refuse_link


@dataclass(frozen=True)
class PublishedSet:
    """A data set: what it is, its home page, its licence, and the SHA-256 of each of its files
    inside its folder.
    """

    name: str
    title: str
    home: str
    licence: str

    @property
    def files(self) -> dict[str, str]:
        """Path inside the set's folder, and SHA-256."""
        lines = (line.split() for line in _SUMS.read_text(encoding="ascii").splitlines())
        return {
            path.removeprefix(f"{self.name}/"): digest
            for digest, path in lines
            if path.startswith(f"{self.name}/")
        }


_SUMS = Path(__file__).with_name("SHA256SUMS")  # as sha256sum writes and checks it
_OAEI = "https://oaei.ontologymatching.org/2023"
KNOWN: dict[str, PublishedSet] = {
    known.name: known
    for known in (
        PublishedSet(
            "huts",
            "kgnb's own mountain huts",
            "data/huts in kgnb's repository",
            "CC0-1.0; comes with kgnb",
        ),
        PublishedSet(
            "oaei-conference",
            "OAEI conference track: seven ontologies, ten of the 21 ra1-M3 references",
            f"{_OAEI}/conference/",
            "OAEI data use policy; each ontology its own",
        ),
        PublishedSet(
            "oaei-anatomy",
            "OAEI anatomy track: mouse to human anatomy, 1,516 mappings",
            f"{_OAEI}/anatomy/",
            "OAEI data use policy; human part from the NCI Thesaurus",
        ),
        PublishedSet(
            "oaei-mse",
            "OAEI materials science track: four ontologies, two references of test 1",
            f"{_OAEI}/mse/",
            "OAEI data use policy; EMMO is CC BY 4.0",
        ),
        PublishedSet(
            "multifarm",
            "OAEI MultiFarm track: the conference ontologies in other languages",
            f"{_OAEI}/multifarm/",
            "OAEI data use policy",
        ),
        PublishedSet(
            "bio-ml",
            "OAEI Bio-ML track: diseases and anatomy",
            f"{_OAEI}/bio-ml/",
            "each ontology its own; SNOMED CT only with a licence",
        ),
        PublishedSet(
            "dbp15k",
            "DBP15K entity alignment: DBpedia in French and English, 15,000 pairs",
            "https://github.com/nju-websoft/JAPE",
            "DBpedia, CC BY-SA; no licence file",
        ),
        PublishedSet(
            "srprs",
            "SRPRS entity alignment: sparser samples of DBpedia in English and French, 15,000 pairs",
            "https://github.com/nju-websoft/RSN",
            "DBpedia, CC BY-SA; no licence file",
        ),
    )
}

CHUNK = 1 << 18
MOST_BYTES = 2 << 30
"""Of one file, unpacked as the server's encoding says."""

Progress = Callable[[str, int, int | None], None]
"""Called with the file's name, the bytes so far and, where the server says, the bytes there are."""


def data_folder(name: str, folder: Path | None) -> Path:
    """The folder of a data set below ``folder`` (the settings' ``data``); a DataError says how to
    get it.
    """
    known = KNOWN.get(name)
    where = f" from {known.home} ({known.licence})" if known else ""
    if folder is None:
        raise DataError(
            "no folder of benchmark data is set",
            where=name,
            fix=f"Get it{where}, and set KGNB_DATA to its parent.",
        )
    found = Path(folder).expanduser() / name
    if not found.is_dir():
        raise DataError(
            "there is no such data set", where=found, fix=f"Get it{where}, and put it there."
        )
    return found


def get(
    name: str, folder: Path, *, mirror: str = "", on_progress: Progress | None = None
) -> list[Path]:
    """Download the files of a known set into ``folder / name`` and return them; intact files are
    kept.

    ``mirror`` is a base URL that serves the files; we host none. ValueError for an unknown name,
    DataError without a mirror or for a file with another checksum, BackendError where a server
    fails.
    """
    known = KNOWN.get(name)
    if known is None:
        raise ValueError(f"there is no data set {name!r}; there are {', '.join(KNOWN)}")
    if not known.files:
        raise DataError(
            "comes with kgnb; there is nothing to download",
            where=name,
            fix=f"Use it by its name, {name}.",
        )
    if not mirror:
        raise DataError(
            "no fixed address serves exactly these files, so kgnb cannot download it",
            where=name,
            fix=f"Get it from {known.home} ({known.licence}) and set KGNB_DATA, or name a mirror of the files.",
        )
    return [
        fetch(
            path,
            f"{mirror.rstrip('/')}/{quote(path)}",
            sha256,
            folder / name,
            on_progress=on_progress,
        )
        for path, sha256 in known.files.items()
    ]


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(
    name: str,
    url: str,
    sha256: str,
    folder: Path,
    *,
    timeout: float = 30.0,
    on_progress: Progress | None = None,
) -> Path:
    """Download one file to ``folder / name`` and return its path; an intact file is kept.

    It appears under its name only once its SHA-256 is right. ``timeout`` is in seconds, for each
    read.
    """
    path, host = folder / name, urlsplit(url).netloc.rpartition("@")[2]
    if path.is_file() and digest(path) == sha256:
        return path
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f".{path.name}.in-use")):
        if path.is_file() and digest(path) == sha256:
            return path  # another process has fetched it meanwhile
        return _fetched(name, path, url, host, sha256, timeout, on_progress)


def _fetched(
    name: str,
    path: Path,
    url: str,
    host: str,
    sha256: str,
    timeout: float,
    on_progress: Progress | None,
) -> Path:
    import httpx  # slow to import

    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        refuse_link(part)
        with (
            httpx.stream("GET", url, timeout=timeout, follow_redirects=True) as answer,
            part.open("wb") as file,
        ):
            answer.raise_for_status()
            length = answer.headers.get("content-length", "")
            for block in answer.iter_bytes(CHUNK):
                if file.tell() > MOST_BYTES:
                    raise DataError(
                        f"sends more than {MOST_BYTES >> 30} GiB, and no known file is so large",
                        where=url,
                        fix="Name another mirror.",
                    )
                file.write(block)
                if on_progress:
                    on_progress(
                        name, answer.num_bytes_downloaded, int(length) if length.isdigit() else None
                    )
        if (found := digest(part)) != sha256:
            raise DataError(
                f"is not the file we know: its SHA-256 is {found[:12]}..., not {sha256[:12]}...",
                where=url,
                fix="The data set has changed or the download was tampered with; compare with its home page.",
            )
        part.replace(path)
    except httpx.HTTPStatusError as error:
        what = f"{host} answered {error.response.status_code} {error.response.reason_phrase} for {name}"
        raise BackendError(what, service=host, fix="Check the address, or try later.") from error
    except httpx.HTTPError as error:
        what = f"{host} broke off while sending {name}: {error}"
        raise BackendError(
            what, service=host, fix="Run it again: files that are whole are kept."
        ) from error
    except OSError as error:
        raise DataError(
            f"cannot be written: {error.strerror or error}",
            where=path,
            fix="Check the folder and the free space.",
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return path
