"""The reader of WordNet's files against that of nltk, on a small database with what the format has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragauge.errors import OptionError
from ragauge.metrics.text._wordnet import WordNet

# Sets of synonyms by part of speech; more than nine in one, since their number is written to base 16.
SETS = {
    "noun": ["car auto automobile motor_car", "dog hound", "child kid", "wolf", "bus coach", "man", "box", "quiz",
             "church", "brush", "city", "axis", "axe ax", "coach trainer", "a b c d e f g h i j k l", "Lin_Wan Lin"],
    "verb": ["run go", "carry bear", "bear stand", "see", "hope", "walk", "try", "go travel"],
    "adj": ["big(a) large", "happy glad", "fine(ip) good", "good", "white"],
    "adv": ["fast quickly", "well good"],
}  # fmt: skip
# Irregular forms, some with two base forms.
EXCEPTIONS = {
    "noun": ["children child", "axes axis axe", "wolves wolf"],
    "verb": ["ran run", "went go", "bore bear", "saw see"],
    "adj": ["better good well"],
    "adv": ["better well"],
}
WORDS = [
    "car", "cars", "auto", "motor_car", "dogs", "children", "kids", "wolves", "axes", "buses", "coach", "coaches",
    "men", "boxes", "quizzes", "quizes", "churches", "brushes", "cities", "a", "l", "m", "lin", "ran", "runs",
    "running", "carries", "carried", "carrying", "bore", "bears", "went", "go", "saw", "hopes", "hoped", "hoping",
    "walked", "walks", "tries", "trying", "big", "bigger", "larger", "largest", "happier", "better", "good", "fine",
    "finer", "whitest", "white", "fast", "faster", "well", "unknown", "s", "ss", "Car", "DOGS", "",
]  # fmt: skip
LETTERS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the sets in the format of wndb(5WN), with the files that nltk asks for beside them."""
    folder = tmp_path_factory.mktemp("wordnet")
    for part, sets in SETS.items():
        data, places = "  1 a header\n", defaultdict[str, list[str]](list)
        for words in map(str.split, sets):
            offset = f"{len(data):08d}"
            for word in words:
                places[word.partition("(")[0].lower()].append(offset)
            pairs = " ".join(f"{word} 0" for word in words)
            frames = "00 " if part == "verb" else ""
            data += f"{offset} 06 {LETTERS[part]} {len(words):02x} {pairs} 000 {frames}| a gloss\n"
        index = "".join(
            f"{word} {LETTERS[part]} {len(found)} 0 {len(found)} 0 {' '.join(found)}\n"
            for word, found in sorted(places.items())
        )
        (folder / f"data.{part}").write_text(data)
        (folder / f"index.{part}").write_text("  1 a header\n" + index)
        (folder / f"{part}.exc").write_text("\n".join([*EXCEPTIONS[part], ""]))
    (folder / "lexnames").write_text("".join(f"{place:02d}\tnoun.any\t1\n" for place in range(45)))
    for name in ("cntlist.rev", "index.sense"):
        (folder / name).write_text("")
    return folder


@pytest.fixture
def theirs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    wordnet = pytest.importorskip("nltk.corpus.reader.wordnet")
    monkeypatch.setattr("nltk.data.path", [str(folder)])  # nltk opens no files elsewhere
    monkeypatch.setattr(wordnet.WordNetCorpusReader, "map_wn", lambda _: None)  # to the places of another version
    with pytest.warns(UserWarning, match="multilingual functions are not available"):
        reader = wordnet.WordNetCorpusReader(str(folder), None)
    yield reader
    for file in [*reader._data_file_map.values(), reader._key_count_file, reader._key_synset_file]:
        if file is not None:
            file.close()


def test_equal_to_nltk(folder: Path, theirs: Any) -> None:
    ours = WordNet(folder)
    for word in WORDS:
        lemmas = {lemma.name() for found in theirs.synsets(word) for lemma in found.lemmas()}
        assert ours.synonyms(word) == {lemma for lemma in lemmas if "_" not in lemma}, word


def test_most_words_are_found(folder: Path) -> None:
    assert sum(bool(WordNet(folder).synonyms(word)) for word in WORDS) > 40


def test_words_that_are_read_as_they_stand_need_no_exceptions(folder: Path, tmp_path: Path) -> None:
    for file in folder.glob("*.*"):
        if file.suffix != ".exc":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    assert WordNet(tmp_path).synonyms("dogs") == {"dog", "hound"}
    assert WordNet(tmp_path).synonyms("children") == frozenset()
    assert WordNet(tmp_path).hash != WordNet(folder).hash


def test_a_folder_without_a_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="the folder of a WordNet database"):
        WordNet(tmp_path).synonyms("dog")
