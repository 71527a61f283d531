"""Injection test: packets that did not pass a tunnel's cryptography are sent at it from the other host.

Forged, replayed and altered packets are counted where they would arrive; each test has a control that must arrive.
Must not send to any host but the pair's, and must not hold packets back for longer than its time limit.
"""
