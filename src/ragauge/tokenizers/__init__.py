"""Tokenizers, each registered under its name on the command line."""

from __future__ import annotations

from typing import cast

from ragauge.core.messages import Message
from ragauge.core.registry import make_ingredient
from ragauge.errors import MissingExtraError
from ragauge.tokenizers.base import TokenizerBase

__all__ = ["TokenizerBase", "choose", "get"]


def get(text: str = "auto") -> TokenizerBase:
    """Return the tokenizer of a spec: ``name`` or ``name[key=value,...]``.

    Raises:
        UnknownNameError: no tokenizer has that name.
        OptionError: an option is unknown or has a bad value.

    >>> get("auto").tokens("猫坐在mat上。")
    ['猫', '坐', '在', 'mat', '上', '。']
    """
    return cast(TokenizerBase, make_ingredient("tokenizer", text))


_TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})
# Other names of languages: codes of countries, names, three letters of ISO 639 (as in FLORES: zho_Hans).
_TAGS = {
    **dict.fromkeys(("cn", "chinese", "mandarin", "中文", "汉语", "zho", "chi", "cmn", "wuu", "gan", "hsn"), "zh"),
    **dict.fromkeys(("jp", "japanese", "日本語", "jpn"), "ja"),
    **dict.fromkeys(("kr", "korean", "한국어", "kor"), "ko"),
    **dict.fromkeys(("thai", "ไทย", "tha"), "th"),
    "khm": "km",
    "lao": "lo",
    "mya": "my",
    "bur": "my",
}
_CHINESE = frozenset({"zh", "yue"})

_OWN = {
    "zh": "zh",
    "zh-hant": "zh[traditional=true]",
    **{language: language for language in ("ja", "ko", "th")},
    **dict.fromkeys(("km", "lo", "my"), "icu"),
}


_NONE = "language {language} has no tokenizer of its own, so 'auto' tokenises texts by their script"


def choose(language: str | None) -> tuple[TokenizerBase, str]:
    """Return the tokenizer for ``language``, a BCP 47 tag or None, and the reason in words.

    Chinese, Japanese, Korean, Thai, Khmer, Lao and Burmese have a tokenizer of their own. All other languages have
    ``auto``, as do those whose extra is not installed.

    >>> tokenizer, why = choose("de-AT")
    >>> str(tokenizer), why
    ('auto', "language de-AT has no tokenizer of its own, so 'auto' tokenises texts by their script")
    """
    auto: TokenizerBase = make_ingredient("tokenizer", "auto")
    if language is None:
        return auto, Message("no language was given")
    name = _OWN.get(_key(language))
    if name is None:
        return auto, Message(_NONE, language)
    try:
        return make_ingredient("tokenizer", name), Message("language {language}", language)
    except MissingExtraError as missing:
        return auto, Message("language {language}, but {missing}", language, missing.message)


def _key(language: str) -> str:
    """Return the key of `_OWN` for a tag; script or region decide whether Chinese is traditional.

    >>> _key("zh-Hant-HK"), _key("yue"), _key("zh-Hans-TW"), _key("ja_JP"), _key("Chinese"), _key("jp")
    ('zh-hant', 'zh-hant', 'zh', 'ja', 'zh', 'ja')
    """
    first, *rest = language.lower().replace("_", "-").split("-")
    first = _TAGS.get(first, first)
    if first not in _CHINESE:
        return first
    traditional = bool(_TRADITIONAL.intersection(rest)) or first == "yue"
    return "zh-hant" if traditional and "hans" not in rest else "zh"
