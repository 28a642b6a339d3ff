"""Count the files and functions that are entered from data to a score, beside two peers.

``python benchmarks/entered.py`` prints a table; with an argument, only the cases that have it in their title. Each case
runs once before it is counted, so that imports do not count. The judge is a server of this script.
Generator expressions, lambdas and comprehensions count as functions, those of one function once. Python 3.12 and newer
run comprehensions inline, so compare numbers of Python 3.11.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from types import CodeType, FrameType
from typing import Any

import ragauge
from ragauge.cli.main import main

ROWS = [
    {
        "id": f"q{number}",
        "question": "When did the tea house open?",
        "answer": "The tea house opened in 1990. It has a garden.",
        "references": ["The tea house by the river opened in 1990."],
        "contexts": ["The tea house by the river opened in 1990.", "The garden is behind the mill."],
        "retrieved": ["d1", "d2", "d3"],
        "relevance": {"d1": number % 2, "d3": 1},
    }
    for number in range(1, 13)
]


def entered(run: Callable[[], object], package: str) -> tuple[int, int]:
    """Return how many files and functions of ``package`` are entered by ``run``."""
    run()
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    own = {(code.co_filename, code.co_qualname) for code in codes if f"/{package}/" in code.co_filename}
    return len({file for file, _ in own}), len(own)


def write(folder: Path) -> None:
    """Write the rows as JSON lines and as CSV."""
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(
            {name: json.dumps(value) if isinstance(value, list | dict) else value for name, value in row.items()}
            for row in ROWS
        )
    run = "".join(
        f"{row['id']} Q0 {doc} {rank} {9 - rank} x\n" for row in ROWS for rank, doc in enumerate(["d1", "d2"])
    )
    qrels = "".join(f"{row['id']} 0 {doc} {grade}\n" for row in ROWS for doc, grade in row["relevance"].items())
    (folder / "run.trec").write_text(run, encoding="utf-8")
    (folder / "qrels.txt").write_text(qrels, encoding="utf-8")


def command(*arguments: str) -> Callable[[], None]:
    """Return a call of the command line that prints nowhere."""

    def run() -> None:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SystemExit):
            main(list(arguments))

    return run


class Judge(BaseHTTPRequestHandler):
    """Supports each of the two claims of an answer by the first passage."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Reply the same to every question."""
        self.rfile.read(int(self.headers["Content-Length"]))
        claims = [{"claim": number, "reason": "It says so.", "passages": [1]} for number in (1, 2)]
        message = {"role": "assistant", "content": json.dumps({"claims": claims})}
        content = json.dumps({"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Print no line for each request."""


@contextmanager
def judge_server() -> Iterator[str]:
    """Yield the address of a judge that is there meanwhile."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Judge) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


def judged() -> object:
    """Score judged-faithfulness with a judge that is asked each time."""
    with judge_server() as address:
        judge = ("--judge", address, "--judge-model", "m", "--judge-cache", "none")
        return command("score", "answers.jsonl", "-m", "judged-faithfulness", *judge)()


def ir_measures() -> object:
    """Score nDCG@10 of a TREC run from files with ir_measures."""
    import ir_measures as library

    qrels, run = library.read_trec_qrels("qrels.txt"), library.read_trec_run("run.trec")
    return library.calc_aggregate([library.nDCG @ 10], qrels, run)


def corpus_bleu() -> object:
    """Score BLEU of a list of strings with sacrebleu."""
    import sacrebleu

    return str(sacrebleu.corpus_bleu([row["answer"] for row in ROWS], [[row["references"][0] for row in ROWS]]))


CASES: dict[str, tuple[str, Callable[[], object]]] = {
    "`ragauge score answers.csv -m ndcg@10`": ("ragauge", command("score", "answers.csv", "-m", "ndcg@10")),
    "`ragauge score answers.csv -m rouge-l`, with its interval": (
        "ragauge",
        command("score", "answers.csv", "-m", "rouge-l"),
    ),
    "`ragauge score answers.jsonl -m groundedness -o runs/today`, with its evidence": (
        "ragauge",
        command("score", "answers.jsonl", "-m", "groundedness", "-o", "run", "--force"),
    ),
    "`ragauge score answers.jsonl -m judged-faithfulness --judge URL`, with its questions": ("ragauge", judged),
    '`ragauge.score("ndcg@10", ...)`': (
        "ragauge",
        lambda: ragauge.score("ndcg@10", retrieved=["d1", "d2"], relevance={"d2": 1}),
    ),
    "`ir_measures.calc_aggregate([nDCG @ 10], qrels, run)`": ("ir_measures", ir_measures),
    "`sacrebleu.corpus_bleu(answers, references)`": ("sacrebleu", corpus_bleu),
}

if __name__ == "__main__":
    with TemporaryDirectory() as scratch, chdir(scratch):
        write(Path(scratch))
        sys.stdout.write("| what runs | files | functions |\n|---|---:|---:|\n")
        for title, (package, run) in CASES.items():
            if not any(part in title for part in sys.argv[1:] or [""]):
                continue
            try:
                files, functions = entered(run, package)
            except ImportError:
                sys.stderr.write(f"{package} is not installed: {title} is left out\n")
            else:
                sys.stdout.write(f"| {title} | {files} | {functions} |\n")
