"""Sentences that other rooms write in English, said in the language of the reader."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from ragauge.core.messages import Face, Phrase
from ragauge.reports.texts import FILES, Texts

TERMINAL_FILES = (*FILES, "texts-terminal.json")
_OWN = ("terminal.",)
_SHARED = (
    *("page.by", "page.level", "page.note.failed", "page.note.missing", "page.note.undefined", "page.note.zero"),
    "page.conclusion.unanswered",
)
"""Texts of the page with placeholders that tables of the terminal hold too."""
_PLACE = re.compile(r"\\\{(\w+)\\\}")
_VALUE = re.compile(r"\{(\w+)\}")
_COUNTS = ("n", "total", "count", "wins", "ties", "losses", "n2", "total2")
_NUMBERS = ("limit", "share", "low", "high", "level")
_VALUES = {
    **dict.fromkeys(_COUNTS, "[0-9,]+"),
    **dict.fromkeys(_NUMBERS, "[-+]?[0-9.,]*[0-9](?:e[-+]?[0-9]+)?"),
    "value": "[^ ]+",
    "text": "'[^']*'|\"[^\"]*\"",
}
"""What stands in a place of a pattern, as in said.js; anything in any other."""
_JOINTS = {"; or ": "；或 ", " or ": " 或 ", ", ": "、"}
_AROUND_OR = re.compile("(?<=[\u4e00-\u9fff）]) (?=或)|(?<=或) (?=[\u4e00-\u9fff])")
_GUESS = re.compile(r" \(looks like ([^:()]+): ([^()]*)\)")
_READING = re.compile(r"in (\S+ \(.+?\)) it reads ")


@dataclass(frozen=True)
class Phrases:
    """Finds the key of an English text by its pattern, and says it in another language; what has no key stays.

    In a pattern ``{n}`` and other counts are digits, ``{share}`` and the like are numbers, ``{words}`` is a phrase that
    is known, ``{either}`` one that need not be, ``{list}`` is phrases between commas, ``{others}`` and ``{ways}`` are a
    phrase or names with "or" between them, ``{needs}`` is names of columns with "and" and "or", ``{guesses}`` is names
    of columns with what they look like, ``{readings}`` is how bytes read in encodings, and any other value is data and
    stays. Case counts, but for words of the page, as heads of tables.

    >>> say = Phrases(Texts("zh", TERMINAL_FILES))
    >>> say("saved to runs/today"), say("answers.csv")
    ('已保存到 runs/today', 'answers.csv')
    """

    texts: Texts

    @cached_property
    def _whole(self) -> Mapping[str, str]:
        """English text without placeholders -> the text; stages are also known by their key."""
        english, own = self.texts.all["en"], self.texts.all[self.texts.language]
        stages = {key.rpartition(".")[2]: own[key] for key in english if key.startswith("page.stage.")}
        whole = {text: own[key] for key, text in english.items() if key.startswith(_OWN) and not _VALUE.search(text)}
        return stages | whole

    @cached_property
    def _words(self) -> Mapping[str, str]:
        """English words of the page, in small letters -> the words."""
        english, own = self.texts.all["en"], self.texts.all[self.texts.language]
        keys = [key for key in english if not key.startswith(_OWN) and not _VALUE.search(english[key])]
        keys.sort(key=lambda key: key.startswith("samples."))
        return {english[key].casefold(): own[key] for key in reversed(keys)}

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str]]:
        """Patterns of texts with placeholders, those with the most words of their own first."""
        english, own = self.texts.all["en"], self.texts.all[self.texts.language]
        keys = [key for key in english if key.startswith(_OWN) or key in _SHARED]
        keys = [key for key in keys if _VALUE.search(english[key])]
        keys.sort(key=lambda key: -len(_VALUE.sub("", english[key])))
        return [(_pattern(english[key], re.IGNORECASE if key in _SHARED else 0), own[key]) for key in keys]

    def __call__(self, text: str) -> str:
        """Return ``text`` in the language of the reader."""
        if isinstance(text, Phrase) and (own := text.wording(Face(self.texts.language))) != text:
            return own
        return self._phrase(text) or self._list(text, ", ", "，") or text

    def _list(self, text: str, mark: str, own: str) -> str | None:
        """Return phrases between marks; None where one has no key, or there is one only."""
        translated = [self._phrase(part) for part in text.split(mark)]
        return None if len(translated) < 2 or None in translated else own.join(map(str, translated))

    def _phrase(self, text: str) -> str | None:
        """Return one phrase in the language of the reader; None where it has no key."""
        known = self._whole.get(text) or self._words.get(text.casefold())
        if known is not None or not text:
            return known or text
        for pattern, own in self._patterns:
            if match := pattern.fullmatch(text):
                values = {name: self._value(name, value) for name, value in match.groupdict().items()}
                if values.get("words") is not None and values["words"] == match["words"]:
                    continue
                return _VALUE.sub(lambda place, values=values: values[place[1]], own)  # type: ignore[misc]
        return None

    def _value(self, name: str, value: str) -> str:
        if name == "list":
            return "，".join(map(self, value.split(", ")))
        if name in ("others", "ways") or (name == "columns" and " or " in value):
            shown = self.alternatives(value)
            return f" {shown}" if name == "others" and shown[0].isascii() else shown
        if name == "needs":
            return value.replace("; or ", "；或 ").replace(", or ", "，或 ").replace(" and ", " 和 ")
        if name == "readings":
            return _READING.sub(r"按 \1 读作 ", value).replace("; ", "；")
        if name == "guesses":
            return _GUESS.sub(r"（像是 \1：\2）", value)
        return self(value) if name in ("words", "either") or (name == "name" and " " in value) else value

    def alternatives(self, text: str) -> str:
        """Return values with "or" between them; one that is a word of its own, such as ``samples``, is typed and stays.

        >>> phrases("zh").alternatives("samples"), phrases("zh").alternatives("cosine or a number from 0 to 1")
        ('samples', 'cosine 或 0 到 1 的数')
        """
        described = " " in text or text == "text"
        if described and (known := self._phrase(text)) is not None:
            return known.strip()
        for joint, own in _JOINTS.items():
            if joint in text:
                return _AROUND_OR.sub("", own.join(map(self.alternatives, text.split(joint))))
        return text


def _pattern(english: str, flags: int) -> re.Pattern[str]:
    def place(match: re.Match[str]) -> str:
        return f"(?P<{match[1]}>{_VALUES.get(match[1], '.+?')})"

    return re.compile(_PLACE.sub(place, re.escape(english)), re.DOTALL | flags)


@cache
def phrases(language: str) -> Phrases:
    """Return the phrases of ``language`` for the terminal."""
    return Phrases(Texts(language, TERMINAL_FILES))
