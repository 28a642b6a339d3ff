"""Run targets: ``python -m tests.fuzz TARGET ... --seconds 60``; it prints executions and findings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.judging import TARGETS, known
from tests.fuzz.running import run


def main() -> int:
    """Run the targets, print a line for each and each finding, and return 1 if one is new."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", choices=[*TARGETS, "all"], nargs="+")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--engine", choices=["hypothesis", "atheris"], default="hypothesis", help="atheris: by coverage"
    )
    parser.add_argument("--findings", type=Path, default=Path("findings"), help="the folder for inputs of new findings")
    options = parser.parse_args()
    new = total = 0
    for name in TARGETS if "all" in options.targets else options.targets:
        executions, findings = run(name, seconds=options.seconds, seed=options.seed, engine=options.engine)
        total += executions
        print(f"{name}: {executions} executions, {len(findings)} kinds of findings (seed {options.seed})", flush=True)
        for kind, (data, details) in sorted(findings.items()):
            is_known = kind in known().get(name, {})
            print(f"  {'known' if is_known else 'NEW'}: {kind}\n    {data[:100]!r}")
            if not is_known:
                new += 1
                folder = options.findings / name
                folder.mkdir(parents=True, exist_ok=True)
                file = folder / "".join(char if char.isalnum() else "-" for char in kind)
                file.with_suffix(".bin").write_bytes(data)
                file.with_suffix(".txt").write_text(f"{kind}\n\n{details}", "utf-8")
    print(f"{total} executions, {new} new kinds of findings")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
