"""Read-only questions to a host that several adapters ask, and how their answers are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from app.domain.adapters import shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, MissingPart, PackageManager, SolutionSupport
from app.domain.packages import package_for
from app.domain.script_files import adapter_script
from app.domain.solutions import Suite
from vpn_adapters.shared.messages import KERNEL_MODULE_PART

_PRESENT = ("loaded", "built-in", "loadable", "working")

_MODULES_SCRIPT = adapter_script("shared", "modules.sh")
_PATH_SCRIPT = adapter_script("shared", "program-path.sh")


def query(*argv: str) -> Command:
    """Return a short read-only command."""
    return Command(argv, timeout_s=10.0, max_output_bytes=65_536)


def modules_query(*modules: str) -> Command:
    """Return a command that prints `NAME loaded|built-in|loadable|working|missing` for each kernel module."""
    return query(*shell_step_argv(_MODULES_SCRIPT, *modules))


def path_query(program: str) -> Command:
    """Return a command that prints the path of a program, also where only root has it on his path."""
    return query(*shell_step_argv(_PATH_SCRIPT, program))


def path_in(result: CommandResult | None, program: str) -> str:
    """Return the path that `path_query` found, a plain absolute one; else empty."""
    path = result.stdout.strip() if result is not None and result.is_ok else ""
    return path if re.fullmatch(rf"/[A-Za-z0-9_./+-]{{1,200}}/{re.escape(program)}", path) else ""


def feature(support: SolutionSupport, prefix: str, usual: str) -> str:
    """Return what follows a prefix in a host's features; what is usual where none has it."""
    return next((one.removeprefix(prefix) for one in support.features if one.startswith(prefix)), usual)


def missing_modules(result: CommandResult | None, modules: tuple[str, ...], needed_for: str) -> tuple[MissingPart, ...]:
    """Return the kernel modules that are neither loaded, built in, loadable nor at work.

    Args:
        result: Outcome of `modules_query`; None counts as nothing there.
        modules: The modules that are needed.
        needed_for: Name of the solution.
    """
    words = [line.split() for line in (result.stdout if result else "").splitlines()]
    present = {pair[0] for pair in words if len(pair) == 2 and pair[1] in _PRESENT}
    return tuple(missing_part(KERNEL_MODULE_PART(module=name), needed_for) for name in modules if name not in present)


def missing_kernel_parts(
    outputs: Mapping[str, CommandResult], modules: tuple[str, ...], needed_for: str
) -> tuple[MissingPart, ...]:
    """Return which kernel modules a host lacks, and iproute2, from outputs named `ip` and `modules`."""
    # BusyBox's `ip` can make no interfaces.
    iproute2 = missing_programs({"iproute2": "iproute2" in text_of(outputs, "ip")}, needed_for)
    return (*iproute2, *missing_modules(outputs.get("modules"), modules, needed_for))


def missing_programs(are_there: Mapping[str, bool], needed_for: str) -> tuple[MissingPart, ...]:
    """Return the programs that a host lacks."""
    return tuple(missing_part(name, needed_for) for name, is_there in are_there.items() if not is_there)


def missing_part(what: str, needed_for: str) -> MissingPart:
    """Return a missing part with the package that brings it under apt; discovery replaces that for other managers."""
    return MissingPart(what=what, needed_for=needed_for, package=package_for(what, PackageManager.APT))


def iproute2_version(outputs: Mapping[str, CommandResult]) -> str:
    """Return iproute2's version from the output named `ip`; empty if it is not there."""
    match = re.search(r"iproute2-([\w.-]+)", text_of(outputs, "ip"))
    return match.group(1) if match else ""


def are_both_able(solution: str, facts_a: HostFacts, facts_b: HostFacts) -> bool:
    """Whether both hosts have all that a solution needs."""
    support = (facts_a.solutions.get(solution), facts_b.solutions.get(solution))
    return all(one is not None and one.is_available for one in support)


def supports_of(solution: str, facts_a: HostFacts, facts_b: HostFacts) -> tuple[SolutionSupport, SolutionSupport]:
    """Return what was found of a solution on A and on B."""
    return facts_a.solutions[solution], facts_b.solutions[solution]


def fastest_first(facts_a: HostFacts, facts_b: HostFacts, aes: str, other: str) -> tuple[str, str]:
    """Return AES first where both CPUs have instructions for it: without, it is slow and leaks through caches."""
    return (aes, other) if facts_a.has_aes_instructions and facts_b.has_aes_instructions else (other, aes)


def best_first(suites: Iterable[Suite]) -> tuple[Suite, ...]:
    """Return suites, the first of which is the default."""
    return tuple(replace(suite, is_default=index == 0) for index, suite in enumerate(suites))


def text_of(outputs: Mapping[str, CommandResult], name: str) -> str:
    """Return stdout and stderr of one command as one text; empty if it is not there."""
    result = outputs.get(name)
    return f"{result.stdout}\n{result.stderr}" if result else ""


def stdout_of(outputs: Mapping[str, CommandResult], name: str) -> str:
    """Return stdout of one command; empty if it failed or is not there."""
    result = outputs.get(name)
    return result.stdout if result is not None and result.is_ok else ""


def common_names(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in both lists, spelled and ordered as in the first; case does not matter."""
    known = {name.upper() for name in second}
    return tuple(name for name in first if name.upper() in known)
