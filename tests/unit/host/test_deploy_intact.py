"""Scripts of a deployment with damaged files of theirs: they start nothing and remove nothing.

The only programs that the scripts find are harmless ones, and `rm` and `cp` that note what they were asked.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from app.domain.script_files import host_script

ID = "0123456789abcdef"
ABOUT = f"id={ID}\nslot=01234567\nmark=fedcba9876543210\nrun_dir=/run/tunnelmark-{ID}\ninterfaces=tml0\nping=:\n"
STEPS = "".join(
    f"{name}_steps() {{\n    {name}_complete=yes\n    return 0\n}}\n" for name in ("up", "down", "standing", "mend")
)
STARTING = ("run", "up", "restart", "standing")
ENDING = ("down", "stop", "halt")
SHELLS = [pytest.param(("dash",), id="dash"), pytest.param(("bash", "--posix"), id="bash")]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a deployment's folder, as it is installed."""
    home = tmp_path / "etc" / "tunnelmark" / "01234567" / ID
    home.mkdir(parents=True)
    (home / "about.sh").write_text(ABOUT)
    (home / "steps.sh").write_text(STEPS)
    (home / "lasting.sh").write_text(host_script("lasting.sh").replace("/run/", f"{tmp_path}/run/"))
    about = ABOUT.replace("/run/", f"{tmp_path}/run/")
    (home / "about.sh").write_text(about)
    note_sums(home)
    return home


def note_sums(home: Path) -> None:
    sums = {
        name: hashlib.sha256((home / name).read_bytes()).hexdigest() for name in ("about.sh", "steps.sh", "lasting.sh")
    }
    (home / "sums").write_text("".join(f"{digest}  ./{name}\n" for name, digest in sums.items()))


def run(
    shell: tuple[str, ...], script: Path, verb: str, folder: Path
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run a verb of a script; return how it ended, and what `rm` and `cp` were asked.

    Args:
        shell: What runs it.
        script: The script.
        verb: Its argument.
        folder: Where its programs and their notes go.
    """
    programs, noted = folder / "bin", folder / "noted"
    programs.mkdir(exist_ok=True)
    noted.write_text("")
    for name in ("cat", "grep", "sha256sum", "mkdir", "date", "tail", "cut", "tr", "sleep", "head", "wc"):
        if not (programs / name).exists():
            (programs / name).symlink_to(shutil.which(name) or "/bin/false")
    for name in ("rm", "cp"):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {noted}\n')
        (programs / name).chmod(0o755)
    found = shutil.which(shell[0])
    assert found is not None
    done = subprocess.run(
        (found, *shell[1:], str(script), verb),
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done, noted.read_text().splitlines()


def empty_about(home: Path) -> None:
    (home / "about.sh").write_text("")


def cut_about(home: Path) -> None:
    text = (home / "about.sh").read_text()
    (home / "about.sh").write_text(text[: text.index("run_dir=")])


def empty_steps(home: Path) -> None:
    (home / "steps.sh").write_text("")


def zero_steps(home: Path) -> None:
    (home / "steps.sh").write_bytes(bytes(len(STEPS)))


def cut_steps(home: Path) -> None:
    (home / "steps.sh").write_text(STEPS[: STEPS.index("down_steps")])


def other_steps(home: Path) -> None:
    (home / "steps.sh").write_text(STEPS.replace("return 0", "return 1", 1))


def shorter_down_steps(home: Path) -> None:
    (home / "steps.sh").write_text(STEPS.replace("    down_complete=yes\n", ""))


def no_sums(home: Path) -> None:
    (home / "sums").unlink()


def empty_sums(home: Path) -> None:
    (home / "sums").write_text("")


def other_folder(home: Path) -> None:
    text = (home / "about.sh").read_text()
    (home / "about.sh").write_text(text.replace("run_dir=", "run_dir=/home #"))
    note_sums(home)


def no_mark(home: Path) -> None:
    text = (home / "about.sh").read_text()
    (home / "about.sh").write_text(text.replace("mark=", "mark= #"))
    note_sums(home)


UNUSABLE = (empty_about, cut_about, empty_steps, zero_steps, cut_steps, other_folder, no_mark)
CHANGED = (other_steps, no_sums, empty_sums)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("damage", [*UNUSABLE, *CHANGED])
def test_nothing_is_started_or_removed_with_damaged_files(
    shell: tuple[str, ...], damage: Callable[[Path], None], home: Path
) -> None:
    damage(home)
    for verb in STARTING if damage in CHANGED else (*STARTING, *ENDING):
        done, noted = run(shell, home / "lasting.sh", verb, home.parents[3])
        assert (done.returncode, noted) == (1, []), (verb, done.stderr)
        assert ("not taken down, because" if verb in ENDING else "not started, because") in done.stderr


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", ["about.sh", "steps.sh", "lasting.sh"])
def test_nothing_is_started_with_a_file_that_the_disk_cannot_read(
    shell: tuple[str, ...], name: str, home: Path
) -> None:
    stub = home.parents[3] / "bin" / "sha256sum"
    stub.parent.mkdir()
    stub.write_text(
        f'#!/bin/sh\nfor file; do [ "$file" = ./{name} ] || {shutil.which("sha256sum")} "$file"; done; exit 1\n'
    )
    stub.chmod(0o755)
    done, noted = run(shell, home / "lasting.sh", "run", home.parents[3])
    assert (done.returncode, noted) == (1, []), done.stderr
    assert f"{name} is missing, empty or not what was installed" in done.stderr


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("damage", CHANGED)
def test_what_was_changed_by_hand_can_still_be_taken_down(
    shell: tuple[str, ...], damage: Callable[[Path], None], home: Path
) -> None:
    damage(home)
    for verb in ENDING:
        done, noted = run(shell, home / "lasting.sh", verb, home.parents[3])
        assert done.returncode == 0, done.stderr
        assert all(f"{home.parents[3]}/run/tunnelmark-{ID}" in line for line in noted)


@pytest.mark.parametrize("shell", [*SHELLS, pytest.param(("busybox", "sh"), id="busybox")])
def test_taking_down_with_cut_steps_fails_and_removes_nothing(shell: tuple[str, ...], home: Path) -> None:
    shorter_down_steps(home)
    for verb in ("down", "stop"):
        done, noted = run(shell, home / "lasting.sh", verb, home.parents[3])
        assert done.returncode != 0, done.stderr
        assert "steps.sh is damaged" in done.stderr
        assert not any(line.startswith("rm -rf") for line in noted), noted
        assert not (home.parents[3] / "run" / f"tunnelmark-{ID}" / ".lasting" / "down").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_with_whole_files_it_works_below_its_own_folder_only(shell: tuple[str, ...], home: Path) -> None:
    done, noted = run(shell, home / "lasting.sh", "up", home.parents[3])
    assert done.returncode == 0, done.stderr
    own = f"{home.parents[3]}/run/tunnelmark-{ID}/"
    assert noted
    assert all(own in line for line in noted)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("verb", ["boot", "remove", "stop", "aside", "return"])
def test_a_copy_of_start_sh_elsewhere_does_nothing(shell: tuple[str, ...], verb: str, home: Path) -> None:
    for folder in (home.parents[3], home.parents[1], home):
        copy = folder / "start.sh"
        copy.write_text(host_script("start.sh"))
        done, noted = run(shell, copy, verb, home.parents[3])
        assert (done.returncode, noted) == (1, []), done.stderr
        assert "is no slot of a deployment; nothing was done" in done.stderr
