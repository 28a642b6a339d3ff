"""The base of embedders: signatures, files and models that are read once a process, and windows of long texts."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import cached_property, lru_cache
from hashlib import file_digest, sha256
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ragauge.core.ingredients import Role, Vectors
from ragauge.core.lazy import lazy_pattern
from ragauge.core.ragged import IntArray, Ragged
from ragauge.core.registry import Signed
from ragauge.core.spec import quoted
from ragauge.errors import MissingExtraError, UsageError, excerpt

Loaded = TypeVar("Loaded")
# Large enough for every model that metrics of one process use together.
_MOST_LOADED = 16
# Files of a model's folder that do not change what it computes.
_UNREAD = frozenset({".md", ".gitattributes"})


class Loading:
    """A frozen dataclass that loads something by its options; pickles and copies have the options only."""

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(cast("Any", self))}


class EmbedderBase(Loading, Signed, ABC):
    """An embedder: a frozen dataclass whose fields are its options."""

    kept: ClassVar[bool] = True  # whether a vector costs more to make than to keep

    @property
    def symmetric(self) -> bool:
        """Whether both roles give the same vectors."""
        return True

    @cached_property
    def signature(self) -> str:
        """Name, what a vector depends on, and the revision; files are read once for it."""
        return super().signature

    @abstractmethod
    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one vector per text."""


def shared(load: Callable[..., Loaded], path: str, *options: Hashable) -> Loaded:
    """Return ``load(path, *options)``, which is called once a process as long as the files at ``path`` are the same.

    ``load`` must be a function of a module, so that it is the same one each time; ``path`` may be a name on a hub.
    """
    return _shared(load, path, options, _stamp(Path(path)))  # type: ignore[return-value]  # lru_cache forgets the type


@lru_cache(_MOST_LOADED)
def _shared(load: Callable[..., object], path: str, options: tuple[Hashable, ...], _stamp: Hashable) -> object:
    return load(path, *options)


def _stamp(path: Path) -> Hashable:
    """Return name, size and time of each file at ``path``."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path] if path.is_file() else []
    return tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files)


def cannot_load(model: str, error: Exception) -> UsageError:
    """Return the error of a model that a library cannot load."""
    return UsageError(
        "RG-EMB-001 cannot load the model {model!r}: {excerpt}; give a name on the hub, or a folder",
        model,
        excerpt(error),
    )


_LIBRARIES = ("sentence_transformers", "transformers", "huggingface_hub", "comet", "pytorch_lightning")
_TELLING = lazy_pattern(r"newly initialized|size mismatch|no sentence-transformers model", re.IGNORECASE)
"""Warnings of a model that will not compute what it should: weights that were drawn at random, or averaged tokens."""


@contextmanager
def quiet_loading() -> Iterator[None]:
    """Load a model without the progress bars and remarks of its libraries; errors and `_TELLING` warnings are shown.

    Call it after the library was imported. Bars that HF_HUB_DISABLE_PROGRESS_BARS asks for stay.
    """
    bars = sys.modules.get("transformers.utils.logging")
    hides = bars is not None and "HF_HUB_DISABLE_PROGRESS_BARS" not in os.environ and bars.is_progress_bar_enabled()
    own = [handler for name in _LIBRARIES for handler in logging.getLogger(name).handlers]
    # Where nobody has set up logging, Python prints warnings by its last resort.
    handlers = [*own, *([logging.lastResort] if logging.lastResort else [])]
    if bars is not None and hides:
        bars.disable_progress_bar()
    for handler in handlers:
        handler.addFilter(_is_shown)
    try:
        with warnings.catch_warnings():
            for kind in (FutureWarning, DeprecationWarning):
                warnings.simplefilter("ignore", kind)
            yield
    finally:
        for handler in handlers:
            handler.removeFilter(_is_shown)
        if bars is not None and hides:
            bars.enable_progress_bar()


def _is_shown(record: logging.LogRecord) -> bool:
    is_theirs = record.name.partition(".")[0] in _LIBRARIES
    return not is_theirs or record.levelno >= logging.ERROR or bool(_TELLING.search(record.getMessage()))


def model_identity(model: str) -> str:
    """Return the name of a model on a hub, or the name and the digest of its folder."""
    folder = Path(model)
    return f"{folder.name}@{digest_of(folder)}" if folder.is_dir() else model


def digest_of(path: Path) -> str:
    """Return eight hexadecimal digits of the SHA-256 of a file, or of the files that decide what a model computes.

    Files whose name begins with a dot, and texts for people, are left out.
    """
    return shared(_digest, str(path))


def _digest(path: str) -> str:
    root = Path(path)
    if root.is_file():
        return _sha256(root)[:8]
    files = sorted(file for file in root.rglob("*") if file.is_file() and _counts(file.relative_to(root)))
    lines = "".join(f"{file.relative_to(root).as_posix()} {_sha256(file)}\n" for file in files)
    return sha256(lines.encode()).hexdigest()[:8]


def _counts(file: Path) -> bool:
    return file.suffix not in _UNREAD and not any(part.startswith(".") for part in file.parts)


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def package_version(package: str, feature: str, extra: str) -> str:
    """Return the version of an installed ``package``, or raise MissingExtraError for the ``feature`` that needs it."""
    try:
        return version(package)
    except PackageNotFoundError:
        raise MissingExtraError.of(feature, package, extra) from None


def utf8_text(text: str) -> str:
    r"""Return ``text`` with each lone surrogate replaced by U+FFFD, because libraries read texts as UTF-8.

    >>> utf8_text("a\ud800b")
    'a\ufffdb'
    """
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


WINDOWS = "texts read in windows"
"""Note: how many texts are longer than the model reads at once; they were read to their ends, window by window."""
CUT = "claims cut"
"""Note: how many claims leave no room for evidence beside them; their ends were not read."""

Count = Callable[[Sequence[str]], Sequence[int]]
_NEAR = 30


def windows(texts: Sequence[str], count: Count, most: int) -> tuple[list[str], IntArray]:
    """Return windows of n texts with at most ``most`` tokens each, and how many there are of each text, (n,).

    ``count`` counts the tokens of texts, special tokens and prompt among them. One character is not cut further.

    >>> windows(["a b c d", "e"], lambda texts: [len(text.split()) for text in texts], 3)
    (['a b', ' c d', 'e'], array([2, 1]))
    """
    cut_texts, owner = list(texts), list(range(len(texts)))
    while True:
        sizes = list(count(cut_texts))
        if all(size <= most or len(window) < 2 for size, window in zip(sizes, cut_texts, strict=True)):
            break
        cut = [_cut(window, -(-size // most)) for window, size in zip(cut_texts, sizes, strict=True)]
        owner = [place for place, parts in zip(owner, cut, strict=True) for _ in parts]
        cut_texts = [part for parts in cut for part in parts]
    return cut_texts, np.bincount(np.array(owner, dtype=np.int64), minlength=len(texts))


def averaged(vectors: npt.NDArray[np.float32], counts: IntArray) -> npt.NDArray[np.float32]:
    """Return for each text the mean of its windows' vectors, each taken at length 1; a text of one window as it is.

    Shapes: ``vectors`` (windows, d), ``counts`` (n,) of at least 1, result (n, d) float32.
    """
    rows = Ragged.from_lengths(vectors, counts)
    result = vectors[rows.offsets[:-1]]
    normed = at_length_one(vectors)
    for text in np.flatnonzero(counts > 1).tolist():
        result[text] = normed[rows.offsets[text] : rows.offsets[text + 1]].mean(axis=0)
    return result


def at_length_one(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return each of n vectors, (n, d), divided by its length; a vector of zeros as it is."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1.0), dtype=np.float32)


def _cut(text: str, parts: int) -> list[str]:
    """Cut ``text`` in about equal parts, before white space where there is some near."""
    if parts < 2 or len(text) < 2:
        return [text]
    places = [_near(text, len(text) * part // min(parts, len(text))) for part in range(1, min(parts, len(text)))]
    edges = sorted({0, *places, len(text)})
    return [text[first:last] for first, last in pairwise(edges)]


def _near(text: str, place: int) -> int:
    back = text.rfind(" ", max(place - _NEAR, 1), place + 1)
    return back if back > 0 else place


def in_folder(path: str) -> str | None:
    """Return the spec of the model of sentence-transformers in a folder; None where it is none of dense vectors.

    >>> in_folder("intfloat/multilingual-e5-small") is None
    True
    """
    configuration: Any = {}
    try:
        if not (Path(path) / "modules.json").is_file():
            return None
        configuration = json.loads((Path(path) / "config_sentence_transformers.json").read_bytes())
    except FileNotFoundError:
        pass
    except (OSError, ValueError):
        return None
    kind = configuration.get("model_type") if isinstance(configuration, dict) else None
    return f"st[model={quoted(path)}]" if kind in (None, "SentenceTransformer") else None
