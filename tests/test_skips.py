"""The summary of skipped tests names environments that .ci/run has, and knows every reason in the tests."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests import skips

ROOT = Path(__file__).parents[1]


def test_each_environment_is_one_of_the_continuous_integration() -> None:
    environments = re.findall(
        r"^ *(?:in_environment|install) (\w+)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(skips.ENVIRONMENTS) <= set(environments)


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("false", 0), ("1", 1), ("true", 1)])
def test_a_missing_python_fails_under_ci(ci: str, code: int) -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    [function] = re.findall(r"^missing_python\(\) \{\n.*?^\}\n", script, re.MULTILINE | re.DOTALL)
    command = ["bash", "-euo", "pipefail", "-c", function + "found=$(false) || { missing_python 3.13; found=; }"]
    done = subprocess.run(command, capture_output=True, check=False, text=True, env={**os.environ, "CI": ci})
    assert (done.returncode, done.stdout.split(":")[0]) == (code, "Python 3.13 is not run")


def test_reasons_are_counted_by_the_place_where_the_tests_run() -> None:
    reasons = [
        "pip install 'ragauge[st]'",
        "could not import 'ranx': No module named 'ranx'",
        "pip install 'ragauge[st]'",
    ]
    assert list(skips.lines(reasons)) == [
        "1 .ci/run, environment 'frameworks'",
        "    1 could not import 'ranx': No module named 'ranx'",
        "2 .ci/run, environment 'models'",
        "    2 pip install 'ragauge[st]'",
    ]


def test_a_reason_that_nobody_placed_is_shown_as_such() -> None:
    assert list(skips.lines(["later"])) == [f"1 {skips.UNKNOWN}", "    1 later"]


def test_every_reason_in_the_tests_has_a_place() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    reasons = [
        reason for source in sources for reason in re.findall(r'(?:\breason=|pytest\.skip\()f?"(..+?)"[,)]', source)
    ]
    assert [reason for reason in reasons if skips.place_of(reason) == skips.UNKNOWN] == []


# Libraries that the README's environment has, of those that tests can do without.
OF_THE_README = {"jiwer", "nltk", "pytrec_eval", "ragauge_native", "rouge_score", "sacrebleu"}


def test_no_long_test_needs_what_its_step_does_not_install() -> None:
    """The step of long tests has the README's environment; the steps with more leave long tests out."""
    found = []
    for path in (ROOT / "tests").rglob("test_*.py"):
        source = path.read_text(encoding="utf-8")
        if re.search(r"mark\.long|others_long|@drawn", source):
            for node in ast.parse(source).body:
                marks = " ".join(map(ast.unparse, getattr(node, "decorator_list", [])))
                if not isinstance(node, ast.FunctionDef) or re.search(r"mark\.long|others_long|^drawn", marks):
                    found += [f"{path.name}: {name}" for name in sought(node) if name not in OF_THE_README]
    assert found == []


def sought(tree: ast.AST) -> list[str]:
    """Return the library of each ``importorskip``."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    asked = [node for node in calls if getattr(node.func, "attr", "") == "importorskip"]
    return [ast.unparse(node.args[0]).strip("'").partition(".")[0] for node in asked]
