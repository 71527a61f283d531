"""The role and its inventory, as Ansible itself reads them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import InvalidOption, InvalidPlan
from app.domain.hosts import HostSpec, PairSpec, Privilege, Side
from app.export.ansible import ansible_files, group_name, host_names
from app.export.bundle import Bundle, make_bundle
from app.export.messages import EXPORT_NO_SUCH_PORT, NO_BECOME, PORT_CARRIES_UNDERLAY
from app.export.tree import write_tree
from support.export_cases import export_request, pair
from support.message_checks import has_message

PROGRAMS = Path(sys.executable).parent


def bundle_of(spec: PairSpec | None = None, **changes: Any) -> Bundle:
    return make_bundle(replace(export_request("wireguard"), pair=spec or pair(), **changes))


def ansible(folder: Path, program: str, *words: str) -> str:
    ran = subprocess.run(
        [PROGRAMS / program, *words],
        cwd=folder / "ansible",
        env={**os.environ, "LC_ALL": "C.UTF-8", "ANSIBLE_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    assert "WARNING" not in ran.stderr
    return ran.stdout


def inventory_of(bundle: Bundle, folder: Path) -> dict[str, dict[str, Any]]:
    """Return each host's variables, as Ansible reads them."""
    write_tree(folder, tuple(ansible_files(bundle)), may_replace=False)
    found = json.loads(ansible(folder, "ansible-inventory", "--list"))
    hosts: dict[str, dict[str, Any]] = found["_meta"]["hostvars"]
    return hosts


def test_ansible_reads_the_inventory_and_both_playbooks(tmp_path: Path) -> None:
    spec = replace(
        pair(), a=replace(pair().a, port=2222, identity_file="/home/me/my keys/id", host_key_file="/x/known")
    )
    hosts = inventory_of(bundle_of(spec), tmp_path / "out")
    a, b = hosts["press-a"], hosts["press-b"]
    assert (a["ansible_host"], a["ansible_port"], a["ansible_user"]) == ("192.0.2.10", 2222, "root")
    assert a["ansible_ssh_private_key_file"] == "/home/me/my keys/id"
    assert "StrictHostKeyChecking=yes" in a["ansible_ssh_common_args"]
    assert "UserKnownHostsFile=/x/known" in a["ansible_ssh_common_args"]
    assert b["ansible_ssh_common_args"] == "-o StrictHostKeyChecking=yes"
    assert "ansible_port" not in b
    assert (a["tunnelmark_side"], b["tunnelmark_side"]) == ("a", "b")
    assert a["tunnelmark_hosts"] == {"a": "press-a", "b": "press-b"}
    shown = ansible(tmp_path / "out", "ansible-playbook", "--syntax-check", "site.yml", "undo.yml")
    assert re.findall(r"^playbook: (.*)$", shown, re.MULTILINE) == ["site.yml", "undo.yml"]


def test_no_module_but_builtin_ones_and_no_python_on_the_hosts() -> None:
    texts = [file.text for file in ansible_files(bundle_of()) if file.path.endswith(".yml")]
    modules = {name for text in texts for name in re.findall(r"^ +(?:- )?(ansible\.\S+|community\.\S+):", text, re.M)}
    assert modules == {f"ansible.builtin.{name}" for name in ("raw", "meta", "set_fact", "assert", "include_role")}
    assert all("gather_facts: false" in text for text in texts if "\n  hosts: tunnelmark" in text)


@pytest.mark.parametrize(
    "host",
    [
        HostSpec("A", "{{ lookup('pipe', 'id') }}"),
        HostSpec("A", "192.0.2.1\n    evil: 1"),
        HostSpec("A", "192.0.2.1", user="a b"),
        HostSpec("A", "192.0.2.1", user="{%"),
        HostSpec("A", "192.0.2.1", identity_file="/x/{{ y }}"),
        HostSpec("A", "192.0.2.1", host_key_file="/x/%h"),
        HostSpec("A", "192.0.2.1", host_key_file="/x\n/y"),
    ],
)
def test_what_would_mean_something_to_ansible_is_refused(host: HostSpec) -> None:
    with pytest.raises(InvalidOption):
        list(ansible_files(bundle_of(replace(pair(), a=host))))


def test_labels_and_names_become_names(tmp_path: Path) -> None:
    spec = pair(name="{{ x }}", label="ä {{ 7 * 7 }}")
    bundle = bundle_of(spec)
    names = host_names(bundle)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) for name in names.values())
    assert re.fullmatch(r"tunnelmark_[a-z0-9_]+", group_name(bundle))
    assert set(inventory_of(bundle, tmp_path / "out")) == set(names.values())
    same = replace(spec, b=replace(spec.b, label=spec.a.label))
    assert len(set(host_names(bundle_of(same)).values())) == 2


def test_how_root_is_got() -> None:
    sudo = replace(export_request("wireguard").facts_a, privilege=Privilege.SUDO_PASSWORD)
    files = {file.path: file.text for file in ansible_files(bundle_of(facts_a=sudo))}
    assert files["ansible/inventory.yml"].count("ansible_become: true") == 1
    for privilege in (Privilege.DOAS, Privilege.NONE):
        facts = replace(sudo, privilege=privilege)
        with pytest.raises(InvalidPlan, check=has_message(NO_BECOME, host="press-a")):
            list(ansible_files(bundle_of(facts_a=facts)))


def test_a_lan_port_is_checked_against_what_is_known() -> None:
    request = export_request("wireguard")

    def bundle(**ports: str) -> Bundle:
        return make_bundle(replace(request, options=replace(request.options, **ports)))

    with pytest.raises(InvalidPlan, check=has_message(PORT_CARRIES_UNDERLAY)):
        bundle(bridge_a="eth1")
    with pytest.raises(InvalidPlan, check=has_message(EXPORT_NO_SUCH_PORT, host="press-b", port="eth7")):
        bundle(bridge_b="eth7")
    joined = bundle(bridge_a="eth2")
    assert joined.on(Side.A).plan.interface == "tmlbr0"
    assert joined.on(Side.B).plan.interface == "tml0"
    assert joined.request.deployment_id != make_bundle(request).request.deployment_id
