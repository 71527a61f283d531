"""Measuring: one engine, and the kinds of work that it runs, comparison and census.

Attempts in a planned order, with pause, skip, cancel and resume; both hosts are clean before, between and after them.
Talks to tunnels, probes and the store through interfaces. Must not rank, and must not word results.
"""
