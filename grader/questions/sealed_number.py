"""A number that a program can recognise and a reader cannot see: scrypt of the number, with a salt of its question. Pure.

What it is not: a secret from somebody who writes a program. Most answers are small whole numbers, and a loop tries a thousand of them
in a minute. It hides a number from the eye, from a search through the handout, and from somebody who only wants to peek.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from fractions import Fraction

_COST, _BLOCK, _LANES = 1 << 14, 8, 1  # some 40 ms and 16 MiB for each number that is tried
_SEAL = re.compile(r"scrypt-14:(?P<salt>[0-9a-f]{32}):(?P<hash>[0-9a-f]{32})")


class SealError(Exception):
    """A text is no seal."""


def sealed(value: Fraction, place: str) -> str:
    """The seal of a number. `place` names what asks for it, so that equal numbers have different seals."""
    salt = hashlib.sha256(f"tilelab seal: {place}".encode()).digest()[:16]
    return f"scrypt-14:{salt.hex()}:{_hash(value, salt).hex()}"


def is_sealed(value: Fraction, seal: str) -> bool:
    """Whether `seal` is that of this number. Raises SealError."""
    match = check_seal(seal)
    return hmac.compare_digest(_hash(value, bytes.fromhex(match["salt"])).hex(), match["hash"])


def check_seal(seal: str) -> re.Match[str]:
    """Raises SealError where it is none."""
    match = _SEAL.fullmatch(seal)
    if match is None:
        message = "this is no seal; run `tilelab starters`, which makes it"
        raise SealError(message)
    return match


def _hash(value: Fraction, salt: bytes) -> bytes:
    text = f"{value.numerator}/{value.denominator}".encode()
    return hashlib.scrypt(text, salt=salt, n=_COST, r=_BLOCK, p=_LANES, maxmem=64 << 20, dklen=16)
