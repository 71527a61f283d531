"""The configuration files of a host are found, masked and linted, and nothing is changed there.

On a host made of namespaces; in `make test-full` on a gateway of the practice lab as well.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.linting import ConfigKind, LintedFile
from app.domain.verdicts import Verdict
from app.linting.host_files import lint_host
from support.lab_deploy import Bench
from support.lab_sessions import sh

FOLDER = "/etc/openvpn/client"
CONFIG = f"{FOLDER}/lint-test.conf"


@pytest.fixture(scope="module")
def host(hosts_or_gateways: Bench) -> Iterator[HostSession]:
    host = hosts_or_gateways.sessions.a
    lines = "client\\ndev tap\\ncipher BF-CBC\\nkey lint-test.key\\nauth-token CANARY\\n"
    sh(host, f"mkdir -p {FOLDER} && printf '{lines}' > {CONFIG} && : > {FOLDER}/lint-test.key")
    sh(host, f"chmod 0644 {CONFIG} {FOLDER}/lint-test.key")
    try:
        yield host
    finally:
        sh(host, f"rm -f {CONFIG} {FOLDER}/lint-test.key")


def test_existing_configuration_is_found_and_linted(host: HostSession) -> None:
    before = sh(host, "find /etc -xdev -type f -exec ls -ld {} + | md5sum")
    files: dict[str, LintedFile] = {file.path: file for file in lint_host(host, token=CancelToken())}
    assert sh(host, "find /etc -xdev -type f -exec ls -ld {} + | md5sum") == before
    ours = files[f"{host.spec.label}:{CONFIG}"]
    assert ours.kind is ConfigKind.OPENVPN
    assert any(one.value == "BF-CBC" and one.verdict is Verdict.INSECURE for one in ours.findings)
    assert any(one.setting == "key" and "mode 0644" in one.reason for one in ours.findings)
    assert any("holds a secret" in one.reason for one in ours.findings)
    assert "CANARY" not in repr(files)
    assert files[f"{host.spec.label}:/etc/ssh/sshd_config"].kind is ConfigKind.SSHD
    assert [file.path for file in files.values() if file.error] == []
