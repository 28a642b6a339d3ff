"""Questions and references that a judge proposes for the passages of a sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from ragauge.core.ingredients import Judge, Reply
from ragauge.errors import OptionError
from ragauge.judges import get
from ragauge.judges.prompts import Data, Prompts, language_of
from ragauge.judges.question import Complaint, ReplyForm, ask_in, members, schema_of
from ragauge.judges.session import Progress, Session
from ragauge.sentences import sentences
from ragauge.testsets.checks import near_duplicates, reasons_against
from ragauge.testsets.sheet import PROPOSED, Sheet

NAME = "questions"
"""Under this name the requests are counted."""
_NOTHING = "nothing in the passage is worth asking"
_NEARLY = "nearly the same question as"
_MOST_TOKENS = 512


def propose(
    sheet: Sheet,
    judge: Judge | str,
    *,
    session: Session | None = None,
    prompts: str | None = None,
    thinking: int = 0,
    progress: Progress | None = None,
) -> Sheet:
    """Have a judge propose a question, a reference and the sentence that supports it, for each passage of a sheet.

    The prompt is in the language of the passage where there is one (English, Chinese, Japanese, Korean, Russian), else
    in English, and asks for a question in the language of the passage. A proposal is dropped where the question copies
    the passage, points at it ("according to the passage"), is in another script, or is nearly the same as an earlier
    one, or where the answer is not grounded in the passage (`ragauge.testsets.checks`). The row of a dropped or failed
    one stays in the sheet without a question, and its ``note`` says why.

    Args:
        sheet: passages, as `draw` returns them. Rows that have a question or a reference already stay as they are.
        judge: the LLM, or its spec: ``chat[url=http://localhost:11434/v1,model=qwen3]``.
        session: its cached replies, and limits on calls and cost; see `ragauge.judges`.
        prompts: a folder with a prompt of your own, ``proposal.LANGUAGE.txt`` or ``proposal.txt``.
        thinking: tokens that the model may take to think before each reply.
        progress: is called with the number of replies, and of questions.

    Returns:
        The sheet with the columns ``supporting_sentence``, ``proposed_by`` (judge and hash of the prompt) and ``note``;
        the sheet as it was where ``session`` only counts (``dry_run``).

    Raises:
        UsageError: the judge cannot be asked.
    """
    chosen = get(judge) if isinstance(judge, str) else judge
    member, *others = members(chosen)
    if others:
        raise OptionError.value("questions", "judge", "one judge, and no jury", str(chosen))
    wording = Prompts(prompts)
    open_rows = [place for place, row in enumerate(sheet.rows) if not (row["question"] or row["reference"])]
    passages = [sheet.rows[place]["passage"] for place in open_rows]
    data = [_data(sheet.rows[place]) for place in open_rows]
    languages = [language_of(sheet.rows[place]["passage"], sheet.rows[place]["language"]) for place in open_rows]
    questions = FORM.questions(wording, languages, data, thinking=thinking)
    with ExitStack() as stack:
        own = stack.enter_context(Session()) if session is None else session
        with own.counting(progress):
            replies = ask_in(own, member, questions, FORM.check(questions, data), metric=NAME)
        if own.dry_run:
            return sheet
    by = f"{chosen} proposal {wording.version([FORM.prompt])}"
    proposals = [_proposal(reply, one, by) for reply, one in zip(replies, data, strict=True)]
    _check(proposals, passages, [sheet.rows[place]["id"] for place in open_rows])
    rows: list[Mapping[str, str]] = [{**dict.fromkeys(PROPOSED, ""), **row} for row in sheet.rows]
    for place, proposal in zip(open_rows, proposals, strict=True):
        rows[place] = {**rows[place], **proposal}
    return sheet.with_rows(rows, _notes(by, replies, proposals))


def _data(row: Mapping[str, str]) -> Data:
    listed = sentences(row["passage"], language=row["language"] or None)
    return {"title": row["source"], "sentences": listed, "count": len(listed)}


def _complaint(data: Data, value: Any) -> Complaint:
    """Return what is wrong with a reply that follows the schema."""
    is_empty = [not value[name].strip() for name in ("question", "answer")]
    if all(is_empty) and value["sentence"] == 0:
        return None
    if any(is_empty):
        return "question and answer must not be blank, unless both are and sentence is 0"
    most = int(str(data["count"]))
    return None if 1 <= value["sentence"] <= most else f"sentence must be a number from 1 to {most}"


FORM = ReplyForm(
    "proposal",
    schema_of(question={"type": "string"}, answer={"type": "string"}, sentence={"type": "integer"}),
    _complaint,
    lambda _data: _MOST_TOKENS,
    lambda _data: {"question": "Who opened the tea house behind the temple?", "answer": "Lin Wan", "sentence": 1},
)


def _proposal(reply: Reply, data: Data, by: str) -> dict[str, str]:
    """Return the columns of a reply; where there is no proposal, ``note`` says why."""
    if not reply.ok:
        return {"note": f"failed: {reply.reason}"}
    question, answer = reply.value["question"].strip(), reply.value["answer"].strip()
    if not question:
        return {"note": f"dropped: {_NOTHING}"}
    supporting = list(data["sentences"])[reply.value["sentence"] - 1]  # type: ignore[arg-type]  # a list of texts
    return {"question": question, "reference": answer, "supporting_sentence": supporting, "proposed_by": by}


def _check(proposals: list[dict[str, str]], passages: Sequence[str], ids: Sequence[str]) -> None:
    """Put a note in the place of each proposal that something speaks against."""
    there = [place for place, one in enumerate(proposals) if "question" in one]
    reasons = reasons_against(
        [proposals[place]["question"] for place in there],
        [proposals[place]["reference"] for place in there],
        [passages[place] for place in there],
    )
    kept = []
    for place, why in zip(there, reasons, strict=True):
        if why:
            proposals[place] = {"note": f"dropped: {why}"}
        else:
            kept.append(place)
    for place, earlier in near_duplicates([proposals[place]["question"] for place in kept]).items():
        proposals[kept[place]] = {"note": f"dropped: {_NEARLY} that of {ids[kept[earlier]]}"}


def _notes(by: str, replies: Sequence[Reply], proposals: Sequence[Mapping[str, str]]) -> list[str]:
    """Return in words how many proposals there are, and how many were dropped or failed, and why."""
    proposed = sum("question" in one for one in proposals)
    notes = [f"{proposed} of {len(proposals)} questions proposed by {by}"]
    words = [one["note"].removeprefix("dropped: ") for one in proposals if one.get("note", "").startswith("dropped: ")]
    reasons = Counter(_NEARLY if one.startswith(_NEARLY) else one.partition(":")[0] for one in words)
    notes += [f"dropped {count}: {why}" for why, count in sorted(reasons.items(), key=lambda item: -item[1])]
    failures = Counter(reply.code for reply in replies if not reply.ok)
    return notes + [f"failed {count}: {code}" for code, count in failures.most_common()]
