"""Practice lab: two small virtual gateways on the user's own computer.

Makes the image, starts and stops QEMU, and emulates the link; nothing of a lab outlives its supervisor. Needs no root
and no network but this computer's. Must not touch a host that it did not start; the rest of the program treats a lab
as any other pair.
"""

from app.lab.image import ImagePaths
from app.lab.manager import LabManager
from app.lab.platforms import PLATFORMS
from app.lab.running import Lab
from app.lab.spec import (
    CpuKind,
    LabProgress,
    LabSpec,
    LabStatus,
    check_lab_name,
    parse_platforms,
    platforms_text,
)

__all__ = [
    "PLATFORMS",
    "CpuKind",
    "ImagePaths",
    "Lab",
    "LabManager",
    "LabProgress",
    "LabSpec",
    "LabStatus",
    "check_lab_name",
    "parse_platforms",
    "platforms_text",
]
