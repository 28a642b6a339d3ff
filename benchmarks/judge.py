"""How near the judge's client comes to the ideal rate: 2,000 calls, 64 at once, of a server that answers in 200 ms.

python benchmarks/judge.py [--calls 2000] [--parallel 64] [--delay 0.2]

The ideal is calls / parallel * delay. The server is a process of its own, with connections that stay open. The second
line is the same run again, from cached replies.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from ragauge.judges import Question, Session
from ragauge.judges.chat import Chat

SCHEMA = {"type": "object", "properties": {"rating": {"type": "integer"}}, "required": ["rating"]}
ANSWER = {
    "choices": [{"finish_reason": "stop", "message": {"content": '{"rating": 2}'}}],
    "usage": {"prompt_tokens": 400, "completion_tokens": 10},
}
BODY = json.dumps(ANSWER).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)
TEXT = "The tea house opened in 1990. Lin Wan founded it. " * 40


def serve(port: Any, delay: float) -> None:
    """Answer each request after ``delay`` seconds, on connections that stay open."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head.lower().split(b"\r\n")
                [length] = [int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length")]
                await reader.readexactly(length)
                await asyncio.sleep(delay)
                writer.write(HEAD + BODY)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1024)
        port.send(server.sockets[0].getsockname()[1])
        async with server:
            await server.serve_forever()

    asyncio.run(main())


def measured(judge: Chat, questions: list[Question], session: Session) -> tuple[float, float]:
    """Return the seconds of the clock and of the processor that all questions take."""
    begun, used = time.perf_counter(), time.process_time()
    replies = judge.ask(questions, lambda _question, _value: None, session)
    failed = [reply.reason for reply in replies if not reply.ok]
    if failed:
        raise SystemExit(f"{len(failed)} failed: {failed[0]}")
    return time.perf_counter() - begun, time.process_time() - used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--parallel", type=int, default=64)
    parser.add_argument("--delay", type=float, default=0.2)
    options = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs, options.delay), daemon=True)
    server.start()
    judge = Chat(url=f"http://127.0.0.1:{ours.recv()}/v1", model="m", parallel=options.parallel)
    questions = [
        Question(prompt="rating", version="1", messages=(("user", f"{number}: {TEXT}"),), schema=SCHEMA)
        for number in range(options.calls)
    ]
    ideal = options.calls / options.parallel * options.delay
    with tempfile.TemporaryDirectory() as folder:
        for name in ("asked", "cached"):
            with Session(Path(folder) / "judge.sqlite") as session:
                wall, cpu = measured(judge, questions, session)
            share = f", {ideal / wall:.0%} of the ideal rate" if name == "asked" else ""
            print(f"{name}: {options.calls} in {wall:.2f} s (ideal {ideal:.2f} s{share}), {cpu:.2f} s of the processor")
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    server.terminate()


if __name__ == "__main__":
    main()
