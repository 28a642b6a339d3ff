"""Peak memory and time of reading OTLP JSON of many traces in one document: ``python benchmarks/spans.py [MEGABYTES]``.

The spans of a trace lie far apart, as in a file that many services wrote at once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

READ = """
import resource, sys
from ragauge.formats import read
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
data = read(sys.argv[1])
rows = sum(len(batch) for batch in data.batches())
print(rows, before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def span(trace: int, name: str, attributes: dict[str, str]) -> str:
    parent = {} if name == "a" else {"parentSpanId": "a"}
    pairs = [{"key": key, "value": {"stringValue": text}} for key, text in attributes.items()]
    return json.dumps({"traceId": f"{trace:032x}", "spanId": name, **parent, "name": name, "attributes": pairs})


def write(path: Path, megabytes: int) -> int:
    passage = "Lin Wan runs the tea house in the old town of Dali. " * 20
    traces = megabytes * 1_000_000 // 11_000
    with path.open("w", encoding="utf-8") as file:
        file.write('{"resourceSpans": [{"scopeSpans": [{"spans": [')
        for trace in range(traces):
            found = {
                f"retrieval.documents.{place}.document.content": f"{trace} {place} {passage}" for place in range(10)
            }
            file.write(span(trace, "b", {"openinference.span.kind": "RETRIEVER", **found}) + ",\n")
        for trace in range(traces):
            text = span(trace, "a", {"input.value": f"Who runs tea house {trace}?", "output.value": "Lin Wan."})
            file.write(text + (",\n" if trace < traces - 1 else "]}]}]}"))
    return traces


def main(megabytes: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "spans.json")
        traces = write(path, megabytes)
        start = perf_counter()
        done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
        took = perf_counter() - start
        rows, before, peak = map(int, done.stdout.split())
        if rows != traces:
            raise SystemExit(f"{rows} of {traces} traces were read")
        size = path.stat().st_size / 1e6
        memory = f"{peak / 1024:.0f} MiB at the peak, {before / 1024:.0f} before"
        print(f"{size:.0f} MB, {rows} traces: {took:.1f} s, {memory}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
