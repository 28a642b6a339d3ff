"""Writes what values look like in languages, from CLDR and from the number words of ICU; run as a script.

    /usr/bin/python3 benchmarks/make_values.py [CODE ...]

writes ``src/ragauge/languages/values/CODE.toml``, of all languages without an argument, and says what CLDR lacks. A
language is added by its code below (or by running the script with it) and, where its script does not tell it, by
frequent words in ``others.toml``. CLDR and ICU are those of Debian's ``unicode-cldr-core`` and ``python3-icu``.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from pathlib import Path

CLDR = Path("/usr/share/unicode/cldr/common")
VALUES = Path(__file__).parents[1] / "src/ragauge/languages/values"
CODES = [
    "af", "am", "az", "be", "bg", "bn", "bo", "ca", "cs", "cy", "da", "el", "eo", "et", "eu", "fa", "fi", "ga",
    "gu", "he", "hr", "hu", "hy", "id", "is", "it", "ka", "kk", "km", "kn", "ku", "lo", "lt", "lv", "mk", "ml",
    "mn", "mr", "my", "ne", "nl", "no", "or", "pa", "pl", "ps", "pt", "ro", "si", "sk", "sl", "sq", "sr", "sv",
    "sw", "ta", "te", "tl", "tr", "uk", "ur", "vi",
]  # fmt: skip
OF_CLDR = {"tl": "fil", "ku": "ckb"}
UNITS = {
    "duration-second": "span 1", "duration-minute": "span 60", "duration-hour": "span 3600",
    "duration-day": "span 86400",
    "duration-week": "span 604800", "duration-month": "months 1", "duration-year": "months 12",
    "length-millimeter": "length 0.001", "length-centimeter": "length 0.01", "length-meter": "length 1",
    "length-kilometer": "length 1000", "length-mile": "length 1609.344", "length-foot": "length 0.3048",
    "mass-microgram": "mass 0.000001", "mass-milligram": "mass 0.001", "mass-gram": "mass 1",
    "mass-kilogram": "mass 1000", "mass-tonne": "mass 1000000", "mass-metric-ton": "mass 1000000",
    "volume-milliliter": "volume 0.001", "volume-liter": "volume 1", "concentr-percent": "percent 1",
    "temperature-celsius": "celsius 1", "temperature-fahrenheit": "fahrenheit 1",
}  # fmt: skip
CURRENCIES = ("USD", "EUR", "GBP", "JPY", "CNY", "INR", "RUB")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
SPELLED = (*range(1, 101), *range(200, 1000, 100), 1000, 1_000_000, 1_000_000_000)
COMPOUND = 20
"""Up to this, and of round numbers, number words are listed in all cases; of those above in the plain case."""
DAYS_OF = {"months": 12, "weekdays": 7, "numbers": 20, "units": len(UNITS) - 1}


def main(codes: list[str]) -> None:
    """Write the files, and say what is lacking."""
    VALUES.mkdir(exist_ok=True)
    for code in codes or CODES:
        tables = tables_of(code)
        content = "".join(section(name, table) for name, table in tables.items())
        path = VALUES / f"{code}.toml"
        path.write_text(f"{HEAD.format(code=code)}\n{content.lstrip()}", "utf-8")
        lacking = [
            f"{len(tables[name])} of {size} {name}" for name, size in DAYS_OF.items() if len(tables[name]) < size
        ]
        print(f"{path.name}: {path.stat().st_size:,} bytes", *lacking, sep="; ")


HEAD = """\
# Values in the language {code}: made by benchmarks/make_values.py; see NOTICE for the licence (Unicode, Inc.).
# From CLDR 41 and ICU 72.1."""


def tables_of(code: str) -> dict[str, dict[str, list[str]]]:
    """Return the tables of a language: key -> forms."""
    own = OF_CLDR.get(code, code)
    root = ET.parse(CLDR / f"main/{own}.xml").getroot()  # noqa: S314
    numbers, joins = spelled(own)
    return {
        "months": alone(months(root)),
        "weekdays": alone(weekdays(root)),
        "numbers": numbers,
        "joins": {"0": joins} if joins else {},
        "scales": alone(scales_of(root)),
        "units": alone(units(root)),
    }


def months(root: ET.Element) -> Iterator[tuple[str, str]]:
    """Yield number and name of each month."""
    for width in root.iterfind("dates/calendars/calendar[@type='gregorian']/months/monthContext/monthWidth"):
        if width.get("type") != "narrow":
            yield from ((month.get("type"), month.text) for month in width.iterfind("month"))


def weekdays(root: ET.Element) -> Iterator[tuple[str, str]]:
    """Yield number and name of each weekday, Monday is 0."""
    for width in root.iterfind("dates/calendars/calendar[@type='gregorian']/days/dayContext/dayWidth[@type='wide']"):
        yield from ((str(DAYS.index(day.get("type"))), day.text) for day in width.iterfind("day"))


def scales_of(root: ET.Element) -> Iterator[tuple[str, str]]:
    """Yield powers of ten and the words for them behind digits."""
    for pattern in root.iterfind(".//decimalFormats/decimalFormatLength/decimalFormat/pattern"):
        power, text = pattern.get("type"), (pattern.text or "").replace("'", "")
        zeros = text.count("0")
        if power and zeros and (word := text.strip("0").strip()):
            yield str(10 ** (len(power) - zeros)), word


def units(root: ET.Element) -> Iterator[tuple[str, str]]:
    """Yield measures and their names and signs."""
    for unit in root.iterfind("units/unitLength/unit"):
        if unit.get("type") in UNITS:
            for pattern in unit.iterfind("unitPattern"):
                yield UNITS[unit.get("type")], pattern.text
    for code in CURRENCIES:
        for currency in root.iterfind(f"numbers/currencies/currency[@type='{code}']"):
            yield f"{code} 1", code
            yield from ((f"{code} 1", name.text) for name in currency if name.tag in ("displayName", "symbol"))


def spelled(code: str) -> tuple[dict[str, list[str]], list[str]]:
    """Return the number words of a language by value, and what stands between two of them."""
    import icu

    rules = icu.RuleBasedNumberFormat(icu.URBNFRuleSetTag.SPELLOUT, icu.Locale(code))
    sets = [rules.getRuleSetName(place) for place in range(rules.getNumberOfRuleSetNames())]
    sets = [name for name in sets if "cardinal" in name or name.endswith("numbering")]
    if rules.getLocale().getLanguage() != icu.Locale(code).getLanguage():
        return {}, []
    found: list[tuple[str, str]] = []
    compound: set[str] = set()
    for value, name in ((value, name) for value in SPELLED for name in sets):
        whole = plain(rules.format(value, name))
        words = re.split(r"[\s-]+", whole.replace("\u00ad", ""))
        is_plain = name == sets[-1] or "-" not in name.removeprefix("%spellout-cardinal")
        if len(words) == 1 and (value <= COMPOUND or value % 10 == 0 or is_plain):
            found.append((str(value), *words))
        elif len(words) == 2 and (value < COMPOUND or (value < 100 and value % 10 == 0)):
            found.append((str(value), " ".join(words)))
        elif len(words) > 1:
            compound.update(words)
    # In words of their own behind a number: two hundred, two millions.
    for value, name in ((value, name) for value in (100, 1000, 10**6, 10**9) for name in sets):
        for times in (1, 2, 3, 5):
            words = plain(rules.format(value * times, name)).split()
            found += [(str(value), words[-1])] if len(words) > 1 and "\u00ad" not in words[-1] else []
    found += [("100", plain(rules.format(102, name)).split()[0]) for name in sets]
    known = {form for _, form in found}
    ones = [(str(value % 10), plain(rules.format(value, name)).split()[-1]) for value in range(21, 30) for name in sets]
    found += [(value, form) for value, form in ones if form not in known and "\u00ad" not in form]
    table = alone(found)
    return table, sorted(compound - {word for forms in table.values() for word in forms})


def alone(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the forms of each key; those of one key only, without digits."""
    keys: dict[str, set[str]] = {}
    forms: dict[str, None] = {}
    for key, text in pairs:
        form = plain(re.sub(r"\{0\}|[,]", " ", text or ""))
        if form and not re.search(r"\d", form):
            keys.setdefault(form, set()).add(key)
            forms[form] = None
    out: dict[str, list[str]] = {}
    for form in forms:
        if len(keys[form]) == 1:
            out.setdefault(*keys[form], []).append(form)
    return out


def plain(text: str) -> str:
    """Return a form as texts are read: lower case, NFKC, single spaces."""
    text = unicodedata.normalize("NFKC", re.sub("[\u200e\u200f\u061c]", "", text)).lower().replace("\u0307", "")
    return " ".join(text.translate(str.maketrans("șț", "şţ")).split())


def section(name: str, table: dict[str, list[str]]) -> str:
    """Return a table as TOML."""
    rows = [
        f'"{key}" = {json.dumps(", ".join(dict.fromkeys(forms)), ensure_ascii=False)}'
        for key, forms in table.items()
        if forms
    ]
    return "\n".join(["", f"[{name}]", *rows, ""]) if rows else ""


if __name__ == "__main__":
    main(sys.argv[1:])
