"""The cipher census: every option that the programs list, really brought up, each with a result."""

from app.measurement.census.planning import plan_census
from app.measurement.census.resume import find_unfinished
from app.measurement.census.run import run_census

__all__ = ["find_unfinished", "plan_census", "run_census"]
