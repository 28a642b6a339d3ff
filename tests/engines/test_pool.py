"""Several processes give the bytes of one; what kills them, or changes the data, is told."""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import ragauge
from ragauge.engines.part_files import PartFiles, locked, remove
from ragauge.engines.plan import plan
from ragauge.engines.processes import Processes
from ragauge.engines.worker import ScoringJob, written
from ragauge.errors import DataError, OptionError, UsageError
from ragauge.evaluation.request import RunRequest
from ragauge.evaluation.score_file import ScoreFiles
from ragauge.formats import read
from ragauge.formats.file_formats import opened_source
from ragauge.results.result import Result
from tests.engines.deadly import Deadly, answer_length
from tests.engines.rows import metrics_without_a_judge, rows_with_all_columns
from tests.engines.test_part import METRICS, rows

MANIFEST = "manifest.json"


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share out few rows as if they were many: parts of 16, which cut batches of 24."""
    monkeypatch.setattr("ragauge.engines.worker._LEAST", 16)
    monkeypatch.setattr("ragauge.engines.worker._MOST", 16)


def saved(result: Result, folder: Path) -> dict[str, bytes]:
    """Return the files of a run, the manifest without the time, and the tables' digests."""
    result.save(folder)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    manifest = json.loads(files[MANIFEST])
    del manifest["run"]["created"]
    return files | {MANIFEST: json.dumps(manifest).encode()}


def evaluated(data: object, **options: Any) -> Result:
    return ragauge.evaluate(data, METRICS, by=["language", "topic"], evidence=True, **options)


@pytest.fixture(scope="module")
def whole() -> Result:
    return evaluated(rows(100))


@pytest.mark.parametrize("workers", [3, *(pytest.param(many, marks=pytest.mark.long) for many in (1, 7))])
@pytest.mark.costly
def test_as_many_workers_as_one_likes_write_the_same_bytes(workers: int, whole: Result, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    result = evaluated(rows(100), workers=workers, parts=tmp_path / "parts", progress=lambda *now: seen.append(now))
    assert saved(result, tmp_path / "several") == saved(whole, tmp_path / "one")
    for name in METRICS:
        assert np.array_equal(result.scores(name), whole.scores(name), equal_nan=True)
        assert {type(one) for one in result.reasons(name).values()} <= {str}
    assert seen[0] == (0, 100)
    assert seen[-1] == (100, 100)
    assert len(PartFiles(tmp_path / "parts").finished()) == 7


@pytest.mark.long
def test_every_metric_that_asks_no_judge_has_the_bits_of_one_process(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"metrics": metrics_without_a_judge(), "by": "language", "resamples": 20, "evidence": True}
    one = ragauge.evaluate(rows_with_all_columns(2), **asked)
    two = ragauge.evaluate(rows_with_all_columns(2), workers=2, **asked)
    assert saved(two, tmp_path / "two") == saved(one, tmp_path / "one")


def test_all_cores() -> None:
    with mock.patch.object(Processes, "one_per_core", return_value=2):
        result = ragauge.evaluate(rows(100), "bleu", workers="all")
    assert repr(result.table) == repr(ragauge.evaluate(rows(100), "bleu").table)
    with pytest.raises(OptionError, match="must be a whole number from 1, or \"all\" for one per core; got 'most'"):
        evaluated(rows(100), workers="most")


def test_shuffled_rows_have_the_same_scores() -> None:
    made, metrics = rows(100), ["bleu", "ndcg@2", "column:name=x"]
    shuffled = [made[place] for place in np.random.default_rng(4).permutation(100)]
    one = ragauge.evaluate(made, metrics, by=["language", "topic"])
    assert repr(ragauge.evaluate(shuffled, metrics, by=["language", "topic"], workers=2).table) == repr(one.table)


def test_replicates_and_clusters_are_the_same() -> None:
    options: dict[str, Any] = {"cluster": "document", "interval": "percentile", "resamples": 30, "seed": 7}
    several = ragauge.evaluate(rows(60), ["bleu", "token-f1"], by="topic", workers=2, **options)
    assert repr(several.table) == repr(ragauge.evaluate(rows(60), ["bleu", "token-f1"], by="topic", **options).table)


@pytest.fixture
def deaths(tmp_path: Path) -> Path:
    folder = tmp_path / "deaths"
    folder.mkdir()
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="kills as other systems do")
def test_a_part_whose_worker_is_killed_is_scored_again(deaths: Path) -> None:
    (deaths / "once").touch()
    deadly = Deadly(folder=str(deaths), victim="q40")
    result = ragauge.evaluate(rows(100), {"deadly": deadly, "bleu": "bleu"}, workers=2)
    assert not list(deaths.iterdir())
    assert repr(result.table) == repr(ragauge.evaluate(rows(100), {"deadly": deadly, "bleu": "bleu"}).table)


@pytest.mark.skipif(sys.platform == "win32", reason="kills as other systems do")
@pytest.mark.costly
def test_a_part_that_kills_twice_is_an_error_and_the_run_goes_on_later(deaths: Path, tmp_path: Path) -> None:
    metrics = {"deadly": Deadly(folder=str(deaths), victim="q40")}
    for death in ("once", "twice"):
        (deaths / death).touch()
    parts = tmp_path / "parts"
    with pytest.raises(UsageError, match=r"scored part 2 was killed twice \(signal 9\)"):
        ragauge.evaluate(rows(100), metrics, workers=2, parts=parts)
    before = PartFiles(parts).finished()
    assert {0, 1} <= set(before)
    assert 2 not in before
    times = {number: (parts / f"part-{number:06}.arrow").stat().st_mtime_ns for number in before}
    result = ragauge.evaluate(rows(100), metrics, workers=2, parts=parts, resume=True)
    assert all((parts / f"part-{number:06}.arrow").stat().st_mtime_ns == time for number, time in times.items())
    assert repr(result.table) == repr(ragauge.evaluate(rows(100), metrics).table)


@pytest.mark.costly
def test_parts_of_other_data_or_metrics_are_refused(tmp_path: Path) -> None:
    parts, data = tmp_path / "parts", tmp_path / "data.jsonl"

    def score(made: list[dict[str, Any]], metric: str = "bleu", **options: Any) -> Result:
        data.write_text("".join(f"{json.dumps(row)}\n" for row in made), encoding="utf-8")
        return ragauge.evaluate(data, metric, workers=1, parts=parts, **options)

    one = score(rows(50))
    assert repr(score(rows(50), resume=True).table) == repr(one.table)
    with pytest.raises(UsageError, match=r"holds 4 parts of a run that did not end\. Pass resume=True"):
        score(rows(50))
    with pytest.raises(UsageError, match="was begun with other metrics"):
        score(rows(50), "chrf", resume=True)
    with pytest.raises(DataError, match=r"data\.jsonl has changed since .*: there were 50 samples, and are 51"):
        score(rows(51), resume=True)
    changed = rows(50)
    changed[20]["answer"] = "别的"
    with pytest.raises(DataError, match=r"data\.jsonl has changed since .* was begun: part 1 differs"):
        score(changed, resume=True)
    (parts / "part-000002.arrow").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"part 2 in .* is damaged.* remove part-000002\.arrow to score it again"):
        score(rows(50), resume=True)
    for path in parts.glob("part-000002.*"):
        path.unlink()
    assert repr(score(rows(50), resume=True).table) == repr(one.table)
    (parts / "part-000001.arrow").unlink()
    assert repr(score(rows(50), resume=True).table) == repr(one.table)
    remove(parts)
    assert not parts.exists()


@pytest.mark.costly
def test_damaged_evidence_of_a_part_is_named(tmp_path: Path) -> None:
    options: dict[str, Any] = {"workers": 1, "parts": tmp_path / "parts", "evidence": True}
    ragauge.evaluate(rows(50), "groundedness", **options)
    part = tmp_path / "parts" / "part-000001.arrow"
    part.write_bytes(part.read_bytes()[:-40])
    with pytest.raises(DataError, match=r"part 1 in .* is damaged.* remove part-000001\.arrow to score it again"):
        ragauge.evaluate(rows(50), "groundedness", resume=True, **options)


def test_other_data_under_another_name_are_not_called_changed(tmp_path: Path) -> None:
    parts, one, other = tmp_path / "parts", tmp_path / "回答.jsonl", tmp_path / "답변.jsonl"
    for path, made in ((one, rows(50)), (other, [{**row, "answer": "別"} for row in rows(50)])):
        path.write_text("".join(f"{json.dumps(row)}\n" for row in made), encoding="utf-8")
    ragauge.evaluate(one, "bleu", workers=1, parts=parts)
    with pytest.raises(
        DataError, match=r"답변\.jsonl has other samples than .*回答\.jsonl, with which .* was begun: part"
    ):
        ragauge.evaluate(other, "bleu", workers=1, parts=parts, resume=True)
    with pytest.raises(UsageError, match=r"begun with .*回答\.jsonl as its data, and with other metrics or options"):
        ragauge.evaluate(other, "chrf", workers=1, parts=parts, resume=True)
    other.write_text("".join(f"{json.dumps(row)}\n" for row in rows(51)), encoding="utf-8")
    with pytest.raises(DataError, match=r"답변\.jsonl has other samples than .*: there were 50 samples, and are 51"):
        ragauge.evaluate(other, "bleu", workers=1, parts=parts, resume=True)


def test_a_folder_without_a_finished_part_is_begun_again(tmp_path: Path) -> None:
    ragauge.evaluate(rows(50), "bleu", workers=1, parts=tmp_path / "parts")
    for path in (tmp_path / "parts").glob("part-*.arrow"):
        path.unlink()
    result = ragauge.evaluate(rows(60), "chrf", workers=1, parts=tmp_path / "parts")
    assert repr(result.table) == repr(ragauge.evaluate(rows(60), "chrf").table)


def test_a_folder_is_for_one_process_and_for_parts_alone(tmp_path: Path) -> None:
    with locked(tmp_path / "parts"):
        with pytest.raises(UsageError, match="another process scores into"):
            ragauge.evaluate(rows(50), "bleu", workers=2, parts=tmp_path / "parts")
        with pytest.raises(UsageError, match="another process scores into"):
            remove(tmp_path / "parts")
        assert (tmp_path / "parts").exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"is not a folder of parts \(it has thesis.txt\)"):
        ragauge.evaluate(rows(50), "bleu", workers=2, parts=other)
    with pytest.raises(UsageError, match="is not removed"):
        remove(other)
    with pytest.raises(UsageError, match="cannot be written"):
        ragauge.evaluate(rows(50), "bleu", workers=2, parts=other / "thesis.txt" / "parts")


def test_an_error_of_a_metric_is_the_one_that_it_raised() -> None:
    wrong = rows(50)
    wrong[30]["x"] = float("inf")
    with pytest.raises(DataError, match="infinit") as several:
        ragauge.evaluate(wrong, "column:name=x", workers=1)
    with pytest.raises(DataError) as one:
        ragauge.evaluate(wrong, "column:name=x")
    assert str(several.value) == str(one.value)


def test_an_error_of_the_system_is_not_a_killed_worker() -> None:
    folder = "there is no such folder"
    with pytest.raises(FileNotFoundError, match=folder):
        ragauge.evaluate(rows(50), Deadly(folder=folder, victim="q30"), workers=1)


@ragauge.metric(needs=("answer",))
def gone(sample: ragauge.Sample) -> float:
    """Return 0, and remove the file that a test names."""
    Path(os.environ.get("GONE", sample.id or "")).unlink(missing_ok=True)
    return 0.0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no file that is mapped")
def test_a_worker_of_a_killed_run_writes_nothing_into_the_folder_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = read(rows(20))
    made = plan(RunRequest(metrics=[gone]), data.columns)
    path = tmp_path / "data-1.arrow"
    (tmp_path / "scores").mkdir()
    job = ScoringJob(made, written(data, path)[0], ScoreFiles(tmp_path / "scores"), "data", PartFiles(tmp_path))
    job(0)
    monkeypatch.setenv("GONE", str(path))
    with pytest.raises(UsageError, match="were removed while they were scored"):
        job(1)
    assert PartFiles(tmp_path).finished() == [0]


def test_a_full_disk_is_told_with_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("ragauge.engines.pool.written", full)
    with pytest.raises(UsageError, match=r"parts cannot be written: No space left on device"):
        ragauge.evaluate(rows(50), "bleu", workers=2, parts=tmp_path / "parts")


def test_a_file_in_the_working_directory_takes_the_place_of_no_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(Path(path).resolve()) for path in sys.path if path])
    result = ragauge.evaluate(rows(50), "bleu", workers=1)
    assert not [note for note in result.data.notes if "one process" in note]


def test_parts_from_before_a_metric_was_edited_are_refused(tmp_path: Path) -> None:
    file, parts = tmp_path / "own.py", tmp_path / "parts"
    code = "import ragauge\n\n@ragauge.metric(needs=('answer',))\ndef own(sample):\n    return len(sample.answer){}\n"
    file.write_text(code.format(""), encoding="utf-8")
    one = ragauge.evaluate(rows(50), f"{file}:own", workers=1, parts=parts)
    again = ragauge.evaluate(rows(50), f"{file}:own", workers=1, parts=parts, resume=True)
    assert repr(again.table) == repr(one.table)
    file.write_text(code.format(" * 2"), encoding="utf-8")
    with pytest.raises(UsageError, match="before a metric's file was changed"):
        ragauge.evaluate(rows(50), f"{file}:own", workers=1, parts=parts, resume=True)


def test_parts_from_before_a_file_that_a_metric_imports_was_edited_are_refused(tmp_path: Path) -> None:
    file, weights, parts = tmp_path / "importing.py", tmp_path / "weights_of_importing.py", tmp_path / "parts"
    weights.write_text("WEIGHT = 1\n", encoding="utf-8")
    code = "import ragauge\nfrom weights_of_importing import WEIGHT\n\n@ragauge.metric(needs=('answer',))\n"
    file.write_text(f"{code}def importing(sample):\n    return WEIGHT * len(sample.answer)\n", encoding="utf-8")
    ragauge.evaluate(rows(50), f"{file}:importing", workers=1, parts=parts)
    (tmp_path / "notes.py").write_text("nothing reads this", encoding="utf-8")
    ragauge.evaluate(rows(50), f"{file}:importing", workers=1, parts=parts, resume=True)
    weights.write_text("WEIGHT = 2\n", encoding="utf-8")
    with pytest.raises(UsageError, match="before a metric's file was changed"):
        ragauge.evaluate(rows(50), f"{file}:importing", workers=1, parts=parts, resume=True)


def test_a_function_is_a_metric_in_workers_too() -> None:
    several = ragauge.evaluate(rows(50), [answer_length], workers=1)
    assert repr(several.table) == repr(ragauge.evaluate(rows(50), [answer_length]).table)
    assert not [note for note in several.data.notes if "one process" in note]


def test_what_one_process_must_do_is_done_and_noted() -> None:
    @ragauge.metric(name="not-portable", needs=("answer",))
    def local(sample: ragauge.Sample) -> float:
        return len(sample.answer or "")

    ranking = {"run": {"q": {"d": 1.0}}, "qrels": {"q": {"d": 1}}}
    for options, why in (
        ({"data": rows(50), "metrics": [local]}, "the metrics do not travel to other processes"),
        ({"data": rows(9), "metrics": "bleu"}, "9 samples are too few to share"),
        ({"metrics": "mrr", **ranking}, "most of the work is reading"),
    ):
        result = ragauge.evaluate(workers=2, **options)
        assert [note for note in result.data.notes if note.startswith("scored in one process: ") and why in note]
        assert repr(result.table) == repr(ragauge.evaluate(**options).table)


def test_wrong_arguments_are_errors(tmp_path: Path) -> None:
    for options, words in (
        ({"workers": 0}, "workers"),
        ({"workers": 1.5}, "workers"),
        ({"workers": 2, "parts": 7}, "parts"),
        ({"parts": tmp_path}, "workers"),
    ):
        with pytest.raises(UsageError, match=words):
            ragauge.evaluate(rows(5), "bleu", **options)
    with pytest.raises(UsageError, match="kept by answers"):
        ragauge.evaluate(rows(5), "bleu", system=lambda question: question, workers=2, parts=tmp_path)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in rows(50)), encoding="utf-8")

    def and_meanwhile(*arguments: Any, **options: Any) -> Any:
        made = read(*arguments, **options)
        with data.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(rows(51)[50])}\n")
        return made

    monkeypatch.setattr("ragauge.engines.pool.read", and_meanwhile)
    with pytest.raises(DataError, match="changed while it was read"):
        ragauge.evaluate(data, "bleu", workers=2)


@pytest.mark.parametrize("workers", [None, 2])
def test_a_file_that_grows_under_the_reader_is_refused(
    workers: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in rows(50)), encoding="utf-8")

    def and_meanwhile(*arguments: Any, **options: Any) -> Any:
        with data.open("a", encoding="utf-8") as file:
            file.write('{"id": "half')
        return opened_source(*arguments, **options)

    monkeypatch.setattr("ragauge.formats.reading.opened_source", and_meanwhile)
    with pytest.raises(DataError, match="changed while it was read; score it, or a copy, when nothing writes to it"):
        ragauge.evaluate(data, "bleu", workers=workers)
    assert ragauge.evaluate(data, "bleu", limit=20).data.rows == 20


@pytest.mark.costly
def test_workers_that_read_write_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Result) -> None:
    data, made = tmp_path / "data.jsonl", rows(100)
    data.write_text("".join(f"{json.dumps(row)}\n" for row in made), encoding="utf-8")
    # Workers see blocks of 4 MiB, so a file that has more than one of them is long.
    monkeypatch.setattr("ragauge.engines.pool.FEWEST", 0)
    monkeypatch.setattr("ragauge.formats.line_blocks.FEWEST", 2)
    read_by_workers = evaluated(data, workers=2)
    assert saved(read_by_workers, tmp_path / "several") == saved(evaluated(data), tmp_path / "one")
    assert repr(read_by_workers.table) == repr(whole.table)


def test_wrong_rows_that_workers_read_are_named_as_by_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data.jsonl"
    lines = [json.dumps({"id": f"{i}", "answer": "茶" * 900}, ensure_ascii=False) for i in range(4000)]
    lines[1] = lines[2000] = "{"
    lines[3500] = lines[10]
    data.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr("ragauge.engines.pool.FEWEST", 2)
    monkeypatch.setattr("ragauge.formats.line_blocks.FEWEST", 3)
    with pytest.raises(DataError) as several:
        ragauge.evaluate(data, "column:name=answer", workers=2)
    with pytest.raises(DataError) as one:
        ragauge.evaluate(data, "column:name=answer")
    assert str(several.value) == str(one.value)
    assert [problem.split(":")[0] for problem in several.value.problems] == ["line 2", "line 2001", "line 3501"]


@pytest.mark.parametrize("removed", [1, *(pytest.param(one, marks=pytest.mark.long) for one in (50, 93))])
def test_parts_whose_removal_was_cut_short_are_in_nobodys_way(
    removed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, left = tmp_path / "parts", iter(range(removed))
    before = ragauge.evaluate(rows(1500), "exact-match", workers=1, parts=parts)
    unlink = Path.unlink

    def killed(path: Path) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        unlink(path)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", killed)
        with pytest.raises(KeyboardInterrupt):
            remove(parts)
    finished = PartFiles(parts).finished()
    assert len(finished) == 94 - removed
    again = ragauge.evaluate(rows(1500), "exact-match", workers=1, parts=parts, resume=bool(finished))
    assert str(again) == str(before)
    np.testing.assert_array_equal(again.scores("exact-match"), before.scores("exact-match"))
