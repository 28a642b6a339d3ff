"""The characters that can end a sentence, and what may stand between them and the next sentence."""

from __future__ import annotations

import re

# Of Unicode's property Sentence_Terminal: those that end a sentence whether or not a space follows.
STRONG = "。！？｡।॥۔؟։።፧፨។៕။༎᠃᪨෴"
# These end one only if a space follows, or between Chinese, Japanese and the like.
GREEK_QUESTION = ";\u037e"
WEAK = f".!?．{GREEK_QUESTION}"
ELLIPSES = "…"
CLOSING = "\"'”’»›」』）)】〕》〉]}*_"

# Marks, then closing quotation marks and brackets, then references such as [3].
CANDIDATE = re.compile(f"([{re.escape(STRONG + WEAK + ELLIPSES)}]+)[{re.escape(CLOSING)}]*(?:\\[[0-9,\\s-]+\\])*")
IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
# Thai and Lao write no full stop: a space between their letters ends a clause, which is the best unit there is.
CLAUSE = re.compile("(?<=[\u0e01-\u0e5b\u0e81-\u0edf])[ \u3000]+(?=[“\"'(]?[\u0e01-\u0e45\u0e81-\u0ec4])")
# The first letter or digit of what follows, past opening marks.
NEXT = re.compile(r"\s+[\s\"'“‘„«‹(\[{¿¡*_#>–—-]*(\w[\w'’]*)")
