"""OpenSSL's numbers of ciphers and digests, by which tinc 1.0 says what it uses, and what their names mean for tinc.

Source: include/openssl/obj_mac.h of OpenSSL 1.1.1 and 3.x (numbers are never given anew), EVP_CIPHER_get_nid(3),
EVP_MD_get_size(3); read from libcrypto 3.0.19.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.solutions import OptionKind

NONE = "none"
"""Tinc's name for no cipher and no digest. Source: tinc.conf(5)."""

_CIPHERS = """
AES-128-CBC=419 AES-128-CBC-HMAC-SHA1=916 AES-128-CBC-HMAC-SHA256=948 AES-128-CFB=421 AES-128-CFB1=650
AES-128-CFB8=653 AES-128-CTR=904 AES-128-ECB=418 AES-128-OCB=958 AES-128-OFB=420 AES-128-XTS=913
AES-192-CBC=423 AES-192-CFB=425 AES-192-CFB1=651 AES-192-CFB8=654 AES-192-CTR=905 AES-192-ECB=422
AES-192-OCB=959 AES-192-OFB=424 AES-256-CBC=427 AES-256-CBC-HMAC-SHA1=918 AES-256-CFB=429 AES-256-CFB1=652
AES-256-CFB8=655 AES-256-CTR=906 AES-256-ECB=426 AES-256-OCB=960 AES-256-OFB=428 AES-256-XTS=914
ARIA-128-CBC=1066 ARIA-128-CCM=1120 ARIA-128-CFB=1067 ARIA-128-CFB1=1080 ARIA-128-CFB8=1083 ARIA-128-CTR=1069
ARIA-128-ECB=1065 ARIA-128-GCM=1123 ARIA-128-OFB=1068 ARIA-192-CBC=1071 ARIA-192-CCM=1121 ARIA-192-CFB=1072
ARIA-192-CFB1=1081 ARIA-192-CFB8=1084 ARIA-192-CTR=1074 ARIA-192-ECB=1070 ARIA-192-GCM=1124 ARIA-192-OFB=1073
ARIA-256-CBC=1076 ARIA-256-CCM=1122 ARIA-256-CFB=1077 ARIA-256-CFB1=1082 ARIA-256-CFB8=1085 ARIA-256-CTR=1079
ARIA-256-ECB=1075 ARIA-256-GCM=1125 ARIA-256-OFB=1078 BF-CBC=91 BF-CFB=93 BF-ECB=92 BF-OFB=94
CAMELLIA-128-CBC=751 CAMELLIA-128-CFB=757 CAMELLIA-128-CFB1=760 CAMELLIA-128-CFB8=763 CAMELLIA-128-CTR=963
CAMELLIA-128-ECB=754 CAMELLIA-128-OFB=766 CAMELLIA-192-CBC=752 CAMELLIA-192-CFB=758 CAMELLIA-192-CFB1=761
CAMELLIA-192-CFB8=764 CAMELLIA-192-CTR=967 CAMELLIA-192-ECB=755 CAMELLIA-192-OFB=767 CAMELLIA-256-CBC=753
CAMELLIA-256-CFB=759 CAMELLIA-256-CFB1=762 CAMELLIA-256-CFB8=765 CAMELLIA-256-CTR=971 CAMELLIA-256-ECB=756
CAMELLIA-256-OFB=768 CAST5-CBC=108 CAST5-CFB=110 CAST5-ECB=109 CAST5-OFB=111 ChaCha20=1019
ChaCha20-Poly1305=1018 DES-CBC=31 DES-CFB=30 DES-CFB1=656 DES-CFB8=657 DES-ECB=29 DES-EDE=32 DES-EDE-CBC=43
DES-EDE-CFB=60 DES-EDE-OFB=62 DES-EDE3=33 DES-EDE3-CBC=44 DES-EDE3-CFB=61 DES-EDE3-CFB1=658 DES-EDE3-CFB8=659
DES-EDE3-OFB=63 DES-OFB=45 DESX-CBC=80 IDEA-CBC=34 IDEA-CFB=35 IDEA-ECB=36 IDEA-OFB=46 RC2-40-CBC=98
RC2-64-CBC=166 RC2-CBC=37 RC2-CFB=39 RC2-ECB=38 RC2-OFB=40 RC4=5 RC4-40=97 RC4-HMAC-MD5=915 RC5-CBC=120
RC5-CFB=122 RC5-ECB=121 RC5-OFB=123 SEED-CBC=777 SEED-CFB=779 SEED-ECB=776 SEED-OFB=778 SM4-CBC=1134
SM4-CFB=1137 SM4-CTR=1139 SM4-ECB=1133 SM4-OFB=1135 id-aes128-CCM=896 id-aes128-GCM=895 id-aes128-wrap=788
id-aes128-wrap-pad=897 id-aes192-CCM=899 id-aes192-GCM=898 id-aes192-wrap=789 id-aes192-wrap-pad=900
id-aes256-CCM=902 id-aes256-GCM=901 id-aes256-wrap=790 id-aes256-wrap-pad=903 id-smime-alg-CMS3DESwrap=246
"""

_DIGESTS = """
BLAKE2b512=1056:64 BLAKE2s256=1057:32 MD4=257:16 MD5=4:16 MD5-SHA1=114:36 MDC2=95:16 RIPEMD160=117:20 SHA1=64:20
SHA224=675:28 SHA256=672:32 SHA384=673:48 SHA512=674:64 SHA512-224=1094:28 SHA512-256=1095:32 SHA3-224=1096:28
SHA3-256=1097:32 SHA3-384=1098:48 SHA3-512=1099:64 SHAKE128=1100:16 SHAKE256=1101:32 SM3=1143:32 whirlpool=804:64
"""

_CIPHER_NUMBERS: Mapping[str, int] = {
    name.lower(): int(number) for name, _, number in (word.partition("=") for word in _CIPHERS.split())
}
_DIGEST_NUMBERS: Mapping[str, tuple[int, int]] = {
    name.lower(): (int(numbers.partition(":")[0]), int(numbers.partition(":")[2]))
    for name, _, numbers in (word.partition("=") for word in _DIGESTS.split())
}

_BLOCKS_OF_64_BITS = ("bf-", "cast5-", "des-", "desx-", "idea-", "rc2-", "rc5-")
_AEAD_WORDS = ("gcm", "ccm", "ocb", "poly1305", "siv", "hmac", "wrap")
"""Modes that authenticate, or that carry keys: they need what tinc 1.0 does not give them."""


def cipher_number(name: str) -> int | None:
    """Return OpenSSL's number of a cipher, 0 for none; None where it is not known here."""
    return 0 if name == NONE else _CIPHER_NUMBERS.get(name.lower())


def digest_number(name: str) -> int | None:
    """Return OpenSSL's number of a digest, 0 for none; None where it is not known here."""
    return 0 if name == NONE else _DIGEST_NUMBERS.get(name.lower(), (None, 0))[0]


def digest_bytes(name: str) -> int:
    """Return the size of a digest in bytes; 16, the smallest there is, where it is not known here."""
    return 0 if name == NONE else _DIGEST_NUMBERS.get(name.lower(), (0, 16))[1]


def cipher_kind(name: str) -> OptionKind:
    """Return whether a cipher is meant to authenticate what it encrypts (or wraps keys), by its name."""
    return OptionKind.AEAD if any(word in name.lower() for word in _AEAD_WORDS) else OptionKind.CIPHER


def padding_block_bytes(name: str) -> int:
    """Return to multiples of how many bytes a cipher fills what it encrypts; 1 for those that leave its size alone.

    Source: EVP_EncryptInit(3): PKCS padding is on, for modes that work on whole blocks.
    """
    lower = name.lower()
    if not (lower.endswith(("-cbc", "-ecb", "des-ede", "des-ede3"))):
        return 1
    return 8 if lower.startswith(_BLOCKS_OF_64_BITS) else 16
