"""``ragauge tokenize``: print the tokens of a text."""

from __future__ import annotations

import json
import sys
from typing import TextIO

import rich_click as click

from ragauge.cli.terminal import escaping


@click.command("tokenize")
@click.argument("file", type=click.File(encoding="utf-8", errors="strict"), default="-")
@click.option("--tokenizer", default="auto", show_default=True, help="As in a metric: zh, ja, 13a, zh[hmm=false].")
@click.option("--normalize", is_flag=True, help="Print tokens in the form that metrics compare: case and width folded.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True,
              help="text: separated by spaces; json: a list per line.")  # fmt: skip
def command(file: TextIO, tokenizer: str, normalize: bool, output_format: str) -> None:  # noqa: FBT001 - click's call
    """Tokenise each line of FILE (standard input by default); prints one line for each line."""
    from ragauge.errors import DataError
    from ragauge.tokenizers import get
    from ragauge.tokenizers.base import tokens_of

    chosen = get(tokenizer)
    try:
        for line in file:
            tokens = tokens_of(chosen, line.rstrip("\r\n"), normalize=normalize)
            text = json.dumps(tokens, ensure_ascii=False) if output_format == "json" else " ".join(tokens)
            escaping(sys.stdout).write(f"{text}\n")
    except UnicodeDecodeError as error:
        raise DataError(
            "RG-CLI-040 {name}: not UTF-8 at byte {start}; save the file as UTF-8", file.name, error.start + 1
        ) from None
    click.echo(chosen.signature, err=True)
