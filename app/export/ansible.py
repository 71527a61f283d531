"""An Ansible role with its inventory.

Gateways often have no Python, which nearly every module of Ansible needs. The role therefore drives the same script
that one runs by hand, with `ansible.builtin.raw`; what it changes and whether it changes anything is the script's word.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from importlib.resources import files

from app.domain.errors import InvalidOption, InvalidPlan
from app.domain.hosts import HostSpec, Privilege, Side
from app.export.bundle import Bundle, PlacedFile
from app.export.messages import ADDRESS_OF, FILE_TOO_LONG, NO_BECOME, PATH_NOT_QUOTABLE, USER_OF
from app.export.rendering import one_word, render
from app.export.script import tunnel_script
from app.export.tree import TreeFile
from app.export.values import ValueToken

FOLDER = "ansible"
MIN_ANSIBLE = "2.14"
WAIT_MARGIN_S = 60

_MAX_FILE_CHARACTERS = 40_000
"""A file goes into one argument, quoted up to four times; Linux takes 131072 bytes. Source: execve(2)."""
_JINJA = re.compile(r"\{\{|\{%|\{#|\}\}|%\}|#\}")
_PATH = re.compile(r"[^\x00-\x1f\x7f{}%\"'\\$`]+")


def ansible_files(bundle: Bundle) -> Iterator[TreeFile]:
    """Return what lies in the folder `ansible`: role, inventory and two playbooks.

    Raises:
        InvalidPlan: Ansible could not do it: no way to root's rights, or a file that is too long.
        InvalidOption: An address, a user or a path would mean something else to Ansible.
    """
    request = bundle.request
    role = role_name(bundle)
    names = host_names(bundle)
    values = {"title": _comment(request.title), "role": role, "group": group_name(bundle), "version": request.version}
    yield TreeFile(f"{FOLDER}/ansible.cfg", render("ansible.cfg.j2"))
    yield TreeFile(f"{FOLDER}/inventory.yml", _inventory(bundle, names))
    yield TreeFile(f"{FOLDER}/site.yml", render("site.yml.j2", **values))
    yield TreeFile(f"{FOLDER}/undo.yml", render("undo.yml.j2", **values))
    folder = f"{FOLDER}/roles/{role}"
    for name in ("tasks/main.yml", "tasks/undo.yml", "handlers/main.yml"):
        yield TreeFile(f"{folder}/{name}", _constant(name))
    yield TreeFile(f"{folder}/meta/main.yml", render("meta.yml.j2", min_ansible=MIN_ANSIBLE, **values))
    yield TreeFile(f"{folder}/defaults/main.yml", _defaults(bundle, values["title"]))
    for side in Side:
        yield TreeFile(f"{folder}/files/{side.value}/tunnel.sh", tunnel_script(bundle, side))
        for file in bundle.on(side).files:
            if len(file.text) > _MAX_FILE_CHARACTERS:
                raise InvalidPlan(FILE_TOO_LONG(file=file.path))
            text = _template(file) if file.tokens else file.text
            yield TreeFile(f"{folder}/{'templates' if file.tokens else 'files'}/{_source(bundle, side, file)}", text)


def role_name(bundle: Bundle) -> str:
    """Return the role's name, for example `tunnelmark_openvpn_udp`. Source: Ansible's rules for names of roles."""
    return "tunnelmark_" + re.sub(r"[^a-z0-9]", "_", bundle.request.adapter.info.name)


def group_name(bundle: Bundle) -> str:
    """Return the name of the group of both hosts."""
    return "tunnelmark_" + re.sub(r"[^a-z0-9]", "_", bundle.request.pair.name.lower())


def host_names(bundle: Bundle) -> Mapping[Side, str]:
    """Return the hosts' names in the inventory: their labels as far as these can be names, and different."""
    names = {side: re.sub(r"[^A-Za-z0-9_-]", "_", bundle.request.pair.host(side).label) for side in Side}
    if len(set(names.values())) < len(names):
        names = {side: f"{name}_{side.value}" for side, name in names.items()}
    return {side: name if name[:1].isalpha() else f"host_{name}_{side.value}" for side, name in names.items()}


def _constant(name: str) -> str:
    folder = files("resources").joinpath("templates", "export", "role")
    return folder.joinpath(name.replace("/", "_")).read_text(encoding="utf-8")


def _comment(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() and sign not in "{}\"'\\" else " " for sign in text).split())


def _source(bundle: Bundle, side: Side, file: PlacedFile) -> str:
    """Return where a file lies in the role: without the deployment's id, which only its path on the host needs."""
    name = file.path.removeprefix(f"{bundle.request.deployment_id}/")
    return f"{side.value}/{name}{'.j2' if file.tokens else ''}"


def _template(file: PlacedFile) -> str:
    """Return a file as a template of Jinja in which nothing but the tokens is replaced."""
    text = _JINJA.sub(lambda match: "{{ '" + match[0] + "' }}", file.text)
    for token in file.tokens:
        text = text.replace(token.text, _expression(token))
    return text


def _expression(token: ValueToken) -> str:
    return f"{{{{ hostvars[tunnelmark_hosts.{token.side.value}].tunnelmark_public['{token.name}'] | join('\\n') }}}}"


def _defaults(bundle: Bundle, title: str) -> str:
    sides = {
        side.value: {
            "values": [
                json.dumps({"name": token.name, "pattern": token.value.pattern, "lines": token.value.lines})
                for token in bundle.needed_from(side)
            ],
            "files": [json.dumps(_file_row(bundle, side, file)) for file in bundle.on(side).files],
        }
        for side in Side
    }
    return render(
        "defaults.yml.j2",
        title=title,
        sides=sides,
        wait_s=round(bundle.plan.up_timeout_s) + WAIT_MARGIN_S,
    )


def _file_row(bundle: Bundle, side: Side, file: PlacedFile) -> dict[str, str]:
    kind = "template" if file.tokens else "file"
    return {"path": file.path, "mode": f"{file.mode:04o}", kind: _source(bundle, side, file)}


def _inventory(bundle: Bundle, names: Mapping[Side, str]) -> str:
    request = bundle.request
    hosts = {
        names[side]: {
            **_connection(request.pair.host(side), request.facts(side).privilege),
            "tunnelmark_side": side.value,
        }
        for side in Side
    }
    return render(
        "inventory.yml.j2",
        pair=_comment(request.pair.name),
        group=group_name(bundle),
        hosts={name: {key: json.dumps(value) for key, value in row.items()} for name, row in hosts.items()},
        names={side.value: name for side, name in names.items()},
    )


def _connection(host: HostSpec, privilege: Privilege) -> dict[str, str | int | bool]:
    row: dict[str, str | int | bool] = {"ansible_host": one_word(host.address, ADDRESS_OF(host=host.label))}
    if host.port is not None:
        row["ansible_port"] = host.port
    if host.user is not None:
        row["ansible_user"] = one_word(host.user, USER_OF(host=host.label))
    if host.identity_file is not None:
        row["ansible_ssh_private_key_file"] = _path(host.identity_file)
    arguments = ["-o", "StrictHostKeyChecking=yes"]
    if host.host_key_file is not None:
        arguments += ["-o", f"UserKnownHostsFile={_path(host.host_key_file)}", "-o", "GlobalKnownHostsFile=none"]
    row["ansible_ssh_common_args"] = shlex.join(arguments)
    row["ansible_become"] = _is_become(host, privilege)
    return row


def _is_become(host: HostSpec, privilege: Privilege) -> bool:
    match privilege:
        case Privilege.ROOT:
            return False
        case Privilege.SUDO | Privilege.SUDO_PASSWORD:
            return True
        case _:
            raise InvalidPlan(
                NO_BECOME(host=host.label),
            )


def _path(text: str) -> str:
    if not _PATH.fullmatch(text):
        raise InvalidOption(PATH_NOT_QUOTABLE(path=repr(text)))
    return text
