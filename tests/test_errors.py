"""Text from outside in messages: bounded, in one line, without secrets, in linear time, and by one function only."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from ragauge.errors import UsageError, excerpt, masked

PACKAGE = Path(__file__).parents[1] / "src" / "ragauge"
ADDRESSES = [
    ("http://me:tiger@host/v1", "http://***@host/v1"),
    ("http://tiger@host, then", "http://***@host, then"),
    ("http://me:a/tiger@host/v1", "http://***@host/v1"),
    ("'https://host/v1?api-version=1&key=tiger'", "'https://host/v1?***'"),
    ("https://host/v1?a=1;key=tiger; look", "https://host/v1?***; look"),
    ("https://host/v1#key=tiger", "https://host/v1#***"),
    ("chat[url=http://host?key=tiger,model=m]", "chat[url=http://host?***,model=m]"),
    ("with url: /v1/models?key=tiger (Caused by", "with url: /v1/models?*** (Caused by"),
    ("host/v1?key=tiger", "host/v1?***"),
]
PLAIN = ["who is me@host?", "http://host:80/v1", "what?a=b", "1/2 or 3?", "C# and/or F#", "a/b@c"]


@pytest.mark.parametrize(("text", "expected"), ADDRESSES)
def test_secrets_of_addresses_are_masked(text: str, expected: str) -> None:
    assert masked(text) == masked(expected) == str(UsageError(text)) == expected


@pytest.mark.parametrize("text", PLAIN)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    "part", ["://", "http://a.b/c,", "http://a:", "http://a@", "http://a?", "http://a?;", "/?=;", "?/", "@/", "a\n/"]
)
def test_a_long_text_takes_linear_time(part: str) -> None:
    begun = time.process_time()
    excerpt(part * (1_000_000 // len(part)))
    assert time.process_time() - begun < 5


class SilentError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("outside", "expected"),
    [
        (ValueError("at\n  http://me:tiger@host\x00"), "ValueError: at http://***@host\x00"),
        (ValueError(), "ValueError"),
        (SilentError(), "SilentError: its message cannot be read (RuntimeError)"),
        (UnicodeDecodeError("utf-8", b"tiger\xff", 5, 6, "invalid"), "UnicodeDecodeError: 'utf-8' codec can't decode"),
        ("lone \ud800", "lone \\ud800"),
        ("x" * 300, "x" * 200 + "..."),
    ],
)
def test_an_excerpt_is_one_short_line(outside: str | Exception, expected: str) -> None:
    shown = excerpt(outside)
    assert shown.startswith(expected)
    assert len(shown) <= 203
    shown.encode()


class Text(str):
    """A text whose methods fail."""

    __slots__ = ()

    def __contains__(self, _: object) -> bool:
        raise RuntimeError

    strip = split = __len__ = __format__ = __contains__  # type: ignore[assignment]


class TextError(Exception):
    def __str__(self) -> str:
        return Text("a / b")


class Nameless(type):
    __name__ = property(lambda _: 1 / 0)


class NamelessError(Exception, metaclass=Nameless):
    pass


class OpaqueError(Exception):
    def __getattribute__(self, name: str) -> object:
        raise SystemExit(name)


def test_no_code_of_an_exception_is_run_but_for_its_message() -> None:
    # pytest itself cannot show such values.
    assert excerpt(TextError()) == "TextError: a / b"
    assert excerpt(NamelessError("x")) == "NamelessError: x"
    assert excerpt(OpaqueError("x")) == "OpaqueError: x"


def test_half_a_secret_is_not_shown() -> None:
    assert "tig" not in excerpt("x" * 195 + "tiger", hide=lambda text: text.replace("tiger", "***"))


# Rooms and modules that get texts from servers, judges and systems.
OUTSIDE = (
    *("judges/", "endpoints/", "embedders/http.py", "grounding/relevance/http.py"),
    *("systems/calling.py", "writers/one_comment.py"),
)
# Modules that take anything else of an error, and why that is harmless.
OTHERWISE = {
    "cli/cluster.py": "the lines of an error of a cluster, of which one goes through `excerpt`",
    "cli/main.py": "the text of an unforeseen error with its notes, which goes through `excerpt`",
    "core/loading.py": "the reason of a module that cannot be imported, which goes through `excerpt`",
    "endpoints/connections.py": "the error within another one, and not its text",
    "errors.py": "here `excerpt` is; and what the operating system says of a file, as `reason_of`",
    "formats/broken_json.py": "the word at which the decoder of Python stopped, which goes through `excerpt`",
    "formats/json_text.py": "what the decoder of Python says, in Python's own words without the text",
    "formats/csv.py": "the first argument of an error that the module itself has raised: a message",
    "formats/fields.py": "one byte or half a character of a text that is not Unicode",
    "formats/json.py": "one byte of a text that is not UTF-8",
    "metrics/_read_sample.py": "the key that a function of the user asked for, where it names a column",
    "testsets/corpus.py": "the first argument of an error that the module itself has raised: a message",
}
# Functions that cut and mask: `excerpt`, and it with the API key of an endpoint.
SAFE = {"excerpt", "shown"}
# Calls that make a text of an error, or a message with it.
SHOWN = re.compile(r"^(str|repr|format)$|(Error|Message|Problem|Unusable)$")


@cache
def trees() -> dict[str, ast.Module]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def own_classes() -> set[str]:
    """Return the classes of the package: the messages of such errors are our own."""
    return {node.name for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def caught(handler: ast.ExceptHandler) -> set[str]:
    """Return the names of the classes that a handler catches."""
    return {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)} if handler.type else set()


def names_of(call: ast.Call) -> str:
    """Return the last name of what is called: ``of`` of ``DataError.of``."""
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def scopes(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Yield the name of each error that is not our own, and the handler or the function that has it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.name is not None and not caught(node) <= own_classes():
            yield node.name, node
        for one in node.args.args if isinstance(node, ast.FunctionDef) else ():
            kind = ast.unparse(one.annotation) if one.annotation else ""
            if kind.endswith(("Error", "Exception")) and kind not in own_classes():
                yield one.arg, node


def texts_of_errors(tree: ast.Module) -> Iterator[int]:
    """Yield the lines where the text of an error that is not our own goes anywhere but to `excerpt`."""
    for name, scope in scopes(tree):
        calls = [node for node in ast.walk(scope) if isinstance(node, ast.Call)]
        # A comparison shows nothing.
        shown = [argument for call in calls if names_of(call) in SAFE for argument in call.args]
        shown += [node for node in ast.walk(scope) if isinstance(node, ast.Compare)]
        safe = {id(inner) for node in shown for inner in ast.walk(node)}
        for node in ast.walk(scope):
            parts: list[ast.expr] = []
            if isinstance(node, ast.FormattedValue):
                parts = [node.value]
            elif isinstance(node, ast.Call) and SHOWN.search(names_of(node)):
                parts = node.args
            elif isinstance(node, ast.Attribute) and node.attr in ("args", "object", "doc", "msg"):
                parts = [node.value]
            for part in parts:
                if isinstance(part, ast.Name) and part.id == name and id(part) not in safe:
                    yield part.lineno


def test_the_text_of_an_error_is_shown_by_one_function() -> None:
    found = {name: list(texts_of_errors(tree)) for name, tree in trees().items()}
    shown = {name: lines for name, lines in found.items() if lines}
    assert {name: lines for name, lines in shown.items() if name not in OTHERWISE} == {}
    assert sorted(set(OTHERWISE) - set(shown)) == [], "gone: take it off the list"


def test_the_body_of_an_answer_becomes_text_in_one_place() -> None:
    decodes = [
        name
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if name.startswith(OUTSIDE)
        and isinstance(node, ast.Call)
        and ast.unparse(node).endswith((".decode('utf-8', 'replace')", ".decode('utf-8')"))
    ]
    # A stream is read line by line. A judge cache is a file on this machine, whose texts may be damaged.
    assert decodes == ["endpoints/endpoint.py", "endpoints/streams.py", "judges/cache.py"]


@pytest.mark.parametrize(
    "line",
    [
        *("f'{error}'", "f'{error!r}'", "str(error)", "repr(error)", "error.args", "print(f'{str(error)}')"),
        *("raise DataError('{why}', error)", "Message('{why}', error)", "' '.join(str(error).split())[:9]"),
    ],
)
def test_another_way_is_seen(line: str) -> None:
    source = f"try:\n    x()\nexcept ValueError as error:\n    {line}\n"
    assert list(texts_of_errors(ast.parse(source))) == [4]
    assert list(texts_of_errors(ast.parse(source.replace("ValueError", "Refused")))) == []
    assert list(texts_of_errors(ast.parse(f"def x(error: ValueError):\n    {line}\n"))) == [2]


@pytest.mark.parametrize("line", ["excerpt(error)", "excerpt(str(error), 400)", "'x' in str(error)"])
def test_what_cuts_and_what_only_looks_are_let_through(line: str) -> None:
    assert list(texts_of_errors(ast.parse(f"def x(error: ValueError):\n    {line}\n"))) == []
