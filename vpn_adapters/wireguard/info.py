"""What is always true of WireGuard."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.solutions import Carrier, SecurityProperties, SolutionInfo, Space, Suite

NAME = "wireguard"

INFO = SolutionInfo(
    name=NAME,
    title="WireGuard with L2TPv3",
    summary="The kernel's WireGuard, with L2TPv3 inside to carry Ethernet frames.",
    space=Space.KERNEL,
    carrier=Carrier.UDP,
    security=SecurityProperties(
        has_confidentiality=True,
        has_integrity=True,
        has_authentication=True,
        has_anti_replay=True,
        has_forward_secrecy=True,
    ),
    files_per_site=0,
    keys_per_site=2,
    limitations=("The protocol has one fixed cipher suite and no post-quantum key exchange of its own.",),
    sources=("https://www.wireguard.com/papers/wireguard.pdf", "wg(8)", "RFC 3931"),
    routing="Bridges learn hardware addresses; one WireGuard interface per site, one L2TPv3 session per pair of sites.",
    mesh=MeshEffort(files=PerSite(0, 1), routes=PerSite(2, -2), keys=PerSite(1, 0)),
)

SUITE = Suite(
    name="chacha20-poly1305",
    title="ChaCha20-Poly1305, X25519, BLAKE2s",
    algorithms=("WireGuard-1", "X25519", "ChaCha20-Poly1305", "BLAKE2s-256"),
    is_default=True,
)
"""Source: the WireGuard paper, section 5.4 (Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s)."""
