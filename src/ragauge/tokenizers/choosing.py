"""The tokenizer of a language, chosen once for a data set or a group of it, never for a single text."""

from __future__ import annotations

from ragauge.registry import make_ingredient
from ragauge.tokenizers._base import TokenizerBase
from ragauge.tokenizers._extras import installed

_TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})
_CHINESE = frozenset({"zh", "cmn", "yue"})

# Language -> tokenizer, the modules that it needs, the extra that brings them.
_OWN = {
    "zh": ("zh", ("rjieba",), "zh"),
    "zh-hant": ("zh[traditional=true]", ("rjieba", "opencc"), "zh"),
    "ja": ("ja", ("fugashi", "ipadic"), "ja"),
    "ko": ("ko", ("mecab",), "ko"),
    "th": ("th", ("pythainlp",), "th"),
    **dict.fromkeys(("km", "lo", "my"), ("icu", ("icu4py",), "icu")),
}


def choose(language: str | None) -> tuple[TokenizerBase, str]:
    """Return the tokenizer for ``language``, a BCP 47 tag or None, and in words why it is that one.

    Languages that have one of their own: Chinese, Japanese, Korean, Thai, Khmer, Lao, Burmese. All others, and those
    whose extra is not installed, are cut by ``auto``.

    >>> tokenizer, why = choose("de-AT")
    >>> str(tokenizer), why
    ('auto', "language de-AT is written in words, which 'auto' finds")
    """
    name, why = _chosen(language)
    return make_ingredient("tokenizer", name), why


def _chosen(language: str | None) -> tuple[str, str]:
    if language is None:
        return "auto", "no language was given"
    own = _OWN.get(_key(language))
    if own is None:
        return "auto", f"language {language} is written in words, which 'auto' finds"
    name, modules, extra = own
    if installed(*modules):
        return name, f"language {language}"
    missing = " and ".join(module for module in modules if not installed(module))
    why = f"language {language} has {name}, but {missing} is not installed; pip install 'ragauge[{extra}]'"
    return "auto", why


def _key(language: str) -> str:
    """Return the key of `_OWN` for a tag; script or region say that Chinese is traditional.

    >>> _key("zh-Hant-HK"), _key("yue"), _key("zh-Hans-TW"), _key("ja_JP")
    ('zh-hant', 'zh-hant', 'zh', 'ja')
    """
    first, *rest = language.lower().replace("_", "-").split("-")
    if first not in _CHINESE:
        return first
    traditional = bool(_TRADITIONAL.intersection(rest)) or first == "yue"
    return "zh-hant" if traditional and "hans" not in rest else "zh"
