"""`tunnelmark pair rename`, `copy`, `remove` and `import-ssh-config`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli import main
from app.cli.messages import NODE_INTERFACES, PAIR_EXISTS
from app.domain.messages.inputs import NODE_ALONE

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


HOSTS = ["--a", "root@10.0.0.1", "--b", "root@10.0.0.2", "--underlay", "10.0.0.1,10.0.0.2"]
NODE_A = ["--node-a", "plc@10.0.0.11:2222", "--node-a-interfaces", "eth1,eth2"]
NODE_B = ["--node-b", "10.0.0.12", "--node-b-interfaces", "ens4, br-lan"]


def test_a_pair_is_stored_with_machines_behind_its_hosts(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "known").write_text("")
    words = ["pair", "add", "north", *HOSTS, "--host-key-file", str(home / "known")]
    assert main([*words, *NODE_A, *NODE_B]) == 0
    assert main([*words, *NODE_A, *NODE_B]) == 0, "nothing changes"
    assert main(words) == 2, "the pair would lose them"
    capsys.readouterr()
    assert main(["pair", "show", "north"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [shown[side]["host"]["address"] for side in ("node_a", "node_b")] == ["10.0.0.11", "10.0.0.12"]
    assert (shown["node_a"]["host"]["user"], shown["node_a"]["host"]["port"]) == ("plc", 2222)
    assert (shown["node_a"]["interface"], shown["node_a"]["gateway_interface"]) == ("eth1", "eth2")
    assert (shown["node_b"]["interface"], shown["node_b"]["gateway_interface"]) == ("ens4", "br-lan")
    assert {shown[side]["host"]["host_key_file"] for side in ("node_a", "node_b")} == {str(home / "known")}
    assert main(["pair", "list"]) == 0
    assert "plc@10.0.0.11:2222, 10.0.0.12" in capsys.readouterr().out
    assert main(["pair", "copy", "north", "south"]) == 0
    capsys.readouterr()
    assert main(["pair", "show", "south"]) == 0
    assert json.loads(capsys.readouterr().out)["node_a"] == shown["node_a"]


def test_a_pair_that_is_replaced_keeps_its_nodes_unless_others_or_none_are_asked_for(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def add(*words: str) -> tuple[list[str], str]:
        """Return the addresses of nodes that are stored, and what was printed."""
        assert main(["pair", "add", "north", *HOSTS, *words]) == 0
        printed = " ".join(capsys.readouterr().out.split())
        assert main(["pair", "show", "north"]) == 0
        shown = json.loads(capsys.readouterr().out)
        return [shown[side]["host"]["address"] for side in ("node_a", "node_b") if shown[side]], printed

    both = ["10.0.0.11", "10.0.0.12"]
    assert add(*NODE_A, *NODE_B, "--no-nodes")[0] == both
    nodes, printed = add("--load-cap", "5", "--replace")
    assert nodes == both
    assert printed.startswith("Its nodes are kept: plc@10.0.0.11:2222 (eth1), 10.0.0.12 (ens4).")
    nodes, printed = add("--a", "root@10.0.0.9", "--replace")
    assert nodes == [], "they are behind the former gateway"
    assert printed.startswith("Not kept, since a gateway is another host now: plc@10.0.0.11:2222 (eth1)")
    assert add(*NODE_A, *NODE_B, "--replace")[0] == both
    nodes, printed = add("--node-b", "10.0.0.22", "--node-b-interfaces", "eth1,eth2", "--replace")
    assert nodes == ["10.0.0.11", "10.0.0.22"]
    assert "10.0.0.12" not in printed
    assert "kept: plc@10.0.0.11:2222 (eth1)." in printed
    nodes, printed = add("--replace", "--no-nodes")
    assert (nodes, "kept" in printed) == ([], False)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (NODE_A, NODE_ALONE(side="B")),
        ([*NODE_A, "--node-b", "10.0.0.12"], NODE_INTERFACES(side="b")),
        ([*NODE_B, "--node-a-interfaces", "eth1,eth2"], NODE_INTERFACES(side="a")),
        ([*NODE_B, "--node-a", "10.0.0.11", "--node-a-interfaces", "eth1"], NODE_INTERFACES(side="a")),
    ],
)
def test_half_a_node_is_refused(home: Path, words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pair", "add", "north", *HOSTS, *words]) == 2
    assert text in " ".join(capsys.readouterr().err.split())
    assert main(["pair", "show", "north"]) != 0
