"""The forms of replies: JSON schemas, and what is wrong with a reply that follows one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.judges.calibration import HALF
from ragauge.judges.prompts import Data, Stated
from ragauge.judges.question import Complaint, Deciding, ReplyForm, Schema, schema_of
from ragauge.judges.typed import Shares, Typed, choice, predicate, scale
from ragauge.sentences import split

_NUMBER: Schema = {"type": "integer"}
_TEXTS: Schema = {"type": "array", "items": {"type": "string"}}

DEGREE = "degree"
"""The key of a probability, or of those of all passages, in an entry of a decision model."""

# Some models write no more in one reply; one that is truncated is asked for once more, with twice as many.
_MOST = 4096


def _entries(
    prompt: str,
    item: str,
    value: str,
    kind: Schema,
    complaint: Callable[[Data, Any], Complaint],
    deciding: Deciding | None = None,
) -> ReplyForm:
    """Return the form of a list with one entry for each numbered item: ``{"claims": [{"claim": 1, ...}]}``.

    Small models write several entries for one item. They count as one, unless one says yes and another no.
    """
    key, is_list = f"{item}s", kind["type"] == "array"

    def decided(_data: Data, shares: Sequence[Shares]) -> tuple[Any, None]:
        entries = [{item: number, value: share >= HALF, DEGREE: share} for number, (share,) in enumerate(shares, 1)]
        return {key: entries}, None

    single = Deciding(
        lambda data: [{item: number + 1} for number in range(int(str(data["count"])))],
        lambda _data, stated: list(map(predicate, stated.each)),
        decided,
    )

    def wrong(data: Data, reply: Any) -> Complaint:
        numbers = sorted({entry[item] for entry in reply[key]})
        count = data["count"]
        if numbers != list(range(1, int(str(count)) + 1)):
            shown = ", ".join(map(str, numbers[:20])) or "none"
            return f"there must be one entry for each {item} from 1 to {count}; got entries for {shown}"
        verdicts = {(entry[item], bool(entry[value]) if is_list else entry[value]) for entry in reply[key]}
        twice = next((number for number in numbers if sum(own == number for own, _ in verdicts) > 1), None)
        if twice is not None:
            return f"there must be one entry for each {item}; those for {item} {twice} contradict each other"
        return complaint(data, reply)

    def expected(data: Data) -> Any:
        usual: Any = [1] if is_list else kind.get("enum", [True])[-1]
        return {key: [{item: number + 1, value: usual} for number in range(int(str(data["count"])))]}

    schema = schema_of(**{key: {"type": "array", "items": schema_of(**{item: _NUMBER, value: kind})}})
    # Each entry takes about 15 tokens, and a few more for passages.
    return ReplyForm(
        prompt, schema, wrong, lambda data: min(64 + 40 * int(str(data["count"])), _MOST), expected,
        deciding=deciding or single,
    )  # fmt: skip


def _pairs(data: Data) -> list[Data]:
    """Return each claim with each passage that has a text."""
    shown = [number for number, text in enumerate(_listed(data, "passages"), 1) if text.strip()]
    return [{"claim": claim, "passage": number} for claim in _listed(data, "claims") for number in shown]


def _listed(data: Data, name: str) -> list[str]:
    return list(cast("Sequence[str]", data[name]))


def _citing(data: Data, shares: Sequence[Shares]) -> tuple[Any, None]:
    rest = iter(shares)
    passages = [bool(text.strip()) for text in _listed(data, "passages")]
    entries = []
    for number in range(1, len(_listed(data, "claims")) + 1):
        degrees = [next(rest)[0] if there else 0.0 for there in passages]
        cited = [place for place, degree in enumerate(degrees, 1) if degree >= HALF]
        entries.append({"claim": number, "passages": cited, DEGREE: degrees})
    return {"claims": entries}, None


_CITING = Deciding(
    _pairs, lambda _data, stated: list(map(predicate, stated.each)), _citing, left_out=("claims", "count")
)


def _cited(data: Data, reply: Any) -> Complaint:
    """Return which passages are cited that are not there, or twice for one claim."""
    most = len(data["passages"]) if isinstance(data["passages"], Sequence) else 0
    for entry in reply["claims"]:
        cited = entry["passages"]
        wrong = [number for number in cited if not 1 <= number <= most]
        if wrong:
            return f"claim {entry['claim']} cites passage {wrong[0]}; the passages are numbered from 1 to {most}"
        if len(set(cited)) < len(cited):
            return f"claim {entry['claim']} cites a passage twice"
    return None


def _no_complaint(_data: Data, _reply: Any) -> Complaint:
    return None


def _texts(prompt: str, key: str, least: int) -> ReplyForm:
    """Return the form of a list of texts that are parts of a text, in at least so many tokens."""

    def wrong(_data: Data, reply: Any) -> Complaint:
        return f"each of {key} must be a text that is not blank" if not all(map(str.strip, reply[key])) else None

    def expected(data: Data) -> Any:
        # A judge seldom writes the sentences themselves, whose questions another metric may have asked already.
        return {key: [f"It says: {text}" for text in sentences_of(str(data["text"]))]}

    # Such a list is at most about twice as long as its text; a token has at least a character.
    schema = schema_of(**{key: _TEXTS})
    return ReplyForm(prompt, schema, wrong, lambda data: min(least + 2 * len(str(data["text"])), _MOST), expected)


def _questions() -> ReplyForm:
    def wrong(data: Data, reply: Any) -> Complaint:
        written = [text for text in reply["questions"] if text.strip()]
        if len(written) != data["count"] or len(reply["questions"]) != data["count"]:
            return f"there must be {data['count']} questions that are not blank; got {len(written)}"
        return None

    def expected(data: Data) -> Any:
        return {
            "questions": ["Which is the question that this text answers?"] * int(str(data["count"])),
            "evasive": False,
        }

    schema = schema_of(questions=_TEXTS, evasive={"type": "boolean"})
    return ReplyForm("questions", schema, wrong, lambda data: 64 + 64 * int(str(data["count"])), expected)


def rating(prompt: str, low: int = 0, high: int = 2) -> ReplyForm:
    """Return the form of a whole number from ``low`` to ``high``."""
    return _choice(prompt, "rating", range(low, high + 1), scale)


def _choice(prompt: str, key: str, choices: Sequence[int], ask: Callable[[str, Mapping[str, str]], Typed]) -> ReplyForm:
    schema = schema_of(**{key: {"type": "integer", "enum": list(choices)}})
    labels = tuple(map(str, choices))

    def typed(_data: Data, stated: Stated) -> list[Typed]:
        return [ask(stated.instructions, {label: stated.levels.get(label, "") for label in labels})]

    def decided(_data: Data, shares: Sequence[Shares]) -> tuple[Any, Mapping[str, float]]:
        likely = max(range(len(labels)), key=lambda place: shares[0][place])
        return {key: choices[likely]}, dict(zip(labels, shares[0], strict=True))

    return ReplyForm(
        prompt, schema, _no_complaint, lambda _data: 32, lambda _data: {key: choices[0]}, key, labels,
        Deciding(lambda _data: [], typed, decided),
    )  # fmt: skip


def _facts() -> ReplyForm:
    def wrong(data: Data, reply: Any) -> Complaint:
        if len(reply["nuggets"]) > int(str(data["count"])):
            return f"there must be at most {data['count']} nuggets; got {len(reply['nuggets'])}"
        blank = any(not one["text"].strip() for one in reply["nuggets"])
        return "each text of nuggets must be a text that is not blank" if blank else None

    def expected(data: Data) -> Any:
        texts = sentences_of(" ".join(_listed(data, "passages")))[: int(str(data["count"]))]
        return {"nuggets": [{"text": f"It says: {text}", "importance": "vital"} for text in texts]}

    nugget = schema_of(text={"type": "string"}, importance={"type": "string", "enum": ["vital", "okay"]})
    schema = schema_of(nuggets={"type": "array", "items": nugget})
    return ReplyForm("facts", schema, wrong, lambda data: min(128 + 96 * int(str(data["count"])), _MOST), expected)


def _rating_each(_data: Data, stated: Stated) -> list[Typed]:
    return [scale(words, {label: stated.levels.get(label, "") for label in _STEPS}) for words in stated.each]


def _rated_each(_data: Data, shares: Sequence[Shares]) -> tuple[Any, None]:
    entries = [
        {"nugget": number, "rating": max(range(len(_STEPS)), key=own.__getitem__), DEGREE: list(own)}
        for number, own in enumerate(shares, 1)
    ]
    return {"nuggets": entries}, None


_STEPS = ("0", "1", "2")
SUPPORT = _entries("support", "claim", "passages", {"type": "array", "items": _NUMBER}, _cited, _CITING)
NUGGETS = _entries(
    "nuggets", "nugget", "rating", {"type": "integer", "enum": [0, 1, 2]}, _no_complaint,
    Deciding(
        lambda data: [{"nugget": text} for text in _listed(data, "nuggets")], _rating_each, _rated_each,
        left_out=("nuggets", "count"),
    ),
)  # fmt: skip
FACTS = _facts()
USEFUL = _entries("useful", "passage", "useful", {"type": "boolean"}, _no_complaint)
RELEVANT = _entries("relevant", "sentence", "relevant", {"type": "boolean"}, _no_complaint)
CLAIMS = _texts("claims", "claims", 128)
ENTITIES = _texts("entities", "entities", 64)
QUESTIONS = _questions()
PREFERENCE = _choice("preference", "better", (0, 1, 2), choice)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text.

    >>> sentences_of("茶馆开了。It rains!")
    ['茶馆开了。', 'It rains!']
    """
    starts, ends = split(to_arrow([text], pa.large_string()))
    return [text[start:end] for start, end in zip(starts.values.tolist(), ends.values.tolist(), strict=True)]


def flags(reply: Mapping[str, Any], form: ReplyForm) -> list[float]:
    """Return the marks of a list with one entry for each item, in the order of the items: 1, 0, or a probability.

    >>> flags({"passages": [{"passage": 2, "useful": False}, {"passage": 1, "useful": True}]}, USEFUL)
    [1.0, 0.0]
    """
    (entries,) = reply.values()
    item, value = next(iter(form.schema["properties"].values()))["items"]["required"]
    marks = {entry[item]: float(entry.get(DEGREE, bool(entry[value]))) for entry in entries}
    return [marks[number] for number in sorted(marks)]


def citations(reply: Mapping[str, Any], passages: int) -> list[list[float]]:
    """Return for each claim, in their order, how far each of so many passages supports it, from 0 to 1.

    The entries of a claim are taken together.

    >>> citations({"claims": [{"claim": 2, "passages": []}, {"claim": 1, "passages": [2]}]}, 2)
    [[0.0, 1.0], [0.0, 0.0]]
    """
    if any(DEGREE in entry for entry in reply["claims"]):
        return [entry[DEGREE] for entry in reply["claims"]]
    cited: dict[int, set[int]] = {}
    for entry in reply["claims"]:
        cited.setdefault(entry["claim"], set()).update(entry["passages"])
    return [[float(place + 1 in cited[claim]) for place in range(passages)] for claim in sorted(cited)]


def steps(reply: Mapping[str, Any]) -> list[list[float]]:
    """Return the shares of the ratings 0, 1 and 2 of each nugget, in their order: 0 or 1, or probabilities.

    >>> steps({"nuggets": [{"nugget": 2, "rating": 0}, {"nugget": 1, "rating": 2}]})
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    shares = {
        one["nugget"]: one.get(DEGREE) or [float(one["rating"] == step) for step in range(3)]
        for one in reply["nuggets"]
    }
    return [shares[number] for number in sorted(shares)]
