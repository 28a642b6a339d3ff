"""The table of character classes."""

import pytest
import regex

from ragauge.tokenizers.auto import UNICODE, CharacterClass, character_classes
from tests.tokenizers import make_classes


def test_the_rules_and_the_kinds_have_the_same_names():
    assert {name.upper() for name, _ in make_classes.RULES} == set(CharacterClass.__members__)


@pytest.mark.costly
def test_the_table_is_what_its_script_writes():
    assert make_classes.UNICODE == UNICODE
    if regex.fullmatch(r"\p{L}", "\U0001e6c0") is None or regex.fullmatch(r"\p{Cn}", "\U0003347a") is None:
        pytest.skip("this version of regex does not have Unicode 17.0")
    assert make_classes.TABLE.read_text("utf-8") == make_classes.written()


def test_every_code_point_has_a_class():
    assert len(character_classes()) == 0x110000
    assert character_classes()[ord("猫")] == CharacterClass.CHARACTER
