"""A metric: what it computes and may add (parts, notes, evidence), which columns it reads, and its signature."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from json import JSONEncoder
from numbers import Real
from types import MappingProxyType
from typing import Annotated, Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge._version import __version__
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.messages import Argument, Joined, Message, Phrase, packed
from ragauge.core.options import Range, checked_value, option_texts
from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.core.sample import SCHEMA
from ragauge.core.statistics import Rows, Statistics
from ragauge.errors import ColumnError, OptionError, alternatives, column_title, did_you_mean

Average: TypeAlias = Literal["samples", "pooled"]
Direction: TypeAlias = Literal["higher", "lower"]
Stage: TypeAlias = Literal["retrieval", "generation", "end-to-end"]
Needs: TypeAlias = tuple[tuple[str, ...], ...]

STAGES: tuple[Stage, ...] = ("retrieval", "generation", "end-to-end")
FAILURE = "failure"
"""The column of reasons why the system under test did not answer; `NO_FAILURE` where it did."""
NO_FAILURE = frozenset({"", "0", "false", "n/a", "nan", "no", "none", "null", "ok"})
"""Texts that mean no failure, in any case, as logs and exported tables write them; so do null, NaN, false and 0."""


class Metric(Protocol):
    """A measurement of samples whose statistics add.

    From ``measure`` and ``score`` come per-sample scores, the corpus score, groups, intervals and shards,
    with no further code in the metric. An implementation is a frozen dataclass in one file, registered with
    `ragauge.register`; its fields are its options, its text form, its help and its signature.
    """

    @property
    def average(self) -> Average:
        """``samples``: the mean of per-sample scores; ``pooled``: the score of the summed statistics."""

    @property
    def needs(self) -> Needs:
        """Alternatives of column sets, best first; one of them must be there."""

    @property
    def stage(self) -> Stage:
        """Which part of a RAG system it measures."""

    @property
    def direction(self) -> Direction:
        """Whether higher or lower is better."""

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest score there can be."""

    @property
    def revision(self) -> int:
        """Raised when the numbers change for the same options."""

    def measure(self, batch: Batch) -> Rows:
        """Return the statistics of each sample; pure."""

    def score(self, totals: Statistics) -> FloatArray:
        """Turn statistics with any leading axes into scores of those axes; NaN where there is no value."""


def check_members(owner: str, metric: object) -> None:
    """Raise OptionError where a metric, or its class, has a stage, direction, average or range that no result shows.

    Properties and fields without a default are known in an instance alone.
    """
    for member, choices in (("direction", Direction), ("stage", Stage), ("average", Average)):
        allowed = get_args(choices)
        value = getattr(metric, member, allowed[0])
        if value not in allowed and not hasattr(value, "__get__"):
            raise OptionError.value(owner, member, alternatives(allowed), value)
    revision = getattr(metric, "revision", 1)
    if not hasattr(revision, "__get__"):
        checked_value(owner, "revision", revision, Annotated[int, Range(1), "a whole number from 1"])
    ends = getattr(metric, "range", (0, 1))
    pair = ends if isinstance(ends, tuple) and len(ends) == 2 and all(isinstance(end, Real) for end in ends) else (1, 0)
    if not pair[0] < pair[1] and not hasattr(ends, "__get__"):
        raise OptionError.value(owner, "range", "two numbers, the lowest and the highest value", ends)


@runtime_checkable
class Detailed(Protocol):
    """A metric that has parts: precision and recall beside F, BLEU's brevity penalty."""

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return named parts of the score, each with the leading axes of ``totals``."""


@runtime_checkable
class Noted(Protocol):
    """A metric with notes that must be read beside its scores."""

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes beside each score: name -> meaning.

        A name among ``Rows.noted`` is shown with its count, if that is not 0; any other is always shown.
        """


@runtime_checkable
class Comparing(Protocol):
    """A metric whose scores rest on a comparison of texts that has limits."""

    @property
    def compared_by(self) -> str:
        """A word for the comparison, such as those of `LIMITS`, shown behind the metric's name in tables."""


FEATURES = "features"
"""The word for the default of support, which is not shown behind the metric's name."""
MEANING = "features and cosine"
"""The word for the same with the cosine of an encoder beside it."""
LIMITS: Mapping[str, str] = MappingProxyType(
    {
        "lexical": "compares letters; it does not see meaning, negation, or numbers written another way",
        FEATURES: "sees words, numbers, dates and negation; swapped names may pass; "
        "it cannot infer, or read across languages",
        MEANING: "sees words, numbers, dates, negation and nearness in meaning, across languages too; "
        "swapped names may pass; it cannot infer",
        "cosine": "compares vectors of texts; a changed number, name or negation hardly shows",
        "matched": "a text is supported by one that matches it; it does not see meaning",
        "reranker": "a model scores question and passage; it errs on texts unlike those it was trained on",
        "rerank": "an English model scores question and passage; it errs on other languages, and on texts unlike those "
        "it was trained on",
        "nli": "a model decides whether one text follows from another; it errs on texts unlike those it was trained on",
        "judge": "a language model decides; it errs, and another model, or another version of it, decides otherwise",
    }
)
"""How texts are compared -> what that sees, and what it does not."""


@runtime_checkable
class Explained(Protocol):
    """A metric that can show what its score rests on."""

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per segment of evidence: which sentence, which passage, which similarity."""


ABSENT_COLUMNS = "RG-CORE-009 {metric} needs the columns {ways}; {absent} not found among: {has}{hint}"
_MOST_NAMED = 3
"""Columns that a message proposes."""
_JSON = JSONEncoder(ensure_ascii=False, check_circular=False)


def evidence(
    batch: Batch,
    rows: npt.ArrayLike,
    *,
    what: str,
    texts: Sequence[str],
    best: Sequence[str | None] | None = None,
    similarity: npt.ArrayLike = np.nan,
    supported: Sequence[bool | None] | None = None,
    why: Sequence[str | None] | None = None,
) -> pa.Table:
    """Return the table that ``explain`` of a metric returns: one row per segment.

    Args:
        batch: n samples.
        rows: (u,) the sample of each segment.
        what: what the segments are, as ``answer sentence``.
        texts: u segments.
        best: u texts: what supports each segment best; None where there is nothing to compare with.
        similarity: (u,) how similar the two are; NaN where that is not known.
        supported: u values: whether each is supported; None where that is not known, or not decided by the metric.
        why: u texts: what decided against support; None where nothing did, or where that is not known. The column
            ``message`` holds those that are messages as JSON, by which they are worded in other languages.

    What is not given is not known of any segment.

    >>> import pyarrow as pa
    >>> batch = Batch(pa.table({"id": ["q1"], "answer": ["in 1974"]}))
    >>> evidence(batch, [0], what="number", texts=["1974"], supported=[False]).select(range(6)).to_pylist()
    [{'id': 'q1', 'what': 'number', 'text': '1974', 'best': None, 'similarity': None, 'supported': False}]
    """
    places = np.asarray(rows, dtype=np.int64)
    values = np.full(len(places), similarity, dtype=np.float64)
    unknown = [None] * len(places)
    reasons = unknown if why is None else list(why)
    messages = [_JSON.encode(packed(one)) if isinstance(one, Phrase) else None for one in reasons]
    return pa.table(
        {
            "id": batch.column("id").take(to_arrow(places)).cast(pa.string()),
            "what": to_arrow([what] * len(places), pa.string()),
            "text": to_arrow(list(texts), pa.string()),
            "best": to_arrow(unknown if best is None else list(best), pa.string()),
            "similarity": to_arrow(values, mask=np.isnan(values)),
            "supported": to_arrow(unknown if supported is None else list(supported), pa.bool_()),
            "why": to_arrow(reasons, pa.string()),
            "message": to_arrow(messages, pa.string()),
        }
    )


@dataclass(frozen=True)
class Signature:
    """The identity of a number, and the versions that computed it.

    Two numbers may be compared when their identities are equal; other versions are worth a note only, since a metric
    or ingredient raises its revision when its numbers change.
    """

    identity: str
    """Name, every option, and the revision: ``ndcg|gain=linear|...|revision=1``."""
    versions: str

    @property
    def short(self) -> str:
        """Eight hexadecimal digits of the identity's SHA-256."""
        return sha256(self.identity.encode()).hexdigest()[:8]

    def __str__(self) -> str:
        return f"{self.identity}|{self.versions} #{self.short}"


def signature_of(metric: Metric) -> Signature:
    """Return the signature of ``metric``: its own ``identity`` if it has one, and ``versions`` of what it uses."""
    own = "".join([f"|{library}={version}" for library, version in getattr(metric, "versions", {}).items()])
    versions = f"ragauge={__version__}|unicode={unicodedata.unidata_version}{own}"
    return Signature(metric.identity if hasattr(metric, "identity") else identity_of(metric), versions)


def identity_of(metric: Any, resolved: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the name, all options and the revision of ``metric``.

    ``resolved``: option -> text, where that is not the text of its value; empty for an option that is left out.
    """
    options = {**option_texts(metric, all_of_them=True), **resolved}
    written = [f"{key}={text}" for key, text in sorted(options.items()) if text or key not in resolved]
    return "|".join([name_of(metric), *written, f"revision={metric.revision}"])


def name_of(metric: Metric) -> str:
    """Return the name of ``metric`` without ``@`` and options."""
    return str(metric).partition(":")[0].partition("@")[0]


def otherwise_named(known: str, names: Iterable[str]) -> str:
    """Return a hint with those of ``names`` that are no known columns, and so may be ``known``; empty for none.

    >>> otherwise_named("answer", ["id", "question", "bot"])
    "; if it has another name: map={'answer': 'bot'}"
    """
    maps = [Argument("map", {known: name}) for name in names if name not in SCHEMA][:_MOST_NAMED]
    return Message("; if it has another name: {map}", Joined(maps, " or ")) if maps else ""


def columns_read(metric: Metric, names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that ``metric`` reads: its first alternative all in ``names``; ColumnError if none is.

    ``names`` may be a mapping, known column -> its name in the data, which the error then gives too.
    """
    names = names if isinstance(names, Mapping) else tuple(names)
    there = set(names)
    for alternative in metric.needs:
        if there.issuperset(alternative):
            return alternative
    # Where one alternative is another with more columns, the other suffices.
    least = [one for one in metric.needs if not any({*other} < {*one} for other in metric.needs)]
    ways = Joined([Joined(alternative, " and ") for alternative in least], ", or ")
    absent = columns_lacked(metric, there)
    is_known = absent[0] in SCHEMA
    hint = otherwise_named(absent[0], names) if is_known else did_you_mean(absent[0], there, otherwise="")
    own = dict(names) if isinstance(names, Mapping) else {}
    titles = [
        Message("{own} (read as {name})", column_title(own[name]), name)
        if own.get(name, name) != name
        else column_title(name)
        for name in sorted(there)
    ]
    has = Joined(titles) if there else Message("none")
    raise ColumnError(ABSENT_COLUMNS, metric, ways, ", ".join(absent), has, hint)


def columns_lacked(metric: Metric, names: Iterable[str]) -> list[str]:
    """Return the columns not among ``names`` that ``metric`` needs, by the alternative that lacks the fewest."""
    there = set(names)
    return min(([name for name in alternative if name not in there] for alternative in metric.needs), key=len)


def failures(batch: Batch) -> tuple[BoolArray, dict[int, str]]:
    """Return a mask of the rows on which the system under test failed, (n,), and the reason of each such row."""
    if FAILURE not in batch.names:
        return np.zeros(len(batch), dtype=bool), {}
    column = batch.column(FAILURE)
    given = np.flatnonzero(to_numpy(column.is_valid())).tolist()
    values = zip(given, column.drop_null().to_pylist(), strict=True)
    by_row = ((row, failure_reason(value)) for row, value in values if value)
    reasons = {row: reason for row, reason in by_row if reason is not None}
    failed = np.zeros(len(batch), dtype=bool)
    failed[list(reasons)] = True
    return failed, reasons


def failure_reason(value: object) -> str | None:
    """Return why the system failed, by a value of the column `FAILURE`; None where it did not."""
    text = str(value).strip().casefold()
    with suppress(ValueError):
        # The number 0 as text, as `0.0` and `-0.0`.
        if float(text) == 0:
            return None
    return None if not value or text in NO_FAILURE else str(value)
