"""What a model's files hold, in eight digits."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

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
