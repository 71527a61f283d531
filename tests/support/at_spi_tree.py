"""The window over AT-SPI, as a screen reader gets it. Runs with Debian's own Python, which has the client library."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402 - only after its version was chosen

LIMIT_S = 120.0
"""A condition must hold after so long, however busy the computer is."""
_STEP_S = 0.02
_ANSWER_MS = 30_000
_CELLS = ("table cell", "table column header", "table row header", "tree item")
_OPENED = ("dialog", "alert", "file chooser", "popup menu")
_GRIDS = ("table", "tree table", "tree")

Node = Any
"""An `Atspi.Accessible`; gi has no types."""


class Gone(Exception):
    """A condition did not come true."""


def states(node: Node) -> set[str]:
    """Return the names of a node's states."""
    return {state.value_nick for state in node.get_state_set().get_states()}


def is_shown(node: Node) -> bool:
    """Whether a node is on the screen."""
    return "showing" in states(node)


def walk(node: Node, *, has_hidden: bool = False) -> Iterator[Node]:
    """Yield a node and what is below it, without the cells of tables and, unless asked for, what is not shown."""
    yield node
    if node.get_role_name() in _GRIDS:
        return
    for nth in range(node.get_child_count()):
        child = node.get_child_at_index(nth)
        if child is not None and (has_hidden or is_shown(child)):
            yield from walk(child, has_hidden=has_hidden)


class Desk:
    """The window, as a screen reader sees it.

    Attributes:
        heard: What was announced, or appeared as a notification, in the order of its arrival.
        opened: Dialogs and menus. Qt has menus in no window: they are reached by the event of their opening.
    """

    def __init__(self) -> None:
        Atspi.set_timeout(_ANSWER_MS, _ANSWER_MS)
        Atspi.init()
        self.heard: list[str] = []
        self.opened: list[Node] = []
        self._listener = Atspi.EventListener.new(self._on_event)
        self._listener.register("object:announcement")
        self._listener.register("object:state-changed:showing")
        self._window: Node | None = None
        self._window = self.until("the window", self._find_window)

    def _find_window(self) -> Node | None:
        desktop = Atspi.get_desktop(0)
        nodes = (desktop.get_child_at_index(nth) for nth in range(desktop.get_child_count()))
        program = next((node for node in nodes if node is not None and node.get_name() == "tunnelmark"), None)
        window = program.get_child_at_index(0) if program is not None and program.get_child_count() else None
        return window if window is not None and window.get_role_name() == "frame" else None

    def walk(self) -> Iterator[Node]:
        """Yield all that is shown: the window, and what was opened over it."""
        if self._window is not None:
            yield from walk(self._window)
        for node in self.opened:
            try:
                if is_shown(node):
                    yield from walk(node)
            except GLib.Error:
                self.opened.remove(node)
                return

    def _on_event(self, event: Node) -> None:
        try:
            if event.type == "object:announcement":
                self.heard.append(event.any_data)
            elif event.detail1 and event.source.get_role_name() in _OPENED:
                self.opened.append(event.source)
            elif event.detail1 and event.source.get_role_name() == "notification":
                texts = [node.get_name() for node in walk(event.source) if node.get_role_name() == "label"]
                self.heard.append(" ".join(text for text in texts if text))
        except GLib.Error:
            pass  # it has gone meanwhile

    def pump(self) -> None:
        """Take in what has happened."""
        context = GLib.MainContext.default()
        while context.iteration(False):
            pass

    def until(self, what: str, condition: Callable[[], Any]) -> Any:
        """Wait for a condition and return what it returns.

        Raises:
            Gone: It did not come true.
        """
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            self.pump()
            try:
                found = condition()
            except GLib.Error:  # a node has gone, or the program is busy
                found = None
            if found:
                return found
            time.sleep(_STEP_S)
        shown = "\n".join(self.lines())
        raise Gone(f"{shown}\nThis was shown when {what} did not come within {LIMIT_S:.0f} s; heard: {self.heard}")

    def lines(self) -> list[str]:
        """Return everything that is shown, one node a line."""
        return [f"{node.get_role_name()} {node.get_name()!r} {sorted(states(node))}" for node in self.walk()]

    def find(self, role: str, name: str, is_wanted: Callable[[Node], bool] = lambda _node: True) -> Node:
        """Wait for a node that is shown.

        Args:
            role: As AT-SPI calls it.
            name: How its name begins.
            is_wanted: Must return true for it.
        """

        def search() -> Node | None:
            nodes = (node for node in self.walk() if node.get_role_name() == role)
            return next((node for node in nodes if node.get_name().startswith(name) and is_wanted(node)), None)

        return self.until(f"{role} {name!r}", search)

    def press(self, role: str, name: str) -> None:
        """Carry out the action of a control as soon as it can be used."""
        node = self.find(role, name, lambda node: {"enabled", "sensitive"} <= states(node))
        act(node, "Press")

    def choose(self, role: str, name: str) -> None:
        """Press one of several tabs or list items, and wait until it is the selected one."""
        self.press(role, name)
        self.find(role, name, lambda node: "selected" in states(node))

    def nameless(self) -> list[str]:
        """Return what can have the focus and has no name, no role, or a value instead of a name."""
        found = []
        for node in self.walk():
            role, name = node.get_role_name(), node.get_name()
            if "focusable" not in states(node) or role in _CELLS:
                continue
            # Qt gives a combo box its value as name on Linux: only a label names it.
            is_named = bool(name) if role != "combo box" else is_labelled(node)
            if not is_named or role in ("unknown", "invalid", "filler", "panel"):
                found.append(f"{role} {name!r} in {path(node)}")
        return found


def is_labelled(node: Node) -> bool:
    """Whether a node has a label with text."""
    for relation in node.get_relation_set():
        if relation.get_relation_type() == Atspi.RelationType.LABELLED_BY and relation.get_target(0).get_name():
            return True
    return False


def act(node: Node, name: str) -> None:
    """Carry out an action.

    Raises:
        Gone: The node has no such action.
    """
    names = [Atspi.Action.get_action_name(node, nth) for nth in range(Atspi.Action.get_n_actions(node))]
    if name not in names:
        raise Gone(f"{node.get_role_name()} {node.get_name()!r} has no action {name}, but {names}")
    try:
        Atspi.Action.do_action(node, names.index(name))
    except GLib.Error as error:
        # What opens a menu answers only when the menu is closed again.
        sys.stderr.write(f"{name} of {node.get_name()!r}: {error.message}\n")


def path(node: Node) -> str:
    """Return the names of what a node is in."""
    names: list[str] = []
    while (node := node.get_parent()) is not None and node.get_role_name() != "application":
        names.append(node.get_name() or node.get_role_name())
    return " < ".join(names[:4])
