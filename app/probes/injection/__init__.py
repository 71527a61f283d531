"""Injection test: packets that did not come through a tunnel's cryptography are sent at it from the other host."""
