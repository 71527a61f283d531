"""Layout of the whole repository."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def tracked(*patterns: str) -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def texts(*patterns: str) -> list[tuple[Path, str]]:
    found = []
    for path in tracked(*patterns):
        try:
            found.append((path, path.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue
    return found


def package_mirrors() -> set[str]:
    out = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)"], check=True, capture_output=True, text=True
    ).stdout
    return {match[1] for match in re.finditer(r"^[a-z]+://([^/\s]+)", out, re.MULTILINE)}


def test_no_file_names_a_package_registry() -> None:
    from pip._internal.models.index import PyPI

    hosts = package_mirrors() | {PyPI.netloc, PyPI.file_storage_domain}
    assert hosts
    named = [(path.relative_to(ROOT), host) for path, text in texts() for host in hosts if host in text]
    assert named == []


def test_lock_files_pin_everything_with_hashes() -> None:
    for path in tracked("requirements/*.lock"):
        text = path.read_text(encoding="utf-8")
        pins = re.findall(r"^([A-Za-z0-9._-]+)==", text, re.MULTILINE)
        assert len(pins) > 10
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text


def test_no_two_test_files_share_a_name() -> None:
    """pytest cannot collect both in one process, as `make test-full` does."""
    names = Counter(path.name for path in tracked("tests/**/test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_host_keys_are_never_accepted_blindly() -> None:
    forbidden = "Auto" + "AddPolicy"
    users = [
        path.relative_to(ROOT)
        for path, text in texts("*.py")
        if re.search(rf"(?<![\"'.]){forbidden}|paramiko\.{forbidden}\(|paramiko\.Warning" + "Policy", text)
    ]
    assert users == []


def test_qt_remains_below_the_version_that_aborts() -> None:
    lock = (ROOT / "requirements/runtime.lock").read_text(encoding="utf-8")
    version = re.search(r"^pyside6-essentials==(\d+)\.(\d+)", lock, re.MULTILINE)
    assert version is not None
    assert (int(version[1]), int(version[2])) < (6, 12)


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize(
    ("document", "reported"),
    [
        ("LICENSE", "Apache License\n                           Version 2.0"),
        ("CHANGELOG.md", f"\n## {PROJECT['version']}\n"),
        ("CHANGELOG.md", "\n## Unreleased\n"),
        ("README.md", "make demo\nmake test\n"),
        ("README.md", "docs/user-guide.md"),
        ("README.md", "docs/architecture.md"),
    ],
)
def test_documents_say_what_a_newcomer_seeks(document: str, reported: str) -> None:
    assert reported in (ROOT / document).read_text(encoding="utf-8")


def test_links_in_documents_lead_somewhere() -> None:
    broken = [
        f"{path.relative_to(ROOT)}: {target}"
        for path, text in texts("*.md")
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text)
        if not (path.parent / target).exists()
    ]
    assert broken == []
