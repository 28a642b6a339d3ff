"""What the help of a command shows: first how it is called, and options that few people need on request only."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import rich_click as click

from ragauge.cli.faces import face
from ragauge.cli.judging import JUDGE_FLAGS
from ragauge.core.messages import own_words

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "demo": ("ragauge demo",),
    "init": ("ragauge init", "ragauge init answers.jsonl"),
    "questions": ("ragauge questions docs/ -o questions.csv",),
    "metrics": ("ragauge metrics", "ragauge metrics ndcg"),
    "doctor": ("ragauge doctor",),
    "score": (
        "ragauge score answers.jsonl -o runs/today",
        "ragauge score answers.csv -m groundedness -m ndcg@10 --by language",
        "ragauge score answers.jsonl --map answer=reply --per-sample scores.csv",
    ),
    "ask": ("ragauge ask questions.jsonl --system my_rag.py:answer -o runs/today",),
    "explain": ("ragauge explain runs/today", "ragauge explain runs/today --id q7"),
    "report": ("ragauge report runs/today --open", "ragauge report runs/main runs/branch -o compared.html"),
    "view": ("ragauge view runs --open",),
    "compare": (
        "ragauge compare runs/main runs/branch --worst 5",
        "ragauge compare runs/main runs/branch -m recall@10 --by language",
    ),
    "repeats": ("ragauge repeats runs/today", "ragauge repeats runs/today --by question -m token-f1 --passing 0.8"),
    "history": ("ragauge history runs", "ragauge history runs --by tag --baseline release"),
    "exclude": ("ragauge exclude runs/today --id q7 --why duplicate",),
    "export": ("ragauge export runs/today --to 'xlsx[path=run.xlsx]'",),
    "gate": (
        "ragauge gate runs/today --min groundedness=0.8",
        "ragauge gate runs/today --baseline runs/main --max-drop recall@10=0.02 --confident",
    ),
    "validate": ("ragauge validate judged.jsonl --human correct",),
    "calibrate": ("ragauge calibrate judged.jsonl --human correct -o thresholds.json",),
    "judgements": ("ragauge judgements qrels.txt judged.txt runs/bm25.run runs/dense.run",),
    "power": ("ragauge power runs/main --difference 0.03", "ragauge power runs/main runs/branch --difference 0.02"),
    "audit": ("ragauge audit --n 10 --value 1.0 --claim 0.7",),
    "tokenize": ("ragauge tokenize answers.txt",),
    "fit-idf": ("ragauge fit-idf corpus.jsonl -o idf.json",),
    "judge-cache": ("ragauge judge-cache judge.sqlite",),
    "mcp": ("ragauge mcp",),
}
"""Command -> calls of it, the most usual first."""


RARE = frozenset(JUDGE_FLAGS[2:]) | {
    "--alpha", "--ci", "--cluster", "--config", "--correction", "--duplicates", "--embedder", "--embedding-cache",
    "--encoding", "--engine", "--input-format", "--interval", "--limit", "--master", "--matcher", "--min-coverage",
    "--on", "--per-sample", "--prompts", "--rate", "--relevance", "--resamples", "--resume", "--retries", "--seed",
    "--split", "--strict", "--support", "--system-body", "--system-headers", "--system-model", "--tag", "--test",
    "--thinking", "--timeout", "--tokenizer", "--trials", "--turns", "--until", "--width", "--workers",
}  # fmt: skip
"""Options that few people need, whatever the command: where it has several of them, --help leaves them out."""
_SEVERAL = 4
_ALL = "ragauge.cli.examples.all"


def with_examples(command: click.Command, name: str) -> click.Command:
    """Put the examples of ``name`` above the usage in the help of ``command``; rare options are behind --help-all."""
    rare = [option for option in command.params if RARE.intersection(option.opts)]
    whole = [option for option in command.params if "--help-all" in option.opts]
    if not whole:
        shown = "Show this message with all options, also the rare ones, and exit."
        flag = {"is_flag": True, "is_eager": True, "expose_value": False, "allow_from_autoenv": False}
        # A command without rare options takes the flag too: nobody has to know which commands have some.
        flag["hidden"] = len(rare) < _SEVERAL
        command.params.append(click.Option(["--help-all"], callback=_show_all, help=shown, **flag))

    def format_help(context: click.Context, formatter: Any) -> None:
        from rich.padding import Padding
        from rich.text import Text

        lines = [own_words("Examples:", face()), *[f"$ {line}" for line in EXAMPLES[name]]]
        formatter.write(Padding(Text("\n".join(lines)), (1, 1, 0, 1)))
        # The command of the context may be a copy in another language.
        spoken = context.command
        if len(rare) >= _SEVERAL and _ALL not in context.meta:
            context.command = copy(spoken)
            context.command.params = [one for one in spoken.params if one.required or not RARE.intersection(one.opts)]
        type(spoken).format_help(context.command, context, formatter)

    command.format_help = format_help  # type: ignore[method-assign, assignment]
    return command


def _show_all(context: click.Context, _option: click.Parameter, asked: bool) -> None:  # noqa: FBT001 - click's
    if asked:
        context.meta[_ALL] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()
