"""One example for each command and group of commands, for their help and the man page."""

from __future__ import annotations

from collections.abc import Mapping

from app.wording.language import tr

EXAMPLES: Mapping[str, str] = {
    "lab": "tunnelmark lab up --platform debian-13",
    "pair": "tunnelmark pair add north --a root@10.0.0.1 --b root@10.0.0.2 --underlay 192.0.2.1,192.0.2.2",
    "policy": "tunnelmark policy show BF-CBC",
    "study": "tunnelmark study run satcom-2021 lab:debian-13",
    "lab up": "tunnelmark lab up --platform A=debian-11,B=debian-13 --name mixed",
    "lab down": "tunnelmark lab down --name mixed",
    "lab status": "tunnelmark lab status --json",
    "study list": "tunnelmark study list",
    "study show": "tunnelmark study show satcom-2021",
    "study run": "tunnelmark study run satcom-2021 lab:debian-13 --part quick",
    "lab condition": "tunnelmark lab condition geo --name mixed",
    "lab ssh": "tunnelmark lab ssh A --name mixed -- ip -br link",
    "pair add": "tunnelmark pair add north --a root@10.0.0.1 --b root@10.0.0.2 --underlay 192.0.2.1,192.0.2.2",
    "pair list": "tunnelmark pair list",
    "pair show": "tunnelmark pair show north",
    "pair remove": "tunnelmark pair remove north",
    "pair rename": "tunnelmark pair rename north north-2026",
    "pair copy": "tunnelmark pair copy north north-lte",
    "pair import-ssh-config": "tunnelmark pair import-ssh-config north --a pump-1 --b pump-2",
    "discover": "tunnelmark discover north --solutions ipsec,wireguard",
    "compare": "tunnelmark compare north --solutions wireguard,ipsec:aes-256-gcm --profile standard",
    "bench": "tunnelmark bench lab:debian-13 --solutions wireguard,openvpn-udp --json bench.json",
    "census": "tunnelmark census lab:debian-13 --solutions openvpn-udp --report census.html",
    "rank": "tunnelmark rank north --json",
    "diff": "tunnelmark diff 3 7 --json diff.json",
    "report": "tunnelmark report north --html north.html --pdf north.pdf",
    "history": "tunnelmark history --delete 7 c3",
    "deploy": "tunnelmark deploy north wireguard --bridge A=eth2 --bridge B=eth2 --confirm-within 120",
    "confirm": "tunnelmark confirm north",
    "status": "tunnelmark status north --watch --max-loss-pct 1",
    "undeploy": "tunnelmark undeploy north",
    "rotate-keys": "tunnelmark rotate-keys north",
    "deployments": "tunnelmark deployments north",
    "audit": "tunnelmark audit north --out audit.csv",
    "lint": "tunnelmark lint /etc/openvpn/site.conf --policy bsi-tr-02102-2",
    "policy list": "tunnelmark policy list --kind mac",
    "policy show": "tunnelmark policy show AES-256-CBC",
    "policy use": "tunnelmark policy use bsi-tr-02102-2 iec-62443",
    "sudoers": "tunnelmark sudoers --user operator",
    "export-config": "tunnelmark export-config north wireguard --out north-wireguard",
    "recover": "tunnelmark recover north",
    "doctor": "tunnelmark doctor",
    "demo": "tunnelmark demo --platform debian-11",
    "completion": "tunnelmark completion bash > ~/.local/share/bash-completion/completions/tunnelmark",
    "man": "tunnelmark man > ~/.local/share/man/man1/tunnelmark.1",
}
"""Examples by command."""


def epilog_of(prog: str) -> str:
    """Return the text below a command's options.

    Args:
        prog: The command as it is typed, with the program's name.
    """
    words = prog.split(" ", 1)[-1]
    example = f"{tr('example:')}\n  {EXAMPLES[words]}\n" if words in EXAMPLES else ""
    return "\n".join(filter(None, (example, tr("For exit statuses see tunnelmark --help."))))
