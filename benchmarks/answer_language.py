"""How well answer-language's rules tell the language of short texts, beside the model py3langid.

    pip install py3langid
    python benchmarks/answer_language.py
    python benchmarks/answer_language.py FOLDER

Texts are paragraphs of XQuAD (shared/data, or $RAGAUGE_SHARED_DATA) in eleven languages and passages of corpora/ in
Japanese and Korean, cut behind the last word within 20, 50 and 200 characters. Prints the mean over languages of the
share told right, the share told wrong (the rest is not told), and milliseconds a thousand texts. Greek, Turkish and
Vietnamese are right where they are told to be none of the eleven that the rules know. py3langid is asked twice: with
all its languages, and with those of the texts alone. ``mixed``: answers of a sentence in the wanted language and one in
another, each as long; the share of those whose score is between .25 and .75. The last lines say in which script the
Chinese of XQuAD is found to be written, which is simplified.

With a FOLDER of files ``Translation-it.bz2``, ``Translation-pl.bz2`` and so on, descriptions of packages that people
translated for Debian (http://deb.debian.org/debian/dists/bookworm/main/i18n), it prints instead, for a hundred texts of
each language that has at least 20: the mean score where the text's own language is wanted, the share of these that is
undefined, and the mean score where another of the languages is, with the highest of these.
"""

from __future__ import annotations

import bz2
import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np

import ragauge
from embedders import XQUAD, rows, there
from ragauge.grounding.support.units import languages_of
from ragauge.languages.simplified import written_in

LENGTHS = (20, 50, 200)
LISTED = ("en", "de", "es", "fr", "ru", "ar", "hi", "zh", "ja", "ko", "th")
_FEWEST, _MOST, _SHOWN = 20, 100, 6
_DESCRIPTION = re.compile(r"^Description-\w+: .*\n((?: .*\n)+)", re.MULTILINE)
CORPORA = Path(__file__).parents[1] / "corpora"
Tell = Callable[[Sequence[str]], list[str]]


def main() -> None:
    """Print what was measured."""
    if len(sys.argv) > 1:
        translations(Path(sys.argv[1]))
    else:
        passages()


def passages() -> None:
    """Print how well languages are told in XQuAD's paragraphs."""
    if not there("xquad/en"):
        sys.exit("the data xquad are not there")
    texts = {language: paragraphs(language) for language in (*XQUAD, "ja", "ko")}
    detectors: dict[str, Tell] = {"rules": languages_of}
    try:
        detectors |= {"py3langid": langid(()), "py3langid, these": langid(texts)}
    except ImportError:
        print("py3langid is not installed: pip install py3langid")
    for name, tell in detectors.items():
        for length in LENGTHS:
            print(f"{name:18} {length:4}  " + told(tell, texts, length))
    print(f"mixed: {mixed(texts):.1f} %")
    for length in LENGTHS:
        scripts = [written_in(cut(text, length)) for text in texts["zh"]]
        shares = [100 * scripts.count(script) / len(scripts) for script in ("hans", "hant", "")]
        print("simplified Chinese {}: told {:.1f}, told traditional {:.1f}, not told {:.1f} %".format(length, *shares))


def paragraphs(language: str) -> list[str]:
    """Return the distinct passages of a language."""
    if language in XQUAD:
        return list(dict.fromkeys(row["contexts"][0].lstrip("\ufeff") for row in rows(f"xquad/{language}")))
    files = sorted(CORPORA.glob(f"*/{language}/passages.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    return list(dict.fromkeys(line["text"] for line in lines))


def cut(text: str, length: int, start: int = 0) -> str:
    """Return so many characters of a text from ``start`` on, without a word that is cut."""
    part = text[start : start + length]
    return part.rpartition(" ")[0] or part


def langid(languages: Sequence[str] | dict[str, list[str]]) -> Tell:
    """Return the detector of py3langid among some languages, or all."""
    import py3langid

    model = py3langid.langid.LanguageIdentifier.from_model_file(py3langid.langid.MODEL_FILE)
    if languages:
        model.set_languages(list(languages))
    return lambda texts: [model.classify(text)[0] for text in texts]


def told(tell: Tell, texts: dict[str, list[str]], length: int) -> str:
    """Return the shares told right and wrong, the mean over languages, and the time."""
    right, wrong, words = [], [], []
    seconds, count = 0.0, 0
    for language, own in texts.items():
        parts = [cut(text, length) for text in own]
        begun = time.perf_counter()
        found = tell(parts)
        seconds, count = seconds + time.perf_counter() - begun, count + len(parts)
        kept = [one if one in LISTED or not one else "other" for one in found]
        wanted = language if language in LISTED else "other"
        right.append(np.mean([one == wanted for one in kept]))
        wrong.append(np.mean([one not in ("", wanted) for one in kept]))
        words.append(f"{language} {100 * right[-1]:.0f}")
    shares = f"right {100 * np.mean(right):.1f} wrong {100 * np.mean(wrong):.1f}"
    return f"{shares} ms {1e6 * seconds / count:.0f}  {' '.join(words)}"


def mixed(texts: dict[str, list[str]]) -> float:
    """Return the share of answers of two languages that have a score between .25 and .75."""
    samples = []
    for place, language in enumerate(LISTED):
        other = LISTED[(place + 1) % len(LISTED)]
        if language in texts and other in texts:
            pairs = zip(texts[language], texts[other], strict=False)
            answers = [f"{cut(own, 80)}. {cut(foreign, 80)}." for own, foreign in pairs]
            samples += [{"language": language, "answer": answer} for answer in answers]
    scores = ragauge.evaluate(samples, "answer-language", resamples=0).scores("answer-language")
    return 100 * float(np.mean((scores >= 0.25) & (scores <= 0.75)))


def translations(folder: Path) -> None:
    """Print how answers in many languages score, beside those in the wanted one."""
    texts: dict[str, list[str]] = {}
    for file in sorted(folder.glob("Translation-*.bz2")):
        found = _DESCRIPTION.findall(bz2.decompress(file.read_bytes()).decode("utf-8"))
        own = list(dict.fromkeys(" ".join(text.replace("\n .\n", "\n").split()) for text in found))
        if len(own) >= _FEWEST:
            Random(1).shuffle(own)  # noqa: S311 - nothing secret
            texts[file.stem.removeprefix("Translation-")] = own[:_MOST]
    for length in LENGTHS:
        own, other = [], []
        pairs: list[tuple[float, str]] = []
        for wanted in texts:
            for language, some in texts.items():
                samples = [{"language": wanted, "answer": cut(text, length)} for text in some]
                scores = ragauge.evaluate(samples, "answer-language", resamples=0).scores("answer-language")
                (own if language == wanted else other).append((np.nanmean(scores), np.mean(np.isnan(scores))))
                pairs += [(float(np.nanmean(scores)), f"{language} as {wanted}")] if language != wanted else []
        (right, undefined), (wrong, _) = np.mean(own, axis=0), np.mean(other, axis=0)
        print(f"{len(texts)} languages {length:4} own {right:.3f} undefined {undefined:.3f} other {wrong:.3f}")
        print("  highest: " + ", ".join(f"{one} {score:.2f}" for score, one in sorted(pairs, reverse=True)[:_SHOWN]))


if __name__ == "__main__":
    main()
