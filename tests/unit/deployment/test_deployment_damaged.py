"""Parts of a host's deployment were removed by hand: it is reported, nothing is begun, what is left is ended."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn, cast

import pytest

from app.cli.deployments import status_code
from app.cli.deployments_text import print_status
from app.cli.exit_codes import ExitCode
from app.cli.terminal import CleanConsole
from app.deployment import planning
from app.deployment.events import DeploymentEvent, DeploymentNote
from app.deployment.messages import DAMAGED_THERE, NOT_REMOVED, PARTS_IN_THE_WAY
from app.deployment.single_host_rollback import remove_unfinished, roll_back_one
from app.deployment.slots import slot_dir
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentState
from app.domain.deployment_status import PairStatus
from app.domain.errors import CommandFailed, NotFound, PreflightRefused
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.storage import Store
from support.deploy_world import World, shell_of
from support.deployment_world import DEPLOYED_LINKS, SLOT, deployment_world, place_on, run_dirs, wait_until_watched
from support.made_up_deployment import Operations, deploy_and_keep, inspect, save_facts
from support.made_up_host import LocalHost
from support.message_checks import has_message
from support.waiting import wait_until

START = f"{slot_dir(SLOT)}/start.sh"
RESTART = "what may still run goes with a restart of this host"


@pytest.fixture
def store(store: Store, world: World) -> Store:
    save_facts(world, store)
    return store


@pytest.fixture(scope="module")
def deployed(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[tuple[World, Store, Deployment]]:
    """A deployment that several tests inspect; `undamaged` gives each of them the same files."""
    root = tmp_path_factory.mktemp("damaged")
    with deployment_world(root / "world", shell_of(request)) as world, Store.open(root / "t.db") as store:
        save_facts(world, store)
        yield world, store, deploy_and_keep(world, store)


@pytest.fixture
def undamaged(deployed: tuple[World, Store, Deployment], tmp_path: Path) -> Iterator[tuple[World, Store, Deployment]]:
    place, kept = place_on(deployed[0].a), tmp_path / "kept"
    shutil.copytree(place, kept, symlinks=True)
    yield deployed
    place.rename(tmp_path / "damaged")
    kept.rename(place)


def restart(host: LocalHost, deployment: Deployment) -> None:
    """End what runs on a host, and empty its /run, as a restart does; nothing is started afterwards."""
    host.end_processes()
    shutil.rmtree(host.path(deployment.link.run_dir))


def lose_name(world: World, _deployment_id: str) -> str:
    (place_on(world.a) / "current").unlink()
    return f"{slot_dir(SLOT)}/current"


def lose_folder(world: World, deployment_id: str) -> str:
    shutil.rmtree(place_on(world.a) / deployment_id)
    return f"{slot_dir(SLOT)}/{deployment_id}"


def lose_about(world: World, deployment_id: str) -> str:
    (place_on(world.a) / deployment_id / "about.sh").unlink()
    return f"{slot_dir(SLOT)}/{deployment_id}/about.sh"


def empty_about(world: World, deployment_id: str) -> str:
    (place_on(world.a) / deployment_id / "about.sh").write_text("")
    return f"{slot_dir(SLOT)}/{deployment_id}/about.sh"


def change_steps(world: World, deployment_id: str) -> str:
    with (place_on(world.a) / deployment_id / "steps.sh").open("a") as file:
        file.write("true\n")
    return f"{slot_dir(SLOT)}/{deployment_id}/steps.sh"


def lose_sums(world: World, deployment_id: str) -> str:
    (place_on(world.a) / deployment_id / "sums").unlink()
    return f"{slot_dir(SLOT)}/{deployment_id}/sums"


def lose_both(world: World, deployment_id: str) -> str:
    lose_folder(world, deployment_id)
    return lose_name(world, deployment_id)


def empty_name(world: World, _deployment_id: str) -> str:
    (place_on(world.a) / "current").write_text("")
    return f"{slot_dir(SLOT)}/current"


def name_a_path(world: World, _deployment_id: str) -> str:
    (place_on(world.a) / "current").write_text("../../../home\n")
    return f"{slot_dir(SLOT)}/current"


def cut_start(world: World, _deployment_id: str) -> str:
    path = place_on(world.a) / "start.sh"
    path.write_text(path.read_text()[:1000])
    return f"{slot_dir(SLOT)}/start.sh"


def change_supervisor(world: World, deployment_id: str) -> str:
    path = place_on(world.a) / deployment_id / "lasting.sh"
    path.write_text(f"rm -rf {world.a.path('/etc/other')}\n{path.read_text()}")
    return f"{slot_dir(SLOT)}/{deployment_id}/lasting.sh"


def name_another_folder(world: World, deployment_id: str) -> str:
    path = place_on(world.a) / deployment_id / "about.sh"
    path.write_text(path.read_text().replace("run_dir=", "run_dir=/home #"))
    return f"{slot_dir(SLOT)}/{deployment_id}/about.sh"


def text_of(status: PairStatus) -> str:
    out = io.StringIO()
    print_status(CleanConsole(file=out, width=200), status)
    return out.getvalue()


@pytest.mark.parametrize(
    "lose",
    [
        *(lose_name, lose_folder, lose_about, empty_about, change_steps, lose_sums, lose_both),
        *(empty_name, name_a_path, cut_start),
    ],
)
def test_it_is_reported_and_nothing_is_changed_by_an_inspection(
    undamaged: tuple[World, Store, Deployment], lose: Callable[[World, str], str]
) -> None:
    world, store, one = undamaged
    missing = lose(world, one.id)
    status = inspect(world, store)
    assert (status.state, status.unfinished, status.can_be_repaired) == (DeploymentState.CONFIRMED, (), False)
    (end,) = status.damaged
    assert (end.side, end.deployment_id) == (Side.A, one.id)
    assert end.missing.endswith(missing), "the made-up host's folder comes before it"
    assert has_message(DAMAGED_THERE, pair="pair")(status.sentences[-1])
    assert status_code(status) is ExitCode.FAILED
    assert "gateway-a: unknown; " in text_of(status)
    assert store.get_deployment(one.id) == one
    assert Operations(world, store).repair(one.pair, token=CancelToken(), emit=lambda _event: None) is None
    with pytest.raises(CommandFailed, match="has changed meanwhile"):
        remove_unfinished(store, world.a, one.pair, Side.A, token=CancelToken())
    assert (place_on(world.a).exists(), world.a.links) == (True, DEPLOYED_LINKS)


def test_undeploy_takes_down_what_has_lost_its_name(world: World, store: Store) -> None:
    before = [host.etc_files() for host in world.hosts]
    one = deploy_and_keep(world, store)
    lose_name(world, one.id)
    ended = Operations(world, store).undeploy(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert (ended.state, ended.id) == (DeploymentState.REMOVED, one.id)
    assert [host.etc_files() for host in world.hosts] == before
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]
    assert [run_dirs(host) for host in world.hosts] == [[], []]
    after = inspect(world, store)
    assert (after.state, after.damaged, after.sentences, status_code(after)) == (None, (), (), ExitCode.OK)


@pytest.mark.parametrize(
    "lose", [lose_folder, *(pytest.param(one, marks=pytest.mark.full) for one in (lose_about, lose_both))]
)
def test_undeploy_says_what_may_still_run(world: World, store: Store, lose: Callable[[World, str], str]) -> None:
    one = deploy_and_keep(world, store)
    wait_until_watched(world.a)
    lose(world, one.id)
    events: list[DeploymentEvent] = []
    ended = Operations(world, store).undeploy(one.pair, token=CancelToken(), emit=events.append)
    assert ended.state is DeploymentState.REMOVED
    (note,) = [event for event in events if isinstance(event, DeploymentNote)]
    assert note.is_warning
    assert note.text.startswith("gateway-a: Nothing that could be taken down was found")
    assert RESTART in note.text
    assert [place_on(host).exists() for host in world.hosts] == [False, False]
    assert world.b.links == {"eth1"}
    wait_until(lambda: not any(b"lasting.sh" in words_of(pid) for pid in world.a.processes()), "no supervisor")


def words_of(pid: int) -> bytes:
    """Return the command line of a process; nothing of one that has ended meanwhile."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize(
    "lose", [lose_both, *(pytest.param(one, marks=pytest.mark.full) for one in (lose_name, lose_folder, lose_about))]
)
def test_what_is_left_and_in_the_way_of_another_deployment_is_named(
    world: World, store: Store, lose: Callable[[World, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_the_way(*_words: object, **_more: object) -> NoReturn:
        raise PreflightRefused("There is an interface tml0 already.")

    one = deploy_and_keep(world, store)
    monkeypatch.setattr(planning, "_prepare", in_the_way)
    monkeypatch.setattr(planning, "choose", lambda *_words, **_more: None)
    discovery = cast("Discovery", SimpleNamespace(pair=one.pair))
    wanted = planning.RequestedDeployment(discovery, (one.solution, one.suite), one.options, {}, (), tuple, ())

    def plan() -> None:
        planning.plan_deployment(wanted, lambda: world.sessions, token=CancelToken())

    with pytest.raises(PreflightRefused, match="an interface tml0"):
        plan()
    lose(world, one.id)
    with pytest.raises(PreflightRefused, check=has_message(PARTS_IN_THE_WAY, hosts="gateway-a")) as caught:
        plan()
    assert caught.value.hint == PARTS_IN_THE_WAY(hosts="gateway-a", pair="pair").hint


@pytest.mark.parametrize(
    ("file", "left"),
    [
        ("steps.sh", "down_steps()"),
        pytest.param("lasting.sh", 'main "$@"', marks=pytest.mark.full),
        pytest.param("steps.sh", "", marks=pytest.mark.full),
    ],
)
def test_what_was_not_taken_down_is_not_called_so(world: World, store: Store, file: str, left: str) -> None:
    one = deploy_and_keep(world, store)
    wait_until_watched(world.a)
    damaged = place_on(world.a) / one.id / file
    text = damaged.read_text()
    # Cut between two functions, or all zeros.
    damaged.write_text(text[: text.rindex(left)] if left else "\0" * len(text))
    with pytest.raises(CommandFailed, check=has_message(NOT_REMOVED, host="gateway-a")) as caught:
        Operations(world, store).undeploy(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert "restart this host before" in caught.value.sentence()
    assert (world.a.links, place_on(world.a).exists()) == (DEPLOYED_LINKS, True)
    restart(world.a, one)
    (world.a.net / "links" / "tml0").unlink()
    ended = Operations(world, store).undeploy(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert ended.state is DeploymentState.REMOVED
    assert [place_on(host).exists() for host in world.hosts] == [False, False]


def test_one_host_alone_takes_down_what_has_lost_its_name(world: World, store: Store) -> None:
    one = deploy_and_keep(world, store)
    lose_name(world, one.id)
    half = roll_back_one(store, world.a, one.pair, Side.A, token=CancelToken(), emit=lambda _event: None)
    assert (half.state, half.id) == (DeploymentState.HALF_CONFIRMED, one.id)
    assert (world.a.links, place_on(world.a).exists(), world.b.links) == ({"eth1"}, False, DEPLOYED_LINKS)


def test_the_service_does_not_remove_what_runs(world: World, store: Store) -> None:
    one = deploy_and_keep(world, store)
    lose_name(world, one.id)
    # As an earlier version left it, which knew no second mark.
    (place_on(world.a) / "confirmed").unlink()
    assert world.a.shell_run("sh", START, "boot").returncode == 0
    assert (place_on(world.a) / one.id / "lasting.sh").exists()
    restart(world.a, one)
    assert world.a.shell_run("sh", START, "boot").returncode == 0
    assert not place_on(world.a).exists()


def test_a_deployment_without_its_second_mark_starts_with_the_host(world: World, store: Store) -> None:
    deploy_and_keep(world, store)
    (place_on(world.a) / "confirmed").unlink()
    wait_until_watched(world.a)
    assert inspect(world, store).sentences == ()


@pytest.mark.parametrize(
    "lose",
    [
        *(lose_both, name_another_folder, name_a_path, change_supervisor),
        *(pytest.param(one, marks=pytest.mark.full) for one in (lose_name, lose_folder, empty_about, empty_name)),
    ],
)
def test_start_of_the_host_removes_and_runs_nothing_of_what_is_damaged(
    world: World, store: Store, lose: Callable[[World, str], str]
) -> None:
    one = deploy_and_keep(world, store)
    world.a.path("/etc/other").mkdir()
    restart(world.a, one)
    missing = lose(world, one.id)
    before = world.a.etc_files()
    # systemd, which sets INVOCATION_ID, would try again every 2 s.
    for words, status in (((), 1), (("env", "INVOCATION_ID=1"), 0)):
        done = world.a.shell_run(*words, "sh", START, "boot")
        assert done.returncode == status
        assert "not started, because" in done.stderr
        assert missing in done.stderr
    assert (world.a.etc_files(), run_dirs(world.a)) == (before, [])
    assert world.a.path("/etc/other").exists()
    ended = Operations(world, store).undeploy(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert ended.state is DeploymentState.REMOVED
    assert [place_on(host).exists() for host in world.hosts] == [False, False]
    assert world.a.path("/etc/other").exists(), "after a restart nothing that was changed is run"


def test_what_another_user_is_just_putting_there_is_not_called_damaged(world: World, store: Store) -> None:
    one = deploy_and_keep(world, store)
    lose_name(world, one.id)
    world.a.path(STATE_DIR).mkdir()
    status = inspect(world, store)
    assert (status.damaged, status.a.deployment_id, status.can_be_repaired) == ((), "", False)
    assert store.get_deployment(one.id) == one


def test_what_is_left_of_another_pair_is_not_taken_for_this_ones(world: World, store: Store) -> None:
    other = "0123456789abcdef"
    (place_on(world.a)).mkdir(parents=True)
    (place_on(world.a).parent / "another" / other).mkdir(parents=True)
    world.a.path(f"/run/tunnelmark-{other}").mkdir()
    world.a.path("/run/tunnelmark-tmlbr0.lan").touch()
    assert [end.side for end in inspect(world, store).unfinished] == [Side.A]
    shutil.rmtree(place_on(world.a).parent / "another")
    status = inspect(world, store)
    assert (status.unfinished, [end.deployment_id for end in status.damaged]) == ((), [other])
    own = "a" * 16
    (place_on(world.a) / own).mkdir()
    (place_on(world.a) / own / "lasting.sh").touch()
    assert [end.deployment_id for end in inspect(world, store).damaged] == [own], "its own scripts say more"


def test_what_is_not_known_here_is_not_written_down_as_if_it_were(world: World, store: Store, tmp_path: Path) -> None:
    one = deploy_and_keep(world, store)
    world.a.path(STATE_DIR).mkdir()
    with Store.open(tmp_path / "other.db") as other:
        with pytest.raises(CommandFailed):
            roll_back_one(other, world.a, one.pair, Side.A, token=CancelToken(), emit=lambda _event: None)
        with pytest.raises(NotFound):
            other.get_deployment(one.id)
