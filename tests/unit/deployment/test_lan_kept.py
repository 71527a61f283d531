"""Addresses that come back while a DHCP client starts, under dash and BusyBox."""

from __future__ import annotations

import subprocess

import pytest

from app.domain.script_files import host_script

in_every_shell = pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=["dash", "busybox"])

LENT, STATIC, NEW = "10.66.0.53/24", "10.66.0.200/24", "10.66.0.222/24"
_HOST = f"""
nl='\n'
inner=198.19.0.1/24 used=lan0 kept_lent=' {LENT} ' kept_learned=
kept_now="since 5
address {LENT} scope global lan0
address {STATIC} scope global lan0"
keep_inner() {{ :; }}
routes_of() {{ :; }}
addresses_of() {{ for one in $shown; do echo "address $one scope global lan0"; done; }}
put_address() {{ echo "$2"; }}
"""


def restored(shell: tuple[str, ...], *shown: str, is_heard: bool) -> list[str]:
    """Return what is put beside the addresses that are there."""
    functions = "bridge=tmlbr0 port=lan0\n" + host_script("lan-addresses.sh") + host_script("lan-kept.sh")
    argv = [*shell, "-c", f"{functions}{_HOST}shown=$1 is_heard=$2\nrestore\n", "sh", " ".join(shown)]
    argv.append("yes" if is_heard else "")
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()


@in_every_shell
def test_lent_address_comes_back_unless_a_server_has_answered_with_another(shell: tuple[str, ...]) -> None:
    first, *more = restored(shell, is_heard=False)
    assert (first, more[-1]) == (LENT, STATIC)
    assert restored(shell, LENT, is_heard=True) == [STATIC]
    # Another program has added it.
    assert LENT in restored(shell, NEW, STATIC, is_heard=False)
    assert restored(shell, NEW, is_heard=True) == [STATIC]
