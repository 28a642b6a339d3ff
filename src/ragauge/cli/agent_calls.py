"""Calls of coding agents: commands as functions from JSON to JSON, with schemas, errors, and replies of bounded length.

A tool takes those options of its command that an agent may give, under the names of their flags. `ragauge.cli.mcp`
serves the tools of `ragauge.cli.agent_tools`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

import rich_click as click
from click.types import BoolParamType, FloatParamType, IntParamType

from ragauge.cli.faces import flags_of
from ragauge.cli.main import unforeseen
from ragauge.core.messages import Face, wording_of
from ragauge.errors import OptionError, RagaugeError, UnknownNameError, excerpt

if TYPE_CHECKING:
    from ragauge.evaluation.evaluator import Progress

Schema: TypeAlias = Mapping[str, Any]
"""A JSON Schema."""
Reply: TypeAlias = dict[str, Any]
"""JSON types."""
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
MOST = 40_000
"""Characters of a reply: about 10,000 tokens of English, of which an agent may have 200,000 for all of its work."""
_STEPS = ((MOST, MOST), (1000, MOST), (300, 200), (200, 50), (100, 20), (50, 5))
"""Characters of a text and items of a list that are shown, tried in this order until the reply is short enough."""
_PLAIN: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_IN_WORDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array of string": "a list of texts",
    "array of integer": "a list of whole numbers",
    "array of object": "a list of objects",
    "object of string": "an object whose values are texts",
}


@dataclass(frozen=True, kw_only=True)
class AgentTool:
    """A command that an agent may call."""

    command: click.Command
    arguments: Mapping[str, Schema]
    """JSON Schemas of what is not an option of the command: its arguments, and what a command line cannot hold."""
    options: tuple[str, ...] = ()
    """The options that an agent may give: flags without the hyphens before them, as in ``input_format``."""
    required: tuple[str, ...] = ()
    returns: Mapping[str, str]
    """Key of the reply -> what it holds."""
    run: Callable[[click.Context, Reply, Progress | None], Reply]
    """Takes the context of the command, those ``arguments`` that were given, and what to call after each batch.

    Its docstring is what agents read of the tool.
    """
    writes: bool = False

    @property
    def name(self) -> str:
        """The name of the command."""
        return self.command.name or ""

    @property
    def description(self) -> str:
        """What it does and when to call it, in one line."""
        return " ".join((self.run.__doc__ or "").split())

    @property
    def flags(self) -> dict[str, click.Option]:
        """The ``options`` of the command by their names here."""
        options = [one for one in self.command.params if isinstance(one, click.Option)]
        by_flag = {_flag(one).lstrip("-").replace("-", "_"): one for one in options}
        return {name: by_flag[name] for name in self.options}

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of what an agent gives."""
        properties = {**self.arguments, **{name: _schema(option) for name, option in self.flags.items()}}
        required = {"required": list(self.required)} if self.required else {}
        return {"type": "object", "properties": properties, **required, "additionalProperties": False}

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON Schema of the reply, also of one that is an error."""
        of_all = {
            "cut": "what was left out, because an agent reads at most so much",
            "error": "why the call failed, and what to do",
            "codes": "the codes of the error, which the page of messages explains",
        }
        described = {name: {"description": text} for name, text in {**self.returns, **of_all}.items()}
        return {"type": "object", "properties": described}


def _flag(option: click.Option) -> str:
    return max(option.opts, key=len)


def _schema(option: click.Option) -> Schema:
    """Return the JSON Schema of the value of an option, described by its help."""
    described: dict[str, Any] = {"description": option.help or ""}
    if option.show_default and isinstance(option.default, (str, int, float)):
        described["default"] = option.default
    if option.multiple and "=" in (option.metavar or ""):
        return {"type": "object", "additionalProperties": TEXT, **described}
    kinds = {IntParamType: "integer", FloatParamType: "number", BoolParamType: "boolean"}
    kind = next((kind for cls, kind in kinds.items() if isinstance(option.type, cls)), "string")
    one: dict[str, Any] = {"type": kind}
    if isinstance(option.type, click.Choice):
        one["enum"] = list(option.type.choices)
    return {**({"type": "array", "items": one} if option.multiple else one), **described}


def call(
    tools: Mapping[str, AgentTool], name: str, given: Mapping[str, Any], progress: Progress | None = None
) -> tuple[Reply, bool]:
    """Return the reply of the tool called ``name``, and whether it is an error.

    An error has ``error``, which says what was given, what is allowed and what to do, and ``codes``. No exception of a
    tool passes, but for what ends the process or the call.

    >>> call({}, "score", {})
    ({'error': "unknown tool 'score'", 'codes': ['RG-NAME-001']}, True)
    """
    face, codes = Face(), list[str]()
    try:
        tool = _found(tools, name)
        face = Face(flags=flags_of(tool.command))
        return fitted(_called(tool, given, progress)), False
    except RagaugeError as error:
        text, codes = wording_of(error.message, face), list(error.codes)
    except click.ClickException as error:
        text = error.format_message()
    except OSError as error:
        text = excerpt(str(error), 400)
    except Exception as error:  # noqa: BLE001 - an agent gets no traceback
        text = unforeseen(error)
    return fitted({"error": text, "codes": codes}), True


def _found(tools: Mapping[str, AgentTool], name: str) -> AgentTool:
    if name not in tools:
        raise UnknownNameError.of("tool", name, tools)
    return tools[name]


def _called(tool: AgentTool, given: Mapping[str, Any], progress: Progress | None) -> Reply:
    # Agents write null for what they do not give.
    arguments = {name: value for name, value in given.items() if value is not None}
    properties = tool.input_schema["properties"]
    for name, value in arguments.items():
        if name not in properties:
            raise OptionError.unknown(tool.name, name, tuple(properties))
        if not _is_of(properties[name], value):
            raise OptionError.value(tool.name, name, _in_words(properties[name]), value)
    for name in tool.required:
        if name not in arguments:
            raise OptionError.missing(tool.name, name, _in_words(properties[name]))
    # Click keeps the first help option that it makes for a command: one of here would lack the -h of the command line.
    context = tool.command.make_context(tool.name, list(_words(tool, arguments)), help_option_names=[])
    return tool.run(context, {name: arguments[name] for name in tool.arguments if name in arguments}, progress)


def _inner(schema: Schema) -> Schema | None:
    """Return the schema of what is in a value: the items of a list, the values of an object."""
    inner = schema.get("items", schema.get("additionalProperties"))
    return inner if isinstance(inner, Mapping) else None


def _is_of(schema: Schema, value: object) -> bool:
    """Return whether a value has the type of a schema, and so all that is in it."""
    kind, inner = schema["type"], _inner(schema)
    if not isinstance(value, _PLAIN[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return False
    parts = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return inner is None or all(_is_of(inner, part) for part in parts)


def _in_words(schema: Schema) -> str:
    inner = _inner(schema)
    return _IN_WORDS[schema["type"] if inner is None else f"{schema['type']} of {inner['type']}"]


def _words(tool: AgentTool, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words of the command line that gives ``arguments`` to the command of a tool."""
    for name, option in tool.flags.items():
        flag, value = _flag(option), arguments.get(name)
        if option.is_flag:
            yield from [flag] if value else []
        elif isinstance(value, dict):
            yield from (f"{flag}={key}={text}" for key, text in value.items())
        elif value is not None:
            yield from (f"{flag}={one}" for one in (value if isinstance(value, list) else [value]))
    yield "--"
    for parameter in tool.command.params:
        if isinstance(parameter, click.Argument) and parameter.name in arguments:
            value = arguments[parameter.name]
            yield from value if isinstance(value, list) else [value]


def fitted(reply: Reply) -> Reply:
    """Return a reply of at most `MOST` characters: long texts and lists are cut, and what was left out is told.

    >>> short = fitted({"answer": "tea " * 20_000, "ids": ["q1"]})
    >>> short["answer"][-40:], short["cut"], short["ids"]
    ('tea tea ... (79,000 more characters)', ['answer: 1,000 of 80,000 characters'], ['q1'])
    """
    shown: Reply = {}
    for longest, most in _STEPS:
        cuts: list[str] = []
        shown = {name: _cut(value, longest, most, name, cuts) for name, value in reply.items()}
        if cuts:
            shown["cut"] = [*cuts[:_CUTS], *([f"{len(cuts) - _CUTS:,} more"] if len(cuts) > _CUTS else [])]
        if len(json.dumps(shown, ensure_ascii=False)) <= MOST:
            break
    return shown


_CUTS = 10
"""Places that a reply names, of those that were cut."""


def _cut(value: Any, longest: int, most: int, place: str, cuts: list[str]) -> Any:
    """Return a value of JSON with its long texts and lists cut; ``cuts`` gets a line for each of them."""
    if isinstance(value, str):
        # JSON has no half characters.
        text = value.encode("utf-8", "backslashreplace").decode()
        if len(text) <= longest:
            return text
        cuts.append(f"{place}: {longest:,} of {len(text):,} characters")
        return f"{text[:longest]}... ({len(text) - longest:,} more characters)"
    if isinstance(value, Mapping):
        return {_cut(name, longest, most, place, []): _cut(one, longest, most, f"{place}.{name}", cuts)
                for name, one in value.items()}  # fmt: skip
    if isinstance(value, (list, tuple)):
        if len(value) > most:
            cuts.append(f"{place}: the first {most:,} of {len(value):,}")
        return [_cut(one, longest, most, f"{place}[{number}]", cuts) for number, one in enumerate(value[:most])]
    return None if isinstance(value, float) and not isfinite(value) else value
