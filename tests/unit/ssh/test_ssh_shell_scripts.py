"""The shell texts that go to hosts, run by the shells that hosts have: dash, BusyBox ash, bash."""

from __future__ import annotations

import os
import random
import shutil
import signal
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.commands import Command, FileToWrite, Stream
from app.domain.errors import Bug, CommandFailed, DiskFull
from app.domain.hosts import Privilege
from app.ssh.batch import Batch
from app.ssh.executor import KILL_SCRIPT
from app.ssh.messages import BATCH_WITH_STDIN, FOLDER_MISSING, PATH_IS_FOLDER
from app.ssh.remote_line import new_mark, remote_line, remote_script_line, shell_line
from app.ssh.upload import upload_error, upload_script
from support.message_checks import has_message

SHELLS = [
    pytest.param(command, id=command[-2] if len(command) > 1 else command[0], marks=marks)
    for command, marks in ((("dash",), ()), (("busybox", "ash"), ()), (("bash", "--posix"), pytest.mark.full))
    if shutil.which(command[0])
]
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


def run_script(shell: Sequence[str], script: bytes, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*shell, "-s"], input=script, capture_output=True, cwd=cwd, timeout=300, check=False)


def test_there_is_a_shell_to_test_with() -> None:
    assert SHELLS


# --- one command ------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=5))
def test_arguments_arrive_as_they_are(words: list[str]) -> None:
    line = remote_line(("printf", "%s\\0", *words), None)
    done = subprocess.run(["sh", "-c", line.text], capture_output=True, timeout=120, check=True)
    mark, _, rest = done.stdout.partition(b"\n")
    assert mark.decode() == line.mark
    assert rest.decode().split("\0")[:-1] == words


@pytest.mark.parametrize("argv", [(), ("",), ("a\0b",), ("a", "\udc80")])
def test_what_no_command_line_can_carry_is_a_bug(argv: tuple[str, ...]) -> None:
    with pytest.raises(Bug):
        shell_line(argv)


def test_a_command_runs_in_the_c_locale_with_system_programs_on_its_path() -> None:
    line = remote_line(("sh", "-c", "echo $LC_ALL; echo $PATH; echo $TUNNELMARK_RUN"), None)
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "de_DE.UTF-8"}
    done = subprocess.run(["sh", "-c", line.text], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines() == [line.mark, "C", "/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin", line.mark]
    assert done.stderr == line.mark + "\n"


def test_a_killed_command_ends_with_128_and_the_signal() -> None:
    line = remote_line(("sh", "-c", "kill -9 $$"), None)
    assert subprocess.run(["sh", "-c", line.text], capture_output=True, check=False).returncode == 128 + 9


def test_how_root_s_rights_are_put_in_front() -> None:
    assert remote_line(("id",), Privilege.SUDO).text.startswith("exec sudo -n -- sh -c ")
    assert remote_line(("id",), Privilege.DOAS).text.startswith("exec doas -n sh -c ")
    assert remote_line(("id",), Privilege.ROOT).text.startswith("exec sh -c ")
    asking = remote_line(("id",), Privilege.SUDO_PASSWORD)
    assert asking.prompt
    assert len(asking.prompt) == 32
    assert asking.text.startswith(f"exec sudo -S -p {asking.prompt} -- sh -c ")
    assert asking.prompt != remote_line(("id",), Privilege.SUDO_PASSWORD).prompt


def test_a_script_is_read_from_stdin_and_is_marked() -> None:
    line = remote_script_line(None)
    script = line.prelude + b"echo $1 $TUNNELMARK_RUN $LC_ALL\n"
    done = subprocess.run(["sh", "-c", line.text], input=script, capture_output=True, check=True)
    assert done.stdout == f"{line.mark}\n{line.mark} {line.mark} C\n".encode()
    assert done.stderr == f"{line.mark}\n".encode()


def test_a_script_waits_until_sudo_has_its_password() -> None:
    line = remote_script_line(Privilege.SUDO_PASSWORD)
    assert line.prelude == b""
    assert "exec sh -s" in line.text


# --- batches ----------------------------------------------------------------------------------------------------------


def run_batch(shell: Sequence[str], batch: Batch, pieces: int = 1, seed: int = 0) -> subprocess.CompletedProcess[bytes]:
    done = run_script(shell, batch.script)
    for stream, data in ((batch.out, done.stdout), (batch.err, done.stderr)):
        cuts = sorted(random.Random(seed).choices(range(len(data) + 1), k=pieces - 1))  # noqa: S311 - no secret
        for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            stream.feed(data[start:end])
        stream.finish()
    return done


@pytest.mark.parametrize("shell", SHELLS)
def test_each_command_gets_its_own_result(shell: Sequence[str]) -> None:
    commands = [
        Command(("printf", "no end")),
        Command(("sh", "-c", "echo out; echo err >&2; exit 3")),
        Command(("cat",)),
        Command(("exit", "7")),
        Command(("if",)),
        Command(("A=b",)),
        Command(("printf", "\\n\\n")),
        Command(("sh", "-c", "kill -TERM $$")),
    ]
    batch = Batch(commands, None, should_stop_at_failure=False)
    run_batch(shell, batch)
    assert batch.is_complete
    results = batch.results()
    assert [result.exit_status for result in results] == [0, 3, 0, 7, 127, 127, 0, 128 + 15]
    assert [result.stdout for result in results] == ["no end", "out\n", "", "", "", "", "\n\n", ""]
    assert results[1].stderr == "err\n"
    assert all(result.argv == command.argv for result, command in zip(results, commands, strict=True))


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_of_a_batch_behave_as_in_a_shell_of_their_own(
    shell: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scripts: list[tuple[str, ...]] = [
        ("x=1; run() { echo mine; }; run; cd /; echo $#:$1:$2", "name", "a b", "*"),
        ('echo "[$x$s$text]"; pwd; cat; false', "name"),
        ("if", "name"),
        ("exit 9; echo never", "name"),
        ("type end; type run; type script", "name"),
        ("exec printf '%s\\n' \"$@\"", "name", "1", "2"),
        ("shift 3 2> /dev/null; echo $?", "name", "1"),
        ("cat <<E\nfrom $1\nE\n", "name", "here"),
        ("echo $0", "name"),
    ]
    commands = [Command(("sh", "-c", *script)) for script in scripts]
    batch = Batch(commands, None, should_stop_at_failure=False)
    run_batch(shell, batch)
    alone = [
        subprocess.run(
            (*shell, "-c", *script), check=False, capture_output=True, stdin=subprocess.DEVNULL, cwd=tmp_path
        )
        for script in scripts
    ]
    assert batch.is_complete
    assert [(result.exit_status, result.stdout) for result in batch.results()] == [
        (one.returncode, one.stdout.decode()) for one in alone
    ]
    assert batch.results()[0].stdout == "mine\n2:a b:*\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_batch_may_stop_at_a_failure(shell: Sequence[str]) -> None:
    commands = [Command(("true",)), Command(("false",)), Command(("echo", "never"))]
    batch = Batch(commands, None, should_stop_at_failure=True)
    run_batch(shell, batch)
    assert batch.is_complete
    assert [result.exit_status for result in batch.results()] == [0, 1, None]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_batch_whose_shell_is_killed_is_not_complete(shell: Sequence[str]) -> None:
    commands = [Command(("true",)), Command(("sh", "-c", "kill -9 $PPID; kill -9 $$")), Command(("true",))]
    batch = Batch(commands, None, should_stop_at_failure=False)
    run_batch(shell, batch)
    assert not batch.is_complete
    assert batch.reached == 1


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_that_was_cut_off_runs_nothing(shell: Sequence[str], tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    batch = Batch([Command(("touch", str(witness)))], None, should_stop_at_failure=False)
    for length in range(len(batch.script) - 2):
        done = run_script(shell, batch.script[:length]) if length % 7 == 0 else None
        assert not witness.exists(), (length, done)
    run_script(shell, batch.script)
    assert witness.exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_long_batch_passes(shell: Sequence[str]) -> None:
    commands = [Command(("printf", "%s", f"{number}:" + "x" * 1000)) for number in range(200)]
    batch = Batch(commands, None, should_stop_at_failure=False)
    assert len(batch.script) > 200_000
    run_batch(shell, batch)
    assert [result.stdout[:4] for result in batch.results()] == [f"{number}:xxx"[:4] for number in range(200)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 40), st.integers(0, 10_000))
def test_how_the_output_is_cut_into_packets_does_not_matter(pieces: int, seed: int) -> None:
    lines: list[tuple[int, Stream, str]] = []
    commands = [
        Command(("printf", "a\\nb\\n\\nend")),
        Command(("sh", "-c", "echo e1 >&2; printf e2 >&2")),
        Command(("printf", "c\\n"), max_output_bytes=1),
    ]
    batch = Batch(commands, lambda *line: lines.append(line), should_stop_at_failure=False)
    run_batch(("dash",), batch, pieces, seed)
    out = [(index, text) for index, stream, text in lines if stream is Stream.STDOUT]
    assert out == [(0, "a"), (0, "b"), (0, ""), (0, "end"), (2, "c")]
    assert [(index, text) for index, stream, text in lines if stream is Stream.STDERR] == [(1, "e1"), (1, "e2")]
    results = batch.results()
    assert (results[0].stdout, results[1].stderr) == ("a\nb\n\nend", "e1\ne2")
    assert (results[2].stdout, results[2].is_truncated) == ("c", True)


def test_what_resembles_a_marker_is_output() -> None:
    lines: list[str] = []
    fake = "0123456789abcdef" * 2 + " 0"
    commands = [Command(("echo", fake)), Command(("echo", "second"))]
    batch = Batch(commands, lambda _i, _s, text: lines.append(text), should_stop_at_failure=False)
    run_batch(("dash",), batch)
    assert [result.stdout for result in batch.results()] == [fake + "\n", "second\n"]


def test_an_endless_line_does_not_fill_the_memory() -> None:
    batch = Batch([Command(("true",), max_output_bytes=10)], None, should_stop_at_failure=False)
    for _ in range(100):
        batch.out.feed(b"x" * 50_000)
        assert len(batch.out._rest) <= 66_000
    assert batch.results()[0].stdout == "x" * 10


def test_stdin_in_a_batch_is_a_bug() -> None:
    with pytest.raises(Bug, check=has_message(BATCH_WITH_STDIN)):
        Batch([Command(("cat",), stdin=b"x")], None, should_stop_at_failure=False)


# --- files ------------------------------------------------------------------------------------------------------------


def upload(shell: Sequence[str], files: Sequence[FileToWrite]) -> subprocess.CompletedProcess[bytes]:
    return run_script(shell, upload_script(files, "REPORT"))


@pytest.mark.parametrize("shell", SHELLS)
def test_every_byte_arrives(shell: Sequence[str], tmp_path: Path) -> None:
    content = bytes(range(256)) * 40 + b"-n %s \\n '\"$HOME`id`" + b"\0" * 3000
    files = [
        FileToWrite(str(tmp_path / "a b'c"), content, 0o640),
        FileToWrite(str(tmp_path / "minus"), b"-v x", 0o600),
        FileToWrite(str(tmp_path / "empty"), b"", 0o755),
        FileToWrite(str(tmp_path / "newline"), b"\n\n", 0o444),
    ]
    done = upload(shell, files)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    for file in files:
        path = Path(file.path)
        assert path.read_bytes() == file.content
        assert stat.S_IMODE(path.stat().st_mode) == file.mode
    assert len(list(tmp_path.iterdir())) == len(files)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=5000))
def test_any_content_arrives(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("upload") / "file"
    assert upload(("dash",), [FileToWrite(str(path), content)]).returncode == 0
    assert path.read_bytes() == content


@pytest.mark.parametrize("shell", SHELLS)
def test_nothing_is_replaced_if_one_file_cannot_be_written(shell: Sequence[str], tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"old")
    (tmp_path / "folder").mkdir()
    for path, form in ((tmp_path / "missing" / "file", FOLDER_MISSING), (tmp_path / "folder", PATH_IS_FOLDER)):
        files = [FileToWrite(str(old), b"new"), FileToWrite(str(path), b"x")]
        done = upload(shell, files)
        assert done.returncode == 3
        error = upload_error(files, done.stderr.decode(), "REPORT", "gw")
        assert isinstance(error, CommandFailed)
        assert has_message(form, path=str(path), host="gw")(error)
        assert old.read_bytes() == b"old"
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder", "old"]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_replaced_file_is_a_new_one(shell: Sequence[str], tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"old")
    other_name = tmp_path / "hard link"
    os.link(old, other_name)
    assert upload(shell, [FileToWrite(str(old), b"new")]).returncode == 0
    assert (old.read_bytes(), other_name.read_bytes()) == (b"new", b"old")


def test_content_reaches_nothing_but_the_shell_s_own_printf(tmp_path: Path) -> None:
    script = upload_script([FileToWrite(str(tmp_path / "f"), b"s3cret")], "REPORT").decode()
    assert [line for line in script.splitlines() if "s3cret" in line] == ["printf 's3cret' || return 1"]
    assert "case $(type printf) in *builtin*)" in script


@pytest.mark.parametrize(
    ("reported", "kind"),
    [
        ("cat: write error: No space left on device", DiskFull),
        ("cat: write error: Disk quota exceeded", DiskFull),
        ("sh: cannot create: Permission denied", CommandFailed),
    ],
)
def test_why_a_file_could_not_be_written(reported: str, kind: type[Exception]) -> None:
    files = [FileToWrite("/a/b", b""), FileToWrite("/etc/c", b"")]
    error = upload_error(files, f"sh: printf: I/O error\nREPORT 1 write {reported}\n", "REPORT", "gw (root@gw:22)")
    assert isinstance(error, kind)
    assert "/etc/c" in error.message
    assert "gw" in error.message


def test_an_unexplained_failure_is_reported_too() -> None:
    error = upload_error([FileToWrite("/a/b", b"")], "sh: oops\n", "REPORT", "gw")
    assert isinstance(error, CommandFailed)
    assert "oops" in error.message


@pytest.mark.parametrize(
    "file", [FileToWrite("relative", b""), FileToWrite("/a/", b""), FileToWrite("/a", b"", 0o10000)]
)
def test_a_place_that_is_none_is_a_bug(file: FileToWrite) -> None:
    with pytest.raises(Bug):
        upload_script([file], "REPORT")


# --- killing ----------------------------------------------------------------------------------------------------------


def processes_with(text: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    "text",
    [
        "echo ready; sleep 1000 & sleep 1000",
        "trap '' TERM HUP; echo ready; sleep 1000; sleep 1000",
        "echo ready; setsid sleep 1000 & sleep 1000",
        "env -i sleep 1000 & echo ready; sleep 1000",
    ],
    ids=["children", "deaf", "own session", "clean environment"],
)
def test_everything_that_a_run_started_is_killed(shell: Sequence[str], text: str) -> None:
    line = remote_line(("sh", "-c", text), None)
    process = subprocess.Popen(
        ["sh", "-c", line.text], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline().decode().strip() == line.mark
        assert process.stdout.readline() == b"ready\n"
        done = run_script(shell, KILL_SCRIPT.replace("@MARK@", line.mark).encode())
        assert process.wait(timeout=120) in {-signal.SIGTERM, -signal.SIGKILL}
        assert process.stdout.read() == b""  # no process holds it any more
    assert (done.returncode, done.stderr) == (0, b"")
    assert processes_with(line.mark) == []


@pytest.mark.parametrize("shell", SHELLS)
def test_nothing_else_is_killed(shell: Sequence[str]) -> None:
    bystander = subprocess.Popen(["sleep", "1000"], env={**os.environ, "TUNNELMARK_RUN": new_mark()})
    done = run_script(shell, KILL_SCRIPT.replace("@MARK@", new_mark()).encode())
    assert (done.returncode, bystander.poll()) == (0, None)
    bystander.kill()
    bystander.wait()
