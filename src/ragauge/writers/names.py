"""Names as targets take them: those of metrics by a rule that can be undone."""

from __future__ import annotations

import re
from hashlib import sha256

# Word of an escape -> the character that it stands for; any other character is written by its number, as _x2f_.
_WORDS = {"at": "@", "eq": "=", "comma": ","}
_SIGNS = {sign: word for word, sign in _WORDS.items()}
_ESCAPE = re.compile(rf"_(?:({'|'.join(_WORDS)})|x([0-9a-f]+))_")
# Letters, digits and "_" of all scripts, and what MLflow takes beside them; without "/", at which it makes folders.
_ILLEGAL = re.compile(r"[^\w.\- :]")
_LONGEST = 200
"""Characters of a name that are kept; MLflow takes 250 with the word behind it."""


def legal_name(name: str) -> str:
    """Return ``name`` with letters, digits, ``_``, ``.``, ``-``, ``:`` and spaces alone; `original_name` undoes it.

    ``@`` becomes ``_at_``, ``=`` ``_eq_``, ``,`` ``_comma_``, any other character ``_xHEX_``, its number in Unicode. A
    ``_`` that would begin such an escape is written ``_x5f_``. A name of more than 200 characters is cut, and ends in a
    hash: that alone cannot be undone.

    >>> legal_name("ndcg@10:gain=exp"), legal_name("指标/一"), legal_name("a_at_b")
    ('ndcg_at_10:gain_eq_exp', '指标_x2f_一', 'a_x5f_at_b')
    """
    # A dot in front could make a name that means a folder.
    illegal = {place for place, char in enumerate(name) if _ILLEGAL.match(char) or (char == "." and place == 0)}
    written = "".join(
        _escaped(char) if place in illegal or (char == "_" and _begins_escape(name, place, illegal)) else char
        for place, char in enumerate(name)
    )
    if len(written) <= _LONGEST:
        return written
    return f"{written[: _LONGEST - 17]}_{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def original_name(name: str) -> str:
    """Return the name of which `legal_name` made ``name``.

    >>> original_name("ndcg_at_10:gain_eq_exp"), original_name("a_x5f_at_b")
    ('ndcg@10:gain=exp', 'a_at_b')
    """
    return _ESCAPE.sub(lambda escape: _WORDS[escape[1]] if escape[1] else chr(int(escape[2], 16)), name)


def _begins_escape(name: str, place: int, illegal: set[int]) -> bool:
    """Return whether what follows the ``_`` at ``place`` would make an escape of it."""
    word = re.compile(rf"(?:{'|'.join(_WORDS)}|x[0-9a-f]+)").match(name, place + 1)
    # After the word comes "_" itself, or a character whose escape begins with it.
    return word is not None and word.end() < len(name) and (name[word.end()] == "_" or word.end() in illegal)


def _escaped(char: str) -> str:
    return f"_{_SIGNS.get(char) or f'x{ord(char):x}'}_"


def encodable(text: str) -> str:
    r"""Return ``text`` with escapes in place of what UTF-8 cannot hold: names of files may be any bytes.

    >>> encodable("茶\udcff")
    '茶\\udcff'
    """
    return text.encode("utf-8", "backslashreplace").decode()
