"""The workflow of the gate: its commands are run here as a runner would, but for installing and uploading."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.examples.running import EXAMPLES, ROOT, shell
from tests.writers.services import serving

yaml = pytest.importorskip("yaml", reason="the workflow is read with PyYAML")

WORKFLOW = yaml.safe_load((EXAMPLES / "gate/quality.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["gate"]["steps"]
GITLAB = yaml.safe_load((EXAMPLES / "gate/gitlab-ci.yml").read_text(encoding="utf-8"))["quality"]
RENEW = "python examples/gate/ask.py > examples/gate/baseline.jsonl"


@pytest.fixture(scope="module")
def main_branch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the files that `actions/checkout` leaves, with the answers of the main branch."""
    folder = tmp_path_factory.mktemp("main")
    shutil.copytree(EXAMPLES / "gate", folder / "examples/gate")
    for corpus in (ROOT / "corpora").glob("*/en"):
        shutil.copytree(corpus, folder / corpus.relative_to(ROOT))
    assert shell(RENEW, folder).returncode == 0
    return folder


@pytest.fixture
def repository(main_branch: Path, tmp_path: Path) -> Path:
    """Return a copy that a test may change."""
    return shutil.copytree(main_branch, tmp_path / "branch")


def run(repository: Path, **of_job: str) -> dict[str, subprocess.CompletedProcess[str]]:
    """Run the job's steps until one fails, and after that those with ``if: always()``."""
    done: dict[str, subprocess.CompletedProcess[str]] = {}
    failed = False
    for step in STEPS:
        command = step.get("run", "")
        if not command or command.startswith("pip install") or (failed and step.get("if") != "always()"):
            continue
        ran = shell(command, repository, GITHUB_STEP_SUMMARY=str(repository / "summary.md"), **of_job)
        done[step["name"]] = ran
        failed = failed or ran.returncode != 0
    return done


def change(repository: Path, old: str, new: str) -> None:
    path = repository / "examples/gate/ask.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def failures(repository: Path) -> list[str]:
    tree = ET.parse(repository / "gate.xml").getroot()  # noqa: S314 - written by the step before
    return [case.attrib["name"] for case in tree.iter("testcase") if case.find("failure") is not None]


def test_the_baseline_is_of_the_questions_that_are_asked() -> None:
    def asked(path: Path) -> list[tuple[str, str]]:
        rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return [(row["id"], row["question"]) for row in rows]

    now = [task for path in sorted((ROOT / "corpora").glob("*/en/questions.jsonl")) for task in asked(path)]
    assert asked(EXAMPLES / "gate/baseline.jsonl") == now, f"the corpora have changed; run: {RENEW}"


@pytest.mark.costly
def test_what_is_as_good_as_before_passes(repository: Path) -> None:
    done = run(repository)
    assert {name: ran.stderr for name, ran in done.items() if ran.returncode} == {}
    assert "Gate passed" in done["Gate"].stdout
    assert failures(repository) == []
    summary = (repository / "summary.md").read_text(encoding="utf-8")
    assert "| `recall@3" in summary
    assert "github: no comment, because this job is of no pull request" in done["Show what changed"].stderr
    assert "Gate passed" in summary


def test_what_retrieves_worse_fails_and_says_where(repository: Path) -> None:
    change(repository, "found = nearest(question, TEXTS, 3)", "found = nearest(question, TEXTS, len(TEXTS))[-3:]")
    done = run(repository)
    assert done["Show what changed"].returncode == 0
    assert done["Gate"].returncode == 1
    assert "<html" in (repository / "report.html").read_text(encoding="utf-8")
    assert "::error title=ragauge gate%3A recall@3" in done["Gate"].stderr
    assert any("recall@3" in name for name in failures(repository))
    assert "FAIL" in (repository / "summary.md").read_text(encoding="utf-8")


def test_a_system_that_crashes_stops_the_job_before_the_gate(repository: Path) -> None:
    change(repository, "found = nearest(question, TEXTS, 3)", "raise ConnectionError(question)")
    done = run(repository)
    assert done["Ask the system"].returncode != 0
    assert "Gate" not in done


@pytest.mark.costly
def test_the_pull_request_gets_one_comment(repository: Path) -> None:
    with serving("github") as service:
        variables = {"GITHUB_REF": "refs/pull/7/merge", "GITHUB_REPOSITORY": "o/n", "GITHUB_API_URL": service.url}
        done = run(repository, GITHUB_TOKEN=service.token, **variables)
    assert {name: ran.stderr for name, ran in done.items() if ran.returncode} == {}
    [comment] = service.comments
    assert "## Gate passed" in comment["body"]
    assert "| outcome |" in comment["body"]
    [shows] = [step for step in STEPS if step.get("name") == "Show what changed"]
    assert shows["env"] == {"GITHUB_TOKEN": "${{ github.token }}"}
    assert WORKFLOW["permissions"]["pull-requests"] == "write"


@pytest.mark.parametrize("worse", [False, True])
@pytest.mark.costly
def test_the_same_on_gitlab(repository: Path, *, worse: bool) -> None:
    if worse:
        change(repository, "found = nearest(question, TEXTS, 3)", "found = nearest(question, TEXTS, len(TEXTS))[-3:]")
    lines = [line for line in GITLAB["script"] if not line.startswith("pip install ")]
    assert len(lines) == len(GITLAB["script"]) - 1
    with serving("gitlab") as service:
        variables = {"CI_PROJECT_ID": "g/n", "CI_API_V4_URL": service.url, "CI_MERGE_REQUEST_IID": "7"}
        done = shell("\n".join(lines), repository, GITLAB_TOKEN=service.token, **variables)
    assert done.returncode == worse, done.stderr
    [comment] = service.comments
    assert ("## Gate failed" if worse else "## Gate passed") in comment["body"]
    assert (failures(repository) == []) is not worse
    assert GITLAB["artifacts"]["reports"]["junit"] == "gate.xml"
    assert GITLAB["artifacts"]["when"] == "always"


def test_the_job_installs_ragauge_and_keeps_what_it_wrote_whatever_happens() -> None:
    assert any(step.get("run", "").startswith('pip install "ragauge @ git+') for step in STEPS)
    [kept] = [step for step in STEPS if step.get("uses", "").startswith("actions/upload-artifact")]
    assert kept["if"] == "always()"
    assert {"gate.xml", "report.html", "runs/"} <= set(kept["with"]["path"].split())
