"""The cache of images: what is sound, what is made anew, and what goes wrong while one is made."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled, DiskFull, LabFault, TunnelmarkError
from app.domain.messages import MessageForm
from app.lab import image as image_module
from app.lab import image_build
from app.lab.image import ImageStore, hold_folder, is_sound, recipe_files, recipe_fingerprint, write_manifest
from app.lab.messages import (
    ANOTHER_PREPARES,
    DISK_FILLED,
    FETCHING_LISTS,
    IMAGE_FAILED,
    IMAGE_PROGRAM_MISSING,
    KEYS_MISSING,
    KEYS_TOO_OLD,
    MAKING_USERS,
    MIRROR_UNREACHABLE,
    NEEDS_SUBORDINATE_IDS,
    SEE_LINES_ABOVE,
    SPACE_TOO_LITTLE,
)
from app.lab.platforms import PLATFORMS, Platform
from app.lab.spec import LabProgress, OnProgress
from support.message_checks import has_message

ROW = PLATFORMS["debian-13"]


def write_image(folder: Path) -> None:
    for name in ("root.img", "vmlinuz", "initrd"):
        (folder / name).write_bytes(name.encode() * 100)


class Counter:
    """Fake builder of an image."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, row: Platform, folder: Path, **_: object) -> None:
        self.count += 1
        write_image(folder)


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> Counter:
    counter = Counter()
    monkeypatch.setattr(image_module, "build_image", counter)
    return counter


def ensure(store: ImageStore, on_progress: OnProgress = lambda _: None) -> Path:
    return store.ensure("debian-13", token=CancelToken(), on_progress=on_progress).folder


def test_an_image_is_made_once(tmp_path: Path, builder: Counter) -> None:
    store = ImageStore(tmp_path)
    seen: list[LabProgress] = []
    first = ensure(store, seen.append)
    assert ensure(ImageStore(tmp_path)) == first
    assert builder.count == 1
    assert seen[-1].fraction == 1.0
    assert [path.name for path in (tmp_path / "lab").iterdir()] == [first.name]
    assert {stat.S_IMODE((first / name).stat().st_mode) for name in ("root.img", "initrd")} == {0o444}


def damage_cut(folder: Path) -> None:
    os.truncate(folder / "root.img", 10)


def damage_byte(folder: Path) -> None:
    content = bytearray((folder / "initrd").read_bytes())
    content[5] ^= 1
    (folder / "initrd").chmod(0o644)
    (folder / "initrd").write_bytes(content)
    os.utime(folder / "initrd", ns=(0, 0))


def damage_kernel_gone(folder: Path) -> None:
    (folder / "vmlinuz").unlink()


def damage_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("{")


@pytest.mark.parametrize("damage", [damage_cut, damage_byte, damage_kernel_gone, damage_manifest])
def test_a_damaged_image_is_made_anew(tmp_path: Path, builder: Counter, damage: Callable[[Path], None]) -> None:
    folder = ensure(ImageStore(tmp_path))
    (folder / "root.img").chmod(0o644)
    damage(folder)
    assert not is_sound(folder)
    assert ensure(ImageStore(tmp_path)) == folder
    assert is_sound(folder)
    assert builder.count == 2


def test_a_copied_image_is_sound_though_its_times_differ(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    write_image(folder)
    write_manifest(folder)
    os.utime(folder / "root.img", ns=(1, 1))
    assert is_sound(folder)


def test_holes_count_as_the_zeros_that_they_are(tmp_path: Path) -> None:
    block = 1 << 20
    sparse, filled, other = (tmp_path / name for name in ("sparse", "filled", "other"))
    with sparse.open("wb") as file:
        file.seek(3 * block + 5)
        file.write(b"data")
        file.truncate(9 * block)
    filled.write_bytes(sparse.read_bytes())
    content = bytearray(sparse.read_bytes())
    content[4 * block + 5] = 1
    other.write_bytes(content)
    digests = [image_module._digest(path) for path in (sparse, filled, other)]
    assert digests[0] == digests[1] != digests[2]
    with sparse.open("r+b") as file:  # the same data one block later is another image
        file.truncate(0)
        file.seek(4 * block + 5)
        file.write(b"data")
        file.truncate(9 * block)
    assert image_module._digest(sparse) != digests[0]


def test_what_was_half_made_is_not_taken_and_is_removed(tmp_path: Path, builder: Counter) -> None:
    half = tmp_path / "lab" / ".building-debian-13"
    half.mkdir(parents=True)
    (half / "root.img").write_bytes(b"half")
    folder = ensure(ImageStore(tmp_path))
    assert not half.exists()
    assert (folder / "root.img").read_bytes() != b"half"


@pytest.mark.parametrize("error", [LabFault("broken"), Cancelled(), OSError(errno.ENOSPC, "full")])
def test_a_failure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(row: Platform, folder: Path, **_: object) -> None:
        write_image(folder)
        raise error

    monkeypatch.setattr(image_module, "build_image", fail)
    with pytest.raises(type(error)):
        ensure(ImageStore(tmp_path))
    assert list((tmp_path / "lab").iterdir()) == []


def test_two_at_once_make_one_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_building, may_end = threading.Event(), threading.Event()
    counter = Counter()

    def slow(row: Platform, folder: Path, **_: object) -> None:
        is_building.set()
        assert may_end.wait(120)
        counter(row, folder)

    monkeypatch.setattr(image_module, "build_image", slow)
    found: list[Path] = []
    first = threading.Thread(target=lambda: found.append(ensure(ImageStore(tmp_path))))
    first.start()
    assert is_building.wait(120)

    def on_progress(progress: LabProgress) -> None:
        if has_message(ANOTHER_PREPARES)(progress.text):
            may_end.set()

    found.append(ensure(ImageStore(tmp_path), on_progress))
    first.join(120)
    assert counter.count == 1
    assert len(set(found)) == 1


def test_waiting_for_another_s_image_can_be_cancelled(tmp_path: Path, builder: Counter) -> None:
    token = CancelToken()
    (tmp_path / "lab").mkdir()
    holder = os.open(tmp_path / "lab", os.O_RDONLY | os.O_DIRECTORY)
    image_module.fcntl.flock(holder, image_module.fcntl.LOCK_EX)
    try:
        with pytest.raises(Cancelled):
            ImageStore(tmp_path).ensure("debian-13", token=token, on_progress=lambda _: token.cancel())
    finally:
        os.close(holder)
    assert builder.count == 0


def test_images_of_older_recipes_are_removed_unless_a_lab_boots_from_them(tmp_path: Path, builder: Counter) -> None:
    held, idle, other = (tmp_path / "lab" / name for name in ("debian-13-held", "debian-13-idle", "debian-7-old"))
    for folder in (held, idle, other):
        folder.mkdir(parents=True)
    descriptor = hold_folder(held)
    try:
        ensure(ImageStore(tmp_path))
    finally:
        os.close(descriptor)
    assert (held.exists(), idle.exists(), other.exists()) == (True, False, True)


def test_every_file_and_every_field_of_the_recipe_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    files = recipe_files()
    assert {"guest-setup.sh", "unpack.sh", "rootfs/etc/doas.conf"} <= set(files)
    before = recipe_fingerprint(ROW)
    assert recipe_fingerprint(ROW) == before
    changed = [dict(files) | {name: files[name] + b"\n"} for name in files]
    for variant in changed:
        monkeypatch.setattr(image_module, "recipe_files", lambda variant=variant: variant)
        assert recipe_fingerprint(ROW) != before


def test_our_files_belong_to_root_and_sudo_accepts_its_own() -> None:
    with tarfile.open(fileobj=io.BytesIO(image_build.pack_files(ROW))) as archive:
        members = {member.name: member for member in archive.getmembers()}
        release = archive.extractfile("etc/ssh/sshd_config.d/20-tunnelmark-lab-release.conf")
        assert release is not None
        assert release.read().decode().splitlines() == list(ROW.sshd_lines)
    assert all((member.uid, member.gid) == (0, 0) for member in members.values())
    assert all(not member.mode & 0o022 for member in members.values())
    assert members["etc/sudoers.d/tunnelmark-lab"].mode == 0o440  # sudo ignores files that others may write


def test_the_command_that_makes_an_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "debian-archive-keyring.gpg").touch()
    monkeypatch.setattr(image_build, "_KEYRING_FOLDER", tmp_path)
    argv = image_build.mmdebstrap_argv(
        ROW, files=Path("f.tar"), output=Path("root.tar"), mirror="file:/m", proxy={"Acquire::http::Proxy": "http://p"}
    )
    assert argv[-3:] == ["trixie", "root.tar", "file:/m"]
    assert f"--keyring={tmp_path}/debian-archive-keyring.gpg" in argv
    assert '--aptopt=Acquire::http::Proxy "http://p"' in argv
    assert "--customize-hook=tar-in f.tar /" in argv
    (packages,) = [word for word in argv if word.startswith("--include=")]
    assert packages.endswith(",linux-image-cloud-amd64")


def test_missing_keys_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_build, "_KEYRING_FOLDER", tmp_path)
    with pytest.raises(LabFault, check=has_message(KEYS_MISSING, platform=ROW.title)):
        image_build.mmdebstrap_argv(ROW, files=tmp_path, output=tmp_path, mirror="", proxy={})


def test_a_missing_mmdebstrap_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_build.shutil, "which", lambda name, **_: None if name == "mmdebstrap" else name)
    with pytest.raises(LabFault, check=has_message(IMAGE_PROGRAM_MISSING, package="mmdebstrap")):
        image_build.build_image(ROW, tmp_path, lock_fd=0, token=CancelToken(), on_progress=lambda _: None)


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def test_too_little_space_is_found_before_anything_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 1 << 40, 100 << 20))
    monkeypatch.setattr(image_build.shutil, "which", lambda name, **_: name)
    with pytest.raises(DiskFull, check=has_message(SPACE_TOO_LITTLE, free_mib=100)):
        image_build.build_image(ROW, tmp_path, lock_fd=0, token=CancelToken(), on_progress=lambda _: None)
    assert list(tmp_path.iterdir()) == []


def run_bound(
    argv: list[str], folder: Path, token: CancelToken | None = None, on_progress: OnProgress = lambda _: None
) -> None:
    with (folder / "lock").open("w") as lock:
        image_build._run_bound(
            argv, folder=folder, lock_fd=lock.fileno(), token=token or CancelToken(), on_progress=on_progress
        )


@pytest.mark.parametrize(
    ("line", "error", "form"),
    [
        ("tar: write error: No space left on device", DiskFull, DISK_FILLED),
        ("E: Failed to fetch http://m/x.deb  Could not connect", LabFault, MIRROR_UNREACHABLE),
        ("newuidmap: write to uid_map failed", LabFault, NEEDS_SUBORDINATE_IDS),
        ("GPG error: NO_PUBKEY 123", LabFault, KEYS_TOO_OLD),
        ("E: something else", LabFault, SEE_LINES_ABOVE),
    ],
)
def test_why_an_image_could_not_be_made(
    tmp_path: Path, line: str, error: type[TunnelmarkError], form: MessageForm
) -> None:
    argv = ["sh", "-c", f"echo '{line}'; echo '$HOME' >&2; exit 25"]
    with pytest.raises(error, check=has_message(form)) as caught:
        run_bound(argv, tmp_path)
    assert line in caught.value.context["log"]


def test_output_becomes_progress(tmp_path: Path) -> None:
    seen: list[LabProgress] = []
    script = "echo 'I: running apt-get update...'; echo noise; echo 'tunnelmark: users'"
    run_bound(["sh", "-c", script], tmp_path, on_progress=seen.append)
    assert [step.text for step in seen] == [FETCHING_LISTS(), MAKING_USERS()]
    fractions = [step.fraction or 0 for step in seen]
    assert fractions == sorted(fractions)


def test_cancelling_ends_the_program_at_once(tmp_path: Path) -> None:
    token = CancelToken()
    script = "trap 'touch cleaned; exit 1' TERM; echo 'tunnelmark: users'; while :; do sleep 0.05; done"
    argv = ["sh", "-c", f"cd '{tmp_path}'; {script}"]
    with pytest.raises(Cancelled):
        run_bound(argv, tmp_path, token=token, on_progress=lambda _: token.cancel())
    assert (tmp_path / "cleaned").exists()


def test_temporary_files_are_removed_whatever_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.raises(LabFault, check=has_message(IMAGE_FAILED, status=3)):
        run_bound(["sh", "-c", 'mkdir "$TMPDIR/x" && touch "$TMPDIR/x/y"; exit 3'], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_a_build_dies_with_its_owner_and_its_folder_goes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, temporary = tmp_path / "building", tmp_path / "tmp"
    folder.mkdir()
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    stubborn = "trap '' TERM; touch $TMPDIR/started; while :; do sleep 0.05; done"
    with subprocess.Popen(["sleep", "600"]) as owner:
        owner_fd = os.pidfd_open(owner.pid)
        code = "import sys; from app.lab import bound_process; bound_process._GRACE_S = 0.2;"
        code += "sys.exit(bound_process.main(sys.argv[1:]))"
        argv = [sys.executable, "-c", code, str(owner_fd), str(folder), "sh", "-c", stubborn]
        with subprocess.Popen(argv, pass_fds=(owner_fd,), cwd=Path(__file__).parents[3]) as process:
            CancelToken().wait_for(lambda: any(temporary.glob("*/started")), timeout_s=120, what="the command")
            owner.kill()
            assert process.wait(120) == 143
        os.close(owner_fd)
    assert not folder.exists()
    assert list(temporary.iterdir()) == []


def test_the_manifest_is_json(tmp_path: Path) -> None:
    write_image(tmp_path)
    write_manifest(tmp_path)
    assert set(json.loads((tmp_path / "manifest.json").read_text())["files"]) == {"root.img", "vmlinuz", "initrd"}
