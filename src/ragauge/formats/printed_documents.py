"""Documents as Python prints them: ``[Document(page_content='...')]``, which tables of programs hold as text."""

from __future__ import annotations

import ast

from ragauge.core.lazy import lazy_pattern

_PRINTED = lazy_pattern(r"\s*\[\s*[A-Z]\w*\(")
_TEXTS = ("page_content", "text", "content")


def are_printed(value: str) -> bool:
    """Return whether a text begins as a printed list of objects.

    >>> are_printed("[Document(page_content='tea')]"), are_printed("[1] Tea (green) is here.")
    (True, False)
    """
    return _PRINTED.match(value) is not None


def texts_of_printed(value: str) -> list[str] | None:
    """Return the text of each document in a printed list; None where it is not such a list.

    >>> texts_of_printed(
    ...     "[Document(metadata={'page': 9}, page_content='Tea.'), NodeWithScore(node=TextNode(text='茶'))]"
    ... )
    ['Tea.', '茶']
    """
    try:
        tree = ast.parse(value.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    texts = [_text(one) for one in tree.elts] if isinstance(tree, ast.List) else []
    return [text for text in texts if text is not None] if texts and None not in texts else None


def _text(node: ast.expr) -> str | None:
    """Return the text among the arguments of a call, or of an object within it."""
    if not isinstance(node, ast.Call):
        return None
    given = {one.arg: one.value for one in node.keywords}
    for name in _TEXTS:
        found = given.get(name)
        if isinstance(found, ast.Constant) and isinstance(found.value, str):
            return found.value
    inner = [text for one in given.values() if (text := _text(one)) is not None]
    return inner[0] if inner else None
