"""Damaged runs: whatever was cut, edited or flipped, each command ends in a result or in one message."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ragauge
from ragauge.errors import DataError, RagaugeError
from ragauge.results.schema import digest
from tests import fresh
from tests.cli.running import here

Captured = pytest.CaptureFixture[str]

ROWS = [
    {"id": str(place), "answer": "Tea is hot. It is green.", "contexts": ["Tea is hot."], "topic": topic, "ref": "Tea"}
    for place, topic in enumerate(["tea", "tea", "cup", None])
]
REMOVED = object()
OTHERS: tuple[Any, ...] = (REMOVED, None, {"a": {}}, ["a"], "", "\ud800", -1, 1.5, True, 10**400)
COMMANDS = ("report {run} -o {run}.html --force", "compare {whole} {run}", "gate {run} --min groundedness=0",
            "explain {run} --id 0", "gate {whole} --baseline {run} --max-drop groundedness=1")  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    metrics = ["groundedness", "token-f1"]
    rows = [{**row, "references": [row["ref"]]} for row in ROWS]
    ragauge.evaluate(rows, metrics, by="topic", resamples=100, evidence=True).save(folder)
    return folder


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each value of a manifest; of lists, the first and the last item stand for all."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if not isinstance(value, list) or key in (0, len(value) - 1):
            yield from places(item, (*path, key))


def changed(manifest: Any, path: tuple[str | int, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(manifest))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    if value is REMOVED:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return copy


def error_of(run: Path) -> str | None:
    try:
        ragauge.load(run)
    except DataError as error:
        return str(error)
    return None


def ends_well(run: Path, whole: Path, capsys: Captured, commands: tuple[str, ...] = COMMANDS) -> None:
    for command in commands:
        arguments = [word.format(run=run, whole=whole) for word in command.split()]
        done = here(capsys, *arguments)
        failed = done.code == 1 and "Gate failed: " in done.out
        assert failed or done.code in (0, 2, 3), (command, done.err)


@pytest.mark.costly
def test_each_key_of_a_manifest_is_checked(run: Path, whole: Path, capsys: Captured) -> None:
    text = (run / "manifest.json").read_text(encoding="utf-8")
    manifest = json.loads(text)
    draw, loaded = np.random.default_rng(1), 0
    others = Random(fresh.seed())  # noqa: S311 - nothing secret
    for path in places(manifest):
        # Others in each run, so that many runs see every value at every place.
        for value in others.sample(OTHERS, 4):
            (run / "manifest.json").write_text(json.dumps(changed(manifest, path, value)), encoding="utf-8")
            error = error_of(run)
            assert error is None or str(run) in error
            loaded += error is None
            # A run that loads in spite of the change has to hold for all that reads it; a sample of them, for time.
            if draw.random() < (0.005 if error else 0.06):
                ends_well(run, whole, capsys)
    assert loaded > 0


@pytest.mark.parametrize("name", ["manifest.json", "samples.parquet", "scores.parquet", "evidence.parquet"])
def test_truncated_and_missing_files_are_named(name: str, run: Path, whole: Path, capsys: Captured) -> None:
    content = (run / name).read_bytes()
    for size in (0, 1, 4, 12, len(content) // 3, len(content) // 2, len(content) - 8, len(content) - 2):
        (run / name).write_bytes(content[:size])
        with pytest.raises(DataError, match=f"{name} is damaged"):
            ragauge.load(run)
    ends_well(run, whole, capsys)
    (run / name).unlink()
    with pytest.raises(DataError, match=f"{name} is damaged: the file is missing"):
        ragauge.load(run)


@pytest.mark.parametrize("forged", [False, True])
def test_flipped_bytes_are_seen(forged: bool, run: Path, whole: Path, capsys: Captured) -> None:
    """Where the digest was forged too, the values may be wrong, but reading them ends well."""
    manifest = (run / "manifest.json").read_bytes()
    draw = np.random.default_rng(2)
    for turn in range(40):
        name = str(draw.choice(["samples.parquet", "scores.parquet", "evidence.parquet"]))
        content = bytearray((run / name).read_bytes())
        before, place = bytes(content), int(draw.integers(len(content)))
        content[place] ^= int(draw.integers(1, 256))
        (run / name).write_bytes(content)
        if not forged:
            with pytest.raises(DataError, match=f"{name} is damaged: its content is not what was saved"):
                ragauge.load(run)
        else:
            forge_digest(run, name)
            with suppress(RagaugeError):
                ragauge.load(run).explain("0")
        if turn % 10 == 0:
            ends_well(run, whole, capsys, COMMANDS[1:4])
        (run / name).write_bytes(before)
        (run / "manifest.json").write_bytes(manifest)


def forge_digest(run: Path, name: str) -> None:
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    manifest["run"]["files"][name] = digest(run / name)
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def write_with_digest(run: Path, name: str, table: pa.Table) -> None:
    pq.write_table(table, run / name)
    forge_digest(run, name)


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("samples", lambda table: table.slice(1), "it has 3 rows; the manifest says 4"),
        ("samples", lambda table: table.drop_columns("answer"), "column 'answer' must be there once"),
        ("samples", lambda table: table.set_column(0, "id", pa.array(range(4))), "must hold texts; it holds int64"),
        ("scores", lambda table: table.slice(1), "it has 3 rows; the manifest says 4"),
        ("scores", lambda table: table.select([0]), "column 'token-f1' must be there once"),
        ("scores", lambda table: table.set_column(0, "groundedness", pa.array([1.0] * 4)), "does not hold the scores"),
        ("evidence", lambda table: table.select([0]), "column 'id' must hold texts"),
    ],
)
def test_edited_tables_are_refused(name: str, change: Any, says: str, run: Path, whole: Path, capsys: Captured) -> None:
    table = pq.read_table(run / f"{name}.parquet")
    pq.write_table(table, run / f"{name}.parquet", compression="snappy")
    with pytest.raises(DataError, match="its content is not what was saved"):
        ragauge.load(run)
    write_with_digest(run, f"{name}.parquet", change(table))
    with pytest.raises(DataError, match=says):
        ragauge.load(run)
    ends_well(run, whole, capsys)


@pytest.mark.parametrize("options", [{"by": ["topic", "typo"]}, {"cluster": "typo"}])
def test_options_that_name_no_column_are_damage(options: dict[str, Any], run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    manifest["options"] |= options
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(DataError, match="options must name columns of the data; got typo"):
        ragauge.load(run)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"run": ' * 100_000, "9" * 5000, '{"run": NaN}', '"\\ud800"'])
def test_manifests_that_no_parser_takes_are_refused(text: str, run: Path, whole: Path, capsys: Captured) -> None:
    (run / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"manifest\.json is damaged: its content is not what was saved"):
        ragauge.load(run)
    ends_well(run, whole, capsys)


def test_a_run_that_a_killed_process_moved_aside_is_found(run: Path) -> None:
    run.rename(run.with_name(".run.0123abcd.old"))
    with pytest.raises(DataError, match=r"the run is kept as .*\.run\.0123abcd\.old; rename that folder to"):
        ragauge.load(run)


@pytest.mark.parametrize("column", ["answer", "contexts", "references"])
@pytest.mark.parametrize("values", [[np.nan] * len(ROWS), [1, 2, 3, 4], [[1], [], None, [2]]])
def test_known_columns_of_other_types_are_damage(
    column: str, values: list[Any], run: Path, whole: Path, capsys: Captured
) -> None:
    samples = pq.read_table(run / "samples.parquet")
    place = samples.schema.names.index(column)
    pq.write_table(samples.set_column(place, column, pa.array(values)), run / "samples.parquet")
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    manifest["run"]["files"]["samples.parquet"] = digest(run / "samples.parquet")
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(DataError, match=rf"samples.parquet is damaged: column '{column}' must be of type"):
        ragauge.load(run)
    for command in COMMANDS:
        arguments = [word.format(run=run, whole=whole) for word in command.split()]
        assert here(capsys, *arguments).code == 3


def test_groups_of_infinity_are_saved_as_their_text(tmp_path: Path) -> None:
    rows = [{"answer": "a", "references": ["a"], "x": x} for x in (float("inf"), -float("inf"), 1.5, float("nan"))]
    result = ragauge.evaluate(rows, ["exact-match"], by="x")
    result.save(tmp_path / "run")
    loaded = ragauge.load(tmp_path / "run")
    assert (
        list(result.groups("exact-match", "x")) == list(loaded.groups("exact-match", "x")) == ["-inf", 1.5, "inf", None]
    )
    compared = ragauge.compare(loaded, loaded, by="x")
    json.dumps(compared.to_dict(), allow_nan=False)
    assert [one.group for one in compared.table if one.group] == [{"x": "-inf"}, {"x": 1.5}, {"x": "inf"}, {"x": None}]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.parametrize("name", ["manifest.json", "samples.parquet", "scores.parquet"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_file_is_not_read(name: str, kind: str, run: Path) -> None:
    """A pipe would be waited for, and /dev/zero has no end."""
    (run / name).unlink()
    if kind == "pipe":
        os.mkfifo(run / name)
    else:
        (run / name).symlink_to("/dev/zero")
    with pytest.raises(DataError, match=re.escape(f"{name} is damaged")):
        ragauge.load(run)
