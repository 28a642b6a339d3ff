"""Reference-free relevance of passages to a question: the lexical design and its blend with an encoder (prototype).

    scores, evidence = passage_scores("Who wrote Faust?", ["Faust: A play. Goethe wrote Faust in 1808.", "..."])

Uses the table of idf, the n-grams and the sentence splitter of ragauge. The constants were chosen on the tuning half
of nomiracl: see README.md.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import regex as re

from ragauge.embedders._ngrams import _SHIFT, features, shipped
from ragauge.embedders._scripts import folded
from ragauge.sentences import sentences

EPS = 0.2
"""A word that is absent counts as if this share of it were there."""
LENGTH = 0.02
"""Taken off per factor e of the length of a sentence, in characters."""
PRIOR, PRIOR_MATCH = 12.0, 0.6
"""Worth of a word that every sentence has by PRIOR_MATCH: full coverage of one word is little evidence."""
STRICT = 0.3
"""Taken off where a counted thing or a unit is asked for and the sentence has none."""
NEAR = 0.0
"""Taken off where a date or number is asked for and none stands near a word asked about: it did not pay."""
ELSEWHERE = 0.3
"""Share that a word counts which stands in another sentence of the passage; in its heading, it counts fully."""
DAMP = 0.75
"""Power of idf, as in embedders/lexical.py."""
BLEND = 0.5
"""Weight of the encoder's cosine beside the lexical score of a passage."""
_REACH = 6
"""Characters between a word asked about and a date or number."""

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\uff70\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = re.compile(
    r"[\p{Katakana}\u30fc\uff70]+|\p{Han}+|\p{Hiragana}+|[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+|"
    r"\p{Nd}++(?:[.,]\p{Nd}++)*+(?!\p{Latin})|[[\p{L}\p{M}\p{Nd}]--[" + _UNSPACED + r"]]+",
    re.V1,
)
_HAN, _KANA, _HANGUL = re.compile(r"\p{Han}"), re.compile(r"[\p{Hiragana}\p{Katakana}]"), re.compile(r"\p{Hangul}")
_STARTS_UNSPACED = re.compile(rf"[{_UNSPACED}]")


# --- traditional and simplified characters ---------------------------------------------------------------------------
@cache
def _simplified() -> dict[int, str]:
    text = (Path(__file__).parent / "t2s.txt").read_text("utf-8")
    return dict(zip(map(ord, text[::2]), text[1::2], strict=True))


def fold_script(text: str) -> str:
    """Write traditional characters as simplified ones, one for one."""
    return text.translate(_simplified())


# --- words of a question ---------------------------------------------------------------------------------------------
# Words of questions, articles, prepositions, forms of to be and to have; verbs and nouns of content stay.
_STOP_LINES = (
    "what which who whom whose when where why how is are was were be been being am do does did done has have",
    "had can could will would should may might must shall",
    "the a an of in on at to for from by with as and or that this these those it its their his her there than",
    "about into under during between",
    "many much long old kind type name called take took place world",
    "wer was wen wem wessen wann wo woher wohin warum weshalb wieso wie viel viele vielen welche welcher",
    "welches welchen welchem ist sind war waren wird werden wurde wurden hat haben hatte hatten kann können",
    "der die das den dem des ein eine einer eines einem einen von im in an am auf zu zum zur für aus bei mit",
    "nach und oder es sich als man gibt heißt heißen nennt bedeutet",
    "qué que cuál cual cuáles quién quien quiénes quienes cuándo cuando dónde donde por cómo como cuánto",
    "cuánta cuántos cuántas es son era eran fue fueron ser está están hay ha han tiene tienen",
    "el la los las un una unos unas de del al a en y o u con para se su sus lo llama significa",
    "qui que quoi quel quelle quels quelles quand où pourquoi comment combien est sont était étaient le les",
    "des du et ou dans sur pour par avec ce cette il elle",
    "кто что какой какая какое какие когда где куда откуда почему сколько как чей в во на с со из к по для и",
    "или это был была были было есть",
)
STOP = frozenset(word for line in _STOP_LINES for word in line.split())
_ZH = re.compile(
    r"有?哪一?[些种个位座年天里儿国]|有?多少|什么时候|是?什么|是谁|是哪|哪|谁|怎么样?|如何|为什么|为何|何时|何处|位于|[吗呢么的是有了在]|多[大高长远]|几[个位名次]|最多可以|可以"
)
_JA = re.compile(
    r"(?:は|が|を|の|に|で|と|から|へ|も)?(?:何ですか|誰ですか|どこですか|いつですか|いくつですか|どのくらい(?:ですか)?|どれくらい|どのような|どんな|どのように|いつ|どこ|誰|だれ|何[人年歳時間個月日]?|いくつ|いくら|どの|どれ|なぜ|どう)|ですか|ましたか|ますか|でしたか|でしょうか|ありますか|いますか|のですか|のか|とは"
)
_KO = re.compile(
    r"^(?:누구|누가|언제|어디|어느|어떤|어떻게|무엇|무슨|뭐|뭔|뭘|왜|몇|얼마|있나요?|있습니까|있는가|있을까요|있어요?|인가요?|인가|입니까|하나요?|합니까|했나요?|하는가|되나요?|어떤가요?|어떤가|무엇인가|누구인가|언제인가요|뭔가요|뭘까요|뭐나요).*$"
)
_JOSA = re.compile(
    r"(?<=\p{Hangul}{2})(?:에서는|으로는|에게서|에서|에는|으로|까지|부터|에게|이나|은|는|이|가|을|를|의|에|와|과|도|로|만)$"
)


_OPENING = '「『《〈"“'


@cache
def _idf(text: str) -> float:
    keys = features(folded([text])).keys
    if len(text) == 2:
        keys = np.setdiff1d(keys, features(folded([text[0] + " " + text[1]])).keys)
    return float(shipped().levels[keys >> _SHIFT].max()) / 16 if len(keys) else 9.0


def cut(run: str, least: float = 1.0) -> list[str]:
    """Cut a run of Han between neighbours that say little of each other: idf(a) + idf(b) - idf(ab) < ``least``."""
    parts = [run[0]]
    for one, other in pairwise(run):
        if _idf(one) + _idf(other) - _idf(one + other) < least:
            parts.append(other)
        else:
            parts[-1] += other
    joined: list[str] = []
    for part in parts:
        if len(part) == 1 and joined and len(joined[-1]) < 2:
            joined[-1] += part
        else:
            joined.append(part)
    if len(joined) > 1 and len(joined[-1]) == 1:
        last = joined.pop()
        joined[-1] += last
    return joined


def words(question: str, *, stop: bool = True, fold: bool = True, cut_han: bool = True) -> list[tuple[str, bool]]:
    """Return the words of a question that say what it is about; with each, whether it is like a name or a number.

    Args:
        question: The question.
        stop: Leave words and phrases of questions out.
        fold: Write traditional characters as simplified ones, unless the question has kana or Hangul.
        cut_han: Cut runs of Han.
    """
    text = unicodedata.normalize("NFKC", question)
    kana, hangul = bool(_KANA.search(text)), bool(_HANGUL.search(text))
    if fold and not kana and not hangul:
        text = fold_script(text)
    if stop and kana:
        text = _JA.sub(" ", text)
    elif stop and _HAN.search(text):
        text = _ZH.sub(" ", text)
    found = []
    for match in _WORD.finditer(text):
        word, before = match.group(), text[: match.start()]
        if stop and cut_han and re.fullmatch(r"\p{Han}{3,}", word):
            found += [(part, False) for part in cut(word)]
            continue
        if stop:
            word = _content(word, before, hangul=hangul)
        if word:
            found.append((word.casefold(), _like_name(word, before)))
    return found if found or not stop else words(question, stop=False, fold=fold, cut_han=cut_han)


def _content(word: str, before: str, *, hangul: bool) -> str:
    """Return the word without its particle; an empty text if it does not say what the question is about."""
    quoted = len(word) >= 3 and before.rstrip()[-1:] in _OPENING
    if re.fullmatch(r"\p{Hiragana}+", word) and not quoted:
        return ""
    if hangul:
        if _KO.match(word):
            return ""
        word = _JOSA.sub("", word)
    return "" if word.casefold() in STOP else word


def _like_name(word: str, before: str) -> bool:
    first = not re.search(r"[\p{L}\p{Nd}]", before)
    capital = bool(re.match(r"\p{Lu}", word)) and not first
    return capital or bool(re.fullmatch(r"[\p{Katakana}ー]+", word)) or word[0].isdigit()


# --- what a question asks for ----------------------------------------------------------------------------------------
_MONTH = (
    r"jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|april?|may|mai|june?|juni|"
    r"july?|juli|aug(?:ust)?|sept?(?:ember)?|okt(?:ober)?|oct(?:ober)?|nov(?:ember)?|"
    r"de[cz](?:ember)?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|"
    r"octubre|noviembre|diciembre"
)
_NUMERAL = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|"
    r"zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|hundert|tausend|millionen|"
    r"dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|cien|ciento|mil|millones"
)
_HAN_NUMERAL = r"[〇零一二三四五六七八九十百千万億亿兆两兩数數]"
# In the question, after NFKC, case folding and simplified characters.
ASKS_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b|\bwann\b|\b(?:welche[mns]?|"
    r"was für ein) (?:jahr|tag|datum|jahrhundert)|\bcuándo\b|\b(?:qué|cuál) (?:es la )?(?:año|"
    r"fecha|día|siglo)|"
    r"哪一?年|哪天|何时|什么时候|几月|几时|いつ|何年(?!前|間|间|生)|何月|何日|언제|몇\s?년(?!마다)|몇\s?월|생일"
)
ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|old|large|big|tall|high|far|fast|deep|heavy|wide|often)\b|"
    r"\bwie ?viele?n?\b|\bwie (?:alt|lang|lange|groß|gross|hoch|weit|schnell|tief|schwer|"
    r"oft|breit)\b|\b(?:cuánt[oa]s?)\b|\bpopulation of\b|"
    r"多少|几[个位座名条种次届岁]|人口|面积|多[大高长远深重快]|いくつ|いくら|何人|何歳|何岁|何[時时][間间]|何年前|何年間|どのくらい|どれくらい|の[数数]は|何[個个台本回度]|몇|얼마|인구|나이"
)
DATE = re.compile(
    rf"(?<!\p{{Nd}})(?:1\p{{Nd}}{{3}}|20\p{{Nd}}{{2}})(?!\p{{Nd}})|\p{{Nd}}{{1,4}}\s?年|\p{{Nd}}{{1,4}}\s?년|世紀|世纪|세기|\b(?:{_MONTH})\b"
)
NUMBER = re.compile(
    rf"\p{{Nd}}[\p{{Nd}}.,]*|\b(?:{_NUMERAL})\b|{_HAN_NUMERAL}+(?=[个個人名位座条種种次届歳岁年倍口家本台])|(?:한|두|세|네|다섯|여섯)\s?(?:개|명|번)"
)
COUNTED = re.compile(r"(?:how many|how much|wie ?viele?|wieviel|cuánt[oa]s?)\s+((?:[\p{L}-]+ ?){1,3})")
UNITS = (  # asked, expected in the sentence
    (
        re.compile(
            r"how long|how far|how tall|how high|how deep|how wide|wie lang\b|wie hoch|wie weit|"
            r"wie tief|wie breit|cuánto mide|多长|全长|多高|多远"
        ),
        re.compile(
            r"\d[\d.,]*\s?-?(?:km|m|cm|mm|mi|ft|miles?|met(?:er|re)s?|feet|kilomet\w+|inch\w*|meilen|fuß|metros?|kilómetros|公里|米|英里|キロ|メートル)\b|\d\s?(?:hours?|minutes?|years?|months?|days?|weeks?|stunden|minuten|jahre|monate|tage|wochen|年|日|时间|小时|個月)"
        ),
    ),
    (
        re.compile(r"how old|wie alt|qué edad|何歳|多大年|几岁|몇\s?살|나이"),
        re.compile(
            r"\bage[ds]?\b|\bborn\b|years old|\bfounded|established|since|(?<!\d)1[0-9]{3}|\d{1,3}\s?jahre|"
            r"geboren|\*|alter|gegründet|\baños\b|nacid|edad|歳|岁|생|세"
        ),
    ),
    (
        re.compile(r"how large|how big|wie gro(?:ß|ss)|qué tan grande|superficie|面积|면적"),
        re.compile(
            r"\d[\d.,]*\s?(?:km|m)?\s?(?:²|2)|acres?|hectares?|hektar|\bha\b|square|quadrat|cuadrad|平方|einwohner|inhabitants|population|\d\s?(?:m|cm|km|meter)\b"
        ),
    ),
)


def _stem(word: str) -> str:
    return word if _STARTS_UNSPACED.match(word) or len(word) <= 4 else word[: max(4, int(len(word) * 0.7))]


def _near(stems: list[str], token: re.Pattern, text: str) -> bool:
    spans = [m.span() for m in token.finditer(text)]
    for stem in stems if spans else ():
        place = text.find(stem)
        while place >= 0:
            if any(-_REACH <= a - place - len(stem) <= _REACH or -_REACH <= place - b <= _REACH for a, b in spans):
                return True
            place = text.find(stem, place + 1)
    return False


def missing_type(question: str, found: list[tuple[str, bool]], texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Say which sentences lack the type of thing asked for, as two masks (sentences,).

    The first: a counted thing or a unit is asked for, and the sentence has none. The second: a date or number is asked
    for, and none stands near a word asked about. ``found`` are the words of the question.
    """
    asked = unicodedata.normalize("NFKC", question).casefold()
    plain = [unicodedata.normalize("NFKC", text).casefold() for text in texts]
    nothing = np.zeros(len(texts), dtype=bool)
    expected = _expected(asked)
    if expected is not None:
        return np.array([not expected.search(text) for text in plain], dtype=bool), nothing
    asked_in_simplified = fold_script(asked)
    tokens = [token for asks, token in ((ASKS_WHEN, DATE), (ASKS_NUMBER, NUMBER)) if asks.search(asked_in_simplified)]
    if not tokens:
        return nothing, nothing
    plain = [fold_script(text) for text in plain]
    own = sorted(set(re.findall(r"\p{Nd}+", asked)), key=len, reverse=True)
    if own:  # numbers of the question are no answer
        plain = [re.sub("|".join(own), "#", text) for text in plain]
    stems = _stems(found)[-3:]
    return nothing, np.array([not any(_near(stems, token, text) for token in tokens) for text in plain], dtype=bool)


def _expected(asked: str) -> re.Pattern | None:
    """Return what a sentence must have: a number beside the counted noun, or the unit; None if neither is asked for."""
    counted = COUNTED.search(asked)
    nouns = [word for word in re.findall(r"\p{L}+", counted.group(1)) if word not in STOP][:2] if counted else []
    if nouns:
        stems = "|".join(re.escape(word[: max(4, int(len(word) * 0.7))]) for word in nouns)
        number = rf"(?:\p{{Nd}}|\b(?:{_NUMERAL})\b)"
        return re.compile(
            rf"{number}[^.;:]{{0,25}}?\b(?:{stems})|"
            rf"\b(?:{stems})\p{{L}}*[^.;:]{{0,15}}{number}"
        )
    return next((expected for asks, expected in UNITS if asks.search(asked)), None)


def _stems(found: list[tuple[str, bool]]) -> list[str]:
    """Return stems of the words asked about; of long runs of Han, their pairs."""
    content = [(word, name) for word, name in found if not word[0].isdigit()]
    stems = []
    for word in [word for word, name in content if not name] or [word for word, _ in content]:
        pairs = [word[i : i + 2] for i in range(len(word) - 1)]
        stems += pairs if re.match(r"\p{Han}{3,}", word) else [_stem(word)]
    return stems


# --- words held against sentences ------------------------------------------------------------------------------------
@lru_cache(maxsize=4)
def key_sets(texts: tuple[str, ...], *, fold: bool = True) -> list[np.ndarray]:
    """Return the n-grams of each text; of those with Han also the n-grams in simplified characters."""
    keys = _key_sets(texts)
    if not fold:
        return keys
    other = _key_sets(tuple(fold_script(text) for text in texts))
    return [np.union1d(a, b) if _HAN.search(text) else a for a, b, text in zip(keys, other, texts, strict=True)]


def _key_sets(texts: tuple[str, ...]) -> list[np.ndarray]:
    found = features(folded(list(texts)))
    return [found.keys[start:end] for start, end in pairwise(found.offsets)]


def matched(found: list[str], keys: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the worth of words, (k,), and the share of their n-grams, by weight, that each text has, (k, t)."""
    grams = features(folded(found))
    worth, share = np.zeros(len(found)), np.zeros((len(found), len(keys)))
    every = np.concatenate(keys) if keys else np.empty(0, np.uint32)
    owner = np.repeat(np.arange(len(keys)), [len(k) for k in keys])
    inside = np.isin(every, grams.keys)
    every, owner = every[inside], owner[inside]
    for i, word in enumerate(found):
        own = grams.keys[grams.offsets[i] : grams.offsets[i + 1]]
        if not len(own):
            continue
        weight = (shipped().levels[own >> _SHIFT] / 16.0) ** DAMP * (own & 7) / 4
        worth[i] = weight.sum() / 4 if _STARTS_UNSPACED.match(word) else weight.max()
        hit = np.isin(every, own)
        share[i] = np.bincount(owner[hit], weight[np.searchsorted(own, every[hit])], len(keys)) / weight.sum()
    return worth, share


def heading(passage: str) -> str:
    """Return what stands before the first colon, if that is within 120 characters."""
    return passage.split(": ", 1)[0] if ": " in passage[:120] else ""


def spread(share: np.ndarray, owner: np.ndarray, elsewhere: float = ELSEWHERE) -> np.ndarray:
    """Let words of the other sentences of a passage count, (k, s); ``owner`` (s,) is the passage of each sentence."""
    passage = np.zeros((len(share), owner.max() + 1))
    for row, out in zip(share, passage, strict=True):
        np.maximum.at(out, owner, row)
    return np.maximum(share, elsewhere * passage[:, owner])


def geometric(
    worth: np.ndarray,
    share: np.ndarray,
    eps: float = EPS,
    prior: float = PRIOR,
    prior_match: float = PRIOR_MATCH,
) -> np.ndarray:
    """Return the weighted geometric mean of (eps + share) of the words, less eps, (t,)."""
    logs = (worth[:, None] * np.log(eps + share)).sum(0) + prior * np.log(eps + prior_match)
    return np.exp(logs / max(worth.sum() + prior, 1e-9)) - eps


def best_of(values: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Return the highest value of each passage, (p,), of values of its sentences, (s,)."""
    best = np.full(owner.max() + 1, -9.0)
    np.maximum.at(best, owner, values)
    return best


def passage_scores(
    question: str, passages: list[str], split_passages: list[list[str]] | None = None
) -> tuple[np.ndarray, list[str]]:
    """Return the score of each passage, (p,), and the sentence that gives it, as evidence."""
    split_passages = split_passages or [sentences(passage) or [""] for passage in passages]
    texts = [sentence for passage in split_passages for sentence in passage]
    owner = np.repeat(np.arange(len(passages)), [len(passage) for passage in split_passages])
    found = words(question) or [("?", False)]
    keys = key_sets((*texts, *map(heading, passages)))
    worth, share = matched([word for word, _ in found], keys)
    share = np.maximum(share[:, : len(texts)], share[:, len(texts) :][:, owner])
    score = geometric(worth, spread(share, owner)) - LENGTH * np.log(np.maximum([len(text) for text in texts], 1))
    strict, near = missing_type(question, found, texts)
    score = score - STRICT * strict - NEAR * near
    where = [np.flatnonzero(owner == p)[score[owner == p].argmax()] for p in range(len(passages))]
    return best_of(score, owner), [texts[i] for i in where]


def sample_score(scores: np.ndarray) -> float:
    """Return the mean of the two best passages of a sample (of the one, where there is one)."""
    return float(np.sort(scores)[-2:].mean()) if len(scores) else float("nan")


def blended(lexical: np.ndarray, cosine: np.ndarray, weight: float = BLEND) -> np.ndarray:
    """Return passage scores blended with the cosine (p,) of the question and the passage or its best sentence."""
    return (1 - weight) * lexical + weight * cosine
