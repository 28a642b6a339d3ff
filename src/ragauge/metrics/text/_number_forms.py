"""Numbers written in one form: with the digits 0 to 9, no marks between thousands, and a point before decimals."""

from __future__ import annotations

import re
import unicodedata

# 1,240 or 1.240.000 or 1'240, with one kind of mark; not 0.125, nor 12,345,67.
_GROUPED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}([,.'’٬\u00a0\u2009\u202f])\d{3}(?:\1\d{3})*(?!\d|\1\d)")
# 3,5 but not 1,2,3.
_DECIMAL = re.compile(r"(?<![\d.,])(\d+)[,٫](\d{1,2}|\d{4,})(?![\d.,]*\d)")
_ONES = ("零〇", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九")
_DIGITS = {char: value for value, chars in enumerate(_ONES) for char in chars}
_TENS = {"十": 10, "百": 100, "千": 1000}
_BLOCKS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_ONE = rf"(?:[{''.join(_ONES[1:])}]|(?<![\d.])\d+(?:\.\d+)?)"
_BELOW = rf"(?:[零〇]?{_ONE}?[十百千])+(?:[零〇]?{_ONE})?"
# 八千, 三百二十一万 and 1.5万; and three characters or more digit by digit, as of years.
_SPELLED = re.compile(rf"(?:[零〇]?(?:{_BELOW}|{_ONE})[万萬亿億])+(?:[零〇]?(?:{_BELOW}|{_ONE}))?|{_BELOW}")
_PLACES = re.compile(rf"[{''.join(_ONES)}]{{3,}}")


def plain_numbers(text: str) -> str:
    """Return ``text`` with its numbers in one form; those that are written in words, only in Chinese characters.

    One mark before three digits is taken for a mark of thousands; both sides are read alike.

    >>> plain_numbers("8,849 m; 8.849 m; 8'849 m; 3,5 km; ٨٬٨٤٩; ८८४९; 0.125")
    '8849 m; 8849 m; 8849 m; 3.5 km; 8849; 8849; 0.125'
    >>> plain_numbers("八千八百四十九米; 1.5万人; 二〇二四年; 三亿零五十; 十二; 一般")
    '8849米; 15000人; 2024年; 300000050; 12; 一般'
    """
    if not text.isascii():
        text = "".join([str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text])
    text = _GROUPED.sub(lambda match: re.sub(r"\D", "", match[0]), text)
    text = _DECIMAL.sub(r"\1.\2", text)
    if text.isascii():
        return text
    text = _SPELLED.sub(lambda match: _value(match[0]), text)
    return _PLACES.sub(lambda match: "".join([str(_DIGITS[char]) for char in match[0]]), text)


def _value(numeral: str) -> str:
    """Return the value of a numeral of Chinese characters in digits.

    >>> [_value(text) for text in ("十二", "一万零五", "一亿二千万", "一万亿", "3亿5千万", "1.5万")]
    ['12', '10005', '120000000', '1000000000000', '350000000', '15000']
    """
    total, block, digit = 0.0, 0.0, 0.0
    for part in re.findall(r"\d+(?:\.\d+)?|.", numeral):
        if part in _TENS:
            block, digit = block + (digit or 1.0) * _TENS[part], 0.0
        elif part in _BLOCKS:
            # 一万亿 is 一万 times 亿, but 一亿二千万 is a sum.
            within = total + block + digit if _BLOCKS[part] > total else block + digit
            total, block, digit = (0.0 if _BLOCKS[part] > total else total) + within * _BLOCKS[part], 0.0, 0.0
        else:
            digit = float(_DIGITS.get(part, part))
    return f"{total + block + digit:.15g}"
