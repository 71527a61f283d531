"""Titles, days and problems of files in the reader's language; what is stored is English."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.domain.messages import Message, MessageForm, mark
from app.ranking.messages import NO_CLEAR_WINNER, NONE_BECAUSE
from app.wording.language import current_language, source_language, use_language
from app.wording.local_forms import with_local_days
from app.wording.messages import local_name, local_text
from app.wording.titles import local_title, stored_title


@pytest.fixture(autouse=True)
def in_german() -> Iterator[None]:
    before = current_language()
    use_language("de")
    yield
    use_language(before)


@pytest.mark.parametrize(
    ("title", "german"),
    [
        ("Bare underlay", "Underlay ohne VPN"),
        ("OpenVPN over UDP", "OpenVPN über UDP"),
        ("WireGuard with L2TPv3", "WireGuard mit L2TPv3"),
        ("L2TPv3, unencrypted", "L2TPv3, unverschlüsselt"),
        ("tinc, none", "tinc, none"),
        (
            "IPsec with GRE, AES-256-GCM, X25519 and ML-KEM-768, Ed25519 keys",
            "IPsec mit GRE, AES-256-GCM, X25519 und ML-KEM-768, Ed25519-Schlüssel",
        ),
        ("GCM-AES-256, static keys", "GCM-AES-256, statische Schlüssel"),
        (
            "OpenVPN over TCP, BF-CBC with MD5, P-384 certificates",
            "OpenVPN über TCP, BF-CBC mit MD5, P-384-Zertifikate",
        ),
    ],
)
def test_parts_of_titles_are_translated(title: str, german: str) -> None:
    assert local_title(title) == german
    assert local_title(german) == german
    assert stored_title(german) == title
    with source_language():
        assert local_title(title) == title


def test_a_winner_is_a_title_or_a_message() -> None:
    assert local_name("OpenVPN over UDP") == "OpenVPN über UDP"
    assert "OpenVPN über UDP" in local_name(NO_CLEAR_WINNER(title="OpenVPN over UDP"))
    refused = NONE_BECAUSE(word=mark("refused"), title="Bare underlay")
    assert "Underlay ohne VPN" in local_name(refused)
    assert "Bare underlay" in refused


def test_days_are_written_as_in_the_language() -> None:
    assert with_local_days("since 2026-03-04 09:30:01, not 12026-03-04") == "since 04.03.2026 09:30:01, not 12026-03-04"
    form = MessageForm("test.day-of-titles", "{day:time}")
    assert local_text(Message(form, {"day": "2026-03-04"})) == "04.03.2026"
    with source_language():
        assert local_text(Message(form, {"day": "2026-03-04"})) == "2026-03-04"
