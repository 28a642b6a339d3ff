"""``ragauge mcp``: score, explain, compare, report and metrics for coding agents, by the Model Context Protocol."""

from __future__ import annotations

import json
import signal
from contextlib import ExitStack
from functools import partial
from typing import Any

import rich_click as click

from ragauge._version import __version__
from ragauge.core.loading import require

_INSTRUCTIONS = (
    "ragauge measures RAG systems and generated text, in any language, without a language model unless one is named. "
    "score gives numbers with intervals, explain says why a sample has its score, compare says whether a change "
    "helped, report writes a page for people, metrics lists what can be measured. Arguments are the options of the "
    "commands of these names; relative paths begin in the folder of the server. Tell people a score with its interval "
    "and with how many samples were scored."
)


@click.command("mcp")
def command() -> None:
    """Serve score, explain, compare, report and metrics to a coding agent, which starts this command itself.

    It speaks the Model Context Protocol over standard input and output, and ends with its input. Relative paths begin
    in this folder, whose ragauge.toml holds for scores. An agent reads what you may read, and writes new runs and
    pages.
    """
    require("ragauge mcp", "mcp", "mcp")
    import anyio

    with ExitStack() as stack:
        # A thread may be in the middle of a score, and nothing is to be kept: a signal ends the process at once.
        for number in (signal.SIGINT, signal.SIGTERM):
            stack.callback(signal.signal, number, signal.signal(number, signal.SIG_DFL))
        anyio.run(_serve)


async def _serve() -> None:
    from anyio import CapacityLimiter, to_thread
    from mcp.server import Server, ServerRequestContext
    from mcp.server.stdio import stdio_server
    from mcp.types import (
        CallToolRequestParams,
        CallToolResult,
        ListToolsResult,
        PaginatedRequestParams,
        TextContent,
        Tool,
        ToolAnnotations,
    )

    from ragauge.cli.agent_calls import call
    from ragauge.cli.agent_tools import TOOLS

    # The folder of the process, its streams and what code may run are of one call at a time.
    one_at_a_time = CapacityLimiter(1)
    listed = [
        Tool(
            name=tool.name,
            description=tool.description,
            input_schema=tool.input_schema,
            output_schema=tool.output_schema,
            annotations=ToolAnnotations(read_only_hint=not tool.writes, destructive_hint=False, open_world_hint=False),
        )
        for tool in TOOLS.values()
    ]

    async def list_tools(_: ServerRequestContext, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: ServerRequestContext, asked: CallToolRequestParams) -> CallToolResult:
        work = partial(call, TOOLS, asked.name, asked.arguments or {}, partial(_advance, context))
        reply, failed = await to_thread.run_sync(work, limiter=one_at_a_time)
        text = TextContent(type="text", text=json.dumps(reply, ensure_ascii=False))
        return CallToolResult(content=[text], structured_content=reply, is_error=failed)

    server = Server(
        "ragauge", version=__version__, instructions=_INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )
    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())


def _advance(context: Any, done: int, total: int) -> None:
    """Tell the client how many samples are done; end the thread of a call that the client has taken back."""
    from anyio import from_thread

    from_thread.check_cancelled()
    from_thread.run(context.session.report_progress, done, total)
