"""What all embedders share: the signature."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from ragauge.core.ingredients import Role, Vectors
from ragauge.core.options import option_texts


class EmbedderBase(ABC):
    """An embedder: a frozen dataclass whose fields are its options."""

    revision: ClassVar[int] = 1
    """Raised when the vectors change for the same options."""
    kept: ClassVar[bool] = True
    """Whether a vector costs more to make than to keep."""

    @property
    def symmetric(self) -> bool:
        """Whether the role changes nothing."""
        return True

    @property
    def decides(self) -> Mapping[str, str]:
        """What decides a vector: options, digests of files, revisions of models; not where or how fast it is made."""
        return option_texts(self, all_of_them=True)

    @cached_property
    def signature(self) -> str:
        """Name, what decides a vector, and the revision; read once, since it may take reading a model's files."""
        name = str(self).partition("[")[0]
        known = {**self.decides, "revision": str(self.revision)}
        return f"{name}[{','.join(f'{key}={text}' for key, text in known.items())}]"

    @abstractmethod
    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one vector per text."""


_UNREAD = frozenset({".md", ".gitattributes"})
_CHUNK = 1 << 22


def digest_of(path: Path) -> str:
    """Return eight hexadecimal digits of the SHA-256 of a file, or of all that decides what a model's folder computes.

    Files whose name begins with a dot, and texts for people, are left out.
    """
    if path.is_file():
        return _sha256(path)[:8]
    files = sorted(file for file in path.rglob("*") if file.is_file() and _counts(file.relative_to(path)))
    lines = "".join(f"{file.relative_to(path).as_posix()} {_sha256(file)}\n" for file in files)
    return sha256(lines.encode()).hexdigest()[:8]


def _counts(file: Path) -> bool:
    return file.suffix not in _UNREAD and not any(part.startswith(".") for part in file.parts)


def _sha256(file: Path) -> str:
    hashed = sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest()
