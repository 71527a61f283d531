"""The cipher census: every option that the programs list, really brought up, each with a result."""

from app.measurement.census.census import Census
from app.measurement.census.planning import plan_census
from app.measurement.census.resume import find_unfinished

__all__ = ["Census", "find_unfinished", "plan_census"]
