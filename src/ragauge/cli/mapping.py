"""``--map KNOWN=YOURS`` and options like it."""

from __future__ import annotations

from collections.abc import Iterable

from ragauge.errors import UsageError


def pairs(texts: Iterable[str], option: str = "--map", form: str = "KNOWN=YOURS") -> dict[str, str]:
    """Read texts such as ``question=user_input``.

    Raises:
        UsageError: a text has no ``=``, or nothing on one side of it.

    >>> pairs(["question=user_input", "answer=a=b"])
    {'question': 'user_input', 'answer': 'a=b'}
    """
    found = {}
    for text in texts:
        known, equals, given = text.partition("=")
        if not (known and equals and given):
            example = "contexts='|||'" if option == "--split" else "question=user_input"
            message = f"{option} takes {form}, as in {option} {example}; got {text!r}"
            raise UsageError(message)
        found[known] = given
    return found
