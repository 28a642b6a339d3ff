"""Words that say how relevant a document is, such as yes and no, in any language: their grades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragauge import languages
from ragauge.formats.column_names import folded

_LEVELS: Mapping[str, str] = {
    folded(word): level for level, words in languages.table("columns")["grades"].items() for word in words.split()
}
"""Word, as `folded` writes it -> its grade; or "low", which is 0 where no other word is; or "half", which is 1."""


def grades_of_words(words: Iterable[str]) -> dict[str, float] | None:
    """Return each of ``words`` with its grade, 0 to 3; None where one of them is no such word, or there are none.

    Nor where both "low" and a word for 0 are there: then it is not certain whether "low" is relevant. Beside words such
    as "partially", those such as "yes" have the next grade.

    >>> grades_of_words(["ja", "nein"]), grades_of_words(["高", "低", "中"])
    ({'ja': 1.0, 'nein': 0.0}, {'高': 2.0, '低': 0.0, '中': 1.0})
    >>> grades_of_words(["relevant", "partially relevant", "irrelevant"])
    {'relevant': 2.0, 'partially relevant': 1.0, 'irrelevant': 0.0}
    >>> grades_of_words(["yes", "perhaps"]), grades_of_words(["high", "low", "none"])
    (None, None)
    """
    levels = {word: _LEVELS.get(folded(word.strip(" .!。"))) for word in words}
    if None in levels.values() or not levels or {"0", "low"} <= set(levels.values()):
        return None
    above = float({"half", "1"} <= set(levels.values()))
    numbers = {"0": 0.0, "low": 0.0, "half": 1.0, "1": 1 + above, "2": 2 + above}
    return {word: numbers[level or ""] for word, level in levels.items()}
