"""Readers of existing configuration files: settings with line numbers, secrets masked before anybody sees them."""

from vpn_adapters.configs.page import Reading
from vpn_adapters.configs.table import KINDS, Format, sniff_kind

__all__ = ["KINDS", "Format", "Reading", "sniff_kind"]
