"""Jobs that can be stopped, and questions that are put by the main thread."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from app.cli.messages import KEY_WITHOUT_HOST
from app.cli.terminal import TerminalPrompts, accepted_keys, make_console, run_cancellable
from app.domain.cancel import CancelToken
from app.domain.credentials import HostKeyQuestion, Secret, SecretKey, SecretKind
from app.domain.errors import Cancelled, InvalidOption, LabFault
from support.message_checks import has_message

QUESTION = HostKeyQuestion(host="[127.0.0.1]:2222", key_type="ssh-ed25519", fingerprint="SHA256:right")


@pytest.fixture
def prompts() -> TerminalPrompts:
    return TerminalPrompts(make_console(is_for_errors=True))


def test_what_the_job_returns_is_returned(prompts: TerminalPrompts) -> None:
    assert run_cancellable(lambda _token: 42, prompts) == 42


def test_what_the_job_raises_is_raised(prompts: TerminalPrompts) -> None:
    def job(_token: CancelToken) -> None:
        raise LabFault("no")

    with pytest.raises(LabFault, match="no"):
        run_cancellable(job, prompts)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels_and_the_clean_up_is_waited_for(prompts: TerminalPrompts, number: signal.Signals) -> None:
    cleaned = threading.Event()

    def job(token: CancelToken) -> None:
        os.kill(os.getpid(), number)
        try:
            token.sleep(30)
        finally:
            cleaned.set()

    before = signal.getsignal(number)
    with pytest.raises(Cancelled):
        run_cancellable(job, prompts)
    assert cleaned.is_set()
    assert signal.getsignal(number) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_comes_too_late_for_the_job_is_not_lost(prompts: TerminalPrompts, number: signal.Signals) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_cancellable(lambda _token: os.kill(os.getpid(), number), prompts)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("is_noticed", [False, True])
def test_what_was_done_when_a_signal_came_is_returned_and_reported(
    prompts: TerminalPrompts, number: signal.Signals, is_noticed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    def job(token: CancelToken) -> str:
        os.kill(os.getpid(), number)
        if is_noticed:  # what is confirmed already cannot be stopped
            noticed = threading.Event()
            token.on_cancel(noticed.set)
            assert noticed.wait(120)
        return "confirmed"

    assert run_cancellable(job, prompts, on_late="It was too late.") == "confirmed"
    assert "It was too late." in capsys.readouterr().err


def test_a_question_is_put_in_the_main_thread(prompts: TerminalPrompts, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_in: list[str] = []

    def answer(_text: str) -> str:
        asked_in.append(threading.current_thread().name)
        return "yes"

    monkeypatch.setattr("builtins.input", answer)
    assert run_cancellable(lambda _token: prompts.confirm_host_key(QUESTION), prompts) is True
    assert asked_in == ["MainThread"]


@pytest.mark.parametrize("typed", ["", "no", "y", "SHA256:right"])
def test_anything_but_yes_is_no(prompts: TerminalPrompts, monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    monkeypatch.setattr("builtins.input", lambda _text: typed)
    assert run_cancellable(lambda _token: prompts.confirm_host_key(QUESTION), prompts) is False


def test_the_question_names_the_host_and_the_file_of_its_type_of_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", lambda _prompt: "yes")
    question = HostKeyQuestion("[127.0.0.1]:2222", "ecdsa-sha2-nistp256", "SHA256:right", label="A")
    prompts = TerminalPrompts(make_console(is_for_errors=True))
    assert run_cancellable(lambda _token: prompts.confirm_host_key(question), prompts)
    shown = " ".join(capsys.readouterr().err.split())
    assert "The key of host A ([127.0.0.1]:2222) is not known yet." in shown
    assert "ssh-keygen -lf /etc/ssh/ssh_host_ecdsa_key.pub" in shown


def test_ctrl_c_at_a_password_declines(prompts: TerminalPrompts, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_text: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("getpass.getpass", interrupted)
    key = SecretKey(SecretKind.LOGIN, "me@host:22")
    assert run_cancellable(lambda _token: prompts.ask_password(key, False), prompts) is None


def test_a_password_is_in_no_representation() -> None:
    secret = Secret("hunter2")
    assert "hunter2" not in f"{secret!r} {secret!s} {[secret]}"


def test_accepted_fingerprints() -> None:
    assert accepted_keys([f"{QUESTION.host}=SHA256:right"], None)(QUESTION) is True
    assert accepted_keys([f"{QUESTION.host}=SHA256:other"], None)(QUESTION) is False
    assert accepted_keys([f"{QUESTION.host}=SHA256:other"], lambda _question: True)(QUESTION) is True


def test_an_accepted_fingerprint_counts_for_its_host_alone() -> None:
    accepted = accepted_keys(["bastion=SHA256:right", "[2001:db8::1]:2200=SHA256:other"], None)
    assert accepted(HostKeyQuestion("bastion", "ssh-ed25519", "SHA256:right"))
    assert accepted(HostKeyQuestion("[2001:db8::1]:2200", "ssh-ed25519", "SHA256:other"))
    for host in ("gw", "[bastion]:2222", "[2001:db8::1]:2200", "2001:db8::1"):
        assert not accepted(HostKeyQuestion(host, "ssh-ed25519", "SHA256:right"))


@pytest.mark.parametrize(
    ("option", "host"),
    [
        ("GW.Example=SHA256:x", "gw.example"),
        ("gw:22=SHA256:x", "gw"),
        ("[gw]:22=SHA256:x=", "gw"),
        ("gw:2222=SHA256:x", "[gw]:2222"),
        ("[gw]:2222=SHA256:x", "[gw]:2222"),
        ("2001:db8::1=SHA256:x", "2001:db8::1"),
        ("[2001:db8::1]:2222=SHA256:x", "[2001:db8::1]:2222"),
    ],
)
def test_a_host_is_named_as_in_known_hosts_or_with_its_port(option: str, host: str) -> None:
    assert accepted_keys([option], None)(HostKeyQuestion(host, "ssh-ed25519", "SHA256:x"))


@pytest.mark.parametrize("option", ["SHA256:right", "=SHA256:right", "gw=SHA256:", "gw", "gw=right"])
def test_a_fingerprint_without_a_host_is_refused_before_any_host_is_asked(option: str) -> None:
    with pytest.raises(InvalidOption, check=has_message(KEY_WITHOUT_HOST)):
        accepted_keys([option], None)
