"""One text in the place of a list of passages, as rows of programs and tables have it."""

from __future__ import annotations

import pyarrow as pa

from ragauge.core.messages import Argument
from ragauge.formats.fields import plain
from ragauge.formats.inferred import Understood
from ragauge.formats.source import Values

_PASSAGES = ("contexts", "reference_contexts")
_ONE_TEXT = "RG-NOTE-271 {column}: {fields} one text, read as one passage; if it holds several, pass {split}"


def texts_as_lists(name: str, values: Values, column: str, understood: dict[Understood, int]) -> Values:
    """Return fields of passages with each text as a list of it, and count these in ``understood``.

    An empty text is no passage. Nothing changes in other columns, and where a text begins as a list does.

    >>> texts_as_lists("contexts", ["Tea grows.", None, ["a", "b"]], "contexts", {})
    [['Tea grows.'], None, ['a', 'b']]
    """
    if name not in _PASSAGES or (isinstance(values, pa.Array) and pa.types.is_nested(values.type)):
        return values
    fields = plain(values)
    texts = [one for one in fields if isinstance(one, str)] if str in set(map(type, fields)) else []
    if not texts or any(one.lstrip().startswith("[") for one in texts):
        return values
    how = Understood(_ONE_TEXT, column, ("field is", "fields are"), Argument("split", {name: "|||"}))
    understood[how] = understood.get(how, 0) + len(texts)
    return [([one] if one.strip() else []) if isinstance(one, str) else one for one in fields]
