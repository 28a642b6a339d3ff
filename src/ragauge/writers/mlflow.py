"""``mlflow``: a run of MLflow with metrics, tags, a table of the samples and the HTML report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ragauge.core.messages import Message
from ragauge.core.registry import ingredient
from ragauge.errors import MissingExtraError, UsageError, excerpt
from ragauge.writers.measures import descriptions, known_of, legal_name, measures
from ragauge.writers.samples import sample_rows, sample_table
from ragauge.writers.writer import FinishedRun, Written, encodable, page_of

TABLE = "ragauge/samples.json"
_TABLES = "mlflow.loggedArtifacts"
"""The tag that tells MLflow which artifacts are tables."""
_METRICS, _TAGS, _LONGEST_TAG = 1000, 100, 8000
"""How many metrics and tags MLflow takes at a time, and how many characters of a tag (3.17)."""


@ingredient("writer", "mlflow")
@dataclass(frozen=True)
class MlflowWriter:
    """A run of MLflow, on a server, in SQLite or in a folder.

    Each mean is a metric, with ``.low``, ``.high``, ``.coverage``, ``.failed`` and so on beside it. ``@`` in a name
    becomes ``_at_``, because MLflow refuses it: ``ndcg_at_10``. Signature, direction and coverage of each metric are
    tags, and so is the outcome of a gate. Artifacts are ``report.html``, the samples with their scores and statuses as
    a table (``ragauge/samples.json``), and the scores as JSON (``ragauge/run.json``).

    Args:
        uri: the tracking server or store, as in ``sqlite:///mlflow.db``; by default that of MLflow
            (``MLFLOW_TRACKING_URI``).
        experiment: its name; it is made where there is none. By default the one that MLflow has set.
        run: the id of a run that is there already. By default the active run, where there is one and neither ``uri``
            nor ``experiment`` is given; else a new one.
        samples: write the table of the samples, with all their texts, and the report, which holds them too.

    Raises:
        MissingExtraError: MLflow is not installed.
        UsageError: MLflow refuses the store, the experiment or the run, or does not answer.
    """

    uri: str = ""
    experiment: str = ""
    run: str = ""
    samples: bool = True

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``; errors as of the class."""
        mlflow = _library()
        with _refusals(mlflow):
            client = mlflow.MlflowClient(self.uri or None)
            own = self._own(mlflow)
            run_id = own or self._new(mlflow, client, run.name)
            try:
                _log_scores(mlflow, client, run_id, run)
                _log_files(client, run_id, run, samples=self.samples)
            except BaseException:
                if not own:
                    client.set_terminated(run_id, "FAILED")
                raise
            if not own:
                client.set_terminated(run_id)
        return Written(f"run {run_id} in {self.uri or mlflow.get_tracking_uri()}")

    def _own(self, mlflow: Any) -> str:
        """Return the id of the run that the caller has open, or names."""
        active = None if self.run or self.uri or self.experiment else mlflow.active_run()
        return str(active.info.run_id) if active is not None else self.run

    def _new(self, mlflow: Any, client: Any, name: str) -> str:
        """Return the id of a new run."""
        if self.uri or self.experiment:
            experiment = self.experiment or "Default"
            known = client.get_experiment_by_name(experiment)
            experiment_id = client.create_experiment(experiment) if known is None else known.experiment_id
            return str(client.create_run(experiment_id, run_name=name).info.run_id)
        with mlflow.start_run(run_name=name) as new:
            run_id = str(new.info.run_id)
        client.update_run(run_id, "RUNNING")
        return run_id


def _library() -> Any:
    try:
        import mlflow
    except ImportError:
        raise MissingExtraError.of("writer 'mlflow'", "mlflow", "mlflow") from None
    return mlflow


@contextmanager
def _refusals(mlflow: Any) -> Iterator[None]:
    """Raise UsageError in place of the errors of MLflow and of the connection."""
    advice = Message("look at uri, experiment and run of writer 'mlflow'")
    try:
        yield
    except (mlflow.exceptions.MlflowException, ImportError, OSError) as error:
        # MLflow's own message says that it does not know the address.
        absent = [name for name in ("sqlalchemy", "alembic") if not _is_installed(name)]
        if absent and (isinstance(error, ImportError) or "unsupported URI" in str(error)):
            raise UsageError(
                "RG-WRITE-014 MLflow needs {absent} for a database, not installed here; run: pip install {absent2}",
                " and ".join(absent),
                " ".join(absent),
            ) from error
        raise UsageError(
            "RG-WRITE-013 MLflow refused the run: {reason}; {advice}", excerpt(str(error), 400), advice
        ) from error


def _is_installed(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def _log_scores(mlflow: Any, client: Any, run_id: str, run: FinishedRun) -> None:
    from time import time

    now = int(time() * 1000)
    numbers = legal_keys(measures(run.result, "."))
    metrics = [mlflow.entities.Metric(key, value, now, 0) for key, value in numbers.items()]
    tags = [mlflow.entities.RunTag(key, value[:_LONGEST_TAG]) for key, value in tags_of(run).items()]
    for first in range(0, len(metrics), _METRICS):
        client.log_batch(run_id, metrics=metrics[first : first + _METRICS])
    for first in range(0, len(tags), _TAGS):
        client.log_batch(run_id, tags=tags[first : first + _TAGS])


def legal_keys(numbers: Mapping[str, float]) -> dict[str, float]:
    """Return ``numbers`` by names that MLflow takes."""
    return {legal_name(name): float(value) for name, value in numbers.items()}


def tags_of(run: FinishedRun) -> dict[str, str]:
    """Return what is known of the run and of each metric as tags."""
    result = run.result
    tags = {f"ragauge.{name}": str(value) for name, value in known_of(run).items()}
    for name, words in descriptions(result).items():
        score = result[name]
        coverage = {"coverage": f"{score.scored}/{score.total}"}
        tags |= {f"{legal_name(name)}.{word}": str(text) for word, text in {**words, **coverage}.items()}
    return tags


def _log_files(client: Any, run_id: str, run: FinishedRun, *, samples: bool) -> None:
    names = {legal_name(name): name for name in run.result.metrics}
    document = {"run": dict(run.manifest), "names": names, **run.result.to_dict()}
    text = encodable(json.dumps(document, ensure_ascii=False, indent=1, default=str))
    client.log_text(run_id, text, "ragauge/run.json")
    if not samples:
        return
    client.log_text(run_id, page_of(run), "report.html")
    with TemporaryDirectory() as folder:
        table = sample_table(run.result)
        written = Path(folder) / Path(TABLE).name
        write_split(table.column_names, sample_rows(table), written)
        client.log_artifact(run_id, str(written), str(Path(TABLE).parent))
    known = json.loads(client.get_run(run_id).data.tags.get(_TABLES, "[]"))
    listed = {"path": TABLE, "type": "table"}
    if listed not in known:
        client.set_tag(run_id, _TABLES, json.dumps([*known, listed]))


def write_split(columns: Sequence[str], rows: Iterator[Sequence[Any]], path: Path) -> None:
    """Write a table as pandas' JSON with ``orient="split"``, the form that MLflow reads as a table."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(f'{{"columns":{json.dumps(list(columns), ensure_ascii=False)},"data":[')
        for place, row in enumerate(rows):
            file.write(("," if place else "") + json.dumps(row, ensure_ascii=False, default=str))
        file.write("]}")
