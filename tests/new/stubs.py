"""What a metric, tokenizer, reader or writer wants: its file and its tests as stubs, and what is still missing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from ragauge.errors import UnknownNameError, UsageError

ROOT = Path(__file__).parents[2]
TODO = "TODO"
KINDS: Mapping[str, tuple[str, str]] = {
    "metric": ("metrics/text", "metrics"),
    "tokenizer": ("tokenizers", "tokenizers"),
    "reader": ("formats", "formats"),
    "writer": ("writers", "writers"),
}
"""Kind -> the folder of its file below the package, and the folder of its test."""


def files(kind: str, name: str, folder: str = "") -> dict[str, str]:
    """Return the files that a new ``kind`` wants: path below the checkout -> stub.

    Raises:
        UnknownNameError: there is no such kind.
        UsageError: the name has other signs than a to z, digits and hyphens.
    """
    if kind not in KINDS:
        raise UnknownNameError.of("kind", kind, KINDS)
    module = name.replace("-", "_")
    spelling = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not module.isidentifier() or name != spelling:
        example = spelling if spelling.replace("-", "_").isidentifier() else "distinct-n"
        raise UsageError(f"a name must be of letters a to z, digits and hyphens; got {name!r}. Write {example!r}.")
    home, tests = folder or KINDS[kind][0], KINDS[kind][1]
    values = {
        "name": name,
        "module": module,
        "cls": "".join(part.capitalize() for part in name.split("-")),
    }
    templates = Path(__file__).with_name("templates")
    wanted = {
        f"src/ragauge/{home}/{module}.py": f"{kind}.txt",
        f"tests/{tests}/test_{module}.py": f"{kind}_test.txt",
        **({f"docs/worked/{name}.md": "worked.txt"} if kind == "metric" else {}),
    }
    return {path: _filled(templates / stub, values) for path, stub in wanted.items()}


def _filled(template: Path, values: Mapping[str, str]) -> str:
    text = template.read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"<{key}>", value)
    return text


def write_stubs(wanted: Mapping[str, str], root: Path = ROOT) -> Iterator[str]:
    """Write the files that are absent; yield their paths.

    Raises:
        UsageError: a file of the first path is there and registers something else.
    """
    home, stub = next(iter(wanted.items()))
    # Written with the public face, it is @ragauge.register("a".
    registers = re.escape(registration(stub)).replace("@", r"@(?:\w+\.)*")
    if (root / home).exists() and not re.search(registers, (root / home).read_text(encoding="utf-8")):
        raise UsageError(f"{home} is a file of another purpose: it has no {registration(stub)}. Choose another name.")
    for name, text in wanted.items():
        path = root / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            yield name


def registration(stub: str) -> str:
    """Return the line of a stub that registers its name, as far as the name goes.

    >>> registration('import x\\n@register("a", at="k")\\n')
    '@register("a"'
    """
    found = re.search(r"^@\w+\([^)]*?\"(?=[,)])", stub, re.MULTILINE)
    return found[0] if found else ""


def missing(kind: str, name: str, wanted: Mapping[str, str], root: Path = ROOT) -> Iterator[str]:
    """Yield what is still to be done, one sentence each."""
    for path in wanted:
        count = (root / path).read_text(encoding="utf-8").count(TODO)
        if count:
            yield f"{path}: {count} {TODO} to fill in"
    if kind != "metric":
        return
    if f'"{name}' not in (root / "tests/golden/golden.json").read_text(encoding="utf-8"):
        yield "golden numbers: python tests/golden/write.py"
    if f"metrics/{name}.md" not in (root / "mkdocs.yml").read_text(encoding="utf-8"):
        yield f"menu: add '- metrics/{name}.md' to nav in mkdocs.yml"
    if summary_of(name) not in (root / "src/ragauge/cli/help-zh.json").read_text(encoding="utf-8"):
        yield f"Chinese: add {summary_of(name)!r} to src/ragauge/cli/help-zh.json; until then it is shown in English"


def stale_pages() -> Iterator[str]:
    """Yield what the generated pages lack, in a new process: this one has the lists as they were."""
    asked = [sys.executable, "-m", "docs.generator", "--check"]
    done = subprocess.run(asked, check=False, capture_output=True, text=True, encoding="utf-8", cwd=ROOT)
    pages = done.stdout.split()
    if done.returncode:
        yield f"pages: python -m docs.generator fails: {done.stderr.strip().splitlines()[-1]}"
    elif pages:
        yield f"pages: run python -m docs.generator, for {', '.join(pages)}"


def summary_of(name: str) -> str:
    """Return the first sentence of the docstring of a metric."""
    from docs.generator.docstrings import docstring_of

    from ragauge.core.registry import lookup

    return docstring_of(lookup("metric", name).cls).summary
