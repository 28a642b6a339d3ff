"""Files of settings: ``ragauge.toml``."""

from __future__ import annotations

from hypothesis import strategies as st

from ragauge.cli.settings import KEYS, _score_settings, column_table
from ragauge.gates.configuration import read
from ragauge.gates.rules import gate_settings
from tests.fuzz.making import NUMBERS, TEXTS, as_json, damaged, file, folder

_VALUES = st.one_of(
    TEXTS.map(lambda text: as_json(text).decode("utf-8", "surrogatepass")),
    NUMBERS.map(str),
    st.sampled_from(["true", "[]", "{}", '["bleu"]', "{ndcg = 0.5}", "1979-05-27", "[[1]]", "'a'", "inf"]),
)
_LINES = st.one_of(
    st.sampled_from(["[score]", "[map]", "[split]", "[gate]", "[gate.min]", "[tool.ragauge]", "[[score]]"]),
    st.builds(
        lambda key, value: f"{key} = {value}",
        st.one_of(st.sampled_from([*(key.name for key in KEYS), "min", "max-drop", "question"]), TEXTS),
        _VALUES,
    ),
)
STRATEGY = damaged(st.lists(_LINES, max_size=8).map(lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass")))


def target(data: bytes) -> None:
    """Read the settings of each command."""
    path = file("ragauge.toml", data)
    settings = read(path)
    for command in (_score_settings, lambda one: column_table(one, "map"), lambda one: column_table(one, "split")):
        command(settings)
    gate_settings(folder(), path)
