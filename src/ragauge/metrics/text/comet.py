"""``comet``: what a model that was trained on people's ratings of translations makes of one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Annotated, ClassVar, Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import BatchSize, Text
from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.embedders.comet import CometModel
from ragauge.errors import OptionError
from ragauge.metrics._sample_mean import SampleMean, best_of, rows_of, taken


@register("comet")
@dataclass(frozen=True, kw_only=True)
class Comet(SampleMean):
    """COMET: the rating that a model, trained on people's ratings, gives a translation by its source and reference.

    Formula:
        score = max over references r of model(source, answer, r), or without references model(source, answer)

    The question is the source, the answer its translation. The model is read from a folder, never from a network: with
    ``hparams.yaml`` and ``checkpoints/model.ckpt``, as the hub has models of Unbabel. Models that rank are not read.

    Unit and range: as the model was trained, mostly about 0 to 1, with no fixed ends: compare systems by it, of one
    model. Scores agree to about six digits: the last ones depend on the machine, and on which samples are read at once.

    ``undefined``: the source is empty, or no reference has a text. An empty answer is rated as any other.

    Args:
        model: the folder of a model; needs the extra ``comet``.
        references: false for models that read none, such as CometKiwi, or to do without.
        device: ``auto``, ``cpu``, ``cuda`` ...
        batch: samples per forward pass.

    Raises:
        OptionError: no model is named, or ``references`` is not what the model reads.
        MissingExtraError: unbabel-comet is not installed.
        UsageError: the folder is not one of a model, or it cannot be loaded.

    Not for: languages that its encoder was not trained on; texts longer than the encoder reads, of which it sees the
    beginning; and small differences, which people do not see.

    Source: Rei, Stewart, Farinha and Lavie 2020, "COMET: a neural framework for MT evaluation"; unbabel-comet 2.2.7,
    whose ``predict`` gives the same scores. Deviation: of several references the one with the highest score counts.
    """

    model: Annotated[str, Text("the folder of a model, as in comet:model=models/wmt22-comet-da")]
    references: bool = True
    device: str = "auto"
    batch: BatchSize = 16
    average: Literal["samples"] = "samples"

    stage: ClassVar[Stage] = "generation"
    range: ClassVar[tuple[float, float]] = (-inf, inf)

    @property
    def needs(self) -> Needs:
        """Source, answer and, if they are read, references."""
        return (("question", "answer", "references"),) if self.references else (("question", "answer"),)

    @property
    def identity(self) -> str:
        """The model by its content, and whether it reads references; not the device and the batch size."""
        read = "" if self.references else "|references=false"
        return f"comet|average=samples|model={self.network.signature}{read}|revision={self.revision}"

    @cached_property
    def network(self) -> CometModel:
        """The model."""
        return CometModel(self.model, self.device, self.batch)

    def measure(self, batch: Batch) -> Rows:
        """Return the rating of each answer, with several references the highest."""
        without, reads = self.network.reads
        if not (reads if self.references else without):
            wanted = "false: this model reads none" if self.references else "true: this model needs them"
            raise OptionError.value("comet", "references", wanted, self.references)
        sources, answers = ([text or "" for text in batch.column(name).to_pylist()] for name in ("question", "answer"))
        owned = list(enumerate([""] * len(batch)))
        if self.references:
            references = batch.segments("references").not_blank
            owned = list(zip(references.rows.tolist(), references.texts.tolist(), strict=True))
        owned = [(row, text) for row, text in owned if sources[row].strip()]
        read = [{"ref": text} if self.references else {} for _, text in owned]
        samples = [{"src": sources[row], "mt": answers[row], **one} for (row, _), one in zip(owned, read, strict=True)]
        scores = self.network.scores(samples)
        best = best_of(scores, np.array([row for row, _ in owned], dtype=np.int64), len(batch))
        return rows_of(taken(scores, best), best < 0, {})
