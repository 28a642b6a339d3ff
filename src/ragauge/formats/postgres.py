"""Arrays as Postgres writes them: in braces, with quotes around the items that need them."""

from __future__ import annotations

import re

from ragauge.core.lazy import lazy_pattern

_QUOTED = r'"(?:[^"\\]|\\.)*+"'
_BARE = r'[^\s"{}\\,:](?:[^"{}\\,:\n]*[^\s"{}\\,:])?'
_ITEM = lazy_pattern(rf"\s*(?:({_QUOTED})|({_BARE}))\s*(?:,|\Z)", re.DOTALL)


def items_of_array(text: str) -> list[str] | None:
    r"""Return the items of an array in which quotes are; None where the text is no such array, as an object is.

    >>> items_of_array('{d1,"d 2",NULL}'), items_of_array('{"a \\"b\\""}')
    (['d1', 'd 2'], ['a "b"'])
    >>> items_of_array('{"d1": 2}'), items_of_array("{d1,d2}"), items_of_array("tea")
    (None, None, None)
    """
    inner = text.strip()
    if not (inner.startswith("{") and inner.endswith("}") and '"' in inner):
        return None
    inner, place, found = inner[1:-1], 0, []
    while place < len(inner):
        item = _ITEM.match(inner, place)
        if item is None:
            return None
        place = item.end()
        if item[1]:
            found.append(re.sub(r"\\(.)", r"\1", item[1][1:-1], flags=re.DOTALL))
        elif item[2] != "NULL":
            found.append(item[2])
    return found
