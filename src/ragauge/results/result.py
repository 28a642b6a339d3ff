"""The result of an evaluation: the scores, and what each sample contributed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, KeysView, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core.arrow import to_arrow, whole
from ragauge.core.batch import Batch, Dataset
from ragauge.core.loading import checking_code, refuse_code
from ragauge.core.messages import Argument, Counted, Joined, Message, Spelled
from ragauge.core.options import check_path
from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import Status
from ragauge.display.html import Displayed, html
from ragauge.display.numbers import first_of, percentage, printable
from ragauge.display.table import Block, Notes, Paragraph, Table
from ragauge.display.text import plain_text
from ragauge.errors import ColumnError, OptionError, UnknownNameError, UsageError, did_you_mean
from ragauge.metrics.other_names import unknown_metric
from ragauge.metrics.parse import parse
from ragauge.results.commit import current_commit
from ragauge.results.evidence import StoredEvidence
from ragauge.results.fingerprint import OUTPUT, TASK, fingerprint
from ragauge.results.keyed import Keyed
from ragauge.results.left_out import note_on_left_out, remaining
from ragauge.results.notes import packed_notes, restored_notes, usual_notes
from ragauge.results.score import Label, SampleScores, Score, score_table, score_tables
from ragauge.results.storage import SavedRun, UnknownMetric, metric_of, read_run, write_run

if TYPE_CHECKING:
    import pandas as pd

_MOST_REASONS = 5
"""Reasons of failures that are shown; there may be one for each sample."""
_STATES = np.array([status.name.lower() for status in Status])


@dataclass(frozen=True, eq=False, repr=False)
class Result(Displayed, Keyed[str]):
    """Scores of a run by metric, in the order of the metrics.

    ``result["ndcg@10"].value`` is one; any equal spelling of the metric finds it.
    """

    table: tuple[Score, ...]
    """All scores: those of all samples first, then those of the groups."""
    metrics: Mapping[str, Metric | UnknownMetric]
    """Each metric by its name in the call."""
    ids: tuple[Any, ...]
    """Arrow arrays of the ids of the samples, in input order."""
    columns: Mapping[str, SampleScores]
    """Results of each sample, by the name of the metric."""
    data: Dataset
    options: Mapping[str, Any]
    """The other arguments of the call: by, cluster, level, resamples, seed, interval."""
    evidence: StoredEvidence | None = None
    """What the scores rest on; None if it was not collected, or no metric has any."""

    def __getitem__(self, metric: str | Metric | type[Metric]) -> Score:
        name = self.name(metric)
        return next(score for score in self.table if score.metric == name and score.group is None)

    def keys(self) -> KeysView[str]:
        """Return the names of the metrics."""
        return self.metrics.keys()

    @property
    def samples(self) -> int:
        """The number of samples."""
        return self.data.rows

    def sample_ids(self) -> pa.Array:
        """Return the ids of the samples in input order, n texts."""
        return whole(pa.chunked_array(list(self.ids)).cast(pa.large_string()))

    def column(self, name: str) -> pa.Array:
        """Return a column of the data in input order, n values; KeyError where there is none of that name."""
        return whole(pa.chunked_array([batch.column(name) for batch in self.data.batches()]))

    def name(self, metric: str | Metric | type[Metric]) -> str:
        """Return the name of ``metric`` in this run.

        Raises:
            UnknownNameError: the run has no such metric.
            UsageError: it has several metrics of one class.
        """
        if isinstance(metric, type):
            names = [name for name, own in self.metrics.items() if type(own) is metric]
            if len(names) > 1:
                raise UsageError(
                    "RG-RUN-009 {kind} is the class of {names}; name one of them", metric.__name__, ", ".join(names)
                )
            metric = names[0] if names else metric.__name__
        text = str(metric)
        if text in self.metrics:
            return text
        # The judge of a run need not be spelled.
        judges = [getattr(own, "judge", None) for own in self.metrics.values()]
        try:
            spec = text
            # A rule of a gate may name code that nobody has read: it is not run to look a score up.
            if isinstance(metric, str):
                with checking_code(refuse_code):
                    spec = str(parse(metric, {"judge": next(filter(None, judges), None)}))
        except (UnknownNameError, OptionError):
            # The names in this run help more than the names of all metrics, or what such a metric takes.
            spec = text
        for name, own in self.metrics.items():
            if str(own) == spec:
                return name
        raise unknown_metric("of this run", text, self.metrics)

    def metric(self, metric: str | Metric) -> Metric:
        """Return the metric object called ``metric``.

        Raises:
            UnknownNameError: the run has no such metric, or it cannot be built here.
        """
        own = self.metrics[self.name(metric)]
        if isinstance(own, UnknownMetric):
            raise UnknownNameError(
                "RG-RUN-006 {own} is unknown here; import its module and load again, or pass -m NAME=FILE.py:NAME", own
            )
        return own

    def title(self, metric: str | Metric) -> str:
        """Return the title of the column of the metric's scores: its name, or another that the data do not have."""
        name = self.name(metric)
        return self._free_title(f"{name}|score") if name in self.data.columns else name

    def _free_title(self, title: str) -> str:
        while title in self.data.columns:
            title += "'"
        return title

    def groups(self, metric: str | Metric, by: str) -> dict[Label, Score]:
        """Return the score of each group of column ``by``, by the value that its samples share.

        Raises:
            ColumnError: the run has no groups by that column.
        """
        name, column = self.name(metric), self.data.known(by)
        if column not in self.options["by"]:
            grouped = ", ".join(map(repr, self.options["by"])) or "no column"
            raise ColumnError(
                "RG-RUN-007 by must be a column that the run is grouped by ({grouped}); got {by!r}; score again with "
                "{by2}",
                grouped,
                by,
                Argument("by", by),
            )
        own = [score for score in self.table if score.metric == name]
        return {score.group[column]: score for score in own if score.group is not None and column in score.group}

    def range(self, metric: str | Metric) -> tuple[float, float]:
        """Return the least and the greatest value of a metric; infinite where there is none, or it is unknown here."""
        return self.metrics[self.name(metric)].range

    def scores(self, metric: str | Metric) -> FloatArray:
        """Return the score of each sample in input order, (n,); NaN where it is not ok."""
        return self.columns[self.name(metric)].scores

    def statuses(self, metric: str | Metric) -> npt.NDArray[np.str_]:
        """Return ``ok``, ``undefined``, ``missing`` or ``failed`` for each sample in input order, (n,)."""
        return cast("npt.NDArray[np.str_]", _STATES[self.columns[self.name(metric)].status])

    def parts(self, metric: str | Metric) -> Mapping[str, FloatArray]:
        """Return the parts of each sample's score in input order, each (n,)."""
        return self.columns[self.name(metric)].parts

    def reasons(self, metric: str | Metric) -> Mapping[int, str]:
        """Return why samples failed, by place in the input."""
        return self.columns[self.name(metric)].reasons

    def explain(self, sample: str) -> pa.Table:
        """Return what the scores of the sample with the id ``sample`` rest on.

        Returns:
            Columns ``metric``, ``id``, ``what``, ``text``, ``best``, ``similarity`` and ``supported``; no row of a
            sample whose scores rest on nothing, as that of an empty answer.

        Raises:
            UsageError: the run has no evidence, or no such sample.
        """
        if not isinstance(sample, str):
            raise OptionError.value("explain", "sample", "the id of one sample", sample)
        table = None if self.evidence is None else self.evidence.of(to_arrow([sample]))
        ids = () if table else self.sample_ids().to_pylist()
        if table is not None and (len(table) or sample in ids):
            return table.drop_columns([name for name in table.column_names if name == "message"])
        if sample in ids:
            raise UsageError(
                "RG-RUN-008 the run has no evidence. Score a metric that keeps some, such as groundedness, "
                "with {call}.",
                Spelled("evaluate(..., evidence=True)", "ragauge score -o"),
            )
        # Users do not know ids that were made from the content.
        hint = did_you_mean(sample, ids, otherwise="") or Message("; its ids are {ids}", first_of(ids))
        if sample.isdecimal() and 0 < int(sample) <= len(ids):
            call = Spelled(f"explain(result.sample_ids()[{int(sample) - 1}].as_py())", f"--row {sample}")
            hint = Joined([hint, Message("; for row {n} of the data: {call}", int(sample), call)], "")
        raise UsageError("RG-RUN-005 the run holds no sample {sample!r}{hint}", sample, hint)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores and what is known of the data as JSON types, as ``--output-format json`` prints them."""
        described = {
            "source": self.data.source,
            "samples": self.data.rows,
            "columns": list(self.data.columns),
            "mapping": dict(self.data.mapping),
            "notes": list(self.data.notes),
        }
        scores = [score.to_dict() for score in self.table]
        return {"metrics": scores, "data": described, "options": dict(self.options)}

    def score_table(self) -> pa.Table:
        """Return all scores as one table, as CSV, Excel and experiment trackers get them.

        Returns:
            A row for each score of `table`, with the fields of `Score` as columns. ``by`` and ``group`` are the
            grouping column and its value as text, both null for the score of all samples; ``bound_low`` and
            ``bound_high`` are the bounds, ``coverage`` is scored / total; ``parts`` and ``noted`` are maps. A number
            that is not known is null.

        >>> import ragauge
        >>> rows = [{"answer": "tea", "references": ["tea"], "language": "en"}]
        >>> table = ragauge.evaluate(rows, ["exact-match", "token-f1"], by="language").score_table()
        >>> table.select(["metric", "group", "value", "scored"]).to_pylist()[1]
        {'metric': 'token-f1', 'group': None, 'value': 1.0, 'scored': 1}
        """
        return score_table(self.table)

    def to_arrow(self) -> pa.Table:
        """Return one row per sample: the columns of the data, then score and status of each metric."""
        table = pa.concat_tables([batch.table() for batch in self.data.batches()], promote_options="permissive")
        for name in self.metrics:
            scores, states = self.scores(name), to_arrow(self.statuses(name).tolist(), pa.string())
            table = table.append_column(self.title(name), to_arrow(scores, mask=np.isnan(scores)))
            table = table.append_column(self._free_title(f"{name}|status"), states)
        return table

    def to_pandas(self) -> pd.DataFrame:
        """Return `to_arrow` as a pandas data frame; pandas must be installed."""
        return self.to_arrow().to_pandas()

    def save(self, directory: str | Path, *, force: bool = False, tag: str | None = None) -> None:
        """Write the run to ``directory``; `ragauge.load` reads it back. The commit of git is saved with it.

        Args:
            directory: must not exist yet, unless
            force: replaces it.
            tag: a label, by which `ragauge.history` names the run.

        Raises:
            UsageError: the directory exists.
        """
        if tag is not None and not (isinstance(tag, str) and tag.strip()):
            raise OptionError.value("save", "tag", "a text", tag)
        check_path("save", "directory", "a directory", directory)
        specs = {name: str(metric) for name, metric in self.metrics.items()}
        commit = current_commit(Path())
        made_of = {name: value for name, value in (("tag", tag), ("commit", commit)) if value is not None}
        described = {"run": {**made_of, "metrics": specs}, **self.to_dict()}
        described["data"] |= {"task": fingerprint(self.data, TASK), "output": fingerprint(self.data, OUTPUT)}
        described["data"] |= packed_notes(self.data.notes)
        write_run(Path(directory), described, self.data, self.columns, self.evidence, force=force)

    def failures(self) -> list[str]:
        """Return why samples failed, the most frequent reason first, each with its number and the metrics."""
        # Metrics that failed on the same samples share a line.
        metrics: dict[tuple[tuple[int, str], ...], list[str]] = {}
        for name, column in self.columns.items():
            metrics.setdefault(tuple(sorted(column.reasons.items())), []).append(name)
        lines: list[str] = []
        for reasons, names in metrics.items():
            where = "" if len(names) == len(self.columns) else Message("{metrics}: ", ", ".join(names))
            most = Counter([reason for _, reason in reasons]).most_common()
            lines += [
                Message("{where}{count} failed: {reason}", where, count, printable(reason))
                for reason, count in most[:_MOST_REASONS]
            ]
            others = sum([count for _, count in most[_MOST_REASONS:]])
            if others:
                reasons_left = Counted(len(most) - _MOST_REASONS, "other reason")
                lines.append(Message("{where}{n} failed for {reasons}", where, others, reasons_left))
        return lines

    def tables(self, metrics: Collection[str] | None = None) -> list[Table]:
        """Return the scores as tables, those of ``metrics`` alone if they are given."""
        heading = Message("{level} interval", percentage(self.options["level"]))
        scores = [score for score in self.table if metrics is None or score.metric in metrics]
        return score_tables(scores, heading if self.options["resamples"] else None, self.range)

    def blocks(self) -> list[Block]:
        """Return what was scored and why samples failed, the tables, and the notes on the data."""
        scored = Message("{samples} from {source}", Counted(self.data.rows, "sample"), self.data.source)
        columns = ", ".join(f"{known} <- {name}" for known, name in self.data.mapping.items())
        notes = (Message("columns: {columns}", columns), *self.data.notes) if columns else self.data.notes
        return [Paragraph(scored), Notes(tuple(self.failures())), *self.tables(), Notes(tuple(notes))]

    def __str__(self) -> str:
        return plain_text([Notes((*usual_notes(self.data.notes), *self.failures())), *self.tables()])

    def _repr_html_(self) -> str:
        signatures = tuple(score.signature for score in self.table if score.group is None)
        return html([*self.blocks(), Notes(signatures, "signatures")])


def loaded(run: object, owner: str, option: str) -> Result:
    """Return ``run``, or the run that was saved in that directory; OptionError, by ``owner``, where it is neither."""
    if isinstance(run, Result):
        return run
    check_path(owner, option, "a result or the directory of a saved run", run)
    return load(cast("str | Path", run))


def load(directory: str | Path) -> Result:
    """Read a run that `Result.save` or ``ragauge score -o`` wrote.

    Raises:
        DataError: the directory is not a run, or one of another format, or damaged.
    """
    return result_of(read_run(directory))


def result_of(saved: SavedRun) -> Result:
    """Return the result in a saved run, without the samples that were left out."""
    manifest = saved[0]
    samples, columns, evidence = remaining(*saved)
    described, batch = manifest["data"], Batch(samples)
    notes = (*restored_notes(described), *note_on_left_out(manifest))
    return Result(
        tuple(Score.from_dict(score) for score in manifest["metrics"]),
        {name: metric_of(spec) for name, spec in manifest["run"]["metrics"].items()},
        (batch.column("id"),),
        columns,
        Dataset.of(batch, described["source"], mapping=described["mapping"], notes=notes),
        manifest["options"],
        evidence,
    )
