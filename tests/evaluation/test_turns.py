"""Conversations: turns as samples, evidence of earlier turns, intervals by conversation, systems that are led."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.errors import ColumnError, DataError, UsageError
from ragauge.evaluation.turns import referring
from ragauge.systems.conversation import Said
from ragauge.systems.http import HttpSystem

DIALOGUES = Path(__file__).parents[2] / "corpora" / "dialogues" / "dialogues.jsonl"
REFERRING = [
    "And when does it close?", "它几点关门？", "それは何時に閉まりますか？", "그것은 몇 시에 닫나요?",
    "А когда он закрывается?",
    "ومتى يغلق هذا المتحف؟", "वह कितने बजे बंद होता है?", "แล้วมันปิดกี่โมง", "Und wann schließt es abends?",
    "Et quand ferme-t-elle le soir ?", "¿Y cuándo cierra ese museo?",
]  # fmt: skip
STANDING = [
    "When does the tea house in Suzhou close?", "苏州的茶馆晚上几点关门？",
    "蘇州の茶館は何時に閉まりますか？", "쑤저우의 찻집은 몇 시에 닫나요?",
    "Когда закрывается чайная в Сучжоу?", "متى يغلق المقهى في سوتشو أبوابه؟", "सूज़ौ का चायघर कितने बजे बंद होता है?",
    "ร้านน้ำชาในซูโจวปิดกี่โมง", "Wann schließt das Teehaus in Suzhou abends?", "Quand ferme la maison de thé de Suzhou ?",
    "¿Cuándo cierra la casa de té de Suzhou?",
]  # fmt: skip


def message(role: str, content: str, **beside: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **beside}


def test_which_questions_refer_to_what_was_said_in_eleven_languages_and_three_others() -> None:
    assert referring(REFERRING) == [True] * 11
    assert referring(STANDING) == [False] * 11
    assert referring(["Πότε;", "Neden?", "Tại sao?"]) == [True] * 3
    assert (
        referring(["Πότε κλείνει το τεϊοποτείο στο Σουτζόου;", "Suzhou'daki çay evi saat kaçta kapanıyor?"])
        == [False] * 2
    )


def test_fifty_dialogues() -> None:
    """What must hold of our dialogues: the second turn refers to the first, whose passage alone supports it."""
    result = ragauge.evaluate(DIALOGUES, "groundedness", turns=True, resamples=0)
    rows = result.to_arrow().to_pylist()
    assert len(rows) == 150
    assert len({row["conversation"] for row in rows}) == 50
    own = [{name: row[name] for name in ("id", "question", "answer", "contexts")} for row in rows]
    alone = ragauge.evaluate(own, "groundedness", resamples=0).scores("groundedness")
    scores = result.scores("groundedness")
    refers = np.array([bool(row["earlier_contexts"]) for row in rows])
    second = np.array([row["turn"] == 2 for row in rows])
    assert (refers == second).mean() > 0.98
    assert (scores[second & refers] > np.nan_to_num(alone[second & refers])).all()
    assert scores[second].mean() > 0.95
    assert np.nanmean(alone[second]) < 0.2
    np.testing.assert_array_equal(scores[~refers], alone[~refers])
    assert (
        "passages of earlier turns count too where a question refers to what was said before: in 51 turns"
        in "\n".join(result.data.notes)
    )


def test_rows_with_a_column_of_conversations_are_as_their_messages() -> None:
    ordered = ragauge.evaluate(DIALOGUES, "groundedness", turns=True, ci=0.9)
    names = ("id", "question", "answer", "contexts", "conversation", "turn")
    rows = [{name: row[name] for name in names} for row in ordered.to_arrow().to_pylist()]
    rows = [{"thread_id" if name == "conversation" else name: own for name, own in row.items()} for row in rows]
    shuffled = [rows[place] for place in np.random.default_rng(3).permutation(len(rows))]
    result = ragauge.evaluate(shuffled, "groundedness", turns=True, ci=0.9)
    assert repr(result.table) == repr(ordered.table)
    assert result.options["cluster"] == "conversation"


def test_intervals_draw_conversations() -> None:
    rows = [
        {
            "conversation": i // 4,
            "turn": i,
            "question": f"Question {i} of a user",
            "answer": "a",
            "right": float(i // 4 % 2),
        }
        for i in range(80)
    ]
    together, apart = (
        ragauge.evaluate(rows, "column:name=right", turns=turns)["column:name=right"] for turns in (True, False)
    )
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_passages_of_tools_and_columns_of_the_whole_conversation() -> None:
    said = [
        message("system", "Be kind."), message("user", "Who runs the mill?"), message("tool", "Anna runs the mill."),
        message("assistant", "Anna runs it."), message("user", "Since when does she?"),
        message("assistant", "Since 2001."),
    ]  # fmt: skip
    result = ragauge.evaluate(
        [{"id": "c", "topic": "mills", "reference": "Since 2001.", "messages": said}],
        "exact-match",
        turns=True,
        by="topic",
    )
    one, two = result.to_arrow().to_pylist()
    assert (one["contexts"], one["references"], two["contexts"]) == (["Anna runs the mill."], None, None)
    assert two["earlier_contexts"] == ["Anna runs the mill."]
    assert (result.table[0].scored, result.table[0].missing, result.table[0].value) == (1, 1, 1.0)
    assert [row["id"] for row in (one, two)] == ["c#1", "c#2"]


def test_messages_in_a_row_are_one_answer_and_those_before_a_tool_none() -> None:
    said = [
        message("user", "店は何時に開く？"), message("assistant", "調べます。"), message("tool", "店は九時に開く。"),
        message("assistant", "九時です。"), message("assistant", "月曜は休みです。"),
    ]  # fmt: skip
    result = ragauge.evaluate([{"id": "c", "messages": said}], "groundedness", turns=True, resamples=0)
    [turn] = result.to_arrow().to_pylist()
    assert (turn["answer"], turn["contexts"]) == ("九時です。\n月曜は休みです。", ["店は九時に開く。"])
    assert not any("unused" in note for note in result.data.notes)


def test_a_saved_run_has_the_same_scores(tmp_path: Path) -> None:
    one = ragauge.evaluate(DIALOGUES, "groundedness", turns=True)
    one.save(tmp_path / "run")
    assert repr(ragauge.evaluate(tmp_path / "run", "groundedness").table) == repr(one.table)


def test_errors() -> None:
    with pytest.raises(ColumnError, match="has no conversations, but the columns id, answer, references"):
        ragauge.evaluate([{"answer": "a", "references": ["a"]}], "bleu", turns=True)
    with pytest.raises(DataError, match="row 1: the turn must be a number; got 'first'"):
        ragauge.evaluate([{"conversation": "c", "turn": "first", "answer": "a"}], "column:name=answer", turns=True)
    twice = [{"conversation": "會話", "turn": turn, "answer": "a"} for turn in (1, 2, 2)]
    with pytest.raises(DataError, match="row 3: turn 2 of 會話 is there twice"):
        ragauge.evaluate(twice, "column:name=turn", turns=True)
    with pytest.raises(UsageError, match="repeats cannot be used with turns"):
        ragauge.evaluate(SCRIPT, "bleu", system=lambda question, history: question, turns=True, repeats=2)
    with pytest.raises(UsageError, match="has no way to know what was said before: give a function with a second"):
        ragauge.evaluate(SCRIPT, "column:name=latency", system=str.upper, turns=True)


SCRIPT = [{"conversation": name, "turn": turn, "question": f"{name}{turn}"} for turn in (2, 1, 3) for name in "ab"]


def answers_of(system: Any, **options: Any) -> dict[str, str]:
    result = ragauge.evaluate(SCRIPT, "column:name=latency", system=system, turns=True, resamples=0, **options)
    return {row["question"]: row["answer"] or row["failure"] for row in result.to_arrow().to_pylist()}


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_function_is_told_what_was_said(concurrency: int) -> None:
    def told(question: str, history: list[dict[str, str]]) -> str:
        return " ".join([*(one["content"] for one in history if one["role"] == "user"), question])

    async def told_all(question: str, messages: list[dict[str, str]]) -> str:
        return " ".join(one["content"] for one in messages if one["role"] == "user")

    for system in (told, told_all):
        said = answers_of(system, concurrency=concurrency)
        assert said["a3"] == "a1 a2 a3"
        assert said["b1"] == "b1"


def test_an_object_with_a_memory_begins_anew_with_each_conversation() -> None:
    class Chat:
        def __init__(self) -> None:
            self.chat_history: list[str] = []

        def reset(self) -> None:
            self.chat_history.clear()

        def chat(self, question: str) -> str:
            self.chat_history.append(question)
            return " ".join(self.chat_history)

    assert answers_of(Chat(), concurrency=2) == {
        f"{name}{turn}": " ".join(f"{name}{one}" for one in range(1, turn + 1)) for name in "ab" for turn in (1, 2, 3)
    }


def test_a_turn_without_an_answer_ends_its_conversation_and_resume_leads_it_again(tmp_path: Path) -> None:
    asked: list[str] = []

    def fails_once(question: str, history: list[dict[str, str]]) -> str:
        asked.append(question)
        if question == "a2" and asked.count("a2") == 1:
            raise ValueError(question)
        return str(len(history))

    file = tmp_path / "answers.jsonl"
    said = answers_of(fails_once, answers=file)
    assert said["a2"] == "ValueError: a2"
    assert said["a3"] == "not asked: an earlier turn of the conversation has no answer"
    assert said["b3"] == "4"
    said = answers_of(fails_once, answers=file, resume=True)
    assert said["a3"] == "4"
    assert asked[-3:] == ["a1", "a2", "a3"]
    assert asked.count("b1") == 1


def test_messages_with_answers_are_a_script_for_a_system() -> None:
    result = ragauge.evaluate(
        str(DIALOGUES), "column:name=latency", turns=True, resamples=0,
        system=lambda question, history: {"answer": f"{question} {len(history)}", "contexts": []}, limit=6,
    )  # fmt: skip
    answers = [row["answer"].split()[-1] for row in result.to_arrow().to_pylist()]
    assert answers == ["0", "2", "4"] * 2


def test_a_server_gets_the_messages() -> None:
    system = HttpSystem(url="http://localhost:1/v1", model="m").in_conversation()
    assert system.places == ("messages",)
    assert json.loads(system.body) == {"model": "m", "messages": "{messages}"}
    own = HttpSystem(url="http://localhost:1", body='{"q": "{question}", "session": "{conversation}"}')
    assert own.in_conversation() is own
    assert Said([message("user", "a"), message("assistant", "b")]).messages("c")[-1] == message("user", "c")


def test_without_turns_a_note_says_what_is_not_scored(tmp_path: Path) -> None:
    """The note counts turns over all blocks, and the error of a metric of passages leads to the option."""
    said = [message("user", "Who runs it?"), message("assistant", "Anna."), message("user", "Since when?")]
    rows = [{"tag": "a", "messages": [*said, message("assistant", "2001.", contexts=["Anna has run it since 2001."])]},
            {"tag": "b", "messages": [*said[:2], said[0], message("tool", "Anna runs it."), said[1]]},
            {"tag": "c", "messages": said[:2]}]  # fmt: skip
    result = ragauge.evaluate(rows, "abstention", resamples=0)
    turns = "messages: the last turn of each conversation is scored, {} earlier turns are not; turns=True scores each"
    within = "messages: 2 conversations have passages in messages, which are read with turns=True only"
    assert result.data.notes[:2] == (turns.format(2), within)
    with pytest.raises(ColumnError) as error:
        ragauge.evaluate(rows, "groundedness")
    assert str(error.value).endswith(f"\n{within}")
    assert "map=" not in str(error.value)
    assert not [note for note in ragauge.evaluate(rows[2:], "abstention").data.notes if "turn" in note]
    many = tmp_path / "many.jsonl"
    chat = [*said, message("assistant", "2001. " * 300)]
    many.write_text("".join(json.dumps({"n": n, "messages": chat}) + "\n" for n in range(2500)), encoding="utf-8")
    many_result = ragauge.evaluate(many, "length-ratio", resamples=0, workers=2, map={"references": "n"})
    assert turns.format("2,500") in many_result.data.notes


def test_rows_without_messages_beside_others_are_named(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "何时？"}, {"role": "assistant", "content": "1990年。"}]
    file = tmp_path / "talks.jsonl"
    file.write_text("".join(json.dumps({"messages": one}) + "\n" for one in (said, [], said, None)), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        ragauge.evaluate(file, "abstention", turns=True)
    assert [line.split(":")[0].strip() for line in str(caught.value).splitlines()[1:]] == ["line 2", "line 4"]
    assert "messages is empty" in str(caught.value)
