"""``github``: the summary of a job of GitHub Actions, and one comment on the pull request."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from ragauge.core.messages import Message
from ragauge.core.options import Range, check
from ragauge.core.registry import ingredient
from ragauge.display.numbers import printable
from ragauge.endpoints.endpoint import WrongEndpointError
from ragauge.endpoints.server import ADDRESS, api_key, is_plain_address
from ragauge.errors import UsageError
from ragauge.gates.gate import append_summary
from ragauge.writers.comment import comment_of
from ragauge.writers.one_comment import PullRequest, hidden_mark, refusal
from ragauge.writers.writer import FinishedRun, Written

LONGEST = 65_536
"""Characters of a comment. Source: the message of GitHub's API for a longer one."""
_OWNER = "writer 'github'"


@ingredient("writer", "github")
@dataclass(frozen=True)
class GithubWriter:
    """The summary of a job of GitHub Actions, and one comment on the pull request, which later runs change.

    The gate stands first, then scores with intervals, coverage and the differences from the baseline, then, folded, the
    worst samples. A job needs ``permissions: pull-requests: write``, and ``GITHUB_TOKEN: ${{ github.token }}`` in its
    ``env``. Pull requests from forks have a token that may not comment: then there is the summary alone, and a note.

    Args:
        comment: write the comment.
        summary: write the job's summary (``GITHUB_STEP_SUMMARY``).
        samples: how many of the worst samples are shown, with their texts, to all who see the pull request.
        language: of the gate, the verdict and the heads of tables.
        mark: tells the comments of several evaluations of a pull request apart.
        pull: number of the pull request; by default that of the job.
        repository: ``owner/name``; by default ``GITHUB_REPOSITORY``.
        url: of the API; by default ``GITHUB_API_URL``, or https://api.github.com.
        key: name of the environment variable with the token.
        timeout: seconds to wait for an answer.
        retries: how often a request is sent again after a temporary failure.

    Raises:
        UsageError: there is neither a summary nor a pull request to write to, or GitHub refuses the comment.
    """

    comment: bool = True
    summary: bool = True
    samples: Annotated[int, Range(0)] = 5
    language: Literal["en", "zh"] = "en"
    mark: str = "ragauge"
    pull: Annotated[int, Range(0)] = 0
    repository: str = ""
    url: str = ""
    key: str = "GITHUB_TOKEN"
    timeout: Annotated[float, Range(0, above=True)] = 30.0
    retries: Annotated[int, Range(0, 100)] = 3

    def __post_init__(self) -> None:
        hidden_mark(self)
        named = not self.repository or re.fullmatch(r"[\w.-]+/[\w.-]+", self.repository, re.ASCII) is not None
        check(self, "repository", "owner/name", holds=named)
        check(self, "url", ADDRESS, holds=not self.url or is_plain_address(self.url))

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``; errors as of the class."""
        comment = comment_of(run, LONGEST - len(hidden_mark(self)) - 1, self.samples, self.language)
        summary = os.environ.get("GITHUB_STEP_SUMMARY", "") if self.summary else ""
        if summary:
            append_summary(f"{comment.text}\n", Path(summary))
        places, notes = ["the job's summary"] if summary else [], list(comment.left_out)
        number = (self.pull or pull_of_job()) if self.comment else 0
        if number:
            try:
                places.append(self._put(comment.text, number))
            except _ForkError as error:
                # A pull request from a fork must not fail for a token that it cannot have.
                if not summary:
                    raise UsageError(cast("str", error.args[0])) from None
                notes.append(str(error))
        elif self.comment:
            notes.append("no comment, because this job is of no pull request")
        if not places:
            raise UsageError(
                "RG-WRITE-001 {owner} found nothing to write to: there is no GITHUB_STEP_SUMMARY and no pull "
                "request. Outside of a job of GitHub Actions name one, as in github[repository=owner/name,pull=12], "
                "or write a file: markdown[path=run.md].",
                _OWNER,
            )
        return Written(" and ".join(places), tuple(notes))

    def _put(self, text: str, number: int) -> str:
        """Write the comment and return its address."""
        mark = hidden_mark(self)
        try:
            written = self._pull_request(number).put(f"{mark}\n{text}", mark)
        except WrongEndpointError as error:
            message = refusal(error, f"GitHub refuses the comment on pull request {number}")
            if error.status == 403:
                raise _ForkError(
                    Message(
                        "RG-WRITE-028 {message}; the job needs permissions: pull-requests: write, and for forks there "
                        "is no such token",
                        message,
                    )
                ) from None
            raise UsageError(
                "RG-WRITE-003 {message}; look at the token in {key}, repository and url of {owner}",
                message,
                self.key,
                _OWNER,
            ) from None
        return printable(str(written.get("html_url", f"the comment on pull request {number}")))

    def _pull_request(self, number: int) -> PullRequest:
        repository = self.repository or os.environ.get("GITHUB_REPOSITORY", "")
        if not repository:
            raise UsageError(
                "RG-WRITE-002 {owner} needs the repository of pull request {number}: repository='owner/name'",
                _OWNER,
                number,
            )
        url = (self.url or os.environ.get("GITHUB_API_URL", "") or "https://api.github.com").rstrip("/")
        issues = f"{url}/repos/{repository}/issues"
        token = api_key(self.key, _OWNER)
        return PullRequest(
            comments=f"{issues}/{number}/comments",
            comment=f"{issues}/comments",
            user=f"{url}/user",
            change="PATCH",
            secret=token,
            timeout=self.timeout,
            retries=self.retries,
            owner=_OWNER,
        )


class _ForkError(Exception):
    """GitHub does not let this token comment."""


def pull_of_job() -> int:
    """Return the number of the pull request that a job of GitHub Actions is of; 0 where it is of none."""
    ref = re.fullmatch(r"refs/pull/(\d+)/\w+", os.environ.get("GITHUB_REF", ""))
    if ref is not None:
        return int(ref[1])
    event = _event()
    issue = event.get("issue")
    pull = event.get("pull_request") or (issue if isinstance(issue, dict) and "pull_request" in issue else None)
    number = pull.get("number") if isinstance(pull, dict) else None
    return number if isinstance(number, int) else 0


def _event() -> dict[str, Any]:
    """Return the event that started the job; empty where there is none."""
    try:
        event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    except (KeyError, OSError, ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}
