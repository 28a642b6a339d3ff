"""How many refusals groundedness leaves out as no claims, and how many claims it takes for one, by language.

    python benchmarks/refusals.py [--half development|reporting|both|held-out] [--claims] [--office FOLDER]

Reads corpora/refusals; of the third, fourth, seventh and eighth list all is for development, and the fifth and the
ninth, which are held out, are never learnt from: each has a table. Printed is a Markdown table, in percent: of the
sentences that decline to answer, the share that is recognised, in all and by kind; of the claims that look alike, and
of the supported claims of corpora/probes, the share that is taken for a refusal.

``--claims`` reads sentences of other data instead, in shared/data (or $RAGAUGE_SHARED_DATA), at most 5,000 a set:
answers of wice, ragtruth, summedits, evouna and openqa, pairs of entailment_cjk, passages of xquad and nomiracl.
Printed is how many are taken for refusals, and how many of those are refusals: these were read, and are known by a
digest of their text in corpora/refusals/read.txt. ``--office`` reads the help of LibreOffice in 16 languages instead,
which instructs and claims and never declines; FOLDER holds its packages (apt-get download libreoffice-help-pl ...).
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import make_idf
import numpy as np
import probes

from ragauge.grounding.declining import unsaid
from ragauge.sentences import sentences

REFUSALS = Path(__file__).parents[1] / "corpora/refusals"
DATA = Path(os.environ.get("RAGAUGE_SHARED_DATA", Path(__file__).parents[2] / "shared/data"))
KINDS = {
    "all": ("passages", "speaker", "other"),
    "passages": ("passages",),
    "speaker": ("speaker",),
    "other": ("other",),
    "claim": ("claim",),
}
"""Column -> kinds of sentences."""
TO_BUILD_ON = ("three.jsonl", "four.jsonl", "seven.jsonl", "eight.jsonl")
HELD_OUT = (("five.jsonl",), ("nine.jsonl",))
MOST = 5000
LEAST = 20
"""Bytes of a line of help; shorter ones are headings."""
ENGLISH = ("wice/dev", "ragtruth/dev", "summedits/dev", "evouna/triviaqa", "openqa/nq301_human")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=[*probes.HALVES, "held-out"], default="both")
    parser.add_argument("--claims", action="store_true")
    parser.add_argument("--office", type=Path)
    asked = parser.parse_args()
    if asked.claims or asked.office:
        print_claims(office(asked.office) if asked.office else real())
    elif asked.half == "held-out":
        for files in HELD_OUT:
            print_refusals(files, ())
    else:
        print_refusals(("one.jsonl", "two.jsonl", "six.jsonl", *TO_BUILD_ON), probes.HALVES[asked.half])


def print_refusals(files: Sequence[str], halves: Sequence[int]) -> None:
    """Print the shares of ``halves`` of some files of corpora/refusals; without halves, of all their lines."""
    rows = [
        row
        for file in files
        for place, row in enumerate(map(json.loads, (REFUSALS / file).read_text(encoding="utf-8").splitlines()))
        if not halves or (0 if file in TO_BUILD_ON else place % 2) in halves
    ]
    found = unsaid([row["text"] for row in rows])
    columns = {
        name: {
            language: found[[language in (row["lang"], "all") and row["kind"] in kinds for row in rows]]
            for language in (*dict.fromkeys(row["lang"] for row in rows), "all")
        }
        for name, kinds in KINDS.items()
    }
    columns["probes"] = {
        language: unsaid([claim for row in probes.read(language) for claim in (row[k][0] for k in probes.KINDS)])
        for language in probes.LANGUAGES
    }
    print(f"| language | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}")
    for language in columns["claim"]:
        fields = [f"{100 * np.mean(some[language]):.0f}" if language in some else "" for some in columns.values()]
        print(f"| {language} | {' | '.join(fields)} |")


def print_claims(sets: Iterable[tuple[str, str, list[str]]]) -> None:
    """Print how many sentences of sets, each with its language and name, are taken for refusals."""
    read = set((REFUSALS / "read.txt").read_text(encoding="utf-8").split())
    print("| language | data | sentences | found | refusals | claims taken for one, % |\n|---|---|--:|--:|--:|--:|")
    for language, name, texts in sets:
        found = [text for text, declines in zip(texts, unsaid(texts), strict=True) if declines]
        true = sum(digest(text) in read for text in found)
        share = 100 * (len(found) - true) / max(1, len(texts) - true)
        print(f"| {language} | {name} | {len(texts):,} | {len(found)} | {true} | {share:.2f} |")


def real() -> Iterator[tuple[str, str, list[str]]]:
    """Yield language, name and distinct sentences of each set, at most `MOST`, evenly drawn."""
    for name in ENGLISH:
        yield "en", name.split("/")[0], distinct(row["answer"] for row in rows_of(name))
    pairs = list(rows_of("entailment_cjk/dev"))
    for language in ("zh", "ja", "ko"):
        some = [row for row in pairs if row["set"] == language]
        yield language, "entailment_cjk", distinct(text for row in some for text in (row["answer"], *row["contexts"]))
    for name in ("xquad", "nomiracl"):
        for path in sorted((DATA / name).glob("*.jsonl.gz")):
            language = path.name.split(".")[0]
            texts = distinct(text for row in rows_of(f"{name}/{language}") for text in row["contexts"])
            yield language, name, texts


def office(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Yield language, name and distinct sentences of the help of LibreOffice, at most `MOST`, evenly drawn."""
    with tempfile.TemporaryDirectory() as unpacked:
        for package in sorted(folder.glob("libreoffice-help-*.deb")):
            subprocess.run(["dpkg", "-x", package, unpacked], check=True)  # noqa: S607
        for name in sorted(make_idf.HELP):
            lines = sorted(set(make_idf.help_lines(Path(unpacked), name)))
            if lines:
                yield name, "help", distinct(line for line in lines if len(line.encode()) >= LEAST)


def distinct(texts: Iterator[str]) -> list[str]:
    """Return the distinct sentences of some texts, at most `MOST`, evenly drawn."""
    every = list(dict.fromkeys(sentence for text in texts for sentence in sentences(text)))
    return every[:: -(-len(every) // MOST)] if every else every


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file; none if it is absent."""
    path = DATA / f"{name}.jsonl.gz"
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def digest(text: str) -> str:
    """Return the digest by which a sentence that was read is known."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


if __name__ == "__main__":
    main()
