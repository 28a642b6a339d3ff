"""Values of the column language that name no language: a note says which, in how many samples, and what is alike."""

from __future__ import annotations

import ragauge


def notes(languages: list[str | None], metric: str = "answer-language") -> list[str]:
    rows = [{"answer": "It opens at nine.", "question": "When?", "language": one} for one in languages]
    found = ragauge.evaluate(rows, metric, resamples=0).data.notes
    return [note for note in found if note.startswith("language has")]


def test_each_name_is_told_with_its_number_and_what_is_alike() -> None:
    [note] = notes(["Englsh", "en", "Englsh", "kr", "klingon", None, "portugese", "cn"])
    named, _, rest = note.partition(": none")
    assert named == (
        "language has 'Englsh' in 2 samples (did you mean english?), 'kr' in 1 sample (did you mean ko?), 'klingon' in "
        "1 sample, 'portugese' in 1 sample (did you mean portuguese?), 'cn' in 1 sample (did you mean zh?)"
    )
    assert rest == " of the languages that answer-language tells, so that it is undefined in these samples"
    assert "'f' in 1 sample, 2 more: none" in notes([*"abcdefg"[1:], "xx"])[0]


def test_names_and_tags_that_are_told_have_none() -> None:
    assert notes(["en", "en-US", "English", "中文", "zh-Hant", "deutsch", "pt-BR", "ภาษาไทย", None]) == []
    assert notes(["mixed"], "abstention") == []
