"""Runs of lanes on a tiny suite; as a process of its own: `python -m support.driven_suite FOLDER LANE=JOB;;JOB ...`.

A job is the name of a file of tests, maybe with options of pytest, or a shell line after an exclamation mark. Each is a
stage of its own; `JOB<OTHER` waits for the stage of that name.
"""

from __future__ import annotations

import sys
from pathlib import Path

from suite.lanes import Job, Lane, Stage
from suite.making import run_suite
from support.tiny_suite import environment


def job(words: str, number: int = 0) -> Job:
    """Return the job that the words describe."""
    if words.startswith("!"):
        return Job(f"command-{number}", ("sh", "-c", words[1:]))
    file, *more = words.split()
    argv = (sys.executable, "-m", "pytest", f"tests/test_{file}.py", *more)
    return Job(file, argv, is_pytest=True, variables=environment())


def lane(words: str) -> Lane:
    """Return the lane that the words describe."""
    name, _, jobs = words.partition("=")
    stages = []
    for number, text in enumerate(jobs.split(";;")):
        own, _, after = text.partition("<")
        made = job(own, number)
        stages.append(Stage(made.name, lambda _, made=made: (made,), after))
    return Lane(name, tuple(stages), nice=5 * (name != "machines"))


if __name__ == "__main__":
    sys.exit(run_suite([lane(words) for words in sys.argv[2:]], Path(sys.argv[1])))
