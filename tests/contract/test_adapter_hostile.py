"""Whatever a host or a file says, adapters translate it without raising."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.adapter_cases import home, recorded, result
from vpn_adapters.registry import ADAPTERS

FEW, MANY = 15, 300
ALL_NAMES = pytest.mark.parametrize(
    ("name", "examples"),
    [
        *(pytest.param(name, FEW, id=name) for name in ADAPTERS),
        *(pytest.param(name, MANY, id=f"{name}-many", marks=pytest.mark.full) for name in ADAPTERS),
    ],
)
"""Every run tries other examples; many of them at once are tried in full runs."""


@ALL_NAMES
def test_parse_discovery_never_raises(name: str, examples: int) -> None:
    adapter = ADAPTERS[name]
    commands = adapter.discovery()

    @settings(max_examples=examples)
    @given(data=st.data())
    def survives(data: st.DataObject) -> None:
        answers = {
            key: result(
                data.draw(st.text()),
                stderr=data.draw(st.text()),
                exit_status=data.draw(st.none() | st.integers(0, 255)),
            )
            for key in commands
            if data.draw(st.booleans())
        }
        assert adapter.parse_discovery(answers).solution == name

    survives()


@ALL_NAMES
def test_parse_discovery_survives_cut_and_mixed_answers(name: str, examples: int) -> None:
    adapter = ADAPTERS[name]
    good = recorded(home(adapter)).get(name, {})

    @settings(max_examples=examples)
    @given(data=st.data())
    def survives(data: st.DataObject) -> None:
        answers = {}
        for key, answer in good.items():
            text = answer.stdout
            start = data.draw(st.integers(0, len(text)))
            end = data.draw(st.integers(start, len(text)))
            answers[key] = result(text[start:end] + data.draw(st.text(max_size=20)))
        assert adapter.parse_discovery(answers).solution == name

    survives()
