"""Messages as data: every code once, catalogues that fit their templates, and the same message anywhere."""

import copy
import json
import pickle
from collections import defaultdict
from functools import cache
from string import Formatter
from typing import Any

import pytest
from docs.generator.messages import AREAS, RETIRED, Template, templates

from ragauge.core.messages import (
    Argument,
    Counted,
    Face,
    Joined,
    Message,
    OptionOf,
    Phrase,
    Spelled,
    catalogue,
    codes_in,
    packed,
    unpacked,
)
from ragauge.errors import DataError, OptionError, UsageError, alternatives, did_you_mean

COMMAND = Face(flags={"force": "--force", "map": "--map", "limit": "--limit"})
CHINESE = Face("zh", COMMAND.flags)
NESTED = Message(
    "RG-X-001 {path}: {n}, {hint}, {option}; pass {force} or {call}",
    "a",
    Counted(1, "row"),
    Joined(["a", Message("b {n}", 2)], ", ", " or "),
    OptionOf("limit", "read"),
    Argument("force", value=True),
    Spelled("Result.save", "ragauge score -o"),
)


@cache
def found_templates() -> list[Template]:
    return list(templates())


def places(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def through_pickle(thing: object) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - our own bytes


def test_a_code_has_one_text() -> None:
    texts = defaultdict(set)
    for one in found_templates():
        texts[one.code].add(one.text)
    assert {code: several for code, several in texts.items() if len(several) > 1} == {}
    assert not texts.keys() & {*RETIRED}


def test_codes_are_of_known_areas() -> None:
    assert {one.code.split("-")[1] for one in found_templates()} <= set(AREAS)
    assert all(len(one.code.split("-")[2]) == 3 for one in found_templates())


def test_chinese_has_the_places_of_english() -> None:
    english = {one.code: one.text for one in found_templates()}
    for key, chinese in catalogue("zh").items():
        text = english[key] if key.startswith("RG-") else key
        assert places(chinese) <= places(text), key


@pytest.mark.parametrize("area", ["ENG", "EVAL"])
def test_an_area_is_whole_in_chinese(area: str) -> None:
    codes = {one.code for one in found_templates() if one.code.split("-")[1] == area}
    assert codes
    assert codes <= catalogue("zh").keys()


@pytest.mark.parametrize("wording", [NESTED, *NESTED.values.values()])
def test_wordings_cross_borders(wording: Phrase) -> None:
    assert through_pickle(wording) == copy.deepcopy(wording) == wording
    if isinstance(wording, Phrase):
        again = unpacked(json.loads(json.dumps(packed(wording))))
        assert type(again) is type(wording)
        assert again == wording
        assert again.wording(COMMAND) == wording.wording(COMMAND)


def test_a_message_is_its_python_wording() -> None:
    assert NESTED == "a: 1 row, a or b 2, option 'limit' of read; pass force=True or Result.save"
    assert NESTED.wording(COMMAND) == "a: 1 row, a or b 2, --limit; pass --force or ragauge score -o"
    assert codes_in(NESTED) == ("RG-X-001",)


def test_errors_say_what_they_said() -> None:
    error = OptionError.value("read", "limit", "a whole number from 1 on", 0)
    assert str(error) == "option 'limit' of read must be a whole number from 1 on; got 0"
    assert error.codes == ("RG-OPT-001",)
    again = through_pickle(error)
    assert (type(again), str(again), again.codes) == (OptionError, str(error), error.codes)
    assert error.message.wording(CHINESE).startswith("--limit 必须是")  # type: ignore[attr-defined]


def test_problems_keep_their_codes() -> None:
    error = DataError.of("a.csv", [Message("RG-X-001 no {what}", "id"), Message("RG-X-002 no answer")])
    assert str(error) == "a.csv: 2 problems\n  no id\n  no answer"
    assert error.codes == ("RG-X-001", "RG-X-002")
    again = through_pickle(error)
    assert again.problems == error.problems
    assert again.codes == error.codes


def test_passwords_are_masked_in_values() -> None:
    error = UsageError("RG-X-001 cannot use {url}; {hint}", "http://me:secret@a.org/v1?key=1", "no")
    assert str(error) == "cannot use http://***@a.org/v1?***; no"
    assert "secret" not in repr(error.message.wording(CHINESE))  # type: ignore[attr-defined]


def test_chinese_has_no_spaces_between_its_signs() -> None:
    hint = did_you_mean("ndgc", ["ndcg", "map"])
    assert hint.wording(CHINESE) == "；是不是 ndcg？"  # type: ignore[attr-defined]
    assert alternatives(["a", "b", "c"]).wording(CHINESE) == "a、b 或 c"
