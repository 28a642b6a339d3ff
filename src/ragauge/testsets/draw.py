"""Passages drawn from a corpus, as a sheet in which people write questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple

import numpy as np

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Counted
from ragauge.core.options import Range, checked_value
from ragauge.errors import DataError, OptionError
from ragauge.languages.scripts import scripts, shares
from ragauge.testsets.corpus import Document, documents
from ragauge.testsets.passages import spans_of, width_of
from ragauge.testsets.sheet import Sheet
from ragauge.testsets.strata import drawn_from, lengths_of

MOST_ROWS = 100_000
MOST_WIDTH = 8000
"""Columns of a passage: a field of a workbook holds 32,767 characters."""
_NARROWEST = 40
"""Columns below which a passage is a heading or a number, and nothing can be asked about it."""
_SHOWN = 400
"""Characters by which the script of a passage is recognised."""
_TAG = lazy_pattern(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
"""Language tags of BCP 47, without those that begin with ``x-`` or ``i-``."""
# Scripts of one language, or of one that has by far the most speakers.
_LANGUAGE_OF = {"han": "zh", "hangul": "ko", "hiragana": "ja", "katakana": "ja", "thai": "th"}
_KANA = 0.05
"""Share of a text's letters from which kana tells Japanese, which is mostly Han, as in `ragauge.support`."""


def draw(
    corpus: object,
    rows: int = 50,
    *,
    text: str | None = None,
    language: str | None = None,
    width: int = 800,
    seed: int = 0,
    format: str | None = None,  # noqa: A002 - as in `ragauge.formats.read`
    encoding: str | None = None,
) -> Sheet:
    """Draw passages from a corpus by stratified sample.

    Documents become passages (`ragauge.testsets.passages`). Of passages with the same text one is kept, and those
    narrower than 40 columns are left out. Strata are the languages (or scripts), sources and lengths; where these are
    more than ``rows``, sources or lengths are not distinguished. Each stratum gives its share, rounded by the largest
    remainder, and at least one (`ragauge.testsets.strata`).

    Args:
        corpus: a folder of text and Markdown files, one such file, a BEIR folder, a table with a column of texts in any
            form that `ragauge.formats.read` takes, or a list of texts.
        rows: how many passages; all where there are fewer.
        text: the column of texts; None: the first that is named ``text``, ``passage``, ``content`` or the like.
        language: the BCP 47 tag of all passages. None: that of their row, or what their script tells.
        width: columns that a passage may take: characters, of which those of Chinese, Japanese and Korean take two.
        seed: of the draw.
        format: of a table in a file; None: by its suffix or first bytes.
        encoding: of files that are not UTF-8; None: UTF-8, or GB 18030 or UTF-16 where the bytes show it.

    Returns:
        A sheet with a row for each passage, in random order, so that its first rows are a sample too.

    Raises:
        OptionError: an argument is wrong.
        DataError: a file cannot be read, or there is no passage.
        ColumnError: no column holds texts.

    >>> sheet = draw(["Lin Wan opened the tea house in 1990, in a lane behind the temple."], language="en")
    >>> [(row["passage_id"], row["source"], row["language"]) for row in sheet.rows]
    [('texts#1', 'texts', 'en')]
    """
    checked_value("questions", "rows", rows, Annotated[int, Range(1, MOST_ROWS)])
    checked_value("questions", "width", width, Annotated[int, Range(100, MOST_WIDTH)])
    checked_value("questions", "seed", seed, Annotated[int, Range(0), "a whole number from 0"])
    if language is not None and not (isinstance(language, str) and _TAG.fullmatch(language)):
        raise OptionError.value("questions", "language", "a language tag such as 'zh'", language)
    notes: list[str] = []
    passages, summary = _passages_of(documents(corpus, notes, text=text, format=format, encoding=encoding), width)
    if not passages:
        raise DataError(
            "RG-TEST-005 the corpus has no passage of {narrowest} columns or more: {summary}", _NARROWEST, summary
        )
    notes.append(summary)
    texts = [one.text for one in passages]
    scripts_of = _scripts(texts)
    tags = [
        language or one.language or _LANGUAGE_OF.get(script, "")
        for one, script in zip(passages, scripts_of, strict=True)
    ]
    groups = [
        tag or script.replace("_", " ").title() or "no letters" for tag, script in zip(tags, scripts_of, strict=True)
    ]
    lengths = lengths_of(np.array([one.width for one in passages]), groups)
    columns = {"language": groups, "source": [one.source for one in passages], "length": lengths}
    drawn = min(rows, len(passages))
    places, strata, division = drawn_from(columns, texts, drawn, seed)
    notes += _draw_notes(rows, drawn, len(passages), len(strata), division, seed)
    chosen = [
        {"passage": texts[place], "passage_id": passages[place].id, "source": passages[place].source,
         "language": tags[place]}
        for place in places.tolist()
    ]  # fmt: skip
    return Sheet.of_passages(chosen, strata, notes)


class _CorpusPassage(NamedTuple):
    text: str
    id: str
    source: str
    language: str
    width: int


def _passages_of(corpus: Iterable[Document], width: int) -> tuple[list[_CorpusPassage], str]:
    """Return the passages of documents, no two with the same text; and in words what was left out and why."""
    passages: dict[str, _CorpusPassage] = {}
    read = same = narrow = too_long = 0
    for document in corpus:
        read += 1
        spans, not_divided = spans_of(document.text, width, markdown=document.markdown)
        too_long += not_divided
        for number, (start, end) in enumerate(spans, 1):
            text = document.text[start:end]
            own_width = width_of(text)
            if own_width < _NARROWEST:
                narrow += 1
            elif text in passages:
                same += 1
            else:
                # An id of the document's own is what a system returns; any other says where the passage is.
                name = document.id or f"{document.source}#{document.number or number}"
                passages[text] = _CorpusPassage(text, name, document.source, document.language, own_width)
    reasons = {
        f"of the same text as another: {same}": same,
        f"narrower than {_NARROWEST} columns: {narrow}": narrow,
        f"sentences too long for a passage of {width} columns: {too_long}": too_long,
    }
    left_out = ", ".join(words for words, count in reasons.items() if count)
    summary = f"{Counted(len(passages), 'passage')} of {Counted(read, 'document')}"
    return list(passages.values()), f"{summary}; left out: {left_out}" if left_out else summary


def _scripts(texts: Sequence[str]) -> list[str]:
    """Return the script that most letters of each text are of; empty where it has no letters."""
    of_text = shares([text[:_SHOWN] for text in texts])
    names = scripts().names
    kana = of_text[:, [names.index("hiragana"), names.index("katakana")]].sum(axis=1)
    most = of_text.argmax(axis=1)
    most[kana > _KANA] = names.index("hiragana")
    has_letters: list[bool] = np.asarray(of_text.any(axis=1)).tolist()
    return [names[one] if there else "" for one, there in zip(most.tolist(), has_letters, strict=True)]


def _draw_notes(n: int, drawn: int, passages: int, strata: int, division: Sequence[str], seed: int) -> list[str]:
    few = f"; {n} were wanted, and there are no more" if drawn < n else ""
    by = f" in {strata} strata by {', '.join(division)}" if division else ""
    notes = [f"drawn {drawn} of {passages} passages{by} (seed {seed}){few}"]
    coarser = [name for name in ("language", "source", "length") if name not in division]
    if coarser:
        words = " and ".join(f"{name}s" for name in coarser)
        notes.append(f"{words} are not told apart: there would be more strata than rows")
    return notes
