"""`tunnelmark pair rename`, `copy`, `remove` and `import-ssh-config`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli import main
from app.cli.messages import PAIR_EXISTS

CONFIG = (
    "Host pump-1\n HostName 10.0.0.1\n User root\nHost pump-2\n HostName 10.0.0.2\nHost named\n HostName p.example\n"
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path / "data"))
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/config").write_text(CONFIG)
    return tmp_path


def test_a_pair_is_imported_renamed_copied_and_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pair", "import-ssh-config"]) == 0
    assert "root@10.0.0.1:22" in capsys.readouterr().out
    assert main(["pair", "list"]) == 0
    assert "no pair yet" in capsys.readouterr().out
    assert main(["pair", "import-ssh-config", "north", "--a", "pump-1", "--b", "pump-2"]) == 0
    assert "underlay 10.0.0.2" in capsys.readouterr().out
    assert main(["pair", "rename", "north", "south"]) == 0
    assert main(["pair", "copy", "south", "east"]) == 0
    capsys.readouterr()
    assert main(["pair", "show", "east"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["name"], shown["a"]["address"], shown["underlay_b"]) == ("east", "pump-1", "10.0.0.2")
    assert main(["pair", "remove", "south"]) == 0
    assert main(["pair", "show", "south"]) != 0
    assert main(["pair", "show", "east"]) == 0


@pytest.mark.parametrize(
    "words",
    [
        "rename north a/b",
        "rename missing x",
        "copy north north",
        "copy north -- -x",
        "remove missing",
        "import-ssh-config x",
        "import-ssh-config --a pump-1",
        "import-ssh-config x --a pump-1 --b named",
        "import-ssh-config x --a pump-1 --b pump-2 --underlay 10.0.0.1",
        "import-ssh-config x --a pump-1 --b pump-2 --underlay 10.0.0.1,p",
        "import-ssh-config x --a pump-1 --b gone",
        "import-ssh-config x --a pump-1 --b pump-2 --file missing",
        "add a/b --a x --b y --underlay 10.0.0.1,10.0.0.2",
    ],
)
def test_what_is_wrong_is_refused_and_changes_nothing(
    home: Path, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    assert main(["pair", "import-ssh-config", "north", "--a", "pump-1", "--b", "pump-2"]) == 0
    capsys.readouterr()
    assert main(["pair", *words.split()]) in (1, 2)
    reported = capsys.readouterr()
    assert reported.out == ""
    assert reported.err
    assert main(["pair", "list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:]] == ["north"]


def test_a_pair_is_replaced_only_where_that_is_asked_for(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["pair", "add", "north", "--b", "root@10.0.0.2", "--underlay", "10.0.0.1,10.0.0.2", "--a"]
    assert main([*words, "root@10.0.0.1"]) == 0
    assert main([*words, "root@10.0.0.1"]) == 0, "nothing changes"
    assert main([*words, "root@10.0.0.9"]) == 2
    assert PAIR_EXISTS(pair="north") in capsys.readouterr().err
    assert main([*words, "root@10.0.0.9", "--replace"]) == 0
    capsys.readouterr()
    assert main(["pair", "show", "north"]) == 0
    assert "10.0.0.9" in capsys.readouterr().out
