"""The protocol's only suite, with and without a pre-shared key from ML-KEM-768, and its properties."""

from __future__ import annotations

from app.domain.hosts import HostFacts
from app.domain.messages import mark
from app.domain.solutions import Suite
from vpn_adapters.shared.discovering import are_both_able, best_first, supports_of
from vpn_adapters.shared.key_encapsulation import ML_KEM

LIMITATION = mark("The protocol has one fixed cipher suite and no post-quantum key exchange of its own.")
KEM_LIMITATION = mark(
    "The pre-shared key from ML-KEM-768 is the same until keys are rotated: its protection has no forward secrecy "
    "meanwhile."
)
PSK = "psk"

SUITE = Suite(
    name="chacha20-poly1305",
    title="ChaCha20-Poly1305, X25519, BLAKE2s",
    algorithms=("WireGuard-1", "X25519", "ChaCha20-Poly1305", "BLAKE2s-256"),
    is_default=True,
)
"""Source: the WireGuard paper, section 5.4 (Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s)."""

HYBRID_SUITE = Suite(
    name="chacha20-poly1305-mlkem768",
    title="ChaCha20-Poly1305 with ML-KEM-768, X25519, BLAKE2s",
    algorithms=("WireGuard-1", "X25519", "wireguard-mlkem768-psk", "ChaCha20-Poly1305", "BLAKE2s-256"),
    settings={PSK: ML_KEM},
)
"""Suite with a pre-shared key, which each handshake mixes in. Source: the WireGuard paper, section 5.2."""


def has_kem(suite: Suite) -> bool:
    """Whether a suite has a pre-shared key from ML-KEM-768."""
    return suite.settings.get(PSK) == ML_KEM


def offered(solution: str, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do, the hybrid suite first."""
    if not are_both_able(solution, facts_a, facts_b):
        return ()
    is_hybrid = all(ML_KEM in one.features for one in supports_of(solution, facts_a, facts_b))
    return best_first((HYBRID_SUITE, SUITE) if is_hybrid else (SUITE,))
