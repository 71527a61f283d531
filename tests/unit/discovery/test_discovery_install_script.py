"""The script that guards an installation, on a root folder of its own: no service starts, nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from app.discovery.install import guarded_argv
from support.busybox_root import make_busybox_root, needs_busybox

_SYSTEMCTL = """#!/bin/sh
# Keeps what is enabled and what runs in files, as far as the script asks for it.
case $1 in
  list-unit-files) while read -r unit; do echo "$unit enabled enabled"; done </var/enabled ;;
  disable) grep -vxF "$2" /var/enabled >/var/e; mv /var/e /var/enabled ;;
  stop) grep -vxF "$2" /var/running >/var/r; mv /var/r /var/running ;;
  *) exit 1 ;;
esac
"""
_PACKAGE_MANAGER = """#!/bin/sh
# Does what a package's scripts do on Debian: enables a service, and starts it if policy-rc.d lets it.
/usr/sbin/policy-rc.d vpn start
echo "policy: $?"
echo vpn.service >>/var/enabled
if [ ! -x /usr/sbin/policy-rc.d ] || /usr/sbin/policy-rc.d vpn start; then echo vpn.service >>/var/running; fi
echo "to stderr" >&2
exit ${1:-0}
"""


@pytest.fixture
def debian(tmp_path: Path) -> Path:
    """Return a root folder that the script takes for Debian's."""
    root = make_busybox_root(tmp_path / "root")
    for folder in ("run/systemd/system", "var"):
        (root / folder).mkdir(parents=True)
    for name, text in (("systemctl", _SYSTEMCTL), ("packages", _PACKAGE_MANAGER), ("dpkg", "#!/bin/sh\n")):
        path = root / "usr" / "bin" / name
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    (root / "var" / "enabled").write_text("ssh.service\n")
    (root / "var" / "running").write_text("ssh.service\n")
    return root


def _install_in(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    argv = ["chroot", str(root), *guarded_argv(("/usr/bin/packages", *arguments))]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)


@needs_busybox
def test_a_service_that_a_package_brings_neither_runs_nor_will(debian: Path) -> None:
    done = _install_in(debian)
    assert done.returncode == 0, done.stderr
    assert "policy: 101" in done.stdout
    assert "to stderr" in done.stdout
    assert done.stdout.splitlines()[-1] == "tunnelmark-stopped: vpn.service"
    assert (debian / "var" / "enabled").read_text() == "ssh.service\n"
    assert (debian / "var" / "running").read_text() == "ssh.service\n"
    assert not list((debian / "usr" / "sbin").glob("policy-rc.d*"))
    assert list((debian / "tmp").iterdir()) == []


@needs_busybox
def test_a_policy_that_was_there_is_rolled_back_as_it_was(debian: Path) -> None:
    policy = debian / "usr" / "sbin" / "policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 104\n")
    policy.chmod(0o751)
    assert "policy: 101" in _install_in(debian).stdout
    assert policy.read_text() == "#!/bin/sh\nexit 104\n"
    assert policy.stat().st_mode & 0o777 == 0o751
    assert [path.name for path in (debian / "usr" / "sbin").glob("policy-rc.d*")] == ["policy-rc.d"]


@needs_busybox
def test_the_exit_status_is_the_package_managers_and_the_policy_is_gone_all_the_same(debian: Path) -> None:
    assert _install_in(debian, "100").returncode == 100
    assert not list((debian / "usr" / "sbin").glob("policy-rc.d*"))


@needs_busybox
def test_what_an_installation_that_was_killed_left_behind_is_repaired(debian: Path) -> None:
    policy = debian / "usr" / "sbin" / "policy-rc.d"
    kept = debian / "usr" / "sbin" / "policy-rc.d.kept-by-tunnelmark"
    kept.write_text("#!/bin/sh\nexit 104\n")
    kept.chmod(0o755)
    policy.write_text("#!/bin/sh\n# put here by Tunnelmark while it installs packages\nexit 101\n")
    assert _install_in(debian).returncode == 0
    assert policy.read_text() == "#!/bin/sh\nexit 104\n"
    assert not kept.exists()


_ENDLESS = """#!/bin/sh
/usr/sbin/policy-rc.d vpn start
echo "policy: $?"
exec sleep 600
"""


@needs_busybox
@pytest.mark.parametrize(("earlier", "answer"), [(None, 0), ("#!/bin/sh\nexit 104\n", 104)])
def test_an_installation_that_is_killed_leaves_nothing_that_refuses_services(
    debian: Path, earlier: str | None, answer: int
) -> None:
    policy = debian / "usr" / "sbin" / "policy-rc.d"
    if earlier is not None:
        policy.write_text(earlier)
        policy.chmod(0o755)
    (debian / "usr" / "bin" / "packages").write_text(_ENDLESS)
    argv = ["chroot", str(debian), *guarded_argv(("/usr/bin/packages",))]
    ask = ["chroot", str(debian), "/usr/sbin/policy-rc.d", "ssh", "restart"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "policy: 101\n"
        # Another update at the same time is not refused, nor after a loss of power.
        assert subprocess.run(ask, check=False).returncode == answer
        os.killpg(process.pid, signal.SIGKILL)
    assert policy.exists()
    assert subprocess.run(ask, check=False).returncode == answer
    (debian / "usr" / "bin" / "packages").write_text(_PACKAGE_MANAGER)
    assert _install_in(debian).returncode == 0
    assert (policy.read_text() if policy.exists() else None) == earlier


@needs_busybox
def test_it_goes_on_to_its_end_although_no_one_listens_any_more(debian: Path) -> None:
    (debian / "usr" / "bin" / "packages").write_text(
        "#!/bin/sh\ni=0; while [ $i -lt 2000 ]; do echo a long line of output $i; i=$((i + 1)); done\n"
        "echo done >/var/done\nexit 0\n"
    )
    argv = ["chroot", str(debian), *guarded_argv(("/usr/bin/packages",))]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()  # as when the connection breaks
        assert process.wait(timeout=120) == 0
    assert (debian / "var" / "done").exists()
    assert not list((debian / "usr" / "sbin").glob("policy-rc.d*"))


@needs_busybox
def test_on_openwrt_too_nothing_starts(debian: Path) -> None:
    for path in ("usr/bin/dpkg", "run/systemd/system"):
        (debian / path).unlink() if (debian / path).is_file() else (debian / path).rmdir()
    for folder in ("etc/init.d", "etc/rc.d"):
        (debian / folder).mkdir()
    (debian / "sbin" / "procd").write_text("#!/bin/sh\n")
    (debian / "sbin" / "procd").chmod(0o755)
    (debian / "etc" / "rc.d" / "S50dropbear").touch()
    (debian / "usr" / "bin" / "packages").write_text(
        "#!/bin/sh\ncat >/etc/init.d/openvpn <<'X'\n#!/bin/sh\n"
        "case $1 in disable) rm -f /etc/rc.d/S90openvpn ;; stop) rm -f /var/openvpn ;; esac\nX\n"
        "chmod 755 /etc/init.d/openvpn; touch /etc/rc.d/S90openvpn /var/openvpn\n"
    )
    done = _install_in(debian)
    assert done.stdout == "tunnelmark-stopped: openvpn\n"
    assert [path.name for path in (debian / "etc" / "rc.d").iterdir()] == ["S50dropbear"]
    assert not (debian / "var" / "openvpn").exists()
