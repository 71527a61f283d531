"""The protocol's only suite and its properties."""

from __future__ import annotations

from app.domain.messages import mark
from app.domain.solutions import Suite

LIMITATION = mark("The protocol has one fixed cipher suite and no post-quantum key exchange of its own.")
SUITE = Suite(
    name="chacha20-poly1305",
    title="ChaCha20-Poly1305, X25519, BLAKE2s",
    algorithms=("WireGuard-1", "X25519", "ChaCha20-Poly1305", "BLAKE2s-256"),
    is_default=True,
)
"""Source: the WireGuard paper, section 5.4 (Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s)."""
