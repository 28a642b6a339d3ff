"""Blends: the weighted mean of the cosines of those parts that can read both texts."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.texts import VectorSpace
from ragauge.embedders.blend import Blend
from ragauge.embedders.lexical import Lexical
from ragauge.embedders.store import Cached, Store
from ragauge.embedders.use import UNREAD
from ragauge.errors import OptionError, UnknownNameError
from tests.embedders.counting import Counting, made
from tests.embedders.test_use import OTHER, SAME

GREEK = "Πού μένει ο πρόεδρος;"


def test_the_cosine_is_the_weighted_mean() -> None:
    texts = [SAME["en"], "Where do presidents live now?", OTHER]
    left, right = np.array([0, 0, 1]), np.array([1, 2, 2])
    one, other = (made(name).encode(texts, "query").cosine(left, right) for name in ("lexical", "use"))
    vectors = made("blend[parts=lexical:3/use:1]").encode(texts, "query")
    np.testing.assert_allclose(vectors.cosine(left, right), (3 * one + other) / 4, rtol=1e-12)
    kept = vectors.by_part(left, right)
    assert list(kept) == ["lexical", "use"]
    assert (kept["lexical"].tolist(), kept["use"].tolist()) == (one.tolist(), other.tolist())
    assert vectors.cosine(np.arange(3), np.arange(3)).tolist() == [1, 1, 1]


@pytest.mark.parametrize("language", list(SAME)[1:])
def test_a_translation_is_nearer_than_another_text(language: str) -> None:
    vectors = made("blend").encode([SAME["en"], SAME[language], OTHER], "query")
    left, right = np.array([0, 2]), np.array([1, 1])
    same, other = vectors.cosine(left, right)
    assert same > 0.25 > other
    if language in ("zh", "ja", "ko", "ru", "ar", "th"):
        kept = vectors.by_part(left, right)
        assert np.isnan(kept["lexical"]).all()
        assert vectors.cosine(left, right).tolist() == kept["use"].tolist()


def test_wording_decides_across_scripts_where_nothing_else_can() -> None:
    texts = ["The Everest is 8849 m high", "Το Everest έχει ύψος 8849 m", "Эверест имеет высоту 8849 метров"]
    left, right = np.array([0, 0]), np.array([1, 2])
    vectors = made("blend").encode(texts, "query")
    kept = vectors.by_part(left, right)
    assert np.isnan([kept["use"][0], kept["lexical"][1]]).all()
    assert vectors.cosine(left, right)[0] == kept["lexical"][0] > 0
    assert vectors.cosine(left, right)[1] == kept["use"][1]
    numbers = made("blend").encode(["1974", "1974", "in 1974"], "query")
    assert not np.isnan(numbers.by_part(np.array([0, 0]), np.array([1, 2]))["lexical"]).any()


@pytest.mark.parametrize("text", [GREEK, "राष्ट्रपति कहाँ रहते हैं?", "Tổng thống sống ở đâu?"])
def test_what_one_part_cannot_read_the_others_decide(text: str) -> None:
    texts = [text, text + " 8849", "", SAME["en"]]
    left, right = np.array([0, 0, 0, 0]), np.array([0, 1, 2, 3])
    vectors = made("blend").encode(texts, "query")
    assert vectors.cosine(left, right).tolist() == made("lexical").encode(texts, "query").cosine(left, right).tolist()
    assert np.isnan(vectors.by_part(left, right)["use"]).all()
    assert not vectors.failures


def test_what_no_part_can_read_has_nothing_in_common() -> None:
    vectors = made("blend[parts=use:1]").encode([GREEK, SAME["en"]], "query")
    assert vectors.cosine(np.array([0, 0, 1]), np.array([0, 1, 1])).tolist() == [0, 0, 1]
    assert dict(made("use").encode([GREEK], "query").failures) == {0: UNREAD}


class Crowded(Counting):
    crowded = (0.75, 0.95)


def test_crowded_cosines_are_spread() -> None:
    own: Any = Crowded(failing={"lost"})
    texts, left, right = ["aa", "bbb", "c" * 200, "lost"], np.array([0, 0, 0, 0]), np.array([0, 1, 2, 3])
    cosines = own.encode(texts, "query").cosine(left, right)
    spread = ((cosines - 0.75) / 0.2).clip(-1, 1)
    vectors = Blend(parts=((own, 0.5),)).encode(texts, "query")
    np.testing.assert_allclose(vectors.cosine(left, right), spread, rtol=1e-12)
    assert np.isnan(vectors.cosine(left, right))[-1]
    assert dict(vectors.failures) == {3: "lost"}


def test_vectors_are_joined_as_if_encoded_together() -> None:
    texts = [*SAME.values(), GREEK, "", OTHER]
    left, right = (grid.ravel() for grid in np.meshgrid(np.arange(len(texts)), np.arange(len(texts))))
    whole = made("blend").encode(texts, "query")
    space = VectorSpace(made("blend"))
    numbers = np.concatenate([space.numbers([text], "query") for text in texts])
    assert space.cosine(numbers[left], numbers[right]).tobytes() == whole.cosine(left, right).tobytes()
    pairs = [whole.cosine(np.array([one]), np.array([other]))[0] for one, other in zip(left, right, strict=True)]
    assert np.array(pairs).tobytes() == whole.cosine(left, right).tobytes()


def test_vectors_of_parts_are_kept(tmp_path: Path) -> None:
    own: Any = Counting("own")
    blend = Blend(parts=((Lexical(), 1), (own, 1)))
    texts = ["a", "bb", "ccc"]
    with Store(tmp_path) as store:
        first = Cached(blend, store).encode(texts, "query")
        again = Cached(blend, store).encode(texts[::-1], "query")
    assert max(own.encoded.values()) == 1
    left, right = np.array([0, 0, 1]), np.array([1, 2, 2])
    assert first.cosine(left, right).tobytes() == again.cosine(2 - left, 2 - right).tobytes()
    assert first.cosine(left, right).tobytes() == blend.encode(texts, "query").cosine(left, right).tobytes()


@pytest.mark.parametrize(
    ("spec", "canonical"),
    [
        ("blend", "blend"),
        ("blend[parts=lexical:.5/use:.5]", "blend"),
        ("blend[parts=lexical:.7/use:.3]", "blend[parts=lexical:0.7/use:0.3]"),
        (
            'blend[parts=lexical:1/st[model=a/b,batch=8]:2/http[model="x:y",url=http://a:80/v1]:1]',
            "blend[parts=lexical:1/st[batch=8,model=a/b]:2/http[model=x:y,url=http://a:80/v1]:1]",
        ),
    ],
)
def test_specs(spec: str, canonical: str) -> None:
    blend = made(spec)
    assert str(blend) == canonical
    assert made(canonical) == blend
    assert pickle.loads(pickle.dumps(blend)) == blend  # noqa: S301 - our own bytes
    metric = ragauge.parse(f"semantic-similarity:clip=false,embedder={spec}")
    assert ragauge.parse(str(metric)) == metric


def test_the_signature_has_those_of_the_parts() -> None:
    parts = "/".join(f"{made(name).signature}:0.5" for name in ("lexical", "use"))
    assert made("blend").signature == f"blend[parts={parts},revision=1]"


@pytest.mark.parametrize("parts", ["lexical", "lexical:0", "lexical:-1", "lexical:x", "lexical:1:1", "", "/", ":1"])
def test_parts_that_are_none(parts: str) -> None:
    with pytest.raises(OptionError, match=r"option 'parts' of embedder 'blend' must be pairs embedder:number"):
        made(f"blend[parts={parts}]")


def test_an_unknown_part_is_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown embedder 'wordnet'"):
        made("blend[parts=wordnet:1]")
    with pytest.raises(OptionError, match="parts"):
        Blend(parts=())
