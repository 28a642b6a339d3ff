"""``13a``: the tokens of mteval-v13a, by which WMT scores BLEU."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragauge.registry import ingredient
from ragauge.tokenizers._chunks import ChunkTokenizer

if TYPE_CHECKING:
    import pyarrow as pa

# The rules of mteval-v13a.pl as sacrebleu 2.6.0 has them (tokenizer_re.py), in its order: each works on the outcome of
# the one before, and a pair that was matched is used up, so that "..5" keeps ".5".
_RULES = (
    (re.compile(r"([ -&(-+:-@\[-`{-~/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


@ingredient("tokenizer", "13a")
@dataclass(frozen=True)
class Mteval13a(ChunkTokenizer):
    """The tokens of NIST's mteval-v13a script, equal to those of sacrebleu 2.6.0.

    Made for European languages: a clause in Chinese, Japanese or Thai is one token.

    >>> Mteval13a().tokens("It's 3.5, isn't it? (yes)")
    ["It's", '3.5', ',', "isn't", 'it', '?', '(', 'yes', ')']
    """

    def prepare(self, texts: pa.Array) -> pa.Array:
        """Delete ``<skipped>`` and hyphens at line ends; the only rules that reach over white space."""
        import pyarrow.compute as pc

        return pc.replace_substring(pc.replace_substring(texts, "<skipped>", ""), "-\n", "")

    def cut(self, chunks: Sequence[str]) -> list[list[str]]:
        """Apply the rules to each chunk."""
        return [[chunk] if chunk.isalnum() else mteval_words(f" {_unescaped(chunk)} ") for chunk in chunks]


def mteval_words(text: str) -> list[str]:
    """Apply the rules that mteval has for punctuation, then split at white space."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.split()


def _unescaped(chunk: str) -> str:
    if "&" in chunk:
        for entity, char in _ENTITIES:
            chunk = chunk.replace(entity, char)
    return chunk
