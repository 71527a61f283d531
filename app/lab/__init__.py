"""The practice lab: two small virtual gateways on the user's own computer."""

from app.lab.image import ImagePaths
from app.lab.manager import LabManager
from app.lab.platforms import PLATFORMS
from app.lab.running import Lab
from app.lab.spec import (
    CpuKind,
    LabProgress,
    LabSpec,
    LabStatus,
    OnProgress,
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
    "OnProgress",
    "check_lab_name",
    "parse_platforms",
    "platforms_text",
]
