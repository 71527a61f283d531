"""Whatever a host or a file says, adapters translate it without raising."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.adapter_cases import home, recorded, result
from vpn_adapters.registry import ADAPTERS

ALL_NAMES = pytest.mark.parametrize("name", ADAPTERS)


@ALL_NAMES
@given(data=st.data())
def test_parse_discovery_never_raises(name: str, data: st.DataObject) -> None:
    answers = {
        key: result(
            data.draw(st.text()), stderr=data.draw(st.text()), exit_status=data.draw(st.none() | st.integers(0, 255))
        )
        for key in ADAPTERS[name].discovery()
        if data.draw(st.booleans())
    }
    assert ADAPTERS[name].parse_discovery(answers).solution == name


@ALL_NAMES
@given(data=st.data())
def test_parse_discovery_survives_cut_and_mixed_answers(name: str, data: st.DataObject) -> None:
    good = recorded(home(ADAPTERS[name])).get(name, {})
    answers = {}
    for key, answer in good.items():
        text = answer.stdout
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        answers[key] = result(text[start:end] + data.draw(st.text(max_size=20)))
    assert ADAPTERS[name].parse_discovery(answers).solution == name


@ALL_NAMES
@given(text=st.text() | st.text(alphabet="<>/=[]#;\"'\\\n keycrt-"))
def test_parse_config_never_raises(name: str, text: str) -> None:
    lines = text.count("\n") + 1
    for setting in ADAPTERS[name].parse_config(text):
        assert 1 <= setting.line <= lines
        assert setting.name
