"""A new metric, tokenizer, reader or writer is one file: tried in a copy of the package, with nothing else changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from inspect import cleandoc
from pathlib import Path

import pytest
from docs.generator.docstrings import items

from ragauge.core.names import PACKAGE, registered_in
from ragauge.errors import UnknownNameError, UsageError
from tests.new.__main__ import main
from tests.new.lists import refuse_twins
from tests.new.stubs import KINDS, files, missing, stale_pages, write_stubs

NAMES = {"metric": "gap-share", "tokenizer": "by-space", "reader": "plainrows", "writer": "plain"}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one new file of each kind, and their tests; its table of names is as before."""
    root = tmp_path_factory.mktemp("new")
    shutil.copytree(PACKAGE, root / "src/ragauge", ignore=shutil.ignore_patterns("__pycache__"))
    for kind, name in NAMES.items():
        list(write_stubs(files(kind, name), root))
    return root


def ran(copy: Path, *arguments: str) -> str:
    """Return what Python prints that finds the package in the copy."""
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    done = subprocess.run(
        [sys.executable, *arguments],
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=copy,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.costly
def test_one_file_is_enough_on_the_command_line(copy: Path) -> None:
    (copy / "data.plainrows").write_text('{"answer": "a b", "references": ["a b"]}\n', encoding="utf-8")
    wanted = ("-m", "gap-share", "-m", "token-f1:tokenizer=by-space")
    shown = ran(copy, "-m", "ragauge", "score", "data.plainrows", *wanted, "-o", "run")
    assert "gap-share" in shown
    assert "0.3333" in shown
    assert "gap-share" in ran(copy, "-m", "ragauge", "metrics")
    assert "out.txt" in ran(copy, "-m", "ragauge", "export", "run", "--to", "plain[path=out.txt]")
    assert "gap-share: 0.33" in (copy / "out.txt").read_text(encoding="utf-8")


@pytest.mark.costly
def test_its_class_is_public_and_its_tests_pass(copy: Path) -> None:
    assert "GapShare" in ran(copy, "-c", "from ragauge.metrics import GapShare; print(GapShare)")
    tests = [f"tests/{folder}/test_{NAMES[kind].replace('-', '_')}.py" for kind, (_, folder) in KINDS.items()]
    shown = ran(copy, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", *tests)
    assert "4 passed" in shown


def test_two_files_of_one_name_are_both_named(copy: Path) -> None:
    twin = copy / "src/ragauge/metrics/text/again.py"
    twin.write_text((copy / "src/ragauge/metrics/text/gap_share.py").read_text(encoding="utf-8"), encoding="utf-8")
    try:
        with pytest.raises(UsageError, match=r"named 'gap-share': .*again\.py:17 and .*gap_share\.py:17\. Rename one"):
            refuse_twins(registered_in(copy / "src/ragauge", "ragauge"))
        code = "import ragauge, ragauge.cli\ntry: ragauge.parse('gap-share')\nexcept ragauge.UsageError as e: print(e)"
        shown = ran(copy, "-c", code)
    finally:
        twin.unlink()
    assert "again.py:17" in shown
    assert "gap_share.py:17. Rename one of them." in shown


def test_without_words_it_writes_the_lists(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("tests.new.__main__.write_lists", lambda: ["names.tsv"])
    main([])
    assert capsys.readouterr().out == "wrote names.tsv\n"


def test_a_file_that_registers_by_the_public_face_is_known(tmp_path: Path) -> None:
    wanted = files("metric", "first")
    home = tmp_path / next(iter(wanted))
    home.parent.mkdir(parents=True)
    home.write_text('import ragauge\n\n\n@ragauge.register("first", at="n")\nclass First: ...\n', encoding="utf-8")
    assert next(iter(wanted)) not in list(write_stubs(wanted, tmp_path))


@pytest.mark.parametrize("kind", ["tokenizer", "reader", "writer"])
def test_what_is_not_filled_in_is_named(tmp_path: Path, kind: str) -> None:
    wanted = files(kind, "first")
    assert list(write_stubs(wanted, tmp_path)) == list(wanted)
    assert list(write_stubs(wanted, tmp_path)) == []
    found = list(missing(kind, "first", wanted, tmp_path))
    assert found
    assert all("TODO to fill in" in one for one in found)


def test_the_stub_of_a_metric_explains_its_option() -> None:
    stub = next(iter(files("metric", "first").values()))
    docstring = stub.split('"""')[3]
    assert "average" in items(cleandoc(docstring), "Args")


def test_pages_that_the_generator_would_write_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = "docs/reference/writers.md\ndocs/reference/command-line.md\n"
    answers = [(0, printed, ""), (1, "", "Traceback\nUsageError: the docstring must have 'Source:'\n"), (0, "", "")]
    done = iter([subprocess.CompletedProcess([], *one) for one in answers])
    monkeypatch.setattr("tests.new.stubs.subprocess.run", lambda *_, **__: next(done))
    (named,) = stale_pages()
    assert "run python -m docs.generator, for docs/reference/writers.md, docs/reference/command-line.md" in named
    (refused,) = stale_pages()
    assert refused.endswith("fails: UsageError: the docstring must have 'Source:'")
    assert list(stale_pages()) == []


def test_wrong_kinds_and_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown kind 'metrik'; did you mean metric"):
        files("metrik", "first")
    with pytest.raises(UsageError, match=r"letters a to z.*Write 'distinct-n'"):
        files("metric", "Distinct N")
    taken = files("reader", "rows")
    (tmp_path / next(iter(taken))).parent.mkdir(parents=True)
    (tmp_path / next(iter(taken))).write_text("pass\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"file of another purpose.*Choose another name"):
        list(write_stubs(taken, tmp_path))
