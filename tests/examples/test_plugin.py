"""The package of extensions: built, installed beside ragauge, each found by its name on the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from configparser import ConfigParser
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.docs.blocks import DOCS, blocks
from tests.examples.running import EXAMPLES, shell

PLUGIN = EXAMPLES / "plugin"
GUIDES = [
    ("metric", "ragauge_repetition"),
    ("evidence", "ragauge_numbers"),
    ("embedder", "ragauge_letters"),
    ("tokenizer", "ragauge_identifiers"),
    ("file-format", "ragauge_transcript"),
]
Command: TypeAlias = Callable[[str], subprocess.CompletedProcess[str]]

ROWS = [
    {"answer": "Yes [1], on Mondays [3].", "contexts": ["a", "b"]},
    {"answer": "是的【２】", "contexts": ["a", "b"]},
    {"answer": "نعم [٢]", "contexts": ["a", "b"]},
    {"answer": "No.", "contexts": ["a", "b"]},
]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lay the package out as an installer does: its modules, and a folder that names its entry points."""
    folder = tmp_path_factory.mktemp("plugin")
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text(encoding="utf-8"))
    for name in project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        shutil.copy(PLUGIN / name, folder)
    about = folder / "ragauge_extensions-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: ragauge-extensions\nVersion: 0.1.0\n", encoding="utf-8"
    )
    groups = project["project"]["entry-points"].items()
    points = "".join(f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in named.items()) for group, named in groups)
    (about / "entry_points.txt").write_text(points, encoding="utf-8")
    return folder


def test_it_is_built_with_all_its_modules_and_entry_points(installed: Path, tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="the plugin is built by hatchling")
    how = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(tmp_path)]
    subprocess.run([sys.executable, "-m", "pip", "install", *how, str(PLUGIN)], check=True)
    assert {file.name for file in tmp_path.glob("*.py")} == {file.name for file in PLUGIN.glob("*.py")}
    built, ours = (ConfigParser(), ConfigParser())
    for parser, folder in ((built, tmp_path), (ours, installed)):
        parser.read(next(folder.glob("*.dist-info/entry_points.txt")))
    assert built == ours


@pytest.fixture
def here(installed: Path, tmp_path: Path) -> Command:
    """Run a command where the package is installed; return its process."""
    path = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH", "")]))
    return lambda command: shell(command, tmp_path, PYTHONPATH=path)


def scores(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["metrics"]
    return found


def test_a_function_is_a_metric(here: Command, tmp_path: Path) -> None:
    write(tmp_path / "cited.jsonl", ROWS)
    [score] = scores(here("ragauge score cited.jsonl -m cites-passages --output-format json"))
    assert (score["value"], score["scored"], score["stage"]) == (0.625, 4, "generation")
    listed = here("ragauge metrics").stdout
    assert "cites-passages" in listed
    assert "share of an answer's citations" in listed


def test_a_metric_of_text_takes_tokenizers(here: Command, tmp_path: Path) -> None:
    write(tmp_path / "runs.jsonl", [{"answer": "so so so"}, {"answer": "readFile fileRead x"}, {"answer": ""}])
    plain, cut = scores(
        here(
            "ragauge score runs.jsonl -m repetition -m repetition:tokenizer=identifiers --output-format json",
        )
    )
    assert (plain["value"], plain["undefined"]) == (2 / 6, 1)
    assert cut["value"] == 2 / 8
    assert "repetition" in here("ragauge explain repetition").stdout + here("ragauge metrics repetition").stdout


def test_a_metric_shows_its_evidence(here: Command, tmp_path: Path) -> None:
    rows = [{"id": "q1", "answer": "Built in 1974 for 3.5 million.", "contexts": ["In 1974.", "35"]}]
    write(tmp_path / "numbers.jsonl", [*rows, {"id": "q2", "answer": "Never.", "contexts": []}])
    [score] = scores(here("ragauge score numbers.jsonl -m number-support -m repetition -o run --output-format json"))[
        :1
    ]
    assert (score["value"], score["undefined"]) == (0.5, 1)
    shown = here("ragauge explain run --id q1").stdout
    assert "1974" in shown
    assert "3.5" in shown


def test_an_embedder_serves_every_metric_of_similarity(here: Command, tmp_path: Path) -> None:
    write(tmp_path / "runs.jsonl", [{"answer": "abc", "reference": "cba"}, {"answer": "abc", "reference": "xyz"}])
    spec = "semantic-similarity:embedder=letters[dimensions=64]"
    [score] = scores(here(f"ragauge score runs.jsonl -m '{spec}' --output-format json"))
    assert score["value"] == pytest.approx(0.5)
    assert "letters[dimensions=64,revision=1]" in score["signature"]


def test_a_tokenizer_serves_every_metric_of_words(here: Command, tmp_path: Path) -> None:
    write(tmp_path / "runs.jsonl", [{"answer": "readFile", "reference": "read_file"}])
    [plain, cut] = scores(
        here("ragauge score runs.jsonl -m token-f1 -m token-f1:tokenizer=identifiers --output-format json")
    )
    assert (plain["value"], cut["value"]) == (0.0, 1.0)
    (tmp_path / "code.txt").write_text("readFile\nGPT4 of_all\n", encoding="utf-8")
    printed = here("ragauge tokenize code.txt --tokenizer identifiers")
    assert (printed.stdout, printed.returncode) == ("read File\nGPT 4 of all\n", 0)


def test_a_file_format_is_found_by_its_suffix(here: Command, tmp_path: Path) -> None:
    text = "Q: Who?\nA: Lin Wan\nR: Lin Wan\nP: Lin Wan runs it.\n\nQ: When?\nA: 1974\nR: 1975\n"
    (tmp_path / "chat.transcript").write_text(text, encoding="utf-8")
    [score] = scores(here("ragauge score chat.transcript -m exact-match --output-format json"))
    assert (score["value"], score["total"]) == (0.5, 2)
    (tmp_path / "bad.transcript").write_text("Who?\n", encoding="utf-8")
    refused = here("ragauge score bad.transcript -m exact-match")
    assert (refused.returncode, "a line must begin with Q:" in refused.stderr) == (3, True)


@pytest.mark.parametrize("file", sorted(PLUGIN.glob("*.py")), ids=lambda file: file.stem)
def test_an_example_is_short_and_needs_nothing_private(file: Path) -> None:
    code = file.read_text(encoding="utf-8")
    assert len([line for line in code.splitlines() if line.strip()]) < 40
    assert re.findall(r"ragauge\.core|ragauge\.\w+\._|ragauge\._|from ragauge", code) == []


@pytest.mark.parametrize(("page", "name"), GUIDES)
def test_a_guide_shows_its_example_whole(page: str, name: str) -> None:
    shown = [block for block in blocks(DOCS / "extend" / f"{page}.md") if block.marks.get("file") == f"{name}.py"]
    assert [block.body for block in shown] == [(PLUGIN / f"{name}.py").read_text(encoding="utf-8")]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_without_the_package_the_metric_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "cited.jsonl").write_text(json.dumps(ROWS[0]), encoding="utf-8")
    refused = shell("ragauge score cited.jsonl -m cites-passages", tmp_path)
    assert (refused.returncode, refused.stderr[:38]) == (2, "error: unknown metric 'cites-passages'")
