"""Output of the main commands in a language that brackets texts: what is outside of brackets is a name or a figure."""

from __future__ import annotations

import io
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any, cast

import lint_corpus
import pytest
from english_texts import watch_messages
from fake_deployment_values import with_end
from fake_services import FakeServices
from pseudo_language import LiteralBrackets, brackets, unbracketed
from rich.console import Console
from sample_records import MODELS, configuration, pair, sample_record
from watched_pair import confirmed_deployment, healthy_status

from app.cli.context import CommandContext
from app.cli.deployments import DeploymentDisplay
from app.cli.deployments_text import print_deployment, print_status
from app.cli.discovery_text import print_all, print_summary
from app.cli.main import main
from app.cli.progress import CampaignDisplay, JobProgress
from app.cli.suites_text import print_suites
from app.cli.terminal import CleanConsole
from app.deployment.events import DeploymentNote, DeploymentStage, DeploymentStageStarted
from app.deployment.lan.messages import GUARD_NO_DHCP, GUARD_PARTS, GUARD_TITLE
from app.deployment.messages import (
    AWAITS_CONFIRMATION,
    COMMIT_UNANSWERED,
    LANS_PARTED,
    NOT_KEPT,
    ONE_HOST_KEEPS_IT,
    REPAIR_WITH,
    UNREACHABLE,
)
from app.domain.audit import AuditEntry
from app.domain.deployment import DeploymentState
from app.domain.events import AttemptStarted, LogLevel, LogLine, Stage, StageStarted
from app.domain.hosts import HostSpec, MissingPart, PairSpec, Side
from app.domain.messages import sentences
from app.domain.messages.lists import enumerated
from app.domain.preferences import Preferences
from app.domain.results import AttemptKey, CampaignStatus
from app.lab.messages import BOOTING_GATEWAYS, ITS_LAB_WAS_STOPPED, MAKING_IMAGE_ONCE
from app.measurement.messages import HOSTS_AS_BEFORE, MEASURING_PATH, ROUND_STEP, TRYING_AGAIN, WARMING_UP
from app.policy import all_rows
from app.policy.lint import rule_sets
from app.policy.overview import TITLE, overview_systems
from app.ranking.comparison_study import comparison_studies
from app.ranking.weighting import PRESETS, Measure
from app.storage import Store
from app.tunnel.messages import UNDO_OF
from app.wording.language import VARIABLE, tr
from app.wording.messages import local_text
from app.wording.stages import STAGE_WORDS
from support.fake_solutions import SOLUTIONS, discovery
from vpn_adapters.registry import ADAPTERS
from vpn_adapters.shared.messages import GIVE_ADDRESS, MAKE_TAP

_WORD = re.compile(r"[A-Za-z]{2,}")
_TITLES = " ".join(
    f"{model.candidate.title} {model.candidate.solution} {model.candidate.suite} {info.title}"
    for model, info in product(MODELS, SOLUTIONS.values())
)
_ALGORITHMS = " ".join(name for row in all_rows() for name in (*row.names, *row.names)).upper()
_KNOWN = """
    tunnelmark north plant lab practice gw gateway office meier tml eth tcpdump nft systemd Debian GNU Linux trixie deb
    amd cloud QEMU TCG CPU version MTU MiB Mbit UTC latency cpu VPN PEP CUBIC geo leo loss lossy lte dsl wifi ipsec
    freelan Salsa BSI TR NIST SP RFC IEC CVE Part bsi tr nist sp rfc iec Encrypt SATCOM Guilloteau Pradas Pelat Kuhn
    Recommendations using on Fig Blowfish Camellia EdDSA IKEv Keccak MACsec Serpent SipHash Tiger Twofish Whirlpool
    industrial extended iiot hub Libreswan ppp HIGH aNULL eNULL openssh com tinc-host
    Ethernet CPU IxChariot Freelan Linux Xeon Server OpenVPN industrial
    oslv MPPE
"""
_TRANSLATED = frozenset({"agreed", "and", "bare", "by", "certificates", "forwarding", "keys", "over", "static", "with"})
_TRANSLATED |= {"unencrypted", "Bare"}
"""Words of titles that are no names."""

_SYSTEMS = " ".join(f"{one.published.name} {one.leaving.id} {one.leaving.heir}" for one in overview_systems())
_NAMES = frozenset(_WORD.findall(f"{_KNOWN} {_TITLES} {_SYSTEMS} {_ALGORITHMS} {_ALGORITHMS.lower()}")) - _TRANSLATED
"""Names of hosts, pairs, VPNs, algorithms, programs, presets and publications; protocols and units."""

_SPELLED = frozenset(
    word
    for sets in rule_sets().values()
    for one in sets.rules
    for word in _WORD.findall(one.replacement)
    if " " not in one.replacement
)
"""Settings that the linter proposes."""

_MADE_UP = (
    "has no nft to hold back packets with",
    "(no value)",
    "Pre-shared key",
    "The host is busy (load 0.90 on 1 core).",
    "A lacks tincd; B lacks tincd",
    "Nothing speaks against it.",
    "Blocks of 64 bits can be matched.",
    "the leak test",
)
"""Sentences of the made-up hosts and comparisons, which are stored without a code."""

_NAMES_IN_STUDIES = (
    name
    for study in comparison_studies().values()
    for name in (
        study.citation,
        *(order.words for order in study.order if order.platform),
        *(one.label for one in study.candidate),
        *(f"{one.solution}:{one.suite}" for one in study.candidate),
        *(one.published for one in study.candidate),
    )
)
_STUDIES = tuple(sorted(_NAMES_IN_STUDIES, key=len, reverse=True))
"""Publications, and names of their candidates and platforms."""

_WORDS_GIVEN = (*_MADE_UP, *_STUDIES, TITLE, "Encrypt-and-MAC", "ppp-over-ssh", "using VPN over SATCOM")
_GIVEN = re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in _WORDS_GIVEN))
"""All of these."""

_PAIR = PairSpec("north", HostSpec("gw-a", "10.0.0.1"), HostSpec("gw-b", "10.0.0.2"), "192.0.2.1", "192.0.2.2")


@pytest.fixture(autouse=True)
def no_english_messages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test in which a command made a text of a message without translating it."""
    found = watch_messages(monkeypatch, "app/cli", "app/wording")
    yield
    assert sorted(found) == [], "use local_text"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with two comparisons of one pair and a deployment; each test gets a copy."""
    path = tmp_path_factory.mktemp("stored") / "tunnelmark.db"
    with Store.open(path) as store:
        for seed, models in ((1, MODELS), (2, MODELS[:4])):
            record = sample_record(rounds=3, pings=5, seed=seed, models=models, pair_spec=replace(pair(), name="plant"))
            number = store.create_campaign(record.plan, record.facts, "0.1.0")
            for attempt in record.attempts:
                store.save_attempt(number, attempt)
            store.finish_campaign(number, CampaignStatus.COMPLETED)
        store.save_deployment(confirmed_deployment())
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: Path) -> Path:
    """A data folder with what `database` holds."""
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "10000")
    monkeypatch.delenv(VARIABLE, raising=False)
    shutil.copy(database, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "history",
        "rank plant",
        "rank plant --weights latency=2,cpu=1",
        "rank plant --weights latency=2,cpu=1 --mean-ranks",
        "diff 1 2",
        "deployments",
        "audit",
        "pair list",
        "lab status",
        "lab condition",
        "policy list",
        "policy show aes-256-cbc",
        "policy show 3des-cbc",
        "study show satcom-2021",
        "study show ipsec-tls-2011",
        "study show industrial-2019",
        "study show oslv-2004",
        "study show oslv-2004 --system pptp",
    ],
)
def test_command(line: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with brackets(LiteralBrackets):
        assert main(line.split()) == 0
    out = capsys.readouterr()
    assert _left(out.out + out.err) == set()


@pytest.mark.parametrize(
    "line",
    [
        "audit nowhere",
        "census nowhere",
        "compare nowhere",
        "compare plant --profile adaptive --condition geo",
        "compare plant --pings 0",
        "confirm nowhere",
        "deploy nowhere wireguard",
        "deploy plant nothing --dry-run",
        "deployments nowhere",
        "diff 1 99",
        "diff 1 c2",
        "discover nowhere",
        "export-config nowhere wireguard --out nowhere",
        "history --delete 99",
        "lab condition nothing --name nowhere",
        "lab down --name nowhere",
        "lint nowhere.conf",
        "pair add plant --a gw-a --b gw-a --underlay 192.0.2.1,192.0.2.1",
        "pair copy nowhere north",
        "pair remove nowhere",
        "pair rename nowhere north",
        "pair show nowhere",
        "policy show nothing",
        "policy use nothing",
        "rank nowhere",
        "recover nowhere",
        "report nowhere --html nowhere.html",
        "report plant --html /nowhere/nowhere.html",
        "rotate-keys nowhere",
        "status nowhere",
        "study run nothing nowhere",
        "study show nothing",
        "study show oslv-2004 --system nothing",
        "study show satcom-2021 --sites 4",
        "study run oslv-2004 nowhere",
        "study run ipsec-tls-2011 nowhere --part loss",
        "undeploy nowhere",
        "history --limit x",
        "rank plant --weights nothing=1",
        "nothing",
    ],
)
def test_error(line: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(home)
    with brackets(LiteralBrackets):
        assert _status(line.split()) != 0
    out = capsys.readouterr()
    text = "\n".join(one for one in f"{out.out}{out.err}".splitlines() if not one.startswith("⟦usage"))
    assert text
    assert _left(text) - set(_WORD.findall(f"{line} {home} {_CHOICES}")) == set()


_TITLES_OF_VPNS = " ".join(one.info.title for one in ADAPTERS.values())
_STUDY_WORDS = "satcom applications ipsec-tls quick all"
_CHOICES = f"{' '.join(Measure)} {' '.join(PRESETS)} {_TITLES_OF_VPNS} {_STUDY_WORDS} {os.strerror(2)}"
"""Words of options and titles of VPNs, which errors list, and the system's own words."""


def _status(arguments: list[str]) -> int:
    try:
        return int(main(arguments))
    except SystemExit as end:
        return int(str(end.code))


@pytest.mark.parametrize("name", lint_corpus.BAD)
def test_lint(name: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(lint_corpus.FOLDER)
    with brackets(LiteralBrackets):
        main(["lint", "--kind", lint_corpus.KIND_OF[name], name])
    text = lint_corpus.text_of(name)
    lines = [line for line in capsys.readouterr().out.splitlines() if not re.match(r" *(\d+|-) \|", line)]
    assert _left("\n".join(lines)) - set(_WORD.findall(f"{name} {text} {text.lower()}")) - _SPELLED == set()


def test_discover(home: Path) -> None:
    with brackets(LiteralBrackets):
        found = discovery(_PAIR, (MissingPart("tcpdump", "the leak test", "tcpdump"),))
        out = _console()
        print_summary(out, found)
        print_all(out, found)
        print_suites(out, found, ())
    assert _left(_text(out)) == set()


@pytest.mark.parametrize("line", ["compare lab:debian-13 --list", "compare lab:debian-13 --dry-run"])
def test_compare(line: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    @contextmanager
    def services(_context: CommandContext) -> Iterator[FakeServices]:
        yield _Services(cast("Any", None))

    monkeypatch.setattr(CommandContext, "services", services)
    with brackets(LiteralBrackets):
        assert main(line.split()) == 0
    out = capsys.readouterr()
    previews = [item for model in MODELS for item in configuration(model.candidate.solution)]
    made_up = {word for item in previews for word in _WORD.findall(f"{item.title} {item.text}")}
    assert _left(out.out + out.err) - made_up == set()


class _Services(FakeServices):
    def _call(self, name: str) -> None:
        """A command calls in its only thread."""

    def resolve_pair(self, _name: str, **_: object) -> PairSpec:
        return pair()

    def preferences(self) -> Preferences:
        return Preferences()

    def preflight(self, *_: object, **__: object) -> tuple[str, ...]:
        return (UNREACHABLE(host="gw-a"),)


def test_status() -> None:
    one = confirmed_deployment()
    healthy = healthy_status(one)
    texts = (
        LANS_PARTED(a="gw-a", b="gw-b", hosts=enumerated(("gw-a", "gw-b"))),
        sentences((ONE_HOST_KEEPS_IT(), NOT_KEPT(host="gw-a", why=COMMIT_UNANSWERED()), REPAIR_WITH(pair="north"))),
    )
    lost = with_end(healthy, Side.B, is_up=False, rtt_ms=None, loss_pct=100.0, is_watched=False, is_enabled=False)
    out = _console()
    with brackets(LiteralBrackets):
        for status in (healthy, replace(lost, sentences=texts), with_end(healthy, Side.A, is_reachable=False)):
            print_status(out, status)
        print_status(out, replace(healthy, state=None, deployment=None))
    assert _left(_text(out)) == set()


@pytest.mark.parametrize("state", DeploymentState)
def test_status_and_deployment_in_each_state(state: DeploymentState) -> None:
    one = replace(confirmed_deployment(), state=state, message=ITS_LAB_WAS_STOPPED())
    status = healthy_status(one)
    out = _console()
    with brackets(LiteralBrackets):
        print_deployment(out, one)
        print_status(out, replace(status, state=state, sentences=(AWAITS_CONFIRMATION(), UNREACHABLE(host="gw-a"))))
        print_status(out, replace(with_end(status, Side.B, left_s=30.0, is_enabled=False), state=state))
    assert _left(_text(out)) == set()


def test_audit(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    titles = (MAKE_TAP(interface="tml0"), UNDO_OF(title=GIVE_ADDRESS(interface="tml0", address="10.0.0.1/24")))
    with Store.open(home / "tunnelmark.db") as store:
        for title in titles:
            store.audit(AuditEntry(datetime.now(UTC), "10.0.0.1", Side.A, "ip link", 0, title, "meier@office"))
    with brackets(LiteralBrackets):
        assert main(["audit"]) == 0
    shown = capsys.readouterr().out
    assert "⟦Make the tap interface⟧ tml0" in shown
    assert _left(shown) - {"tml", "ip", "link"} == set()


def test_progress_of_a_job(capsys: pytest.CaptureFixture[str]) -> None:
    out = _console()
    with brackets(LiteralBrackets), JobProgress(out) as progress:
        for text in (MEASURING_PATH(), MAKING_IMAGE_ONCE(platform="Debian"), BOOTING_GATEWAYS(booted=1, number=2)):
            progress.update(text, None)
    assert _left(_text(out)) == set()


def test_progress() -> None:
    out = _console()
    key = AttemptKey(0, "wireguard", "default", "as-found", 1)
    with brackets(LiteralBrackets), CampaignDisplay(out, is_verbose=True) as display:
        display.handle(AttemptStarted(key, "WireGuard"))
        for stage in Stage:
            display.handle(StageStarted(key, stage, WARMING_UP()))
        display.handle(LogLine(LogLevel.WARNING, sentences((HOSTS_AS_BEFORE(), TRYING_AGAIN()))))
        step_text = ROUND_STEP(round=2, title="WireGuard", what=STAGE_WORDS[Stage.LATENCY])
        display.handle(LogLine(LogLevel.WARNING, step_text))
        deployed = DeploymentDisplay(out)
        for step in DeploymentStage:
            deployed.handle(DeploymentStageStarted(step, "gw-a"))
        deployed.handle(DeploymentNote(GUARD_TITLE(parts=(GUARD_PARTS(), GUARD_NO_DHCP())), is_warning=True))
    assert _left(_text(out)) == set()


def test_words_that_are_not_translated_are_noticed() -> None:
    with brackets(LiteralBrackets):
        text = local_text(NOT_KEPT(host="gw-a", why="some reason"))
        assert _left(f"{text} {tr('a text that no catalogue has')} {tr('no encryption')}") >= {"some", "catalogue"}


def _console() -> Console:
    return CleanConsole(width=10_000, file=io.StringIO(), color_system=None)


def _text(out: Console) -> str:
    return cast("io.StringIO", out.file).getvalue()


def _left(text: str) -> set[str]:
    """Return the words that are neither translated nor a name."""
    text = re.sub(r"(--part\W*)\w+", r"\1", _GIVEN.sub("", text))  # names of parts
    return set(_WORD.findall(unbracketed(text))) - _NAMES
