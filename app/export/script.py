"""`tunnel.sh`: what one host runs to have its end of the tunnel, by hand or driven by Ansible."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.adapters import IdentityRecipe
from app.domain.hosts import Side
from app.domain.script_files import script_file
from app.export.bundle import Bundle, BundleSide
from app.export.values import ValueToken
from app.host.remote_host import whole_seconds
from app.host.scripts import one_line
from app.ssh.remote_line import shell_line


def tunnel_script(bundle: Bundle, side: Side) -> str:
    """Return the script of one side: constant text, and functions made of argv lists.

    Returns:
        POSIX sh.
    """
    text = script_file("resources", "templates/export/tunnel.sh")
    request = bundle.request
    header = (*request.header, f"Pair {request.pair.name}, host {side.upper()}. {request.title}.")
    text = text.replace("# @header\n", "".join(f"# {one_line(line)}\n" for line in header))
    return text.replace("# @about\n", "\n".join([_constants(bundle, side), *_functions(bundle, side)]))


def _constants(bundle: Bundle, side: Side) -> str:
    request = bundle.request
    values = {
        "side": side.value,
        "id": request.deployment_id,
        "slot": request.slot,
        "base": bundle.base,
        "home": f"{bundle.base}/{request.deployment_id}",
        "unit": bundle.service,
        "run_dir": bundle.run_dir,
        "port": bundle.on(side).lan_port,
        "bridge": bundle.on(side).plan.interface if bundle.on(side).lan_port else "",
        "own_underlay": request.link.underlay(side),
    }
    return "".join(f"{name}={shell_line(['-', value]).removeprefix('- ')}\n" for name, value in values.items())


def _functions(bundle: Bundle, side: Side) -> Iterator[str]:
    one = bundle.on(side)
    own, peer = bundle.needed_from(side), bundle.needed_from(side.other)
    yield _function("make_keys", _key_lines(one.recipe))
    yield _function("public_values", [_value_line(token, one) for token in own])
    yield _function(
        "print_values",
        [f'write_value {token.name} "$1/{token.name}-of-{token.side.value}" || return 1' for token in own],
    )
    yield _function("check_values", [_check_line(token) for token in one.tokens if token in peer])
    yield _function("put_files", [shell_line(["put_part", file.path, f"{file.mode:04o}"]) for file in one.files])


def _function(name: str, lines: list[str]) -> str:
    return f"{name}() {{\n" + "".join(f"    {line}\n" for line in lines or [":"]) + "}\n"


def _key_lines(recipe: IdentityRecipe) -> list[str]:
    lines = []
    for step in recipe.steps:
        call = shell_line(["make_key", whole_seconds(step.command.timeout_s), *step.command.argv])
        lines += [f"# {one_line(step.title)}", f"{call} || return 1"]
    return lines


def _value_line(token: ValueToken, own: BundleSide) -> str:
    value = token.value
    command = own.recipe.public[value.command]
    call = shell_line(["print_value", value.name, whole_seconds(command.timeout_s), *command.argv])
    return f"{call} || return 1"


def _check_line(token: ValueToken) -> str:
    value = token.value
    text = f"the {token.name} of host {token.side.upper()}"
    return shell_line(["check_peers", token.name, token.side.value, value.pattern, str(value.lines), text])
