"""Split texts in many languages into sentences, with their places in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Literal

import numpy as np
import pyarrow as pa

from ragauge.core.ragged import Ragged
from ragauge.errors import OptionError
from ragauge.sentences import rules, sentencex
from ragauge.sentences.rules import abbreviations

__all__ = ["Backend", "sentences", "split"]

Backend = Literal["rules", "sentencex"]
_Spans = Callable[[str], Iterable[tuple[int, int]]]


def split(texts: pa.Array, *, language: str | None = None, backend: Backend = "rules") -> tuple[Ragged, Ragged]:
    """Return where the sentences of n texts begin and end.

    - A sentence ends at a terminator of its script, with the quotation marks, brackets and references that follow it;
      ``.``, ``!`` and ``?`` need a space after them, or a Chinese or Japanese character on either side.
    - It does not end inside a quotation or a parenthesis, after an abbreviation or an initial, before a word in lower
      case, at an ellipsis that is a pause, or in a number, an address or the number of an item.
    - A line break always ends it.
    - Thai and Lao write no full stop: a space ends a clause of eight characters or more, and clauses are returned.

    Args:
        texts: n strings, none of them null.
        language: a BCP 47 tag that selects the list of abbreviations; None for those of all languages.
        backend: ``rules`` for our own rules, ``sentencex`` for the library of that name (default language: English).

    Returns:
        Where sentences begin and end, in code points: n lists each of int64. White space around them is left out.

    Raises:
        OptionError: ``backend`` is neither rules nor sentencex.
        MissingExtraError: sentencex is not installed.

    >>> import pyarrow as pa
    >>> starts, ends = split(pa.array(["Dr. Li came. He left!", "他来了。她走了。"]))
    >>> starts.to_lists(), ends.to_lists()
    ([[0, 13], [0, 4]], [[12, 21], [4, 8]])
    """
    spans = _spans_by(backend, language)
    places = [list(spans(text)) for text in texts.to_pylist()]
    flat = np.fromiter(chain.from_iterable(chain.from_iterable(places)), dtype=np.int64).reshape(-1, 2)
    starts = Ragged.from_lengths(np.ascontiguousarray(flat[:, 0]), [*map(len, places)])
    return starts, Ragged(np.ascontiguousarray(flat[:, 1]), starts.offsets)


def sentences(text: str, *, language: str | None = None, backend: Backend = "rules") -> list[str]:
    """Return the sentences of one text; see `split`.

    >>> sentences("It costs $3.50, i.e. nothing. “Why?” she asked.")
    ['It costs $3.50, i.e. nothing.', '“Why?” she asked.']
    """
    return [text[start:end] for start, end in _spans_by(backend, language)(text)]


def _spans_by(backend: str, language: str | None) -> _Spans:
    if backend == "sentencex":
        return partial(sentencex.spans, language=(language or "en").split("-")[0])
    if backend != "rules":
        raise OptionError.value("sentences", "backend", "rules or sentencex", backend)
    return partial(rules.spans, known=abbreviations(language))
