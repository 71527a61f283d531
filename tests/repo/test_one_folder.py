"""A VPN is one folder and one line in the registry: the rest of the program does not name it."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator

from sources import ROOT, parsed, python_files, text_of

from app.domain.declared import FILE, declared
from app.domain.linting import ConfigKind
from vpn_adapters.registry import ADAPTERS

NAMES = re.compile(
    r"wireguard|openvpn|strongswan|charon|swanctl|(?<![a-z])tincd?(?![a-z])|freelan|fastd|macsec|vtun|xl2tpd|libreswan"
    r"|pptp|(?<![a-z])pppd?(?![a-z])|stunnel|ipsec",
    re.IGNORECASE,
)
"""Products, programs and protocols. Names of two VPNs cannot be among them, because core code has to do with both in
its own right: `ssh` is how Tunnelmark itself reaches hosts, and `l2tp` is an IP protocol of the kernel, whose sessions
are inspected, forged, filtered and numbered for whatever VPN carries them."""

STUDY = "a published study that has it in its name"
STORED = "a field of TunnelNames, which is stored with each deployment: another name needs a migration"
EXAMPLE = "an example in a help text or message"
EXCEPTIONS = {
    "app/cli/command.py": EXAMPLE,
    "app/cli/compare.py": "the fixed choice of `make demo`",
    "app/cli/deployments_parser.py": EXAMPLE,
    "app/cli/examples.py": EXAMPLE,
    "app/cli/measuring_parser.py": STUDY,
    "app/cli/messages.py": EXAMPLE,
    "app/cli/policy_parser.py": EXAMPLE,
    "app/deployment/slots.py": STORED,
    "app/discovery/find_link.py": STORED,
    "app/domain/link.py": STORED,
    "app/domain/linting.py": "kinds of configuration files: values of --kind and of stored results",
    "app/lab/platforms.py": "each row is an image's fingerprint: another order of packages makes all images anew",
    "app/policy/lint/names.py": "one of two dialects of ipsec.conf",
    "app/policy/lint/rules.py": "how ipsec.conf writes proposals: a word of the rules in resources/policy",
    "app/ranking/published.py": STUDY,
    "app/tunnel/preflight.py": STORED,
    "app/tunnel/recovery.py": STORED,
    "ui/shell/demo.py": "the fixed choice of the demonstration",
}
"""File → why it names a VPN."""


def words_of(text: str) -> Iterator[str]:
    """Yield the identifiers and texts of a program; comments and docstrings are documents."""
    tree = parsed(text)
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node.value
        for field in ("id", "attr", "arg", "name", "module"):
            if isinstance(name := getattr(node, field, None), str):
                yield name


def named_in(text: str) -> set[str]:
    if not NAMES.search(text):  # not even in a document
        return set()
    return {match[0].lower() for word in words_of(text) for match in NAMES.finditer(word)}


def test_only_its_folder_names_a_vpn() -> None:
    files = python_files("app", "ui", "resources")
    found = {str(path.relative_to(ROOT)) for path in files if named_in(text_of(path))}
    assert found == set(EXCEPTIONS), "what a VPN is called belongs in its adapter's folder"


def test_names_are_found_in_code_and_not_in_documents() -> None:
    assert named_in("import wireguard\nx = 'tinc-up'\ny.openvpn_port = f(charon=1, over='pppd,IPsec')") == {
        "wireguard",
        "tinc",
        "openvpn",
        "charon",
        "pppd",
        "ipsec",
    }
    assert named_in('"""Of WireGuard."""\nx = "distinct, dropped"  # not OpenVPN\n"""As tinc does."""\n') == set()


def test_every_adapter_declares_how_it_is_drawn_and_nothing_is_declared_twice() -> None:
    folders = {path.parent.name for path in (ROOT / "vpn_adapters").glob(f"*/{FILE}")}
    assert folders == set(declared())
    assert sorted(name for one in declared().values() for name in one.styles) == sorted(ADAPTERS)
    packages = [what for one in declared().values() for what in one.packages]
    assert len(packages) == len(set(packages))
    formats = [kind for one in declared().values() for kind in one.formats]
    assert len(formats) == len(set(formats))
    assert set(formats) <= set(ConfigKind)


def test_import_linter_keeps_every_adapter_apart_from_the_others() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    apart = next(one["modules"] for one in contracts if one["name"] == "Adapters do not know each other")
    assert set(apart) == {f"vpn_adapters.{name}" for name in declared() if name != "foreign"}
