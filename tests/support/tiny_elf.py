"""A program for x86-64 without a compiler: an ELF header, one segment, and the instructions."""

from __future__ import annotations

import struct

_ADDRESS = 0x400000
_HEADERS_BYTES = 64 + 56


def elf(code: bytes) -> bytes:
    """Return a static program that begins with the first instruction of `code`.

    Source: elf(5); System V ABI, AMD64 supplement.
    """
    size = _HEADERS_BYTES + len(code)
    header = struct.pack(
        "<4s5B7x2HI3QI6H",
        *(b"\x7fELF", 2, 1, 1, 0, 0),  # 64 bits, little endian, version 1, System V
        *(2, 62, 1),  # an executable for x86-64, version 1
        *(_ADDRESS + _HEADERS_BYTES, 64, 0),  # entry point, program headers, no section headers
        *(0, 64, 56, 1, 0, 0, 0),  # flags, size of this header, one program header of 56 bytes
    )
    # PT_LOAD, readable and executable: the whole file.
    segment = struct.pack("<2I6Q", 1, 5, 0, _ADDRESS, _ADDRESS, size, size, 0x1000)
    return header + segment + code
