"""Messages as data: every code once, catalogues that fit their templates, and the same message anywhere."""

import ast
import copy
import json
import pickle
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from string import Formatter
from typing import Any

import pytest
from docs.generator.messages import AREAS, RETIRED, SOURCES, Template, page, templates

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


@cache
def sources() -> list[tuple[str, ast.Module]]:
    """Return each module of the package, parsed once for all tests that read them."""
    paths = sorted(SOURCES.rglob("*.py"))
    return [(path.relative_to(SOURCES).as_posix(), ast.parse(path.read_text("utf-8"))) for path in paths]


def words() -> set[str]:
    """Return the fixed templates of messages without a code."""
    made = [
        str(node.args[0].value)
        for _, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Message", "worded") and node.args
        if isinstance(node.args[0], ast.Constant)
    ]
    return {text for text in made if not text.startswith("RG-") and re.search("[a-z]{2}", re.sub(r"{.*?}", "", text))}


SENTENCE = re.compile(r"(?:^|_)(?:messages?|notes?|problems?|what|why|reasons?|error)$")
LOOKING = {"startswith", "endswith", "find", "index", "removeprefix", "removesuffix", "rpartition"}
MATCHING = {"match", "search", "fullmatch", "findall", "finditer"}


def parsing(tree: ast.Module) -> Iterator[str]:
    """Yield the places that look for a fixed text in what is called a message, a note, a problem or a reason."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            looked_for, text = node.left, node.comparators[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr in LOOKING:
                looked_for, text = node.args[0], node.func.value
            elif node.func.attr in MATCHING and SENTENCE.search(called(node.args[-1])):
                yield ast.unparse(node)
                continue
            else:
                continue
        else:
            continue
        fixed = isinstance(looked_for, ast.JoinedStr | ast.Constant) and re.search("[a-z]{3}", ast.unparse(looked_for))
        if fixed and SENTENCE.search(called(text)):
            yield ast.unparse(node)


def called(node: ast.expr) -> str:
    """Return by which name a text is known: ``error`` of ``str(error)``, ``what`` of ``problem.what``."""
    if isinstance(node, ast.Call):
        return called(node.args[0]) if node.args and ast.unparse(node.func) == "str" else called(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr if node.attr != "args" else called(node.value)
    return called(node.value) if isinstance(node, ast.Subscript) else getattr(node, "id", "")


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


def test_every_code_has_chinese_and_is_explained() -> None:
    codes = {one.code for one in found_templates()}
    assert codes - catalogue("zh").keys() == set()
    assert {key for key in catalogue("zh") if key.startswith("RG-")} - codes == set()
    shown = page()
    assert {code for code in codes if f"`{code}`" not in shown} == set()
    for title, cause, look in [AREAS[area] for area in {code.split("-")[1] for code in codes}]:
        assert f"## {title}\n\n{cause} Look at: {look}." in shown


def test_words_of_messages_have_chinese() -> None:
    """Parts of sentences are found by their English text; what is typed, or names of others, has none."""
    assert [text for text in sorted(words()) if text not in catalogue("zh")] == []


def test_no_module_parses_our_english() -> None:
    """Whoever must know what a message says asks its code or its template; other libraries have texts alone."""
    found = {f"{path}: {line}" for path, tree in sources() for line in parsing(tree)}
    assert found == {
        "core/sqlite.py: 'locked' not in str(error)",
        "formats/json_text.py: 'digits' in str(error)",
        "formats/opening.py: 'Truncated compressed stream' in str(error)",
        "writers/mlflow.py: 'unsupported URI' in str(error)",
        "writers/trackio.py: 'trackio' in str(one.message)",
    }


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
