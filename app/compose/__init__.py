"""The one place where the parts are put together, for the window and the command line."""

from app.compose.paths import Paths, find_paths
from app.compose.services import Services, open_services
from app.compose.version import tunnelmark_version

__all__ = ["Paths", "Services", "find_paths", "open_services", "tunnelmark_version"]
