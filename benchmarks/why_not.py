"""What other libraries do with the same few texts and samples: the table "Why not ..." of README and start pages.

    python benchmarks/why_not.py [--only ragas sacrebleu] [--write]

Installs each into a new environment (promptfoo with npm, if there is one), and asks it there
(benchmarks/peer_facts.py): what a Chinese text scores against itself, and in how many of eleven languages a text scores
1 against itself; what it asks of an LLM about one answer, which a server on this machine answers
(benchmarks/canned_judge.py); what becomes of three samples of which one fails; whether a second run, with other hashes,
prints the same. Ratios of speed are those of docs/speed.md. ``--write`` puts the table into `PAGES`,
between the marks that name this script.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import canned_judge
import install_size

import languages

ROOT = Path(__file__).parents[1]
PROMPTFOO = "promptfoo"
# What it runs on; its size is not counted, as that of Python is not.
NODE = "node@22"
PEERS = {
    "ragauge": [str(ROOT)],
    # Without the second it cannot be imported; its text metrics ask for the others.
    "ragas": ["ragas==0.4.3", "langchain-community<0.4", "rouge-score", "sacrebleu"],
    "DeepEval": ["deepeval==4.3.1"],
    PROMPTFOO: [f"{PROMPTFOO}@0.123.0"],
    "pytrec_eval": ["pytrec-eval-terrier==0.5.11"],
    "sacrebleu": ["sacrebleu==2.6.0"],
    "rouge-score": ["rouge-score==0.1.2"],
}
ASK_AN_LLM = ("ragauge", "ragas", "DeepEval", PROMPTFOO)
QUIET = {
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "NO_PROXY": "127.0.0.1",
}
SAMPLES = [
    {
        "question": "When does the shop open?",
        "answer": f"{who} opens the shop at nine.",
        "contexts": [f"{who} opens the shop at nine and closes it at ten."],
    }
    for who in ("Lin Wan", canned_judge.UNREADABLE, "Anna")
]
PAGES = {"README.md": "en", "README.zh.md": "zh", "docs/index.md": "en", "docs/zh/index.md": "zh"}
"""The pages that have the table, and their languages."""
# What the cells say, in the languages of the pages.
WORDS = {
    "en": {
        "head": "| | packages, MB | Chinese against itself (languages right, of 11) "
        "| LLM requests an answer (characters) | without a key | same twice | one of three samples fails "
        "| ragauge is faster, times |",
        "languages": "{metric} {value} ({right})",
        "requests": "{requests} ({characters:,})",
        "works": "works",
        "same": "yes",
        "other": "no",
        "sent": "temperature {temperature:g}, {seed}",
        "no seed": "no seed",
        "seed": "a seed",
        "counted": "counted: {scored}/{total}, bounds {bounds[0]:.2f} to {bounds[1]:.2f}",
        "dropped": "dropped: mean of {scored}",
        "raised": "`{error}`, no score",
        "scored": "scores {value:g}",
        "times": "{low:g} to {high:g}",
    },
    "zh": {
        "head": "| | 软件包，MB | 中文与自己相比（11 种语言中对几种） | 一个回答问大模型几次（字符）"
        " | 没有密钥 | 两次相同 | 三个样本坏一个 | ragauge 快几倍 |",
        "languages": "{metric} {value}（{right}）",
        "requests": "{requests}（{characters:,}）",
        "works": "照常",
        "same": "是",
        "other": "否",
        "sent": "温度 {temperature:g}，{seed}",
        "no seed": "无种子",
        "seed": "有种子",
        "counted": "计入：{scored}/{total}，上下界 {bounds[0]:.2f} 到 {bounds[1]:.2f}",
        "dropped": "丢掉：{scored} 个的均值",
        "raised": "`{error}`，没有得分",
        "scored": "得 {value:g} 分",
        "times": "{low:g} 到 {high:g}",
    },
}


@dataclass(frozen=True)
class Facts:
    """What was measured of one library."""

    name: str
    packages: int
    megabytes: float
    texts: Mapping[str, Mapping[str, float]]
    """Metric -> language -> score of a text against itself."""

    same: bool
    failed: Mapping[str, Any]
    keyless: str | None
    """What the run without a key ended with; empty where it scored, None where nothing asks an LLM."""

    requests: list[canned_judge.Request]
    """What was asked about the faithfulness of one answer."""

    def cells(self, words: Mapping[str, str]) -> list[str]:
        """Return the fields of the table."""
        texts = [self.itself(words, metric, scores) for metric, scores in self.texts.items()]
        asked, sent = "-" if self.keyless is None else "0", words["same" if self.same else "other"]
        if self.requests:
            asked = words["requests"].format(
                requests=len(self.requests), characters=sum(one.characters for one in self.requests)
            )
            seed = words["seed" if self.requests[0].seed is not None else "no seed"]
            sent = words["sent"].format(temperature=self.requests[0].temperature, seed=seed)
        failed = words[self.failed["kind"]].format(**self.failed)
        keyless = "-" if self.keyless is None else f"`{self.keyless}`" if self.keyless else words["works"]
        ratios = speed(self.name.split()[0])
        times = words["times"].format(low=min(ratios), high=max(ratios)) if ratios else "-"
        size = f"{self.packages}, {self.megabytes:.0f}"
        return [self.name, size, ", ".join(texts) or "-", asked, keyless, sent, failed, times]

    @staticmethod
    def itself(words: Mapping[str, str], metric: str, scores: Mapping[str, float]) -> str:
        """Return what a metric makes of Chinese, and of all languages."""
        right = sum(score > 0.999 for score in scores.values())
        return words["languages"].format(metric=metric, value=f"{scores['zh']:.2g}", right=right)


def speed(peer: str) -> list[float]:
    """Return how many times as fast as a library ragauge is, from each row of docs/speed.md that has it."""
    page = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    if peer == "pytrec_eval":
        rows = re.findall(r"^\| [AB], \w+ \| \d+ \| \d+ \(([\d.]+)x\)", page, re.MULTILINE)
        return [float(ratio) for ratio in rows]
    text = page.partition("## Generated text")[2].partition("\n## ")[0]
    found, beside = [], ""
    for row in re.findall(r"^\| [^|]*\| \w+ \|[^|]*\|([^|]*)\| ([\d.]+) \|", text, re.MULTILINE):
        beside = row[0].strip() or beside
        found += [float(row[1])] if beside.startswith(peer) else []
    return found


@contextmanager
def environment(peer: str) -> Iterator[tuple[list[str], str, int, float]]:
    """Install a library; yield the Python that asks it, its name with version, packages and megabytes."""
    if peer != PROMPTFOO:
        with install_size.environment(PEERS[peer], 1800) as (python, size):
            distribution = re.split(r"[=<]", PEERS[peer][0])[0] if peer != "ragauge" else peer
            yield [str(python)], f"{peer} {size.versions[distribution.lower()]}", len(size.versions), size.megabytes
        return
    with tempfile.TemporaryDirectory() as folder:
        node = npm_install(Path(folder, "node"), NODE) / ".bin" / "node"
        modules = npm_install(Path(folder, PROMPTFOO), *PEERS[peer])
        packages = json.loads((modules / ".package-lock.json").read_text(encoding="utf-8"))["packages"]
        name = f"{peer} {packages['node_modules/promptfoo']['version']}"
        command = [sys.executable, str(node), str(modules / ".bin" / PROMPTFOO)]
        yield command, name, len(packages), install_size.megabytes(modules)


def npm_install(folder: Path, *packages: str) -> Path:
    """Install packages of npm into a folder, and return where they are."""
    folder.mkdir()
    command = [shutil.which("npm") or "npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *packages]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=1800)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return folder / "node_modules"


def facts(peer: str) -> Facts:
    """Install a library and ask it."""
    with environment(peer) as ([python, *command], name, packages, megabytes):
        return asked_of(peer, python, command, name=name, packages=packages, megabytes=megabytes)


def asked_of(peer: str, python: str, command: Sequence[str] = (), **size: Any) -> Facts:
    """Ask a library that is installed; ``size``: its name, packages and megabytes."""
    with canned_judge.judge() as notes:
        given = {"texts": {tag: pair[0] for tag, pair in languages.TEXTS.items()}, "samples": SAMPLES}
        given |= {"url": notes.url, "command": [*command]}
        texts, again = (ask(python, peer, "texts", given, seed) for seed in (1, 2))
        failed = ask(python, peer, "failed", given)
        notes.requests.clear()
        keyless = None
        if peer in ASK_AN_LLM:
            ask(python, peer, "asked", {**given, "samples": SAMPLES[:1]})
            keyless = ask(python, peer, "keyless", given)["error"] or ""
        return Facts(**size, texts=texts, same=texts == again, failed=failed, keyless=keyless, requests=notes.requests)


def ask(python: str, peer: str, step: str, given: Mapping[str, Any], seed: int = 0) -> dict[str, Any]:
    """Run a step of benchmarks/peer_facts.py, without the keys of this environment."""
    outside = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    outside.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**outside, **QUIET, "PYTHONHASHSEED": str(seed), "PROMPTFOO_CONFIG_DIR": folder}
        done = subprocess.run(
            [python, str(ROOT / "benchmarks" / "peer_facts.py"), peer, step],
            input=json.dumps(given), env=environment, capture_output=True, text=True, check=False, cwd=folder,
        )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{peer}, {step}:\n{done.stderr[-4000:]}")
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PEERS, default=list(PEERS), metavar="NAME")
    parser.add_argument("--write", action="store_true", help="put the table into the pages that have it")
    asked = parser.parse_args()
    if not shutil.which("npm") and PROMPTFOO in asked.only:
        asked.only.remove(PROMPTFOO)
        print("promptfoo is not measured: there is no npm here", file=sys.stderr)
    measured = []
    for peer in asked.only:
        measured.append(facts(peer))
        print(f"| {' | '.join(measured[-1].cells(WORDS['en']))} |", flush=True)
    for name, language in PAGES.items() if asked.write else ():
        page = ROOT / name
        page.write_text(written(page.read_text(encoding="utf-8"), table(measured, WORDS[language])), encoding="utf-8")


def table(measured: list[Facts], words: Mapping[str, str]) -> str:
    """Return the table in Markdown."""
    rows = [f"| {' | '.join(one.cells(words))} |" for one in measured]
    return "\n".join([words["head"], "|---" * (words["head"].count("|") - 1) + "|", *rows])


def written(page: str, rows: str) -> str:
    """Return a page with the table between its marks."""
    between = re.compile(r"(<!-- why not -->\n).*?(\n<!-- /why not -->)", re.DOTALL)
    if not between.search(page):
        raise SystemExit("the page must have the marks '<!-- why not -->' and '<!-- /why not -->'; add them")
    return between.sub(lambda match: f"{match[1]}{rows}{match[2]}", page)


if __name__ == "__main__":
    main()
