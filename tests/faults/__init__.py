"""Faults on two hosts during a deployment, and the state of both afterwards: see `make faults`."""
