"""Why samples got worse: the first cause that rankings, answers and the kept evidence of two runs show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from ragauge.comparison._kept_sample import KeptSample, kept_samples, letters_of, side_of
from ragauge.comparison.difference import PairedRuns
from ragauge.core.arrow import to_arrow
from ragauge.core.messages import Counted, Joined, Message, is_of
from ragauge.display.numbers import printable
from ragauge.errors import worded
from ragauge.languages import table
from ragauge.languages.scripts import overlap, scripts
from ragauge.results.notes import restored

Why: TypeAlias = Literal[
    "failed",
    "other language",
    "passage lost",
    "empty answer",
    "declined",
    "contradicted",
    "added",
    "rank fell",
    "reference alone",
    "unexplained",
]
"""The causes, in the order in which they are looked for: what comes first in a pipeline explains what follows."""

_RIVAL = "the passage has {rival} where the claim has {claimed}"
_NEGATIONS = {
    "the claim has a negation, the passage has none there": "text",
    "the passage has a negation there, the claim has none": "best",
}
"""Why a claim is not supported -> which text has a negation."""
_IN_NO_PASSAGE = "the answer has {claimed}, which no passage has"
_AGAINST_PASSAGE = (
    "the answer has {claimed} where the passage has {rival}",
    "the answer says the opposite of the passage: {text}",
)
_AGAINST_REFERENCE = (
    "the answer has {claimed} where the reference has {rival}",
    "the answer says the opposite of the reference: {text}",
)
_ALIKE = {2: 0.5, 3: 0.375}
"""The share of a sentence's runs of two or three letters that a text has which contradicts it; others are about other
things."""
_DENSE = ("han", "hangul", "hiragana", "katakana")
"""Scripts of which a letter is a syllable or a word: runs of two tell as much as of three letters of an alphabet."""
_ENOUGH, _SPELLED = 8, 16
"""Letters of an answer from which on the lack of kana tells something, and function words of an alphabet do."""
_PARTS = re.compile(r"\d+(?:[.,٫٬]\d+)*|[^\W\d]", re.UNICODE)
"""A number, or a letter: words are parted otherwise in each language."""
_BESIDE = 4
"""Letters around a number, or more, that two texts have in common where one number stands for the other."""
_SHOWN = 80
"""Characters of a sentence that are shown."""


@dataclass(frozen=True)
class Cause:
    """Why a candidate is worse on a sample.

    ``why`` is one of `Why`; ``text`` a sentence that names the passage, the values or the sentence that decided.
    """

    run: str
    id: str
    why: Why
    text: str
    metrics: tuple[str, ...]
    """The metrics under which the sample is worse."""
    sentence: str = ""
    """The sentence of the answer that a passage or a reference contradicts; empty for other causes."""


def counted_causes(found: Sequence[Cause], worse: int) -> str:
    """Return on how many samples a candidate is worse, and how many of ``found`` have each cause, the most first."""
    return Message("{worse}: {causes}", worse_on(found, worse), Joined([words for _, _, words in numbered(found)]))


def numbered(found: Sequence[Cause]) -> list[tuple[Why, int, str]]:
    """Return each cause, on how many samples it was found, and both in words; the most first."""
    counts = Counter(one.why for one in found).most_common()
    return [(why, count, Message("{n:,} {cause}", count, worded(why))) for why, count in counts]


def worse_on(found: Sequence[Cause], worse: int) -> str:
    """Return on how many samples a candidate is worse, and of how many the causes are ``found``, in words."""
    samples = Counted(worse, "sample")
    if len(found) < worse:
        return Message("Worse on {samples}, of the first {n:,}", samples, len(found))
    return Message("Worse on {samples}", samples)


def causes(runs: PairedRuns, worse: Mapping[int, Sequence[str]]) -> list[Cause]:
    """Return the cause of each of the `worse_samples`, in their order.

    Nothing is scored again: without metrics that keep evidence, such as groundedness, what an answer says beside its
    passages is not seen.
    """
    places = np.array(list(worse), dtype=np.int64)
    before = kept_samples(runs.base, runs.samples.base[places], runs.candidate)
    after = kept_samples(runs.candidate, runs.samples.candidate[places], runs.base)
    ids = runs.samples.names.take(to_arrow(places)).to_pylist()
    found = []
    for place, name, old, new in zip(places.tolist(), ids, before, after, strict=True):
        stages = {runs.base[metric].stage for metric in worse[place]}
        sides = {side_of(runs.base, metric) for metric in worse[place]}
        change = _Change(old, new, generation="generation" in stages, references="references" in sides)
        why, text = change.cause()
        sentence = change.contradiction[0] if why == "contradicted" and change.contradiction else ""
        found.append(Cause(runs.name, name, why, text, tuple(worse[place]), sentence))
    return found


def _shared(claim: str, text: str, length: int) -> float:
    """Return the share of the runs of ``length`` letters of a claim that a text has too."""
    own, other = (
        {letters[start : start + length] for start in range(len(letters) - length + 1)}
        for letters in map(letters_of, (claim, text))
    )
    return len(own & other) / max(len(own), 1)


def _has(text: str, value: str) -> bool:
    """Return whether a text has a value, and not as a part of a longer number."""
    return re.search(rf"(?<!\d){re.escape(value)}(?!\d)", text) is not None


def other_number(claim: str, text: str) -> tuple[str, str] | None:
    """Return a number of a claim and the one that a text has in its place, between the same words; None: there is none.

    Of long sentences that are otherwise alike one number hardly moves the degree of support.

    >>> other_number("It opened in 1707, on Monday.", "The shop: it opened in 1700, on a Monday.")
    ('1707', '1700')
    >>> other_number("It has 8,849 m.", "It has 8849 m."), other_number("It has 2 doors.", "It has doors.")
    (None, None)
    """
    parts: list[list[str]] = [_PARTS.findall(one.casefold()) for one in (claim, text)]
    blocks = SequenceMatcher(None, parts[0], parts[1], autojunk=False).get_matching_blocks()
    for (start, first, before), (end, last, after) in pairwise([(0, 0, 0), *blocks]):
        if (end - start - before, last - first - before) != (1, 1) or before + after < _BESIDE:
            continue
        own, other = parts[0][end - 1], parts[1][last - 1]
        if own[0].isdecimal() and other[0].isdecimal() and letters_of(own) != letters_of(other):
            return own, other
    return None


@cache
def _bounds() -> re.Pattern[str]:
    """Return what finds a word by which a negation denies less than it seems to, in any language."""
    return re.compile("|".join(f"(?:{words})" for words in table("bounds").values()), re.IGNORECASE | re.DOTALL)


def _denies_less(row: Mapping[str, Any]) -> bool:
    """Return whether a claim is taken for unsupported by a negation that stands with a word such as "before"."""
    denied = _NEGATIONS.get(row.get("why") or "")
    return denied is not None and _bounds().search(row[denied] or "") is not None


@dataclass(frozen=True)
class _Change:
    """A sample before and after.

    ``generation``: a metric of the answer fell, not of the retrieval alone; ``references``: one that compares it with
    references.
    """

    old: KeptSample
    new: KeptSample
    generation: bool
    references: bool

    def cause(self) -> tuple[Why, str]:
        """Return the first cause that is found, and its sentence."""
        if self.new.failure is not None and self.old.failure is None:
            return "failed", Message("failed: {reason}", _cut(self.new.failure))
        found = self._answer() if self.generation else self._ranking()
        return found or ("unexplained", Message("nothing that was kept explains it"))

    def _answer(self) -> tuple[Why, str] | None:
        return (
            self._other_language()
            or self._lost()
            or self._empty()
            or self._declined()
            or self._contradicted()
            or self._other_words()
            or self._added()
            or self._reference_alone()
        )

    def _ranking(self) -> tuple[Why, str] | None:
        before, after = self.old.ranks, self.new.ranks
        gone = [name for name in before if name not in after]
        if gone:
            name = min(gone, key=before.__getitem__)
            template = "passage {name} is no longer retrieved; its rank was {rank}"
            return "passage lost", Message(template, printable(name), before[name])
        fell = [name for name in before if after[name] > before[name]]
        if fell:
            name = min(fell, key=before.__getitem__)
            template = "the rank of passage {name} fell from {before} to {after}"
            return "rank fell", Message(template, printable(name), before[name], after[name])
        return None

    def _other_language(self) -> tuple[Why, str] | None:
        before, after = self.old.writing, self.new.writing
        asked = self.new.asked if self.new.asked.any() else before
        if not before.any() or not after.any():
            return None
        same = overlap(np.stack([after, after]), np.stack([before, asked])).any()
        # Chinese and Japanese share characters, but Japanese is hardly written without kana.
        han, *kana = map(scripts().names.index, ("han", "hiragana", "katakana"))
        has_kana = [bool(one[kana].any()) for one in (before, after, asked)]
        both = before[han] > 0 and after[han] > 0
        turned = both and has_kana[0] == has_kana[2] != has_kana[1] and len(letters_of(self.new.answer)) >= _ENOUGH
        return None if same and not turned else self._in_another_language()

    def _other_words(self) -> tuple[Why, str] | None:
        """The answer is in another language of the same script: function words of all three tell their languages."""
        (before, _), (after, asked) = self.old.languages, self.new.languages
        known = before and after and asked in (before, "") and len(letters_of(self.new.answer)) >= _SPELLED
        return self._in_another_language() if known and before != after else None

    def _in_another_language(self) -> tuple[Why, str]:
        return "other language", Message("the answer is in another language: {text}", _cut(self.new.answer))

    def _empty(self) -> tuple[Why, str] | None:
        if "answer" not in self.new.texts or self.new.answer.strip() or not self.old.answer.strip():
            return None
        return "empty answer", Message("the answer is empty")

    def _lost(self) -> tuple[Why, str] | None:
        """The passage that the answer rested on is gone, or all that are relevant, and the answer suffers from it."""
        kept = {row["text"] for row in self.new.unsupported}
        bases = (row["best"] for row in self.old.beside_passages if row["supported"] and row["text"] in kept)
        if (base := next((base for base in bases if base and not self.new.holds(base)), None)) is not None:
            return "passage lost", Message("the passage is gone that the answer rested on: {text}", _cut(base))
        rested = [row["best"] for row in self.old.beside_passages if row["supported"] and row["best"]]
        gone = [passage for passage in rested if not self.new.holds(passage)]
        if rested and len(gone) < len(rested):
            return None
        found = self._ranking()
        if found is not None and found[0] == "passage lost" and (gone or not self.new.ranks):
            return found
        if gone and self.new.texts.get("contexts") is not None and not self.new.ranks:
            return "passage lost", Message("the passage is gone that the answer rested on: {text}", _cut(gone[0]))
        return None

    def _declined(self) -> tuple[Why, str] | None:
        if not self.new.evasive or self.old.evasive:
            return None
        return "declined", Message("the answer declines: {text}", _cut(self.new.answer))

    def _contradicted(self) -> tuple[Why, str] | None:
        return ("contradicted", self.contradiction[1]) if self.contradiction else None

    @cached_property
    def contradiction(self) -> tuple[str, str] | None:
        """A sentence that was not there before, and how it has another value than the passage or the reference."""
        sides = (
            (self.old.beside_passages, self.new.beside_passages, *_AGAINST_PASSAGE),
            (self.old.beside_references, self.new.beside_references, *_AGAINST_REFERENCE),
        )
        for before, after, template, opposite in sides:
            known = {row["text"] for row in before}
            for row in after:
                new = row["text"] not in known and row["what"].startswith("answer")
                if not new or not self._alike(row["text"], row["best"] or ""):
                    continue
                why: Any = restored(row.get("why"), row.get("message")) if row["supported"] is False else ""
                if is_of(why, _RIVAL) and (said := self._other_value(row["best"], template, **why.values)):
                    return row["text"], said
                if why in _NEGATIONS and not _denies_less(row):
                    return row["text"], Message(opposite, _cut(row["text"]))
                if (other := other_number(row["text"], row["best"])) is not None:
                    return row["text"], Message(template, *other)
        return None

    def _alike(self, claim: str, text: str) -> bool:
        """Return whether a text is about the same thing as a claim of the new answer."""
        dense = self.new.writing[[scripts().names.index(name) for name in _DENSE]].sum() > 0.5
        length = 2 if dense else 3
        return _shared(claim, text, length) >= _ALIKE[length]

    def _other_value(self, best: str, template: str, claimed: Any, rival: Any) -> str | None:
        """Return what is said of a value with a rival; None where a passage or a reference has it, and not the rival.

        An amount that follows from others, such as a sum, stands in no passage.
        """
        if _has(best, str(rival)):
            return Message(template, claimed, rival)
        texts = (text for name in ("contexts", "references") for text in self.new.texts.get(name) or ())
        held = any(_has(text, str(claimed)) for text in texts)
        return None if held else Message(_IN_NO_PASSAGE, claimed)

    def _added(self) -> tuple[Why, str] | None:
        known = {row["text"] for row in self.old.beside_passages}
        new = [row["text"] for row in self.new.unsupported if row["text"] not in known and not _denies_less(row)]
        if len(self.new.unsupported) <= len(self.old.unsupported) or not new:
            return None
        return "added", Message("no passage supports: {text}", _cut(new[0]))

    def _reference_alone(self) -> tuple[Why, str] | None:
        supported = self.new.beside_passages and not self.new.unsupported
        if not self.references or not supported or self.new.answer == self.old.answer:
            return None
        lacking = [row for row in self.new.beside_references if row["what"].startswith("reference")]
        own = next(iter(self.new.texts.get("references") or ()), None)
        text = next((row["text"] for row in lacking if row["supported"] is False), own)
        if text is None or letters_of(text) in letters_of(self.new.answer):
            return None
        return "reference alone", Message("its passages support the answer; the reference has: {text}", _cut(text))


def _cut(text: str) -> str:
    short = " ".join(text[: _SHOWN + 1].split())
    return printable(short if len(text) <= _SHOWN else f"{short[:_SHOWN]}…")
