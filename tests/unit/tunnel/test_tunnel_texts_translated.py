"""Obstacles, previews and recoveries in a language that brackets texts: what is outside of brackets is a name."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.firewall import Blocked, Opening
from app.domain.hosts import PackageManager, Side, Tool, ToolFlavour
from app.host.inspection import Inspection, LockInfo, Reach
from app.host.remote_host import RemoteHost
from app.host.snapshots import HostSnapshot, SnapshotDepth
from app.tunnel import preview, recovery
from app.tunnel.host_settings import HostSettings
from app.tunnel.plan import plan_of
from app.tunnel.preflight import obstacles_on
from app.tunnel.rollback import RollbackResult, RollbackState
from app.wording.messages import local_text
from support.deploy_world import World, make_world
from support.pseudo_language import LiteralBrackets, brackets, words_outside

_NAMES = frozenset(
    {
        "gateway",
        "tmk",
        "eth",
        "tmpfs",
        "ext",
        "run",
        "keep",
        "there",
        "udp",
        "tcp",
        "tmkwg",
        "bbr",
        "ping",
        "Made",
        "up",
    }
)
_OF_THE_VPN = frozenset({"Make tmk0", "Make a key", "Start the daemon"})
"""Titles of the made-up VPN, which no catalogue has."""

_OPENINGS = (Opening("udp", 51820, "192.0.2.1"), Opening("udp", 51821, "192.0.2.1"), Opening("tcp", 22, "10.0.0.1"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def _left(texts: Mapping[str, str]) -> dict[str, set[str]]:
    found = {english: words_outside(text) - _NAMES for english, text in texts.items()}
    return {english: words for english, words in found.items() if words}


def _inspection(reach: Reach, parts: Mapping[str, str], storage: str = "ext4") -> Inspection:
    snapshot = HostSnapshot(SnapshotDepth.QUICK, {name: {line: ""} for name, line in parts.items()})
    return Inspection(snapshot, None, reach, ("/run/there",), storage)


def test_obstacles(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(world.request)
    names = world.request.link.names
    listens = (("udp", names.udp_port), ("udp", 500))
    own = replace(plan.a, listens=listens, kernel_modules=("l2tp_eth",), interface="tmk0")
    plan = replace(plan, a=own, b=own)
    blocked = tuple(Blocked(one, "keep") for one in _OPENINGS)
    monkeypatch.setattr(importlib.import_module("app.tunnel.preflight"), "blocked_openings", lambda *_: blocked)
    parts = (
        {"interface": "tmk0", "socket": f"udp 0.0.0.0 port {names.udp_port}", "address": "198.18.0.9/24"},
        {"socket": "udp 0.0.0.0 port 500", "L2TP tunnel or session": f"Tunnel {names.l2tp_tunnel_id}, encap IP"},
        {"L2TP tunnel or session": f"Session {names.l2tp_session_id} in tunnel 1"},
    )
    without = {"ping": Tool("ping", ToolFlavour.MISSING, "")}
    asked = replace(
        world.request,
        facts_a=replace(world.request.facts_a, disk_free_mib={"/run": 0}, tools=without),
        facts_b=replace(world.request.facts_b, package_manager=PackageManager.APT),
    )
    found = [
        obstacle
        for reach in (Reach.SILENT, Reach.NO_ROUTE)
        for part in parts
        for side in Side
        for obstacle in obstacles_on(side, asked, plan, dict.fromkeys(Side, _inspection(reach, part)))
    ]
    english = {text for one in found for text in (one.what, one.hint)}
    assert len(english) > 25
    with brackets(LiteralBrackets):
        assert _left({text: local_text(text) for one in found for text in (one.what, one.hint)}) == {}


def test_previews(world: World) -> None:
    made = preview(world.request)
    steps = _settings(world)
    with brackets(LiteralBrackets):
        titles = {one.title: local_text(one.title) for one in made if one.kind != "file"}
        own = {title: text for title, text in titles.items() if title.removeprefix("Undo: ") not in _OF_THE_VPN}
        assert {f"Undo: {title}" for title in _OF_THE_VPN} <= titles.keys()
        assert _left(own | {one: local_text(one) for one in steps}) == {}


def _settings(world: World) -> list[str]:
    settings = [HostSettings("bbr", has_hystart=is_on) for is_on in (True, False)]
    plan = plan_of(world.request)
    return [step.title for one in settings for step in one.extend(plan, world.request.link).a.steps[:2]]


def _lock(*, key: str = "another:1:2", left_s: int = 20, is_complete: bool = True) -> LockInfo:
    return LockInfo("0" * 16, "gateway", key, 12, left_s, True, False, is_complete)


_LOCKS = {
    "nothing": (None, RollbackState.DONE),
    "confirmation": (_lock(key=recovery.LET_GO), RollbackState.DONE),
    "removal": (_lock(key=recovery.REMOVING), RollbackState.DONE),
    "work": (_lock(), RollbackState.DONE),
    "abandoned": (_lock(left_s=0), RollbackState.DONE),
    "stuck": (_lock(left_s=0), RollbackState.FAILED),
    "interrupted removal": (_lock(key=recovery.REMOVING, left_s=0), RollbackState.DONE),
    "locking": (_lock(is_complete=False), RollbackState.DONE),
}


@pytest.mark.parametrize("links", ["", "tmk0"])
@pytest.mark.parametrize(("lock", "state"), _LOCKS.values(), ids=_LOCKS.keys())
def test_recoveries(
    world: World, monkeypatch: pytest.MonkeyPatch, lock: LockInfo | None, state: RollbackState, links: str
) -> None:
    snapshot = HostSnapshot(SnapshotDepth.QUICK, {"interface": {links: ""} if links else {}})
    inspection = Inspection(snapshot, lock, Reach.ANSWERS, (), "tmpfs")
    monkeypatch.setattr(recovery, "inspect_host", lambda *_, **__: inspection)
    monkeypatch.setattr(recovery, "roll_back", lambda *_, **__: RollbackResult(state, ""))
    monkeypatch.setattr(recovery, "_clear_incomplete", lambda *_, **__: True)
    host = RemoteHost(Side.A, world.a, "/run/tunnelmark", "north")
    entries: list[str] = []
    report = recovery._recover_host(host, lambda entry: entries.append(entry.what), token=CancelToken())
    with brackets(LiteralBrackets):
        shown = {text: local_text(text) for text in (report.sentence, *entries)}
    commands = {"north", "tunnelmark", "sh", "undo", os.uname().nodename}
    assert {text: words - commands for text, words in _left(shown).items() if words - commands} == {}
