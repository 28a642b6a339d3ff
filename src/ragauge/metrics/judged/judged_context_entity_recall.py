"""``judged-context-entity-recall``: which entities of the reference the passages name, as a judge lists them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage, evidence
from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics._sample_mean import best_share, rows_of
from ragauge.metrics.judged._base import JudgedMetric, reasons_of
from ragauge.metrics.judged._claims import listed, passages_of
from ragauge.metrics.judged._forms import ENTITIES


@register("judged-context-entity-recall", aliases=("context-entity-recall",), compat={"ragas": {"match": "exact"}})
@dataclass(frozen=True, kw_only=True)
class JudgedContextEntityRecall(JudgedMetric):
    """Context entity recall by a judge: the share of the reference's entities that the passages name.

    Formula:
        score = distinct entities of the reference that are among the passages' / distinct entities of the reference

    Unit and range: a share of entities, 0 to 1. The judge lists the entities of each reference, and of the passages
    together; which are the same is decided by their letters. Of several references the best one counts. An empty
    retrieval scores 0.

    ``undefined``: no reference names an entity. ``failed``: the judge gave no answer of the right form.

    Args:
        match: ``folded``: entities are the same but for case, width and white space; ``exact``: in each character.

    >>> import ragauge
    >>> reply = '{"entities": ["Paris"]}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> metric = JudgedContextEntityRecall(judge=judge)
    >>> ragauge.score(metric, references=["It is in Paris."], contexts=["Paris has cafés."])
    1.0

    Not for: entities that passages write in another way, as ``US`` and ``United States``, or in another language.

    Source: ragas 0.4.3 ``ContextEntityRecall``; ``compat=ragas`` matches exactly. Deviations: an entity that is listed
    twice counts once, where ragas divides by the length of the list in one of its two versions; no entities are
    undefined, where ragas scores 0; ragas adds 1e-8 to the denominator.
    """

    match: Literal["folded", "exact"] = "folded"

    prompts_used: ClassVar[tuple[str, ...]] = ("entities",)
    stage: ClassVar[Stage] = "retrieval"
    needs: ClassVar[Needs] = (("references", "contexts"),)

    def measured(self, batch: Batch) -> Rows:
        """Return the share of entities of each sample's best reference."""
        entities, named, texts, reasons = self._entities(batch)
        undefined = np.diff(entities.offsets[texts]) == 0
        undefined[list(reasons)] = False
        return rows_of(best_share(Ragged(named, entities.offsets), texts), undefined, reasons)

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per entity of the references: whether the passages name it."""
        entities, named, texts, reasons = self._entities(batch)
        owners = np.repeat(np.arange(len(batch)), np.diff(texts))[entities.rows]
        kept = np.flatnonzero(~np.isin(owners, list(reasons)))
        return evidence(
            batch,
            owners[kept],
            what="reference entity",
            texts=entities.values[kept].tolist(),
            supported=named[kept].tolist(),
        )

    def _entities(self, batch: Batch) -> tuple[Ragged, BoolArray, IntArray, Mapping[int, str]]:
        """Return the entities of m references, whether passages name each, where texts begin, and why some are lost."""
        references = batch.segments("references")
        owners, opened = references.rows.tolist(), self.open(batch)
        texts = references.strings.values.tolist()
        together = ["\n".join(passages) for passages in passages_of(batch)]
        stated = [place for place, text in enumerate(texts) if text.strip() and opened[owners[place]]]
        retrieved = [row for row, text in enumerate(together) if text.strip() and opened[row]]
        rows = [owners[place] for place in stated] + retrieved
        data = [{"text": texts[place]} for place in stated] + [{"text": together[row]} for row in retrieved]
        replied = self.replies(batch, ENTITIES, rows, data)
        lists = [reply.value["entities"] if reply.ok else [] for reply in replied]
        by_text = dict(zip(stated, lists, strict=False))
        by_row = dict(zip(retrieved, lists[len(stated) :], strict=True))
        entities, named = self._named([by_text.get(place, []) for place in range(len(texts))], by_row, owners)
        return entities, named, references.offsets, reasons_of(rows, replied)

    def _named(
        self, entities: Sequence[Sequence[str]], retrieved: Mapping[int, Sequence[str]], owners: Sequence[int]
    ) -> tuple[Ragged, BoolArray]:
        """Return the distinct entities of each reference, and which of them are among the passages'."""
        forms = {row: {self._form(text) for text in texts} for row, texts in retrieved.items()}
        distinct = [{self._form(text): text for text in texts} for texts in entities]
        named = [
            form in forms.get(owner, ()) for owner, by_form in zip(owners, distinct, strict=True) for form in by_form
        ]
        return listed([list(by_form.values()) for by_form in distinct]), np.array(named, dtype=bool)

    def _form(self, entity: str) -> str:
        if self.match == "exact":
            return entity
        return "".join(unicodedata.normalize("NFKC", entity).casefold().split())
