"""Which passage each sentence of an answer cites, for the samples of a batch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.texts import Segments, objects_of
from ragauge.grounding.citations import Citations, beside
from ragauge.grounding.claims import claims_of, without_assent
from ragauge.grounding.declining import unsaid
from ragauge.sentences import split

_CITATIONS = "citations"
UNCITED = "it cites nothing"
"""Why a sentence is not supported, in evidence."""


@dataclass(frozen=True, eq=False)
class CitedSentences:
    """The s sentences of n answers and their c citations.

    Shapes: ``counted`` (s,): which sentences claim something; those that say that something is not said do where they
    cite. ``sentence`` and ``passage`` (c,): of each citation, the passage among all of the batch, -1 where it points
    at none. ``unread`` (n,): of each sample, values of the column ``citations`` that no sentence of the answer has.
    ``from_zero`` (n,): of each sample, 1 where the numbers of its markers count from 0.
    """

    sentences: Segments
    """Each without markers by ``strings``; by ``windows`` with them."""
    counted: BoolArray
    sentence: IntArray
    passage: IntArray
    unread: IntArray
    from_zero: IntArray


def cited_in(batch: Batch, *, by_ids: bool) -> CitedSentences:
    """Return the sentences of the column ``answer`` with what each cites of ``contexts``.

    ``by_ids``: whether ids of the column ``retrieved`` name passages. A column ``citations`` may hold what the
    sentences of an answer cite beside their text.

    >>> import pyarrow as pa
    >>> table = {"id": ["a"], "answer": ["It opened [2]. It is red [1][3]."], "contexts": [["One.", "Two."]]}
    >>> found = cited_in(Batch(pa.table(table)), by_ids=False)
    >>> found.sentence, found.passage
    (array([0, 1, 1]), array([ 1,  0, -1]))
    """
    names = batch.column("retrieved").to_pylist() if by_ids else [None] * len(batch)
    cited = batch.column(_CITATIONS).to_pylist() if _CITATIONS in batch.names else [None] * len(batch)
    passages, answers = batch.segments("contexts"), batch.segments("answer")
    rows = answers.rows.tolist()
    lengths, firsts = passages.lengths.tolist(), passages.offsets.tolist()
    known = [beside(one) for one in cited]
    found = [
        Citations(text, [str(one) for one in names[row] or ()], lengths[row], known[row])
        for row, text in zip(rows, answers.texts, strict=True)
    ]
    unread = np.array([bool(one) and not several for one, several in zip(cited, known, strict=True)], dtype=np.int64)
    unread += np.bincount(answers.rows, [one.unplaced for one in found], len(batch)).astype(np.int64)
    from_zero = np.bincount(answers.rows, [one.from_zero for one in found], len(batch)).astype(np.int64)
    plain = Segments.whole(Ragged(objects_of([one.parted for one in found]), answers.offsets)).split(split)
    sentences, counted = claims_of(plain)
    counted = without_assent(sentences, counted)
    own = plain.by_text().offsets.tolist()
    starts, ends = plain.starts.tolist(), plain.ends.tolist()
    sentence, passage = list[int](), list[int]()
    for text, one in enumerate(found):
        first, last = own[text], own[text + 1]
        for number, places in enumerate(one.of_sentences(starts[first:last], ends[first:last]), first):
            sentence += [number] * len(places)
            passage += [firsts[rows[text]] + place if place >= 0 else -1 for place in places]
    bare = np.flatnonzero(counted & (np.bincount(sentence, minlength=len(sentences)) == 0))
    counted[bare] = ~unsaid(sentences.strings.values[bare].tolist())
    cites, of = np.array(sentence, dtype=np.int64), np.array(passage, dtype=np.int64)
    return CitedSentences(replace(sentences, texts=answers.texts), counted, cites, of, unread, from_zero)
