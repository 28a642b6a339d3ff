"""Features of a claim and a passage that say how far the passage supports the claim; a prototype in Python and numpy.

    units = read(text, language)     what a text says, as typed units with keys and positions
    row = features(claim, passage)   numbers from 0 to 1, by name

A *unit* is a word, a pair of characters (unspaced scripts), a number, date or time by value, or a cue: a negation, a
quantifier, a comparison. Every unit has a set of keys (two units agree if their keys meet), a position and a weight.
Positions are stretched: a comma is worth two words, the end of a sentence six, so that one kernel exp(-distance / tau)
takes the place of clauses, sentences and windows.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import regex
import tables

# All constants below were chosen on the tuning halves; results hardly depend on them (README, "What did not matter").
# Reach of kernels, in words of the stretched text.
TAU_CLAIM, TAU_PASSAGE, TAU_WIDE = 4.0, 10.0, 60.0
TAU_PAIR = 20.0  # of pairs: only a distance beyond that in the claim counts
TAU_PAIR_CLAIM = 6.0
TAU_NOT = 2.5  # of a negation, in the claim
FLAT, FALL = 4.0, 3.0  # words around a place that count fully; reach beyond
SENTENCE, CLAUSE = 5.0, 1.5  # steps of the stretched text
OTHER_SIDE = 0.6  # worth of a neighbour that stands on the other side than in the claim
NUMERIC = ("num", "year", "month", "day", "time", "weekday")
WEIGHT = {
    "num": 2.0,
    "year": 2.0,
    "month": 1.5,
    "day": 1.5,
    "time": 2.0,
    "weekday": 1.0,
    "quant": 0.5,
    "bound": 0.5,
    "not": 0.0,
    "only": 0.2,
    "more": 0.5,
    "order": 0.5,
    "ends": 1.0,
}


@dataclass
class Unit:
    """One thing that a text says."""

    kind: str
    keys: frozenset
    at: int  # character where it begins
    weight: float
    scaled: frozenset = frozenset()  # keys in base units: ("length", 1240)
    name: bool = False
    position: float = 0.0
    text: str = ""


# --- reading ---------------------------------------------------------------------------------------------------------
_SCRIPTS = (
    ("ja", r"[\p{Hiragana}\p{Katakana}]"),
    ("ko", r"\p{Hangul}"),
    ("zh", r"\p{Han}"),
    ("th", r"\p{Thai}"),
    ("ar", r"\p{Arabic}"),
    ("hi", r"\p{Devanagari}"),
    ("ru", r"\p{Cyrillic}"),
)
_SCRIPTS = tuple((name, regex.compile(pattern)) for name, pattern in _SCRIPTS)


def language_of(text: str) -> str:
    """Return the language by its script, and by its function words where the script is Latin."""
    letters = max(sum(map(str.isalpha, text)), 1)
    for name, pattern in _SCRIPTS:
        if len(pattern.findall(text)) > (0.05 if name == "ja" else 0.2) * letters:
            return name
    words = regex.findall(r"\p{L}+", text.lower())
    found = {name: sum(word in tables.STOP[name] for word in words) for name in ("en", "de", "es", "fr")}
    return max(found, key=found.get)


_PERCENT = regex.compile(
    rf"(?:百分之|(?:100|百)分の|(?:100|백)분의|ร้อยละ) ?(\d[\d.,]*\d|\d|[〇零一二三四五六七八九十]+|"
    rf"[일이삼사오육칠팔구십]+|(?:{'|'.join(tables.TH)})+)"
)


def normal(text: str) -> str:
    """Return the text in one form: NFKC, native digits as 0-9, one kind of apostrophe and of space."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'").replace("ё", "е").replace("Ё", "Е")
    text = regex.sub(r"[\u200b-\u200f\u064b-\u0652\u0640]", "", text)  # invisible marks, Arabic vowels and stretch
    text = text.replace("٫", ".").replace("٬", ",")
    text = _PERCENT.sub(r"\1%", text)
    return "".join(
        str(unicodedata.decimal(c)) if c.isdecimal() and c > "9" else " " if c in "\u202f\u00a0\t" else c for c in text
    )


_ENDS, _CLAUSES = set("。!?！？।؟\n…"), set(',;:，、；：()（）،؛—–«»“”"「」『』')


def coordinates(text: str) -> np.ndarray:
    """Return the stretched position of each character: a cumulative sum over a table of characters."""
    steps = np.zeros(len(text) + 1)
    previous = " "
    for place, char in enumerate(text):
        if char in _ENDS or (char == "." and (place + 1 == len(text) or text[place + 1].isspace())):
            steps[place] = SENTENCE
        elif char in _CLAUSES:
            steps[place] = CLAUSE
        elif "\u4e00" <= char <= "\u9fff":
            steps[place] = 0.5
        elif "\u3040" <= char <= "\u309f" or "\u0e00" <= char <= "\u0e7f":
            steps[place] = 0.2
        elif "\u30a0" <= char <= "\u30ff":
            steps[place] = 0.15
        elif char.isalnum() and not previous.isalnum():
            steps[place] = 1.0
        previous = char
    return np.cumsum(steps)


@lru_cache(maxsize=20000)
def read(text: str, language: str) -> tuple[Unit, ...]:
    """Return the units of a text."""
    cased = normal(text)
    lower = cased.lower() if len(cased.lower()) == len(cased) else cased
    found: list[Unit] = []
    rest = lower
    for step in (times, dates, years, numbers, word_numbers, weekdays, cues):
        units, rest = step(rest, language)
        found += units
    found += words(rest, cased, language)
    where = coordinates(lower)
    for unit in found:
        unit.position = float(where[unit.at])
    return tuple(sorted(found, key=lambda unit: unit.at))


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text with the spans overwritten, so that no later step reads them."""
    for start, end in spans:
        text = text[:start] + "\0" * (end - start) + text[end:]
    return text


def _unit(kind: str, values, match, scaled=(), start=None) -> Unit:
    at = match.start() if start is None else start
    return Unit(kind, frozenset(values), at, WEIGHT.get(kind, 0.3), frozenset(scaled), text=match.group())


_N = r"(?<!\d)(?<!\d[.,])(\d{1,2})"
_TIMES = [
    regex.compile(
        rf"(?P<a>{tables.AM}|{tables.PM})? ?{_N} ?(?:点|點|時(?!間)|시(?!간))(?P<half>半|"
        rf"반)?(?: ?(?P<m>\d{{1,2}}) ?[分분])?"
    ),
    regex.compile(rf"{_N}(?:[:.](?P<m>\d{{2}}))? ?(?P<a>{tables.AM}|{tables.PM})"),
    regex.compile(rf"{_N}(?:[:.](?P<m>\d{{2}}))? ?(?:uhr|น\.)(?: (?P<a>{tables.AM}|{tables.PM}))?"),
    regex.compile(rf"{_N} ?h(?:eures?)?\b ?(?P<m>\d{{2}})?(?: (?P<a>{tables.AM}|{tables.PM}))?"),
    regex.compile(rf"{_N}[:](?P<m>\d{{2}})(?!\d)(?: ?(?P<a>{tables.AM}|{tables.PM}))?"),
]
_PM = regex.compile(tables.PM)


def times(text: str, language: str):
    """Times of the day, as minutes: 2 p.m. is 14:00."""
    units, spans = [], []
    for place, pattern in enumerate(_TIMES):
        for match in pattern.finditer(text):
            hour, half = int(match.group(1 if place else 2)), match.groupdict().get("half")
            if hour > 24 or (place == 3 and language != "fr"):
                continue
            said = match.group("a")
            minutes = hour % 12 * 60 if said else hour * 60
            minutes += (720 if said and _PM.fullmatch(said) else 0) + (30 if half else int(match.group("m") or 0))
            both = {minutes, minutes + 720} if not said and hour <= 12 and place != 4 else {minutes}
            units.append(_unit("time", both, match))
            spans.append(match.span())
            text = _blank(text, [match.span()])
    return units, text


_MONTH = "|".join(sorted(map(regex.escape, tables.MONTHS), key=len, reverse=True))
_DAY = r"(\d{1,2})(?:st|nd|rd|th|er|\.|º|-го)?"
_DATES = [
    regex.compile(
        rf"(?:{_DAY} ?(?:of |de |d')?)?(?<!\p{{L}})({_MONTH})(?!\p{{L}})(?: (\d{{1,2}})(?:st|"
        rf"nd|rd|th)?(?![\d.,:]|\p{{L}}))?"
    ),
    regex.compile(rf"(?:{_DAY} ?)?({_MONTH})"),
]
_CJK_MONTH = regex.compile(r"(?<!\d)(\d{1,2})(?:月(?!間)|월) ?(?:(\d{1,2}) ?[日일号號])?")
_CJK_DAY = regex.compile(r"(?<=[年月월년至到から부터~ ])(\d{1,2}) ?(?:日(?!間|内|以)|号|號)")


def dates(text: str, language: str):
    """Months and days of the month."""
    units, spans = [], []
    if language in ("zh", "ja", "ko"):
        for match in _CJK_MONTH.finditer(text):
            if int(match.group(1)) <= 12:
                units.append(_unit("month", {int(match.group(1))}, match))
                if match.group(2):
                    units.append(_unit("day", {int(match.group(2))}, match, start=match.start(2)))
                spans.append(match.span())
        return units, _blank(text, spans)
    for match in _DATES[language == "th"].finditer(text):
        before, word = match.group(1), match.group(2)
        after = match.group(3) if language != "th" else None
        if (
            word in ("may", "march", "mars", "марта")
            and language == "en"
            and not (
                before
                or after
                or regex.match(r".*\b(?:in|since|until|of|by|from|on|to) $", text[: match.start(2)], regex.S)
                or regex.match(r" \d{4}", text[match.end() :])
            )
        ):
            continue  # the verbs
        units.append(_unit("month", {tables.MONTHS[word]}, match, start=match.start(2)))
        for day, group in ((before, 1), (after, 3)):
            if day and int(day) <= 31:
                units.append(_unit("day", {int(day)}, match, start=match.start(group)))
        spans.append(match.span())
    return units, _blank(text, spans)


_YEAR = regex.compile(
    r"(?P<era>พ\.ศ\. ?|ค\.ศ\. ?|昭和|平成|令和|大正|明治)?(?<!\d)(?<!\d[.,])(?P<year>\d{4}|"
    r"(?<=昭和|平成|令和|大正|明治)\d{1,2})(?:-?(?P<tens>s|er|х|年代|년대|د|के दशक|'s))?(?P<end>年|"
    r"년|г\.)?(?![\d%])(?![.,]\d)"
)
_ERA = {"昭和": 1925, "平成": 1988, "令和": 2018, "大正": 1911, "明治": 1867}


def years(text: str, language: str):
    """Years, in Buddhist and Japanese eras too."""
    units, spans = [], []
    for match in _YEAR.finditer(text):
        year, era = int(match.group("year")), (match.group("era") or "").strip()
        if era in _ERA:
            values = {_ERA[era] + year}
        elif era.startswith("พ"):
            values = {year - 543}
        elif language == "th" and 2300 <= year <= 2700:
            values = {year, year - 543}
        elif 1000 <= year <= 2100:
            values = {year}
        else:
            continue
        if not era and not match.group("end"):  # a count, not a year
            word = regex.match(r" ?([\p{L}%]\S*)", text[match.end() :])
            if word and (
                word.group(1) in tables.UNITS
                or word.group(1) in tables.SCALE
                or regex.match(r"[万萬億亿만억천]|[名人명户戸只羽]", word.group(1))
            ):
                continue
        if match.group("tens"):  # a decade agrees with each of its years
            values = {value + add for value in values for add in range(10)}
        units.append(_unit("year", values, match))
        spans.append(match.span())
    return units, _blank(text, spans)


_DIGITS = regex.compile(
    r"(?<![\d\p{L}])(?:\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?:[ ,.']\d{3})+(?!\d)|\d+)(?:[.,]\d+)?|"
    r"(?<=[\p{Thai}\p{Han}\p{Kana}\p{Hiragana}\p{Hangul}])(?:\d{1,3}(?:[ ,.']\d{3})+(?!\d)|"
    r"\d+)(?:[.,]\d+)?"
)
_SCALE_WORD = "|".join(sorted(map(regex.escape, tables.SCALE), key=len, reverse=True))
_SCALED = regex.compile(rf"[ -]?({_SCALE_WORD})(?!\p{{Latin}}|\p{{Cyrillic}}|\p{{Arabic}}|\p{{Devanagari}})")
_UNIT_WORD = "|".join(sorted(map(regex.escape, tables.UNITS), key=len, reverse=True))
_UNIT = regex.compile(
    rf"\0*[ -]?(?:de |d')?({_UNIT_WORD}|por ciento|pour cent|per cent|pro cent|في المئة|"
    rf"في المائة|بالمئة|بالمائة)(?!\p{{Latin}}|\p{{Cyrillic}}|\p{{Arabic}}|\p{{Devanagari}})"
)


def _values(digits: str) -> set[float]:
    """Return what a written number may mean: 1.240 is 1240 or 1.24, by language; both are kept."""
    plain = regex.sub(r"[ ']", "", digits)
    marks = regex.findall(r"[.,]", plain)
    if not marks:
        return {float(plain)}
    if len(set(marks)) == 2:
        last = max(plain.rfind("."), plain.rfind(","))
        return {float(regex.sub(r"[.,]", "", plain[:last]) + "." + plain[last + 1 :])}
    if len(marks) > 1:
        return {float(regex.sub(r"[.,]", "", plain))}
    head, tail = regex.split(r"[.,]", plain)
    both = {float(f"{head}.{tail}")}
    return both | {float(head + tail)} if len(tail) == 3 and head != "0" else both


def _number(values: set[float], match, text: str, end: int) -> tuple[Unit, int]:
    """Return the unit of a number, with the unit of measure that follows, and where it ends."""
    measured = _UNIT.match(text, end)
    scaled = set()
    if measured:
        kind, factor = tables.UNITS.get(measured.group(1), ("percent", 1))
        end = measured.end()
        scaled = {(kind, round(value * factor, 6)) for value in values}
    return _unit("num", {round(v, 6) for v in values}, match, scaled), end


def numbers(text: str, _language: str):
    """Numbers in digits, with a scale word (84.6 million, 8460万, 2 lakh) and a unit of measure."""
    units, spans = [], []
    for match in _DIGITS.finditer(text):
        values, end = _values(match.group()), match.end()
        while scale := _SCALED.match(text, end):
            values = {round(value * tables.SCALE[scale.group(1)], 6) for value in values}
            end = scale.end()
            if more := regex.compile(r"\d{1,4}(?!\d)").match(text, end):  # 1万2500
                if scale.group(1) in "万萬億亿만억":
                    values = {value + int(more.group()) for value in values}
                    end = more.end()
                break
        unit, end = _number(values, match, text, end)
        units.append(unit)
        spans.append((match.start(), end))
    return units, _blank(text, spans)


def _add_up(values: list[int]) -> float:
    """Return the number that number words make: sixty-two thousand."""
    total = current = 0
    for value in values:
        if value >= 1000:
            total, current = total + max(current, 1) * value, 0
        elif value == 100:
            current = max(current, 1) * value if current < 100 else current + value
        else:
            current += value
    return float(total + current)


def _characters(text: str, table: dict[str, int]) -> float:
    """Return the number that characters make, each a digit or a power of ten: 一万二千五百, 육만 이천."""
    total = section = digit = 0
    for char in text:
        value = table.get(char)
        if value is None:
            continue
        if value < 10:
            digit = digit * 10 + value
        elif value < 10**4:
            section, digit = section + max(digit, 1) * value, 0
        else:
            total, section, digit = total + max(section + digit, 1) * value, 0, 0
    return float(total + section + digit)


_HAN_NUMBER = regex.compile(r"[〇零一二两兩三四五六七八九十百千万萬億亿]+")
_HAN_COUNTER = regex.compile(
    r"[%个個名人条條座家只羽頭头幅张張枚点點分年月日天周週歳岁倍件次回位户戸世台間间层階级車门門つか国種项項班路号番本冊册米公キメセ元円欧ヶカ%週席棟艘辆部篇]"
)
_KO_NATIVE = regex.compile(
    rf"(?<!\p{{Hangul}})({'|'.join(tables.KO_TENS)})?"
    rf"({'|'.join(sorted(tables.KO_ONES, key=len, reverse=True))})?(?= ?(?:개|"
    rf"명|가지|시|살|마리|권|대|곳|번|점|장|달|척|채|편|차례|군데|사람|배|팀|층|그루|"
    rf"켤레|병|잔))"
)
_KO_SINO = regex.compile(
    r"(?<!\p{Hangul})(?:[일이삼사오육칠팔구십백천만억]+ ?)+(?<! )(?= ?(?:분|년|점|장|"
    r"가구|명|개|원|유로|킬로|미터|센티|퍼센트|%|프로|달러|톤|일|주|월|층|회|곳|대|마리|"
    r"종|도|배|세))"
)
_TH_NUMBER = regex.compile(f"(?:{'|'.join(k for k in tables.TH if tables.TH[k] <= 10)})(?:{'|'.join(tables.TH)})*")


def _han_numbers(text: str):
    """Yield (value, match) of numbers in Han characters."""
    for match in _HAN_NUMBER.finditer(text):
        run, follows = match.group(), text[match.end() : match.end() + 1]
        digits = any(tables.HAN[char] <= 10 for char in run)
        if (digits or len(run) > 1) and (len(run) > 1 or _HAN_COUNTER.match(follows)) and run != "千万":
            yield _characters(run, tables.HAN), match


def _korean_numbers(text: str):
    """Yield (value, match) of native Korean numbers before a counter."""
    for match in _KO_NATIVE.finditer(text):
        yield float(tables.KO_TENS.get(match.group(1), 0) + tables.KO_ONES.get(match.group(2), 0)), match


def _sino_korean_numbers(text: str):
    """Yield (value, match) of Sino-Korean numbers before a counter."""
    for match in _KO_SINO.finditer(text):
        yield _characters(match.group(), tables.KO), match


def _thai_numbers(text: str):
    """Yield (value, match) of Thai numbers."""
    for match in _TH_NUMBER.finditer(text):
        total = section = digit = 0
        for word in regex.findall("|".join(sorted(tables.TH, key=len, reverse=True)), match.group()):
            value = tables.TH[word]
            if value < 10:
                digit = value
            elif value < 10**6:
                section, digit = section + max(digit, 1) * value, 0
            else:
                total, section, digit = (total + section + max(digit, 0 if section else 1)) * value, 0, 0
        yield float(total + section + digit), match


_NUMBER_STEPS = {
    "zh": (_han_numbers,),
    "ja": (_han_numbers,),
    "ko": (_korean_numbers, _sino_korean_numbers),
    "th": (_thai_numbers,),
}


def word_numbers(text: str, language: str):
    """Numbers in words. A lone "one" is none: it is an article in most languages."""
    if language in tables.WORDS:
        units, spans = _spelled(text, language)
        return units, _blank(text, spans)
    units = []
    for step in _NUMBER_STEPS[language]:
        spans = []
        for value, match in step(text):
            if value != 1 and (value or "零" in match.group()):
                unit, end = _number({value}, match, text, match.end())
                units.append(unit)
                spans.append((match.start(), end))
        text = _blank(text, spans)
    return units, text


def _german(word: str) -> float | None:
    """Return the value of a German number word: zwölftausendfünfhundert, achtunddreißig."""
    if word in tables.DE:
        return tables.DE[word]
    for mark, factor in (("tausend", 1000), ("hundert", 100)):
        head, found, tail = word.partition(mark)
        if found:
            first, last = (_german(head) if head else 1), (_german(tail.removeprefix("und")) if tail else 0)
            return None if first is None or last is None else first * factor + last
    head, found, tail = word.partition("und")
    if found and head in tables.DE_ONES and tables.DE.get(tail, 0) in range(20, 100, 10):
        return tables.DE_ONES[head] + tables.DE[tail]
    return None


def _word_value(word: str, language: str) -> float | None:
    """Return the value of one number word, None if it is no number."""
    table = tables.WORDS[language]
    if language == "de":
        return _german(word)
    if language == "ar":
        return table.get(word, table.get(word.removeprefix("و"), table.get(word.removeprefix("ال"))))
    return table.get(word)


def _number_words(words: list, place: int, text: str, language: str) -> tuple[list[float], int]:
    """Return the values of the number words from ``place`` on, and the place of the last."""
    join = tables.JOIN.get(language, set())
    values, last = [], place
    value = _word_value(words[place].group(), language)
    while value is not None:
        values.append(value)
        if last + 1 == len(words):
            break
        gap = text[words[last].end() : words[last + 1].start()]
        step = 2 if words[last + 1].group() in join and last + 2 < len(words) else 1
        value = _word_value(words[last + step].group(), language)
        if gap not in (" ", "-"):
            break
        last += step if value is not None else 0
    return values, last


def _spelled(text: str, language: str):
    """Return the numbers spelled in a language with spaces."""
    word = r"\p{L}[\p{L}\p{M}]*"
    if language == "fr":
        text = text.replace("quatre-vingts", "quatre-vingt ")
        word = f"quatre-vingt|{word}"
    words = list(regex.finditer(word, text))
    units, spans, place = [], [], 0
    while place < len(words):
        values, last = _number_words(words, place, text, language)
        number = _add_up(_arabic(values) if language == "ar" else values)
        if number not in (1, 0):
            start, end = words[place].start(), words[last].end()
            match = regex.compile(regex.escape(text[start:end])).match(text, start)
            unit, end = _number({number}, match, text, end)
            units.append(unit)
            spans.append((start, end))
        place = last + 1
    return units, spans


def _arabic(values: list[int]) -> list[int]:
    """Put units after tens, as English has them: four and twenty."""
    values = list(values)
    for place in range(len(values) - 1):
        if values[place] < 10 <= values[place + 1] <= 90:
            values[place], values[place + 1] = values[place + 1], values[place]
    return values


_WEEKDAY = regex.compile("|".join(sorted(map(regex.escape, tables.WEEKDAYS), key=len, reverse=True)))


def weekdays(text: str, language: str):
    """Days of the week."""
    spaced = language not in ("zh", "ja", "th", "ko")
    pattern = regex.compile(rf"(?<!\p{{L}})(?:{_WEEKDAY.pattern})s?(?!\p{{L}})") if spaced else _WEEKDAY
    found = [
        (m, tables.WEEKDAYS.get(m.group(), tables.WEEKDAYS.get(m.group().removesuffix("s"))))
        for m in pattern.finditer(text)
    ]
    found = [(m, value) for m, value in found if value is not None]
    return [_unit("weekday", {value}, m) for m, value in found], _blank(text, [m.span() for m, _ in found])


@lru_cache
def _cue_patterns(language: str):
    spaced = language not in ("zh", "ja", "th", "ko")
    left, right = (r"(?<![\p{L}\p{M}])", r"(?![\p{L}\p{M}])") if spaced else ("", "")
    rank = {"almost all": 0, "few": 1, "one": 1, "third": 2, "at most": 3, "at least": 3}
    listed = sorted(tables.CUES.items(), key=lambda item: rank.get(item[0][1], 5))
    return [
        (kind, value, regex.compile(f"{left}(?:{by[language]}){right}"))
        for (kind, value), by in listed
        if language in by
    ] + [("not", "not", regex.compile(f"{left}(?:{tables.NOT[language]}){right}"))]


# Cues that are words like others too, and count in recall as such.
_ALSO_WORDS = ("trend", "rank", "door", "order", "more", "ends")
# What a class also agrees with.
_AGREES = {"almost all": {"almost all", "most"}, "few": {"few", "some"}, "both": {"both", "all"}}


def cues(text: str, language: str):
    """Negations, quantifiers and comparisons."""
    units, rest = [], text
    for kind, value, pattern in _cue_patterns(language):
        own = rest
        for match in pattern.finditer(own):
            units.append(_unit(kind, {value}, match))
            if kind not in _ALSO_WORDS:
                rest = _blank(rest, [match.span()])
    return units, rest


_WORD = regex.compile(
    r"[\p{Katakana}ー]+|(?P<dense>[\p{Han}\p{Hiragana}]+|[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)|(?:(?![\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}ー])[\p{L}\p{M}\p{N}])+"
)
_ARTICLE = regex.compile(r"^[وف]?[بكل]?ال(?=..)|^لل(?=..)")


def words(text: str, cased: str, language: str) -> list[Unit]:
    """Words; in scripts without spaces, pairs of characters (Thai: threes)."""
    units, opening = [], True
    for match in _WORD.finditer(text):
        word, start = match.group(), match.start()
        if match.group("dense"):
            size = 3 if "\u0e00" <= word[0] <= "\u0e7f" else 2
            for place in range(max(len(word) - size + 1, 1)):
                gram = word[place : place + size]
                units.append(Unit("gram", frozenset([gram]), start + place, _gram_weight(gram), text=gram))
            continue
        between = cased[max(start - 2, 0) : start]
        opening = start == 0 or any(mark in between for mark in '.!?\n:"“«„')
        first = cased[start : start + 1]
        katakana = "\u30a0" <= word[0] <= "\u30ff"
        name = katakana or (first.isupper() and language != "de" and not opening)
        if language == "ar":
            word = _ARTICLE.sub("", word)
        weight = 0.15 if word in tables.STOP[language] or (len(word) < 2 and word.isalpha()) else 1.5 if name else 1.0
        units.append(Unit("word", frozenset([word]), start, weight, name=name, text=word))
    return units


def _gram_weight(gram: str) -> float:
    if "\u0e00" <= gram[0] <= "\u0e7f":
        return 0.2
    han = sum("\u4e00" <= char <= "\u9fff" for char in gram)
    return (0.08, 0.25, 0.5)[han] if len(gram) > 1 else 0.1


# --- matching --------------------------------------------------------------------------------------------------------
@lru_cache(maxsize=100000)
def _pieces(word: str) -> frozenset:
    """Return the threes of letters of a word (Korean: pairs), with its borders."""
    size = 2 if "\uac00" <= word[0] <= "\ud7a3" else 3
    padded = f"^{word}$" if size == 3 else f"^{word}"
    return frozenset(padded[i : i + size] for i in range(len(padded) - size + 1)) or frozenset([padded])


@lru_cache(maxsize=400000)
def _alike(one: str, other: str) -> float:
    """Return how alike two words are, 0 to 1: shared beginning or shared pieces; below a half counts as nothing."""
    least = 2 if "\uac00" <= one[0] <= "\ud7a3" else 4
    if min(len(one), len(other)) < least or one.isdigit():
        return 0.0
    common = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        common += 1
    prefix = common / max(len(one), len(other)) if common >= least else 0.0
    a, b = _pieces(one), _pieces(other)
    share = len(a & b) / min(len(a), len(b)) * min(len(one), len(other)) / max(len(one), len(other))
    value = max(prefix + 0.15 * (prefix > 0), share)
    return min(value, 0.95) if value >= 0.45 else 0.0


@dataclass
class Matches:
    """Where the units of a claim stand in a passage: unit, position and strength of each occurrence, by unit."""

    unit: np.ndarray
    position: np.ndarray
    strength: np.ndarray
    best: np.ndarray  # of each unit of the claim


def agree(one: Unit, other: Unit) -> float:
    """Return how far two typed units agree, 0 to 1."""
    if one.scaled and other.scaled:
        return 1.0 if one.scaled & other.scaled else 0.0
    if one.keys & other.keys:
        return 1.0
    if one.kind == "quant" and any(_AGREES.get(a, set()) & _AGREES.get(b, {b}) for a in one.keys for b in other.keys):
        return 0.7
    return 0.0


def same_kind(one: Unit, other: Unit) -> bool:
    """Say whether two units are of one kind, so that they may agree or contradict each other."""
    if {one.kind, other.kind} == {"num", "year"}:
        return True
    return one.kind == other.kind


def match(claim: tuple[Unit, ...], passage: tuple[Unit, ...]) -> Matches:
    """Return all occurrences of the claim's units in the passage."""
    by_word: dict[str, list[float]] = defaultdict(list)
    by_kind: dict[str, list[Unit]] = defaultdict(list)
    for unit in passage:
        if unit.kind in ("word", "gram"):
            by_word[unit.text].append(unit.position)
        else:
            by_kind[unit.kind].append(unit)
    vocabulary = [word for word in by_word if len(word) > 1]
    pieces: dict[str, list[str]] = defaultdict(list)
    for word in vocabulary:
        for piece in _pieces(word):
            pieces[piece].append(word)
    rows = []
    for place, unit in enumerate(claim):
        if unit.kind in ("word", "gram"):
            rows += [(place, at, 1.0) for at in by_word.get(unit.text, ())]
            if unit.kind == "word" and unit.weight >= 1:
                near = {word for piece in _pieces(unit.text) for word in pieces.get(piece, ())} - {unit.text}
                for word in sorted(near):  # in one order, so that the cap in `binding` keeps the same ones
                    if (strength := _alike(unit.text, word)) > 0:
                        rows += [(place, at, strength) for at in by_word[word]]
        else:
            kinds = ("num", "year") if unit.kind in ("num", "year") else (unit.kind,)
            rows += [
                (place, other.position, s) for kind in kinds for other in by_kind[kind] if (s := agree(unit, other))
            ]
    rows.sort(key=lambda row: row[0])
    array = np.array(rows, dtype=float).reshape(-1, 3)
    best = np.zeros(len(claim))
    np.maximum.at(best, array[:, 0].astype(int), array[:, 2])
    return Matches(array[:, 0].astype(int), array[:, 1], array[:, 2], best)


def _strongest(values: np.ndarray, unit: np.ndarray, n: int) -> np.ndarray:
    """Return the highest value of each unit, (n, k), of values of occurrences (m, k)."""
    out = np.zeros((n, values.shape[1]))
    if len(unit):
        starts = np.flatnonzero(np.r_[True, np.diff(unit) > 0])
        out[unit[starts]] = np.maximum.reduceat(values, starts, axis=0)
    return out


# --- features --------------------------------------------------------------------------------------------------------
def density(found: Matches, weights: np.ndarray, places: np.ndarray, tau: float) -> np.ndarray:
    """Return what share of the claim, by weight, stands near each place of the passage, (k,)."""
    near = found.strength[:, None] * np.exp(-np.abs(found.position[:, None] - places) / tau)
    return weights @ _strongest(near, found.unit, len(weights)) / max(weights.sum(), 1e-9)


def context(x: int, claim_at: np.ndarray, weights: np.ndarray, found: Matches, places: np.ndarray) -> np.ndarray:
    """Return how far the neighbours of unit x in the claim stand near each place of the passage, on the same side."""
    pull = weights * np.exp(-np.abs(claim_at - claim_at[x]) / TAU_CLAIM)
    pull[x] = 0.0
    side = np.sign(claim_at[found.unit] - claim_at[x])[:, None] * np.sign(found.position[:, None] - places)
    near = found.strength[:, None] * np.exp(-np.abs(found.position[:, None] - places) / TAU_PASSAGE)
    near *= np.where(side < 0, OTHER_SIDE, 1.0)
    return pull @ _strongest(near, found.unit, len(weights)) / max(pull.sum(), 1e-9)


def contest(kinds, claim, passage, claim_at, weights, found):
    """Return (absent, lost, share) of the claim's units of the kinds: the worst each, 0 where there are none.

    absent  1 if no unit of the passage agrees
    lost    how much more of the unit's neighbours stand near a unit that contradicts it than near one that agrees
    share   the share of the units, by weight, with which none agrees
    """
    absent, lost, held, sizes, any_of_them = [], [], [], [], False
    for x, unit in enumerate(claim):
        if unit.kind not in kinds:
            continue
        rivals = [other for other in passage if same_kind(unit, other)]
        worth = np.array([agree(unit, other) for other in rivals])
        same = other = 0.0
        if rivals:
            places = np.array([one.position for one in rivals])
            near = context(x, claim_at, weights, found, places)
            same = float((near * worth).max())
            other = float((near * (worth == 0)).max())
        missing = 1.0 - worth.max(initial=0.0)
        absent.append(missing * (0.3 if unit.keys & {"some", "few"} else 1.0))
        lost.append(max(other - same, 0.0))
        held.append(same)
        sizes.append(unit.weight)
        any_of_them = True
    if not any_of_them:
        return 0.0, 0.0, 0.0
    return max(absent), max(lost), float(np.dot(absent, sizes) / np.sum(sizes))


def binding(claim_at: np.ndarray, weights: np.ndarray, found: Matches) -> tuple[float, float]:
    """Return (near, order): how near, and how often in the same order, neighbours of the claim stand in the passage.

    Both are means over pairs of matched units, weighted by the units and by how near they stand in the claim.
    """
    used = weights[found.unit] >= 0.19
    unit, at, strength = found.unit[used], found.position[used], found.strength[used]
    if len(unit) > 400:  # a long page: the strongest occurrences
        keep = np.sort(np.argsort(-strength, kind="stable")[:400])
        unit, at, strength = unit[keep], at[keep], strength[keep]
    if len(np.unique(unit)) < 2:
        return 0.0, 0.0
    gap = at[None, :] - at[:, None]
    own_gap = np.abs(claim_at[unit][:, None] - claim_at[unit])
    near = strength[:, None] * strength * np.exp(-np.maximum(np.abs(gap) - own_gap, 0) / TAU_PAIR)
    starts = np.flatnonzero(np.r_[True, np.diff(unit) > 0])
    pairs = [
        np.maximum.reduceat(np.maximum.reduceat(one, starts, axis=0), starts, axis=1)
        for one in (near * (gap > 0), near * (gap < 0))
    ]
    own = unit[starts]
    pull = (
        weights[own][:, None] * weights[own] * np.exp(-np.abs(claim_at[own][:, None] - claim_at[own]) / TAU_PAIR_CLAIM)
    )
    pull = np.triu(pull, 1)
    forward, backward = pairs
    total = max(pull.sum(), 1e-9)
    close = (pull * np.maximum(forward, backward)).sum() / total
    decided = pull * np.maximum(forward, backward)
    order = (decided * (forward >= backward)).sum() / max(decided.sum(), 1e-9)
    return float(close), float(order)


def polarity(claim, passage, claim_at, weights, found) -> tuple[float, float]:
    """Return (added, dropped): a negation that only the claim has, or only the passage where it matches best.

    The place is where the claim's words meet that are rare in the passage: its hero is named in every sentence, what
    is said of the hero only once. Of a claim with a negation those near the negation count.
    """
    if not len(found.position):
        return 0.0, 0.0
    cues = np.array([unit.position for unit in passage if unit.kind == "not"])
    rare = weights / np.maximum(np.bincount(found.unit, found.strength, len(weights)), 1.0)
    spots = np.unique(found.position)

    def negated(pull: np.ndarray) -> float:
        best = _meeting(found, pull, spots).max()
        return float(min(_meeting(found, pull, cues).max() / max(best, 1e-9), 1.0)) if len(cues) else 0.0

    own = [unit.position for unit in claim if unit.kind == "not"]
    if not own:
        return 0.0, negated(rare)
    return 1.0 - min(negated(rare * np.exp(-np.abs(claim_at - at) / TAU_NOT)) for at in own), 0.0


def _meeting(found: Matches, weights: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the weight of the claim's units around each place: all within four words, less beyond."""
    away = np.maximum(np.abs(found.position[:, None] - places) - FLAT, 0.0)
    return weights @ _strongest(found.strength[:, None] * np.exp(-away / FALL), found.unit, len(weights))


NAMES = (
    "recall",
    "near",
    "order",
    "wide",
    "absent",
    "lost",
    "quant_absent",
    "quant_lost",
    "cue_lost",
    "not_added",
    "not_dropped",
    "name_absent",
    "number_share",
    "absent_share",
    "size",
)
CUE_KINDS = ("more", "order", "ends", "trend", "rank", "door", "only")


def features(claim_text: str, passage_text: str) -> dict[str, float]:
    """Return the features of a claim and a passage."""
    language = language_of(claim_text)
    other = language_of(passage_text)
    if {language, other} == {"zh", "ja"}:  # a claim of Han characters alone
        language = other = "ja"
    claim, passage = read(claim_text, language), read(passage_text, other)
    return pair_features(claim, passage)


def pair_features(claim, passage) -> dict[str, float]:
    """Return the features of the units of a claim and of a passage."""
    found = match(claim, passage)
    weights = np.array([unit.weight for unit in claim])
    claim_at = np.array([unit.position for unit in claim])
    spots = np.unique(found.position)
    content = np.array([unit.weight if unit.kind in ("word", "gram", *NUMERIC) else 0.0 for unit in claim])
    size = max(content.sum(), 1e-9)
    recall = float(content @ found.best / size)
    wide = float(density(found, content, spots, TAU_WIDE).max()) if len(spots) else 0.0
    near, order = binding(claim_at, weights, found)
    absent, lost, absent_share = contest(NUMERIC, claim, passage, claim_at, weights, found)
    quant_absent, _, _ = contest(("quant",), claim, passage, claim_at, weights, found)
    _, quant_lost, _ = contest(("quant", "bound"), claim, passage, claim_at, weights, found)
    _, cue_lost, _ = contest(CUE_KINDS, claim, passage, claim_at, weights, found)
    added, dropped = polarity(claim, passage, claim_at, content, found)
    named = np.array([unit.name for unit in claim], dtype=float)
    typed = np.array([unit.kind in NUMERIC for unit in claim], dtype=float)
    values = (
        recall,
        near * recall,
        order,
        wide,
        absent,
        lost,
        quant_absent,
        quant_lost,
        cue_lost,
        added,
        dropped,
        float((content * named * (1 - found.best)).sum() / size),
        float((content * typed * found.best).sum() / size),
        absent_share,
        size,
    )
    return dict(zip(NAMES, values, strict=True))
