"""``gitlab``: one comment on a merge request of GitLab."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import quote

from ragauge.core.options import Range, check
from ragauge.core.registry import ingredient
from ragauge.endpoints.endpoint import WrongEndpointError
from ragauge.endpoints.server import ADDRESS, api_key, is_plain_address
from ragauge.errors import UsageError
from ragauge.writers.comment import comment_of
from ragauge.writers.one_comment import PullRequest, hidden_mark, refusal
from ragauge.writers.writer import FinishedRun, Written

LONGEST = 250_000
"""Characters of a comment. GitLab takes about one million characters or 1 MB, and a character has up to four bytes."""
_OWNER = "writer 'gitlab'"


@ingredient("writer", "gitlab")
@dataclass(frozen=True)
class GitlabWriter:
    """One comment on a merge request of GitLab, which later runs change.

    It says what `GithubWriter` says. The token is that of a project or a group with the scope ``api``, in a masked
    variable ``GITLAB_TOKEN``. Where there is none, the job's own (``CI_JOB_TOKEN``) is tried, which most versions of
    GitLab do not let comment.

    Args:
        samples: how many of the worst samples are shown, with their texts.
        language: of the gate, the verdict and the heads of tables.
        mark: tells the comments of several evaluations of a merge request apart.
        request: number of the merge request in its project (its iid); by default that of the job.
        project: number or path of the project; by default ``CI_PROJECT_ID``.
        url: of the API; by default ``CI_API_V4_URL``, or https://gitlab.com/api/v4.
        key: name of the environment variable with the token; by default ``GITLAB_TOKEN``, else ``CI_JOB_TOKEN``.
        timeout: seconds to wait for an answer.
        retries: how often a request is sent again after a temporary failure.

    Raises:
        UsageError: the job is of no merge request, or GitLab refuses the comment.
    """

    samples: Annotated[int, Range(0)] = 5
    language: Literal["en", "zh"] = "en"
    mark: str = "ragauge"
    request: Annotated[int, Range(0)] = 0
    project: str = ""
    url: str = ""
    key: str = ""
    timeout: Annotated[float, Range(0, above=True)] = 30.0
    retries: Annotated[int, Range(0, 100)] = 3

    def __post_init__(self) -> None:
        hidden_mark(self)
        check(self, "url", ADDRESS, holds=not self.url or is_plain_address(self.url))

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``; errors as of the class."""
        number = str(self.request or os.environ.get("CI_MERGE_REQUEST_IID", ""))
        project = self.project or os.environ.get("CI_PROJECT_ID", "")
        if not number.isdecimal() or not project:
            raise UsageError(
                "RG-WRITE-004 {owner} found no merge request. Run the job in pipelines of merge requests (rules: if: "
                '$CI_PIPELINE_SOURCE == "merge_request_event"), or name it: gitlab[project=group/name,request=12].',
                _OWNER,
            )
        key = self.key or ("GITLAB_TOKEN" if os.environ.get("GITLAB_TOKEN") else "CI_JOB_TOKEN")
        url = (self.url or os.environ.get("CI_API_V4_URL", "") or "https://gitlab.com/api/v4").rstrip("/")
        notes = f"{url}/projects/{quote(project, safe='')}/merge_requests/{number}/notes"
        mark = hidden_mark(self)
        comment = comment_of(run, LONGEST - len(mark) - 1, self.samples, self.language)
        request = PullRequest(
            comments=notes,
            comment=notes,
            user=f"{url}/user",
            change="PUT",
            secret=api_key(key, _OWNER),
            timeout=self.timeout,
            retries=self.retries,
            owner=_OWNER,
        )
        try:
            written = request.put(f"{mark}\n{comment.text}", mark)
        except WrongEndpointError as error:
            message = refusal(error, f"GitLab refuses the comment on merge request {number} of project {project}")
            raise UsageError(
                "RG-WRITE-005 {message}; the token of {key} needs the scope api; that of a job may not comment, so "
                "set GITLAB_TOKEN",
                message,
                key,
            ) from None
        address = os.environ.get("CI_MERGE_REQUEST_PROJECT_URL", "")
        where = f"{address}/-/merge_requests/{number}" if address else f"merge request {number} of project {project}"
        return Written(f"{where}#note_{written['id']}", comment.left_out)
