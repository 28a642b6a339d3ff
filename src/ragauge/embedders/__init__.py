"""Turning texts into vectors: one embedder a file, each registered under its name on the command line."""

from __future__ import annotations

from typing import cast

from ragauge.core.ingredients import Embedder
from ragauge.core.registry import make_ingredient
from ragauge.errors import UnknownNameError

__all__ = ["get"]


def get(text: str = "lexical") -> Embedder:
    """Make the embedder that ``text`` asks for: ``name``, ``name[key=value,...]`` or a folder.

    A folder that holds a model of sentence-transformers is one of ``st``.

    Raises:
        UnknownNameError: no embedder has that name.
        OptionError: an option is unknown or has a bad value.

    >>> import numpy as np
    >>> vectors = get("lexical").encode(["猫坐在垫子上", "垫子上坐着一只猫", "今天下雨"], "passage")
    >>> vectors.cosine(np.array([0, 0]), np.array([1, 2])).round(2)
    array([0.57, 0.  ])
    """
    try:
        return cast(Embedder, make_ingredient("embedder", text))
    except UnknownNameError:
        from ragauge.embedders.base import in_folder

        if (spec := in_folder(text)) is None:
            raise
        return cast(Embedder, make_ingredient("embedder", spec))


def __dir__() -> list[str]:
    return __all__
