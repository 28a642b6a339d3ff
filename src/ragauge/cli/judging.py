"""The options of commands that name a judge, cache its replies, and limit its cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from ragauge.cli.faces import flags_of
from ragauge.core.messages import Counted, Message
from ragauge.errors import UsageError

if TYPE_CHECKING:
    from ragauge.judges.session import Session

Command = TypeVar("Command", bound=Callable[..., Any])
CACHE = Path(".ragauge") / "judge.sqlite"
"""The default judge cache: paid replies are not lost."""
_UNLISTED = "no price of this model at this server is listed: give --price-in and --price-out"
_OPTIONS = (
    click.option("--judge", metavar="URL", help="Ask this LLM: its address without /chat/completions, or chat[...]."),
    click.option("--judge-model", metavar="NAME", help="The name of its model."),
    click.option(
        "--judge-protocol",
        type=click.Choice(("chat", "decisions", "systemone")),
        help="How it is asked; default: as its address ends, else chat.",
    ),
    click.option("--judge-key-file", metavar="FILE", help="Holds its API key; default: RAGAUGE_JUDGE_API_KEY."),
    click.option(
        "--judge-parallel", type=click.IntRange(1, 1024), metavar="N", help="Requests at the same time; default 64."
    ),
    click.option(
        "--judge-timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="S",
        help="Seconds to wait for a reply; default 120.",
    ),
    click.option("--judge-extra", metavar="FILE", help="Fields and headers that requests to it have besides, in JSON."),
    click.option("--judge-cache", metavar="FILE", help=f"Caches its replies; default {CACHE}; none: no cache."),
    click.option(
        "--judge-batch",
        is_flag=True,
        help="Send requests in batches: answers within a day, at half the price; again to go on.",
    ),
    click.option("--offline", is_flag=True, help="Use cached replies only, and ask nothing."),
    click.option("--dry-run", is_flag=True, help="Count requests, tokens and cost, and ask nothing."),
    click.option("--max-calls", type=click.IntRange(min=0), metavar="N", help="Send at most N requests."),
    click.option("--max-cost", type=click.FloatRange(min=0), metavar="X", help="Spend at most X."),
    click.option("--price-in", type=click.FloatRange(min=0), metavar="X", help="Price of a million tokens sent."),
    click.option("--price-out", type=click.FloatRange(min=0), metavar="X", help="Price of a million tokens received."),
)
UNNAMED = "NAME"
"""The model of a server until it is known."""
NAMES = (
    "judge_model", "judge_protocol", "judge_key_file", "judge_parallel", "judge_timeout", "judge_extra", "judge_cache",
    "judge_batch", "offline", "dry_run", "max_calls", "max_cost", "price_in", "price_out",
)  # fmt: skip
"""The parameters beside ``judge``."""
JUDGE_FLAGS = tuple([f"--{name.replace('_', '-')}" for name in ("judge", *NAMES)])


def judge_options(command: Command) -> Command:
    """Add the options of a judge to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def judge_text(parameters: Mapping[str, Any], model_at: Callable[[str], str] = lambda _: "") -> str | None:
    """Return the judge that the options ask for as a spec; None where they ask for none.

    ``model_at``: the model where none is named, of the spec of a judge without one; empty for none: UsageError.

    >>> judge_text({"judge": "http://localhost:11434/v1", "judge_model": "qwen3"})
    'chat[url=http://localhost:11434/v1,model=qwen3]'
    """
    from ragauge.endpoints.address import check_scheme, is_address
    from ragauge.judges.address import judge_at

    judge = parameters["judge"]
    own = {
        name: f"judge_{name.replace('-', '_')}"
        for name in ("model", "protocol", "key-file", "parallel", "timeout", "extra")
    }
    options = {key: parameters.get(name) for key, name in own.items() if parameters.get(name) is not None}
    if judge is not None:
        check_scheme(judge)
    if judge is None or not is_address(judge):
        spec = None if judge is None else _spec(judge)
        if options:
            flags = ", ".join(f"--{own[key].replace('_', '-')}" for key in options)
            without = (
                Message("there is no --judge")
                if judge is None
                else Message("--judge {judge} has options of its own, in brackets", judge)
            )
            raise UsageError("RG-CLI-024 {flags} goes with --judge URL; {without}", flags, without)
        return spec
    named = {name.replace("-", "_"): value for name, value in options.items()}
    written = judge_at(judge, named)
    if written is None and (model := model_at(judge_at(judge, {**named, "model": UNNAMED}) or "")):
        written = judge_at(judge, {**named, "model": model})
    if written is None:
        raise UsageError("RG-CLI-021 --judge URL needs --judge-model NAME, the name that the server has for its model")
    return written


def _may_look(options: Mapping[str, Any]) -> bool:
    """Return whether a server may be asked which model it has: whether this run may send it requests at all."""
    without_price = options["max_cost"] is not None and None in (options["price_in"], options["price_out"])
    return not (options["dry_run"] or options["offline"] or options["max_calls"] == 0 or without_price)


def _only_model(address: str, judge: str) -> str:
    """Return the only model of the server of a judge; empty where it does not say. UsageError where it has several."""
    from ragauge.cli.output import say
    from ragauge.endpoints.models import only_model
    from ragauge.judges import get
    from ragauge.judges.served import ServedJudge

    served = get(judge)
    if not isinstance(served, ServedJudge):
        return ""
    return only_model(served.endpoint(), lambda name: f"--judge {quote(address)} --judge-model {quote(name)}", say)


def embedder_at(embedder: str | None, *, look: bool = True) -> str | None:
    """Return an embedder as it is; for the address of a server, with its only embedding model, where it says so.

    ``look``: whether the server may be asked. UsageError where it has several such models.

    >>> embedder_at("blend"), embedder_at("http://localhost:11434/v1", look=False)
    ('blend', 'http://localhost:11434/v1')
    """
    from ragauge.endpoints.address import is_address

    if embedder is None or not look or not is_address(embedder) or "[" in embedder:
        return embedder
    from ragauge.cli.output import say
    from ragauge.core.spec import quoted
    from ragauge.embedders.http import Http
    from ragauge.endpoints.models import only_model

    def written(name: str) -> str:
        return f"http[url={quoted(embedder)},model={quoted(name)}]"

    endpoint = Http(url=embedder, model=UNNAMED).endpoint()
    model = only_model(endpoint, lambda name: f"--embedder {quote(written(name))}", say, embeds=True)
    return written(model) if model else embedder


def _spec(judge: str) -> str:
    """Return the spec of a judge; UsageError with what is allowed, where there is no judge of that name."""
    from ragauge.core.loading import is_in_code
    from ragauge.core.registry import lookup
    from ragauge.errors import UnknownNameError

    if is_in_code(judge):
        return judge
    try:
        lookup("judge", judge.strip().partition("[")[0])
    except UnknownNameError:
        raise UsageError(
            "RG-CLI-025 --judge must be the URL of a server, as in http://localhost:11434/v1 with --judge-model "
            "NAME, chat[...] or jury[...], or a function, as in app.py:ask; got {judge!r}",
            judge,
        ) from None
    return judge


def judge_flags_typed() -> list[str]:
    """Return the flags of a judge that the command line has, and not a file of settings."""
    context = get_current_context()
    typed = [name for name in ("judge", *NAMES) if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    return [flags_of(context.command)[name] for name in typed]


def refuse_dry_run(options: Mapping[str, Any]) -> None:
    """Raise UsageError where a command that needs scores is asked for a dry run."""
    if options["dry_run"]:
        raise UsageError("RG-CLI-041 --dry-run belongs to ragauge score: give it the same -m and --judge")


@contextmanager
def judging(options: dict[str, Any]) -> Iterator[Session | None]:
    """Take the options of a judge out of ``options``, put ``judge`` and ``session`` in, and yield the session."""
    from ragauge.cli.output import say
    from ragauge.judges.budget import Price
    from ragauge.judges.session import Session

    text = judge_text(options, partial(_only_model, options["judge"]) if _may_look(options) else lambda _: "")
    own = {name: options.pop(name) for name in NAMES}
    options["judge"] = text
    prices = [own["price_in"], own["price_out"]]
    if prices[1] is None and (text or "").startswith("decisions["):
        # It writes nothing.
        prices[1] = None if prices[0] is None else 0.0
    if (prices[0] is None) != (prices[1] is None):
        raise UsageError(
            "RG-CLI-022 --price-in and --price-out go together: give the price of a million tokens of each"
        )
    cache = None if Path(own["judge_cache"] or "").name == "none" else Path(own["judge_cache"] or CACHE)
    if own["dry_run"] and cache is not None and not cache.exists():
        cache = None
    if own["offline"] and (cache is None or not cache.exists()):
        raise UsageError("RG-CLI-023 --offline needs a judge cache; {cache} is not there", cache or "none")
    limits = {name: own[name] for name in ("offline", "dry_run", "max_calls", "max_cost")}
    price = None if prices[0] is None else Price(prices[0], prices[1])
    if cache == CACHE:
        _ignored_by_git(cache.parent)
    with Session(cache, price=price, batch=own["judge_batch"], **limits) as session:
        options["session"] = session
        try:
            yield session
        except KeyboardInterrupt:
            if cache is not None and not own["dry_run"]:
                replies = Counted(session.tally.total.calls, "new reply", "new replies")
                say(Message("{replies} cached in {file}; give the same command to resume", replies, cache))
            raise


def _ignored_by_git(folder: Path) -> None:
    """Keep texts of users out of commits."""
    if not folder.exists():
        folder.mkdir()
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def write_plan(session: Session, form: str) -> None:
    """Write what a dry run would send: requests, tokens and cost of each prompt of each metric."""
    from ragauge.cli.output import write_csv, write_json

    rows = session.counts
    if form == "json":
        write_json({"dry_run": rows})
    elif form == "csv":
        write_csv(list(rows[-1]), rows)
    else:
        _write_table(rows, form)


def _write_table(rows: list[dict[str, Any]], form: str) -> None:
    from ragauge.cli.output import say, write_blocks
    from ragauge.display.table import Table, TableColumn, TableRow

    columns = [TableColumn(name.replace("_", " "), "name" if name == "metric" else "text") for name in rows[-1]]
    shown = [TableRow(tuple(map(_text, row.values()))) for row in rows]
    write_blocks([Table("dry run", tuple(columns), tuple(shown))], form)
    say("nothing was sent. Tokens are estimated, and replies taken at their longest, so a run costs less.")
    if rows[-1]["cost"] is None:
        listed = find_spec("genai_prices") is not None
        say(_UNLISTED if listed else "no price is known: give --price-in and --price-out, or install ragauge[prices]")


def _text(value: Any) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
