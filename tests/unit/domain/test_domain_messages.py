"""Messages with codes: their text, data, storage, and their translation."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from app.domain import messages
from app.domain.errors import DiskFull, InvalidFile
from app.domain.messages import Message, MessageForm, code_of, from_stored, sentences, to_stored
from app.wording import language
from app.wording.findings import replacement_words
from app.wording.messages import local_hint, local_sentence, local_text


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> MessageForm:
    monkeypatch.setattr(messages, "_FORMS", {})
    return MessageForm("host.disk-full", "{host} has {free:.1f} MiB left.", "Make room on {host}.")


class _German(language.NullTranslations):
    def gettext(self, message: str) -> str:
        known = {
            "{host} has {free:.1f} MiB left.": "Auf {host} sind {free:.1f} MiB frei.",
            "Make room on {host}.": "Auf {host} Platz schaffen.",
            "a printer": "ein Drucker",
        }
        return known.get(message, message)


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_catalogue", lambda _language: _German())


def test_a_message_is_its_english_text(full: MessageForm) -> None:
    message = full(host="gw\x1b[2J", free=1.25)
    assert message == "gw[2J has 1.2 MiB left."
    assert (message.code, message.hint) == ("host.disk-full", "Make room on gw[2J.")


def test_an_error_takes_hint_and_code_of_its_message(full: MessageForm) -> None:
    error = DiskFull(full(host="gw", free=0.0))
    assert (error.code, error.hint) == ("host.disk-full", "Make room on gw.")
    assert DiskFull("full").code == "disk-full"


def test_a_missing_datum_does_not_fail(full: MessageForm) -> None:
    assert full(host="gw") == "gw has {free} MiB left."


def test_texts_of_the_catalogues_within_messages_are_translated(
    full: MessageForm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    reason, title = "No encryption", "Curve over a binary field"
    form = MessageForm("test.texts", "{name}: {reasons:text}")
    message = form(name=reason, reasons=(reason, title))
    assert message == f"{reason}: {reason}, {title}"
    assert local_text(message) == "No encryption: Keine Verschlüsselung, Kurve über einem binären Körper"
    assert local_text(from_stored(to_stored(message))) == local_text(message)


def test_a_replacement_of_one_word_is_a_value_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    assert replacement_words("no") == "no" != language.tr("no")
    assert replacement_words("another VPN") == "ein anderes VPN"


def test_a_code_has_one_form(full: MessageForm) -> None:
    with pytest.raises(ValueError, match=r"host\.disk-full"):
        MessageForm(full.code, "another text")


def test_messages_within_messages_are_stored_and_read_back(full: MessageForm) -> None:
    outer = MessageForm("file.unread", "{file} cannot be read: {why}", "")
    message = outer(file="a.conf", why=full(host="gw", free=2.0))
    read = from_stored(to_stored(message))
    assert read == message == "a.conf cannot be read: gw has 2.0 MiB left."
    assert isinstance(read, Message)
    assert code_of(read.data["why"]) == "host.disk-full"  # type: ignore[arg-type]
    assert copy.deepcopy(message).data == message.data


@pytest.mark.usefixtures("german")
def test_messages_within_a_list_are_stored_and_read_back(full: MessageForm, monkeypatch: pytest.MonkeyPatch) -> None:
    outer = MessageForm("file.several", "{all}.", "")
    message = outer(all=(full(host="a", free=1.0), "plain"))
    read = from_stored(to_stored(message))
    assert read == message == "a has 1.0 MiB left., plain."
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    assert local_text(read) == "Auf a sind 1,0 MiB frei., plain."


def test_a_message_whose_form_has_other_gaps_now_is_read_as_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "_FORMS", {})
    stored = to_stored(MessageForm("file.gone", "{file} is gone.")(file="a.conf"))
    messages._FORMS.clear()
    MessageForm("file.gone", "{file} is gone from {folder}.")
    assert from_stored(stored) == "a.conf is gone."


@pytest.mark.parametrize(
    "text", ["", "plain", '{"code":', '{"code": 3}', '{"code": "x.y", "text": "gone", "data": {}}']
)
def test_other_stored_texts_are_read_as_they_are(text: str, full: MessageForm) -> None:
    assert from_stored(text) == ("gone" if "gone" in text else text)


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("spec", "value", "english", "german"),
    [
        (":.1f", 1.25, "1.2", "1,2"),
        (":g", 0.5, "0.5", "0,5"),
        (":,.0f", 51820.0, "51,820", "51\u202f820"),
        ("", 51820, "51820", "51820"),
    ],
)
def test_numbers_follow_the_language(
    spec: str, value: float, english: str, german: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "_FORMS", {})
    message = MessageForm("unit.value", f"{{value{spec}}} s")(value=value)
    assert (message, local_text(message)) == (f"{english} s", f"{english} s")
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    assert local_text(message) == f"{german} s"


@pytest.mark.usefixtures("german")
def test_sentences_are_joined_and_each_is_translated(full: MessageForm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    both = sentences([full(host="a", free=1.0), "", full(host="b", free=2.0)])
    assert both == "a has 1.0 MiB left. b has 2.0 MiB left."
    assert local_text(both) == "Auf a sind 1,0 MiB frei. Auf b sind 2,0 MiB frei."
    assert (sentences([]), sentences(["x"])) == ("", "x")


def test_an_error_within_a_message_is_for_its_own_message(full: MessageForm) -> None:
    outer = MessageForm("file.unread", "{file}: {why}")(file=Path("a/b"), why=DiskFull(full(host="gw", free=2.0)))
    assert outer == "a/b: gw has 2.0 MiB left."
    assert code_of(outer.data["why"]) == "host.disk-full"  # type: ignore[arg-type]
    assert outer.data["file"] == "a/b"


@pytest.mark.usefixtures("german")
def test_messages_are_translated_with_what_is_in_them(full: MessageForm) -> None:
    error = InvalidFile(full(host="gw", free=2.0))
    assert local_text(error.message) == "Auf gw sind 2.0 MiB frei."
    assert (local_hint(error), error.hint) == ("Auf gw Platz schaffen.", "Make room on gw.")
    assert local_sentence(error) == "Auf gw sind 2.0 MiB frei. Auf gw Platz schaffen."
    assert local_text("a printer") == "ein Drucker"


def test_a_text_that_begins_like_a_stored_message_remains_what_it_is(full: MessageForm) -> None:
    of_a_host = to_stored(full(host="gw", free=1.25))
    for text in (of_a_host, '{"code":[', '{"code":'):
        read = from_stored(to_stored(text))
        assert (read, type(read)) == (text, str)


@pytest.mark.parametrize("nested", ['{"code":' + "[" * 100_000, '{"code":' * 100_000])
def test_a_stored_text_that_is_damaged_is_shown_as_it_is(nested: str) -> None:
    assert from_stored(nested) == nested
