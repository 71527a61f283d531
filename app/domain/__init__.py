"""Values, contracts and errors.

Frozen dataclasses, enums and protocols that may cross every border of the program, and pure functions of them. Their
stored forms are formats. Must not import another part, and must not do I/O or hold state.
"""
