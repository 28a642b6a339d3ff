"""Small changes of source text that a test should notice: of Python by its syntax tree, of the rest by patterns.

The rest are the scripts and templates of the report. Style sheets stay as they are, also those in a template. So do
``engines/ray.py`` and ``engines/spark.py``: each run of their tests starts a cluster, and the last test of each file
ends it, so they cannot run one by one for each change.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

# Operators and what each becomes; others are left.
SWAPPED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in",
    "not in": "in", "+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "*", "**": "*", "&": "|", "|": "&",
    "and": "or", "or": "and",
}  # fmt: skip
OPERATOR = re.compile(r"is not|not in|is|in|and|or|[-+*/%@<>=!&|^]+")
REMOVED = (ast.AugAssign, ast.Raise, ast.Break, ast.Continue)

# Each match of a pattern is replaced by the second column.
SCRIPT = [
    (r"===", "!=="),
    (r"!==", "==="),
    (r"(?<= )<=(?= )", "<"),
    (r"(?<= )>=(?= )", ">"),
    (r"(?<= )<(?= )", "<="),
    (r"(?<= )>(?= )", ">="),
    (r"&&", "||"),
    (r"\|\|", "&&"),
    (r"(?<= )\+(?= )", "-"),
    (r"(?<= )-(?= )", "+"),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"(?<=return )[^;\n{(]+(?=;)", "null"),
    (r"\b(?:aria|data)-[a-z]+\b", "data-mutant"),
    (r"(?<=[(& ])!(?=[\w(])", ""),
    (r"(?m)(?<=^ {2})\s*[\w.]+\(.*\)(?=;$)", ""),
]
TEMPLATE = [
    (r"(?<= )==(?= )", "!="),
    (r"(?<= )>(?= )", ">="),
    (r"(?<={% if )[^%]+(?= %})", r"not (\g<0>)"),
    (r"(?<= if )not (?=[\w.]+ }})", ""),
    (r"{{ [^}]+ }}", ""),
    (r"(?<= )(?:class|id|href|role|scope|lang|type|aria-[a-z]+|data-[a-z-]+)(?==\")", "data-mutant"),
]
PATTERNS = {
    suffix: [(re.compile(pattern), new) for pattern, new in patterns]
    for suffix, patterns in ((".js", SCRIPT), (".j2", TEMPLATE))
}
# Comments, and style sheets within templates.
UNCHANGED = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*|{#.*?#}|<style>\n.*?</style>", re.DOTALL)
LEFT_OUT = ("_version.py", "engines/ray.py", "engines/spark.py")
NUMBER = re.compile(r"(?<![\w.#-])\d+(?![\w.])")
ATTRIBUTE = re.compile(r"(?<= )(?:class|id|href|role|aria-[a-z]+|data-[a-z]+)(?==)")


class Mutant(NamedTuple):
    """One change of one place in one file."""

    file: str
    """Path below the root."""
    start: int
    """First byte that is replaced."""
    end: int
    replacement: str
    kind: str

    def apply(self, text: bytes) -> bytes:
        """Return the text of the file with the change."""
        return text[: self.start] + self.replacement.encode() + text[self.end :]

    def line(self, text: bytes) -> int:
        """Return the line of the change, from 1."""
        return text.count(b"\n", 0, self.start) + 1

    def key(self, text: bytes) -> str:
        """Return a name of the mutated text that stays the same from run to run."""
        return hashlib.sha256(f"{self.file}\0".encode() + self.apply(text)).hexdigest()[:16]


def mutants_of(file: str, text: bytes) -> Iterator[Mutant]:
    """Yield every change of a file that we know to make."""
    if not file.endswith(".py"):
        yield from _by_patterns(file, text)
        return
    seen = set()
    for start, end, replacement, kind in _Python(text).changes():
        mutant = Mutant(file, start, end, replacement, kind)
        if mutant not in seen:
            seen.add(mutant)
            yield mutant


def choose(mutants: Iterable[Mutant], texts: dict[str, bytes], n: int, seed: int) -> list[Mutant]:
    """Return ``n`` mutants spread by lines: one of each line in random order, then a second one."""
    random = Random(seed)  # noqa: S311 - no secret is drawn
    lines: dict[tuple[str, int], list[Mutant]] = {}
    for mutant in mutants:
        lines.setdefault((mutant.file, mutant.line(texts[mutant.file])), []).append(mutant)
    for several in lines.values():
        random.shuffle(several)
    order = list(lines.values())
    random.shuffle(order)
    chosen: list[Mutant] = []
    while order and len(chosen) < n:
        for several in order:
            mutant = several.pop()
            if len(chosen) < n and _parses(mutant, texts[mutant.file]):
                chosen.append(mutant)
        order = [several for several in order if several]
    return chosen


def functions_at(text: bytes, line: int) -> set[str]:
    """Return the names of the innermost function around ``line``, its header included, and of lambdas in the line."""
    around = [one for one in _functions(ast.parse(text), "") if one[0] <= line <= one[1]]
    innermost = max((start for start, _, name in around if not name.endswith("<lambda>")), default=0)
    return {name for start, _, name in around if start == innermost or name.endswith("<lambda>")}


def name_of(qualified: str) -> str:
    """Return the name of a code object without its comprehensions, which run where their function does."""
    return ".".join(part for part in qualified.split(".") if not part.startswith("<") or part == "<lambda>")


def files_matching(root: Path, patterns: Iterable[str]) -> list[str]:
    """Return the files below ``root`` that one of the patterns matches, sorted."""
    found = {path for pattern in patterns for path in root.glob(pattern)}
    found |= {path for folder in found.copy() if folder.is_dir() for path in folder.rglob("*")}
    names = (path.relative_to(root).as_posix() for path in found if path.suffix in {".py", *PATTERNS})
    return sorted(name for name in names if not name.endswith(LEFT_OUT))


def _parses(mutant: Mutant, text: bytes) -> bool:
    if not mutant.file.endswith(".py"):
        return True
    try:
        ast.parse(mutant.apply(text))
    except SyntaxError:
        return False
    return True


def _functions(node: ast.AST, outer: str) -> Iterator[tuple[int, int, str]]:
    """Yield first line, last line and name of each function below a node."""
    for child in ast.iter_child_nodes(node):
        inner = outer
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = f"{outer}{child.name}."
            first = min(child.lineno, *(one.lineno for one in child.decorator_list), child.lineno)
            yield first, child.end_lineno or 0, inner[:-1]
        elif isinstance(child, ast.Lambda):
            yield child.lineno, child.end_lineno or 0, f"{outer}<lambda>"
        elif isinstance(child, ast.ClassDef):
            inner = f"{outer}{child.name}."
        yield from _functions(child, inner)


Change = tuple[int, int, str, str]


class _Python:
    """The changes of one file of Python."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.starts = [0]
        for line in text.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def changes(self) -> Iterator[Change]:
        yield from self._below(ast.parse(self.text))

    def _span(self, node: ast.AST) -> tuple[int, int]:
        start = self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        end = self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        return start, end

    def _below(self, node: ast.AST) -> Iterator[Change]:
        if isinstance(node, ast.JoinedStr) or _only_for_types(node) or _only_asserts(node):
            return  # Python 3.11 gives no true places inside f-strings.
        yield from self._of(node)
        for field, value in ast.iter_fields(node):
            values = value if isinstance(value, list) else [value]
            for child in (one for one in values if isinstance(one, ast.AST)):
                if field in {"annotation", "returns"}:
                    yield from self._calls_in(child)
                else:
                    yield from self._below(child)

    def _calls_in(self, annotation: ast.AST) -> Iterator[Change]:
        """Yield changes of the bounds in ``Annotated[int, Range(0, 1)]``; types themselves do not run."""
        for node in ast.walk(annotation):
            if isinstance(node, ast.Call):
                yield from self._below(node)

    def _of(self, node: ast.AST) -> Iterator[Change]:  # noqa: C901 - a table: one case for each kind
        match node:
            case ast.Compare():
                sides = [node.left, *node.comparators]
                for before, after in pairwise(sides):
                    yield from self._operator(before, after, "comparison")
            case ast.BinOp():
                yield from self._operator(node.left, node.right, "arithmetic")
            case ast.BoolOp():
                yield from self._operator(node.values[0], node.values[1], "boolean operator")
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                start, _ = self._span(node)
                yield start, self._span(node.operand)[0], "", "sign or not"
            case ast.Constant():
                yield from self._constant(node)
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield *self._span(value), "None", "return"
            case ast.If() | ast.IfExp() | ast.While():
                start, end = self._span(node.test)
                yield start, end, f"not ({self.text[start:end].decode()})", "condition"
            case ast.Expr(value=ast.Call()):
                yield *self._span(node), "pass", "removed statement"
            case _ if isinstance(node, REMOVED):
                yield *self._span(node), "pass", "removed statement"

    def _operator(self, left: ast.expr, right: ast.expr, kind: str) -> Iterator[Change]:
        start = self._span(left)[1]
        found = OPERATOR.search(self.text[start : self._span(right)[0]].decode())
        if found and found[0] in SWAPPED:
            at = start + len(found.string[: found.start()].encode())
            yield at, at + len(found[0]), SWAPPED[found[0]], kind

    def _constant(self, node: ast.Constant) -> Iterator[Change]:
        if isinstance(node.value, bool):
            yield *self._span(node), str(not node.value), "constant"
        elif isinstance(node.value, int | float):
            yield *self._span(node), repr(node.value + 1), "constant"
        elif isinstance(node.value, str):
            start, end = self._span(node)
            source = self.text[start:end]
            for found in ATTRIBUTE.finditer(source.decode()) if b"<" in source else ():
                at = start + len(source.decode()[: found.start()].encode())
                yield at, at + len(found[0]), "data-mutant", "attribute"


def _only_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _only_asserts(node: ast.AST) -> bool:
    """Return whether a node states what holds and changes nothing else: zip(strict=True), TypedDict(total=False)."""
    return isinstance(node, ast.keyword) and node.arg in {"strict", "frozen", "eq", "slots", "kw_only", "total"}


def _by_patterns(file: str, text: bytes) -> Iterator[Mutant]:
    source = text.decode()
    unchanged = [found.span() for found in UNCHANGED.finditer(source)]
    changes = [(found, found.expand(new)) for pattern, new in PATTERNS[file[-3:]] for found in pattern.finditer(source)]
    changes += [(found, str(int(found[0]) + 1)) for found in NUMBER.finditer(source)]
    for found, new in changes:
        if new != found[0] and not any(start <= found.start() < end for start, end in unchanged):
            at = len(source[: found.start()].encode())
            yield Mutant(file, at, at + len(found[0].encode()), new, "pattern")
