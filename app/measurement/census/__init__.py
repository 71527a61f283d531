"""Cipher census: every option that the programs list, really brought up, each with a result.

An option that fails is a result, not an error; the reason is one line of the programs' logs. Traffic is judged by
packet captures. Must not rank, and must not list what a host does not offer.
"""

from app.measurement.census.census import Census
from app.measurement.census.planning import plan_census
from app.measurement.census.stored import find_unfinished

__all__ = ["Census", "find_unfinished", "plan_census"]
