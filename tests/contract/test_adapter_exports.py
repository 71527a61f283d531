"""An export becomes, once filled in, byte for byte what a deployment puts on the hosts."""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import jinja2
import pytest

from app.deployment.boot_bundle import BootBundleRequest, boot_bundle_files
from app.deployment.messages import IS_NEVER_DEPLOYED
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.messages import MessageForm
from app.domain.solutions import Suite
from app.export.ansible import ansible_files
from app.export.bundle import Bundle, make_bundle
from app.export.by_hand import by_hand_files
from app.export.messages import DERIVED_SECRET, NO_TUNNEL, SHARED_SECRET
from app.export.request import ExportRequest
from app.export.script import tunnel_script
from app.export.values import VALUES, ValueToken, tokens_in
from app.tunnel.plan import plan_of
from support.adapter_cases import (
    CERTIFICATES,
    COMPARED_ALONE,
    HEX_KEYS,
    IKE_KEYS,
    SSH_KEYS,
    WIREGUARD_KEYS,
    facts,
    identity,
    platforms,
    request,
)
from support.export_cases import export_request, value_on_host
from support.message_checks import has_message
from vpn_adapters.registry import ADAPTERS

REFUSED = {"baseline": NO_TUNNEL, "macsec": SHARED_SECRET, **dict.fromkeys(sorted(COMPARED_ALONE), IS_NEVER_DEPLOYED)}
SHOWN = {
    "certificate": CERTIFICATES,
    "public-key": WIREGUARD_KEYS,
    "ike-public-key": IKE_KEYS,
    "rsa-public-key": IKE_KEYS,
    "hex-public-key": HEX_KEYS,
    "ssh-public-key": {side: f"ssh-ed25519 {key} " for side, key in SSH_KEYS.items()},
}
"""Output of each recipe's public commands."""


def is_derived(name: str, platform: str, suite: Suite) -> bool:
    """Whether both hosts derive a secret for a suite."""
    asked = request(ADAPTERS[name], suite, platform=platform)
    return any(ADAPTERS[name].identity(asked, side).encapsulated for side in Side)


def cases() -> Iterator[tuple[str, str, Suite]]:
    for name, adapter in ADAPTERS.items():
        if name not in REFUSED:
            for platform in platforms():
                host = facts(platform)
                for suite in adapter.suites(host, host):
                    if not is_derived(name, platform, suite):
                        yield name, platform, suite


CASES = [pytest.param(*case, id=f"{case[0]}-{case[1]}-{case[2].name}") for case in cases()]


def printed(token: ValueToken) -> list[str]:
    """Return the lines that a host makes of what the recipe's command prints."""
    if token.name == "fingerprint":  # needs a real certificate: see the unit tests
        known = identity(ADAPTERS["openvpn-udp"], token.side).values[token.name]
        return [known]
    shown = SHOWN[token.value.command][token.side]
    return value_on_host(token.name, shown).splitlines()


def filled(text: str) -> str:
    for token in tokens_in((text,)):
        text = text.replace(token.text, "\n".join(printed(token)))
    return text


def deployed(request: ExportRequest, side: Side) -> Mapping[str, tuple[int, str]]:
    """Return the files that a deployment leaves, by path below the slot's folder."""
    deploy = request.deploy_request()
    a, b = (identity(request.adapter, one) for one in Side)
    plan = plan_of(deploy, a, b)
    bundle = BootBundleRequest(deploy, plan, side, request.deployment_id, request.slot, request.mark)
    found = {}
    for file in boot_bundle_files(bundle, ""):
        name = posixpath.basename(file.path)
        if name != "uninstall.sh":
            found[name if name == "start.sh" else f"{bundle.deployment_id}/{name}"] = (file.mode, file.content.decode())
    for file in plan.on(side).files:
        path = posixpath.relpath(file.path, deploy.link.run_dir)
        found[f"{bundle.deployment_id}/kept/{path}"] = (file.mode, file.content.decode())
    return found


@pytest.mark.parametrize(("solution", "platform", "suite"), CASES)
def test_filled_in_it_is_what_deploy_puts_there(solution: str, platform: str, suite: Suite) -> None:
    request = export_request(solution, platform=platform, suite=suite)
    bundle = make_bundle(request)
    for side in Side:
        ours = {file.path: (file.mode, filled(file.text)) for file in bundle.on(side).files}
        assert ours == deployed(request, side)
        assert not any("@" in text and re.search(r"<[a-z-]+-of-[ab]>", text) for _, text in ours.values())


@pytest.mark.parametrize(("solution", "platform", "suite"), CASES)
def test_every_value_is_checked_by_a_pattern_that_it_meets(solution: str, platform: str, suite: Suite) -> None:
    bundle = make_bundle(export_request(solution, platform=platform, suite=suite))
    for token in (*bundle.needed_from(Side.A), *bundle.needed_from(Side.B)):
        lines = printed(token)
        assert 0 < len(lines) <= token.value.lines
        assert all(re.fullmatch(token.value.pattern, line) for line in lines)
        assert token.value.command in bundle.on(token.side).recipe.public
        assert not re.fullmatch(token.value.pattern, token.text)


@pytest.mark.parametrize(("solution", "platform", "suite"), CASES)
def test_the_role_renders_to_the_same_bytes(solution: str, platform: str, suite: Suite) -> None:
    bundle = make_bundle(export_request(solution, platform=platform, suite=suite))
    files = {file.path: file.text for file in ansible_files(bundle)}
    public = {side: {token.name: printed(token) for token in bundle.needed_from(side)} for side in Side}
    names = {side.value: f"press-{side.value}" for side in Side}
    # As Ansible's lookup of templates sets it up: the first line end after a block goes, the last of the file is kept.
    environment = jinja2.Environment(
        autoescape=False,  # noqa: S701 - configuration files
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    known = {"hostvars": {names[side.value]: {"tunnelmark_public": public[side]} for side in Side}}
    for side in Side:
        for file in bundle.on(side).files:
            role = f"ansible/roles/tunnelmark_{solution.replace('-', '_')}"
            name = file.path.removeprefix(f"{bundle.request.deployment_id}/")
            if file.tokens:
                template = environment.from_string(files[f"{role}/templates/{side.value}/{name}.j2"])
                assert template.render(tunnelmark_hosts=names, **known) == filled(file.text)
            else:
                assert files[f"{role}/files/{side.value}/{name}"] == file.text


def scripts(bundle: Bundle) -> Iterator[str]:
    return (tunnel_script(bundle, side) for side in Side)


@pytest.mark.parametrize("solution", [name for name in ADAPTERS if name not in REFUSED])
def test_scripts_are_shell_and_make_no_key_here(solution: str, tmp_path: Path) -> None:
    bundle = make_bundle(export_request(solution))
    for number, text in enumerate(scripts(bundle)):
        path = tmp_path / f"{number}.sh"
        path.write_text(text, encoding="utf-8")
        assert subprocess.run(["sh", "-n", path], capture_output=True, text=True, check=True).stderr == ""
    for file in by_hand_files(bundle):
        assert "PRIVATE KEY" not in file.text


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not there")
def test_the_script_has_no_faults_that_shellcheck_knows() -> None:
    done = subprocess.run(
        # What the included scripts and about.sh set is not seen; -nt is in every shell that these run under.
        ["shellcheck", "-s", "sh", "-S", "warning", "-e", "SC2154,SC3013", "-"],
        input=next(scripts(make_bundle(export_request("openvpn-udp")))),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("solution", "form"), REFUSED.items())
def test_what_cannot_be_taken_along_is_refused_in_words(solution: str, form: MessageForm) -> None:
    with pytest.raises(InvalidPlan, check=has_message(form)):
        make_bundle(export_request(solution))


@pytest.mark.parametrize("solution", ["wireguard", "wireguard-vxlan", "ipsec"])
def test_key_that_hosts_derive_is_refused_and_never_the_default_of_an_export(solution: str) -> None:
    assert not is_derived(solution, "", export_request(solution).suite)
    hybrid = next(suite for suite in ADAPTERS[solution].suites(facts(), facts()) if is_derived(solution, "", suite))
    with pytest.raises(InvalidPlan, check=has_message(DERIVED_SECRET)):
        make_bundle(export_request(solution, suite=hybrid))


def test_every_value_of_every_adapter_is_known() -> None:
    for adapter in ADAPTERS.values():
        assert set(identity(adapter, Side.A).values) <= set(VALUES)
