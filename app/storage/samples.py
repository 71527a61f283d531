"""Round-trip times to bytes and back: every one of them, exactly, in about two bytes each."""

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt

from app.domain.errors import StorageFault
from app.storage.messages import SAMPLES_DAMAGED, SAMPLES_MISCOUNTED

SAMPLES_CODEC = "shuffle4-zlib/1"
"""Little-endian uint32; first all lowest bytes, then all second ones, and so on; the whole as one zlib stream.

Source: the byte shuffle of HDF5 and Blosc. Round-trip times share their upper bytes, which then take next to no space.
Each of the four parts begins a new block of the stream (RFC 1951 section 3.2.3), and so gets Huffman codes of its own.
"""

SAMPLES_QUANTITY = "rtt"
SAMPLES_UNIT = "us"
SAMPLES_DTYPE = "uint32"
_BYTES = 4


def pack_samples(rtt_us: npt.NDArray[np.uint32]) -> bytes:
    """Pack round-trip times.

    Args:
        rtt_us: In µs, shape (count,), LOST_RTT_US where no reply came.

    Returns:
        The packed bytes.
    """
    planes = np.ascontiguousarray(rtt_us, dtype="<u4").view(np.uint8).reshape(-1, _BYTES).T
    packer = zlib.compressobj(level=6)
    parts = [packer.compress(plane.tobytes()) + packer.flush(zlib.Z_BLOCK) for plane in planes]
    return b"".join(parts) + packer.flush()


def unpack_samples(packed: bytes, count: int) -> npt.NDArray[np.uint32]:
    """Unpack round-trip times.

    Args:
        packed: What `pack_samples` made.
        count: How many there must be.

    Returns:
        In µs, shape (count,), read-only.

    Raises:
        StorageFault: The bytes are damaged.
    """
    size = count * _BYTES
    try:
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(packed, size + 1)
    except zlib.error as error:
        raise StorageFault(SAMPLES_DAMAGED()) from error
    if len(plain) != size or not unpacker.eof or unpacker.unused_data:
        raise StorageFault(SAMPLES_MISCOUNTED(count=count))
    planes = np.frombuffer(plain, dtype=np.uint8).reshape(_BYTES, count)
    samples: npt.NDArray[np.uint32] = planes[0].astype(np.uint32)
    for number, plane in enumerate(planes[1:], start=1):
        if plane.any():
            samples |= plane.astype(np.uint32) << np.uint32(8 * number)
    samples.flags.writeable = False
    return samples
