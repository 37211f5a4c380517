"""Where benchmark data lies, and how to get it: streamed, resumed where it broke off, checked by its SHA-256."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from pathlib import Path, PurePosixPath
from typing import cast
from urllib import request
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit

from kgnb.errors import BackendError, DataError


@dataclass(frozen=True)
class Known:
    """A data set: its home page, its licence, and the SHA-256 of each of its files by path inside its folder."""

    name: str
    title: str
    home: str
    licence: str
    mirror: str = ""  # base URL below which the files can be downloaded
    files: dict[str, str] = field(default_factory=dict)

    @property
    def downloadable(self) -> bool:
        """Whether ``kgnb data get`` can fetch it without being told from where."""
        return bool(self.mirror)


OAEI_CONFERENCE = Known(
    "oaei-conference",
    "OAEI conference track: seven ontologies, ten of the 21 ra1-M3 references",
    "https://oaei.ontologymatching.org/2023/conference/",
    "OAEI data use policy; each ontology its own",
    files={
        "ontologies/cmt.owl": "534e413b5ef3660802f96f33ae5c56195cf6e4c67787a39ec6d80e043ab87606",
        "ontologies/conference.owl": "6e6d18e41a3850db6e424b87ca73ac4f4781a9efce6cd742b2ded9cacfb4d722",
        "ontologies/confof.owl": "917a7ebbb13f5fabdc9909fcc20e73f5d05970d3f85d4c154df1b3dd04d3acdd",
        "ontologies/edas.owl": "c1f3e827c8f75d58a1bbcec7f657394a4963eedc97997e8553c5587dadbfa8f5",
        "ontologies/ekaw.owl": "3302e624125bd04b044cbf4003adb4173888a7de596a593ff319b559d3853fbd",
        "ontologies/iasted.owl": "ebe9129e187c24fde86b3c76741997493b5c3f8eaf8b26536dc62c1363c54314",
        "ontologies/sigkdd.owl": "ba13cca5f17e67b5c7ba5d07001226c6d9d04011f57422be5468f45ecca45149",
        "reference/cmt-conference.rdf": "5b96c67bf3115680245884f850f2342ba8bc33efca9ff91f2ef5d44eff90885a",
        "reference/cmt-confof.rdf": "190452cddca9e0a29c707e61577a0e32b40383842ea92c23e0b8142e9549adbb",
        "reference/cmt-ekaw.rdf": "b47ed1f27a6f2de903e48611a3635a47b12501ff7588dbfafbba1a9c456acd21",
        "reference/conference-edas.rdf": "7329530beaae59cffe2c13a97d57d085a2d344528262d99ba541228ad0bfa3d5",
        "reference/conference-sigkdd.rdf": "55812ffbdd811e60d1c5c2ccdbe0c3a31e2c6c88c7db9c1cc1b5ab7d02d9e6b1",
        "reference/confof-edas.rdf": "9f8f4cb0524777d1135884f3708f3b0c25ff7bfd343b02babb85711166812898",
        "reference/confof-iasted.rdf": "051e7cfe48fb20ade7bcf2fbc3f7a0770c2aaf132b3e70eccd51145b48868ac9",
        "reference/edas-ekaw.rdf": "8e2b41c673d552af6b76dfb2142343b4740d3e932e90d646296aa7bb47679eb4",
        "reference/ekaw-sigkdd.rdf": "b3baf32708294e6ec48817848e05160cbbc98e5ab1ee4929fb5cce4c2207d743",
        "reference/iasted-sigkdd.rdf": "90bec5483d2b598c7786aa418601eb6ff662536f9e3e4f1838f19749582d2240",
    },
)
OAEI_ANATOMY = Known(
    "oaei-anatomy",
    "OAEI anatomy track: mouse to human anatomy, 1,516 mappings",
    "https://oaei.ontologymatching.org/2023/anatomy/",
    "OAEI data use policy; human part from the NCI Thesaurus",
    files={
        "mouse.owl": "93756393d6306c8f332c884401aa447cc4b2557f0a6be3e0efd988a943cb68f8",
        "human.owl": "5c1ca432d9845f1abb36ecfce313df46d8c56d2fb4137d0590ec4e4a6a9b05bf",
        "reference.rdf": "ff21ab35c33cad3abf2c03229b1447b7f9f465a60a3a20c63588b4973aebefa8",
    },
)
OAEI_MSE = Known(
    "oaei-mse",
    "OAEI materials science track: four ontologies, two references of test 1",
    "https://oaei.ontologymatching.org/2023/mse/",
    "OAEI data use policy; EMMO is CC BY 4.0",
    files={
        "EMMO.owl": "3d7d43a40715997fc1ccc6e28c8bec8299e1994f898304a601f728d2649d492c",
        "MatOnto.owl": "0680bcab35ada6875df45145fd916f92451461ebcb56881bea5c99d484e17b5c",
        "MaterialInformation.owl": "71f50535621380ca987532088535fa6f6ac634b4cee871409870a9b88016186b",
        "MaterialInformationReduced.owl": "d3c5c0197c6257b61b2c41c6c2ec41e780588b00f3f6c9e9de9c27de90680a87",
        "reference-1-agentom-dummied.rdf": "f1c9463a6ca448f680d180f165e306bdb19d48d7fcf56a3ccb0e21d5e573536a",
        "reference-1-original.rdf": "bd2095909e69a8a5d79b1be0983358a3c2692bea2d46dd1fe1bd37e2663f7a37",
    },
)
DBP15K = Known(
    "dbp15k",
    "DBP15K entity alignment: DBpedia in French and English, 15,000 pairs",
    "https://github.com/nju-websoft/JAPE",
    "DBpedia, CC BY-SA; no licence file",
    files={
        "fr_en/ent_ids_1": "709265766edeb5b69a90cb1cd0365ebd9529ff43139878d2c4dd9b99195ba51c",
        "fr_en/ent_ids_2": "292045d3dd6abe40fc162cb7c9503a5afda936737d00b5d46f58a0d84a073006",
        "fr_en/ref_pairs": "35144a8e36ce306e2fb78489d85d82cfd3c98b0a17f1eff8819f8c672f780300",
        "fr_en/rel_ids_1": "53f90a76ed9b4544f2e8f6e966e09232182cdba89e4c1a8f7931270a0d274761",
        "fr_en/rel_ids_2": "1ddb4ed4e4879b8a9b4c6851f7bc3e9d759f6e313badc27d8b2b3d3b08aabb29",
        "fr_en/sup_pairs": "44168f6408b86d25276b104e45c55e24462ddebb079a55f7a066172432f48c96",
        "fr_en/triples_1": "255b44b19398596808f386d019323bd5d3213f309956b203619d06fc1dfe4877",
        "fr_en/triples_2": "01d98752e3e318c6690d985335f2898eb7a75ec9b5a9993ee2db66eb3a922664",
    },
)
SRPRS = Known(
    "srprs",
    "SRPRS entity alignment: sparser samples of DBpedia in English and French, 15,000 pairs",
    "https://github.com/nju-websoft/RSN",
    "DBpedia, CC BY-SA; no licence file",
    files={
        "en_fr/ent_ids_1": "831617116aafb7f316d2af8b883345f0fe3575c4af758fe668c08246d3f3ead9",
        "en_fr/ent_ids_2": "aab65be9f31629ef3790d8a7548814332ebd4f425c85d277c05b6e75ec498848",
        "en_fr/ref_ent_ids": "7e252598c144e0faccd98836edba43cbbee669f814ce46afaeb22e4df43a157d",
        "en_fr/rel_ids_1": "894eff5252673dbbe9d3f8449cc1b5da1482062a6272b1360caff73007504dce",
        "en_fr/rel_ids_2": "e9054603a0eab3494963a8b92658a5243a3f87ddcd9a3f58ae671e2c14693ed8",
        "en_fr/sup_ent_ids": "2a1d218a82f18f58f10f341ad8513fa9da3c57aad7b12935bfb911dee8aa19ea",
        "en_fr/training_attrs_1.gz": "57cd52b0403ef7921a6517237a74e6a25c26c1246fac67647fe6b8bf1cdaab5f",
        "en_fr/training_attrs_2.gz": "64a54534228cd0366b1af95f21c589da652d6518495c5e4bb88c23948e907c3e",
        "en_fr/triples_1": "0c24d6f40f04e111d829aa84d5a2aff31d203ee4d1d76f8e50c55c5ae44c7351",
        "en_fr/triples_2": "74d339ce54133bbacfbb2fe9fd9b43ddc857fec8c48b34bf9d3c1cd9f856ca56",
    },
)
HUTS = Known("huts", "kgnb's own mountain huts", "data/huts in kgnb's repository", "CC0-1.0; comes with kgnb")

KNOWN: dict[str, Known] = {
    known.name: known for known in (HUTS, OAEI_CONFERENCE, OAEI_ANATOMY, OAEI_MSE, DBP15K, SRPRS)
}


CHUNK = 1 << 18
MAX_BYTES = 8 << 30
Progress = Callable[[str, int, int | None], None]
"""Called with the file's name, the bytes so far and, where the server says, the bytes there are."""


def data_folder(name: str, folder: Path | None) -> Path:
    """The folder of a data set below ``folder`` (the settings' ``data``); DataError that says how to get it."""
    known = KNOWN.get(name)
    where = f" from {known.home} ({known.licence})" if known else ""
    get = f"run 'kgnb data get {name}', or " if known and known.downloadable else f"get it{where}, and "
    if folder is None:
        raise DataError(
            "no folder of benchmark data is set",
            where=name,
            fix=f"{get[0].upper()}{get[1:]}set KGNB_DATA to its parent.",
        )
    found = Path(folder).expanduser() / name
    if not found.is_dir():
        raise DataError("there is no such data set", where=str(found), fix=f"{get[0].upper()}{get[1:]}put it there.")
    return found


def get(name: str, folder: Path, *, mirror: str = "", on_progress: Progress | None = None) -> list[Path]:
    """Download the files of a known set into ``folder / name`` and return them; what is there and right is kept.

    ``mirror`` is a base URL that serves the files; without it the registry's is taken. ValueError for an unknown name,
    DataError where nothing can be downloaded or a file is not the one we know, BackendError where a server fails.
    """
    known = KNOWN.get(name)
    if known is None:
        raise ValueError(f"there is no data set {name!r}; there are {', '.join(KNOWN)}")
    if not known.files:
        raise DataError("comes with kgnb; there is nothing to download", where=name, fix=f"Use it by its name, {name}.")
    base = mirror or known.mirror
    if not base:
        raise DataError(
            "no fixed address serves exactly these files, so kgnb cannot download it",
            where=name,
            fix=f"Get it from {known.home} ({known.licence}) and set KGNB_DATA, or name a mirror of the files.",
        )
    return [
        fetch(path, f"{base.rstrip('/')}/{quote(path)}", sha256, folder / name, on_progress=on_progress)
        for path, sha256 in known.files.items()
    ]


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(
    name: str, url: str, sha256: str, folder: Path, *, timeout: float = 30.0, on_progress: Progress | None = None
) -> Path:
    """Download one file to ``folder / name`` and return its path; a file that is already there and right is kept.

    The download goes to ``NAME.part`` and is resumed from there; the file appears under its name only once its
    SHA-256 is right. ``timeout`` in seconds is for each read.
    """
    inside = PurePosixPath(name)
    if inside.is_absolute() or ".." in inside.parts or not inside.parts:
        raise ValueError(f"{name!r} is not a path inside the data folder")
    if urlsplit(url).scheme not in {"http", "https"}:
        raise ValueError(f"{url!r} is not an http or https address")
    path = folder / inside
    if path.is_file() and digest(path) == sha256:
        return path
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _download(url, part, name, timeout, on_progress)
        found = digest(part)
        if found != sha256:
            part.unlink()
            raise DataError(
                f"is not the file we know: its SHA-256 is {found[:12]}..., not {sha256[:12]}...",
                where=url,
                fix="The set has changed or the download was tampered with; compare with its home page.",
            )
        os.replace(part, path)
    except OSError as error:
        raise DataError(
            f"cannot be written: {error.strerror or error}", where=str(path), fix="Check the folder and the free space."
        ) from error
    return path


def _download(url: str, part: Path, name: str, timeout: float, on_progress: Progress | None) -> None:
    host = urlsplit(url).netloc.rpartition("@")[2]
    had = part.stat().st_size if part.is_file() else 0
    try:
        with _open(url, had, timeout) as answer:
            resumed = had > 0 and answer.status == 206
            so_far = had if resumed else 0
            length = answer.headers.get("Content-Length", "")
            whole = so_far + int(length) if length.isdigit() else None
            with part.open("ab" if resumed else "wb") as file:
                while block := answer.read(CHUNK):
                    so_far += len(block)
                    if so_far > MAX_BYTES:
                        raise DataError("is larger than any data set we know", where=url, fix="Check the address.")
                    file.write(block)
                    if on_progress:
                        on_progress(name, so_far, whole)
    except HTTPError as error:
        error.close()
        if error.code == 416 and had:  # what we have is no beginning of what there is now
            part.unlink()
            return _download(url, part, name, timeout, on_progress)
        raise BackendError(
            f"{host} answered {error.code} {error.reason} for {name}",
            service=host,
            fix="Check the address, or try later.",
        ) from error
    except (URLError, HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise BackendError(
            f"{host} broke off while sending {name}: {reason}",
            service=host,
            fix="Run it again: it goes on where it stopped.",
        ) from error
    if whole is not None and so_far < whole:
        raise BackendError(
            f"{host} sent {so_far} of {whole} bytes of {name}",
            service=host,
            fix="Run it again: it goes on where it stopped.",
        )


def _open(url: str, had: int, timeout: float) -> HTTPResponse:
    opener = request.OpenerDirector()  # no file:, ftp: or data: handlers, also after a redirection
    for handler in (
        request.ProxyHandler(),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        request.HTTPRedirectHandler(),
        request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(),
        request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    headers = {"User-Agent": "kgnb", "Accept-Encoding": "identity"}
    headers |= {"Range": f"bytes={had}-"} if had else {}
    return cast(HTTPResponse, opener.open(request.Request(url, headers=headers), timeout=timeout))
