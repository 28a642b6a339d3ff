"""The ingredients of metrics: tokenizers, matchers, embedders, models of support and of relevance, judges.

A judge is an LLM that is asked: its protocol is beside what it is asked, a `Question`, and what it gives, a `Reply`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged

Role = Literal["query", "passage"]
Kind = TypeVar("Kind")


class Vocabulary:
    """Numbers the distinct tokens of a run, so that metrics compare whole numbers.

    >>> vocabulary = Vocabulary()
    >>> vocabulary.codes(["a", "b", "a"])
    array([0, 1, 0], dtype=int32)
    >>> vocabulary.words
    ['a', 'b']
    """

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def words(self) -> list[str]:
        """The tokens, by code."""
        return list(self._codes)

    def codes(self, words: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the code of each word, new words getting the next free codes."""
        known = self._codes
        return np.fromiter([known.setdefault(word, len(known)) for word in words], dtype=np.int32, count=len(words))


@runtime_checkable
class Tokenizer(Protocol):
    """A tokenizer: splits texts into tokens, and changes none of them.

    What is done to a token afterwards (case, punctuation, stem) is done once per distinct token, see
    `ragauge.tokenizers.forms`: metrics that want different forms share one segmentation.
    """

    @property
    def signature(self) -> str:
        """Name, options and versions: whatever changes the tokens."""

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Tokenise n texts.

        Args:
            texts: n strings, none of them null.
            vocabulary: numbers the tokens; new ones are added.

        Returns:
            n lists of int32 codes.
        """


@runtime_checkable
class Matcher(Protocol):
    """A matcher: decides which retrieved passages match which reference passages."""

    @property
    def signature(self) -> str:
        """Name, options and versions: whatever changes a match."""

    def match(self, retrieved: Ragged, references: Ragged) -> BoolArray:
        """Compare each retrieved passage of a sample with each of its reference passages.

        Args:
            retrieved: n lists of strings.
            references: n lists of strings.

        Returns:
            (sum of r_i * g_i,): the matrices of the samples one after the other, each row by row: r_i retrieved
            passages by g_i references.
        """


@runtime_checkable
class Vectors(Protocol):
    """Vectors of n texts, dense or sparse. Most embedders return `ragauge.DenseVectors`."""

    def __len__(self) -> int:
        """Return n."""

    def joined(self, more: Any) -> Vectors:
        """Return these vectors, followed by ``more`` of the same embedder."""

    def cosine(self, left: IntArray, right: IntArray) -> FloatArray:
        """Return the cosine of vectors ``left[i]`` and ``right[i]`` for each i."""


@runtime_checkable
class Embedder(Protocol):
    """An embedder: turns texts into vectors."""

    @property
    def signature(self) -> str:
        """Model and revision, pooling, prefixes: whatever changes a vector."""

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one vector per text."""


@runtime_checkable
class SupportModel(Protocol):
    """A model of support: decides which evidence supports which claims, instead of similarity and a threshold."""

    @property
    def signature(self) -> str:
        """Name, options and versions: whatever changes a degree."""

    @property
    def threshold(self) -> float:
        """The lowest degree of support that counts as supported."""

    def degrees(self, claims: Ragged, evidence: Ragged) -> FloatArray:
        """Return how far each segment of evidence of a sample supports each of its claims.

        Args:
            claims: n lists of strings.
            evidence: n lists of strings.

        Returns:
            (sum of c_i * e_i,) degrees from 0 to 1, NaN where there is no answer: the matrices of the samples one after
            the other, each row by row: c_i claims by e_i segments of evidence.
        """


@runtime_checkable
class RelevanceModel(Protocol):
    """A model of relevance: gives the probability that a passage is relevant to a question.

    A model may also have a method ``answers`` that takes the same and returns the probabilities, and why there are
    none, by sample; the reasons are shown.
    """

    @property
    def signature(self) -> str:
        """Name, options and versions: whatever changes a probability."""

    def probabilities(self, questions: Ragged, passages: Ragged) -> FloatArray:
        """Return the probability that each passage is relevant to the question of its sample.

        Args:
            questions: n lists of at most one string; a sample without a question has no relevant passage.
            passages: n lists of strings, m in all.

        Returns:
            (m,) from 0 to 1, NaN where there is no answer.
        """


@dataclass(frozen=True, kw_only=True)
class Question:
    """One request to a judge, and the form of the reply that is wanted.

    Args:
        prompt: the name of the prompt, as ``faithfulness``.
        version: the version of the prompt, as the hash of its text; it is part of the key of a cached reply.
        messages: pairs of role (``system``, ``user``, ``assistant``) and text.
        schema: the JSON Schema that the reply must follow: ``type``, ``properties``, ``required``, ``items``, ``enum``,
            ``minimum``, ``maximum``, ``minItems`` and ``maxItems`` are checked, other keywords only sent.
        max_tokens: the most tokens of a reply.
        label: the key of the reply's object whose label probabilities are wanted, as ``score``; empty: none are.
        labels: the labels that it may have, as ``("1", "2", "3")``.
        expected: a value that a dry run takes for the reply, so that questions that follow from it are counted too.
        again: the message that asks once more after a reply that cannot be used, with ``{problem}`` and ``{schema}`` in
            it; empty: the package's own in English.
        repeat: 0 for the first time that the question is asked, then 1, 2 ...: each is a request of its own.
    """

    prompt: str
    version: str
    messages: tuple[tuple[str, str], ...]
    schema: Mapping[str, Any]
    max_tokens: int = 1024
    label: str = ""
    labels: tuple[str, ...] = ()
    expected: Any = None
    again: str = ""
    repeat: int = 0


Check: TypeAlias = Callable[[Question, Any], str | None]
"""Takes a question and a value that follows its schema; returns what is wrong with the value, None if nothing is."""
Structured: TypeAlias = Literal["json_schema", "json_object", "parsed"]
"""How the form of a reply was held: by the server with a schema, by the server as JSON, or by reading its text."""


class Usage(NamedTuple):
    """Tokens of a reply and of its question, as the server counted them."""

    prompt: int = 0
    completion: int = 0


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a judge replied to one question.

    Args:
        status: ``ok`` or ``failed``.
        reason: why it failed: a code, ``: ``, and words. Codes: ``refused``, ``content-filter``, ``malformed``,
            ``wrong`` (the form is right, and the check complains), ``truncated``, ``empty``, ``timeout``,
            ``no-answer``, ``http-500`` and the like, ``quota``, ``budget``, ``offline``, ``dry-run``.
        value: the parsed JSON, which follows the schema and which the check accepts; None if it failed.
        usage: tokens of all requests that it took, also where they came from the cache.
        seconds: how long those requests took.
        requests: how many requests were sent for it now; 0 if it came from the cache.
        structured: how its form was held; empty if there was no answer.
        label_probabilities: label -> probability, adding to 1, where they were wanted and the server gave them.
    """

    status: Literal["ok", "failed"]
    reason: str = ""
    value: Any = None
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    requests: int = 0
    structured: Structured | Literal[""] = ""
    label_probabilities: Mapping[str, float] | None = None

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return self.status == "ok"

    @property
    def cached(self) -> bool:
        """Whether no request was sent for it."""
        return self.requests == 0

    @property
    def code(self) -> str:
        """The code of the reason, empty where the reply is ok.

        >>> Reply(status="failed", reason="timeout: no answer within 60 s").code
        'timeout'
        """
        return self.reason.partition(":")[0]


@runtime_checkable
class Judge(Protocol):
    """An LLM that is asked; `ragauge.judges` describes questions, replies and what a session is."""

    @property
    def signature(self) -> str:
        """Model, address and parameters: whatever changes a reply."""

    def ask(self, questions: Sequence[Question], check: Check, session: Any = None) -> list[Reply]:
        """Return one reply per question, in their order; no question makes the call raise an error.

        Args:
            questions: any number of questions, which are asked in parallel.
            check: returns what is wrong with a reply; the judge is then asked once more, with the complaint.
            session: a `ragauge.judges.Session`: the cache, the limits and the counts of a run. None: one of its own.

        Raises:
            UsageError: no question can be answered, because the address, the key or the model is wrong.
        """


class Ingredient(Generic[Kind]):
    """An option that holds an ingredient and takes its text too: ``Ingredient[Tokenizer]``, a Tokenizer at run time.

    Type checkers read what a field takes from ``__set__``, and what it holds from ``__get__``. In a frozen subclass
    mypy forgets the second, so a subclass that uses the ingredient declares its field again.
    """

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: type) -> Kind: ...

        def __set__(self, instance: object, value: Kind | str) -> None: ...

    else:

        def __class_getitem__(cls, kind):
            return kind


def ingredient_field(default: Callable[[], object]) -> Any:
    """Return the field of an `Ingredient` whose default value ``default`` makes."""
    return field(default_factory=default)
