"""One comment on a pull request of GitHub or a merge request of GitLab, and the summary of a job."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import OptionError, UsageError
from ragauge.results.result import Result
from ragauge.writers.github import GithubWriter
from ragauge.writers.gitlab import GitlabWriter
from ragauge.writers.one_comment import PullRequest
from tests.writers.runs import LABELS, TEXTS, some_result
from tests.writers.services import ME, Service, serving

VARIABLES = (
    "GITHUB_STEP_SUMMARY", "GITHUB_REPOSITORY", "GITHUB_API_URL", "GITHUB_REF", "GITHUB_EVENT_PATH", "GITHUB_TOKEN",
    "CI_PROJECT_ID", "CI_API_V4_URL", "CI_MERGE_REQUEST_IID", "CI_MERGE_REQUEST_PROJECT_URL", "CI_JOB_TOKEN",
    "GITLAB_TOKEN",
)  # fmt: skip
MARK = "<!-- ragauge: ragauge -->\n"


@pytest.fixture(scope="module")
def result() -> Result:
    return some_result()


@pytest.fixture(autouse=True)
def _no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("ragauge.writers.one_comment.backoff", lambda *_: 0.0)


def job(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the variables of a job of a pull request."""
    if service.kind == "github":
        variables = {"GITHUB_REPOSITORY": "o/n", "GITHUB_API_URL": service.url, "GITHUB_REF": "refs/pull/7/merge"}
        variables["GITHUB_TOKEN"] = service.token
    else:
        variables = {"CI_PROJECT_ID": "g/n", "CI_API_V4_URL": service.url, "CI_MERGE_REQUEST_IID": "7"}
        variables |= {"GITLAB_TOKEN": service.token, "CI_MERGE_REQUEST_PROJECT_URL": "https://git.example/g/n"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(params=["github", "gitlab"])
def service(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with serving(request.param) as running:
        job(running, monkeypatch)
        yield running


def test_one_comment_is_written_and_then_changed(service: Service, result: Result) -> None:
    service.add("Спасибо!", user=5)
    first = ragauge.export(result, service.kind, name="первый")
    second = ragauge.export(result, service.kind, name="第二次")
    assert service.changes == ["POST", "PATCH" if service.kind == "github" else "PUT"]
    assert len(service.comments) == 2
    body = service.comments[1]["body"]
    assert body.startswith(MARK + "## Scores")
    assert "`第二次`, 11 samples" in body
    assert "первый" not in body
    assert [*TEXTS.values(), LABELS[0]][0] not in body.split("<details>")[0]
    ends = {"github": "https://git.example/o/n/pull/7#issuecomment-1001",
            "gitlab": "https://git.example/g/n/-/merge_requests/7#note_1001"}  # fmt: skip
    assert (first.where, second.where) == (ends[service.kind],) * 2


def test_an_equal_comment_is_left_as_it_is(service: Service, result: Result) -> None:
    ragauge.export(result, service.kind, name="茶")
    service.comments[0]["body"] = (
        service.comments[0]["body"].replace("\n", "\r\n").replace(MARK.strip() + "\r", MARK[:-1])
    )
    ragauge.export(result, service.kind, name="茶")
    assert service.changes == ["POST"]


def test_it_is_found_behind_many_others(service: Service, result: Result) -> None:
    for place in range(230):
        service.add(f"> {MARK}" if place % 2 else "👍", user=5)
    own = service.add(MARK + "old")
    ragauge.export(result, service.kind)
    assert service.changes == ["PATCH" if service.kind == "github" else "PUT"]
    assert own["body"].startswith(MARK + "## Scores")


def test_a_comment_of_somebody_else_stays_as_it_is(service: Service, result: Result) -> None:
    foreign = service.add(MARK + "all is well", user=ME + 1, type="User")
    ragauge.export(result, service.kind)
    ragauge.export(result, service.kind, name="again")
    assert foreign["body"] == MARK + "all is well"
    assert (len(service.comments), service.changes[0]) == (2, "POST")


def test_the_token_of_a_job_changes_what_no_person_wrote(service: Service, result: Result) -> None:
    service.knows_user = False
    if service.kind == "github":
        foreign = service.add(MARK + "mine", user=5, type="User")
        own = service.add(MARK + "old", type="Bot")
        ragauge.export(result, service.kind)
        assert foreign["body"] == MARK + "mine"
    else:
        own = service.add(MARK + "old")
        ragauge.export(result, service.kind)
    assert own["body"].startswith(MARK + "## Scores")
    assert "POST" not in service.changes


@pytest.mark.parametrize("writer", [GithubWriter, GitlabWriter])
@pytest.mark.parametrize("mark", ["", "a b", "a--b", "-->"])
def test_a_mark_that_no_comment_can_hold_is_refused_at_once(writer: Any, mark: str) -> None:
    with pytest.raises(OptionError, match=r"'mark' of writer 'git(hub|lab)' must be letters, digits"):
        writer(mark=mark)


def test_marks_tell_evaluations_apart(service: Service, result: Result) -> None:
    for mark in ("检索", "answers"):
        for name in ("a", "b"):
            ragauge.export(result, f"{service.kind}[mark={mark}]", name=name)
    assert [one["body"].splitlines()[0] for one in service.comments] == [
        "<!-- ragauge: 检索 -->", "<!-- ragauge: answers -->"
    ]  # fmt: skip
    for mark in ("", "a-->b", "a--b", "a b", "<"):
        with pytest.raises(OptionError, match="option 'mark' of writer"):
            ragauge.export(result, service.kind, mark=mark)


@pytest.mark.parametrize("status", [500, 502, 503, 429])
def test_a_lost_answer_makes_no_second_comment(service: Service, result: Result, status: int) -> None:
    service.failures, service.lost = [status], True
    ragauge.export(result, service.kind, name="茶")
    assert len(service.comments) == 1


def test_temporary_failures_are_tried_again_and_lasting_ones_told(service: Service, result: Result) -> None:
    service.failures = [503, 502]
    ragauge.export(result, service.kind)
    assert len(service.comments) == 1
    service.failures = [503] * 9
    with pytest.raises(UsageError, match=r"answered 503: .*temporarily out of order"):
        ragauge.export(result, service.kind, name="anew", retries=2)
    assert len(service.failures) == 6


@pytest.mark.parametrize("status", [401, 403, 404])
def test_refusals_say_what_the_token_needs_and_never_show_it(
    service: Service, result: Result, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.failures = [status]
    if status == 401:
        monkeypatch.setenv("GITHUB_TOKEN" if service.kind == "github" else "GITLAB_TOKEN", "wrong-but-secret")
    with pytest.raises(UsageError) as refused:
        ragauge.export(result, service.kind)
    message = str(refused.value)
    assert f": {status} " in message
    assert service.token not in message
    assert "wrong-but-secret" not in message
    advice = {"github": "pull-requests: write" if status == 403 else "look at the token in GITHUB_TOKEN",
              "gitlab": "needs the scope api"}  # fmt: skip
    assert advice[service.kind] in message


def test_long_comments_are_cut_to_what_the_service_takes(service: Service) -> None:
    rows = [{"id": f"q{i}", "answer": "不" * 3000, "references": ["是" * 3000]} for i in range(400)]
    written = ragauge.export(ragauge.evaluate(rows, "exact-match", resamples=0), service.kind, samples=400)
    [one] = service.comments
    longest = 65_536 if service.kind == "github" else 250_000
    assert 0.9 * longest < len(one["body"]) <= longest
    assert any("left out" in note and "worst samples" in note for note in written.notes)


@pytest.mark.parametrize("answer", [{}, [1], [{"id": "x", "body": ""}], "text"])
def test_a_server_that_is_no_such_service(
    service: Service, result: Result, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PullRequest, "_asked", lambda *_: answer)
    with pytest.raises(UsageError, match=f"does not list comments; look at url of writer '{service.kind}'"):
        ragauge.export(result, service.kind)


class TestGithub:
    @pytest.fixture
    def github(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
        with serving("github") as running:
            job(running, monkeypatch)
            yield running

    def test_the_summary_of_the_job(
        self, github: Service, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
        (tmp_path / "summary.md").write_text("before\n", encoding="utf-8")
        written = ragauge.export(result, "github")
        assert written.where == "the job's summary and https://git.example/o/n/pull/7#issuecomment-1000"
        text = (tmp_path / "summary.md").read_text(encoding="utf-8")
        assert text.startswith("before\n## Scores")
        assert github.comments[0]["body"].removeprefix(MARK).strip() == text.removeprefix("before\n").strip()
        ragauge.export(result, "github[comment=false]")
        assert github.changes == ["POST"]
        ragauge.export(result, "github[summary=false]", name="x")
        assert text * 2 != (tmp_path / "summary.md").read_text(encoding="utf-8")

    def test_a_pull_request_of_a_fork_has_the_summary_alone(
        self, github: Service, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
        github.failures = [403]
        written = ragauge.export(result, "github")
        assert written.where == "the job's summary"
        assert "GitHub refuses the comment on pull request 7: 403 temporarily out of order" in written.notes[0]

    def test_a_job_of_no_pull_request(
        self, github: Service, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GITHUB_REF", "refs/heads/main")
        with pytest.raises(UsageError, match="found nothing to write to"):
            ragauge.export(result, "github")
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
        assert ragauge.export(result, "github").notes == ("no comment, because this job is of no pull request",)
        assert github.requests == []

    @pytest.mark.parametrize(
        ("event", "comments"),
        [
            ({"pull_request": {"number": 7}}, 1),
            ({"issue": {"number": 7, "pull_request": {}}}, 1),
            ({"issue": {"number": 7}}, 0),
            ([], 0),
            ({"pull_request": "7"}, 0),
        ],
    )
    def test_the_pull_request_of_an_event(
        self,
        github: Service,
        result: Result,
        tmp_path: Path,
        event: Any,
        comments: int,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("GITHUB_REF", "refs/heads/main")
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
        (tmp_path / "event.json").write_text(json.dumps(event), encoding="utf-8")
        monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
        ragauge.export(result, "github")
        assert len(github.comments) == comments

    def test_outside_of_a_job(self, github: Service, result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("MY_TOKEN", github.token)
        ragauge.export(result, "github", repository="o/n", pull=7, url=github.url, key="MY_TOKEN")
        assert len(github.comments) == 1
        with pytest.raises(UsageError, match="the environment variable 'GITHUB_TOKEN' is not set"):
            ragauge.export(result, "github", repository="o/n", pull=7, url=github.url)
        with pytest.raises(UsageError, match="needs the repository of pull request 7"):
            ragauge.export(result, "github", pull=7)
        for options in ({"repository": "o"}, {"repository": "o/n/x"}, {"url": "http://u:p@x"}, {"pull": -1}):
            with pytest.raises(OptionError):
                ragauge.export(result, "github", **options)

    def test_an_address_from_the_server_cannot_steer_a_terminal(self, github: Service, result: Result) -> None:
        ragauge.export(result, "github")
        github.comments[0]["html_url"] = "https://git.example/\x1b[31m"
        assert ragauge.export(result, "github", name="new").where == "https://git.example/\\x1b[31m"


class TestGitlab:
    def test_the_token_of_the_job_where_there_is_no_other(
        self, result: Result, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serving("gitlab") as gitlab:
            job(gitlab, monkeypatch)
            monkeypatch.delenv("GITLAB_TOKEN")
            monkeypatch.setenv("CI_JOB_TOKEN", gitlab.token)
            ragauge.export(result, "gitlab")
            assert len(gitlab.comments) == 1

    def test_a_job_of_no_merge_request(self, result: Result) -> None:
        with pytest.raises(UsageError, match=r"found no merge request.*gitlab\[project=group/name,request=12\]"):
            ragauge.export(result, "gitlab")
