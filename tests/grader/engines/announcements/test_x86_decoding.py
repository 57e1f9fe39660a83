"""How many bytes an instruction touches, as the proof reads it: one too many, and a constant would be taken for a foreign address."""

from __future__ import annotations

import pytest

from grader.engines.proof.evaluator import Memory
from grader.engines.proof.x86_processor import X86

# Each with the memory operand (%rax), as GNU as encodes it, and the bytes that it touches.
_TOUCHED = """
    comiss 0f2f00 4       comisd 660f2f00 8      ucomiss 0f2e00 4      ucomisd 660f2e00 8
    addss f30f5800 4      addsd f20f5800 8       mulsd f20f5900 8      sqrtss f30f5100 4
    cvtss2sd f30f5a00 4   cvtsd2ss f20f5a00 8    cvttsd2si f20f2c00 8  cvtsi2sd f20f2a00 4
    andps 0f5400 16       movaps 0f2800 16       movss f30f1000 4      movsd f20f1000 8
    cvtps2pd 0f5a00 8     cvtdq2pd f30fe600 8    fld d900 4            fld db28 10
"""
_WORDS = _TOUCHED.split()


@pytest.mark.parametrize(
    ("name", "code", "size"), list(zip(_WORDS[::3], _WORDS[1::3], map(int, _WORDS[2::3]), strict=True))
)
def test_an_instruction_touches_as_many_bytes_as_the_processor_does(name: str, code: str, size: int) -> None:
    ((_, decoded),) = X86.decoder.decode(bytes.fromhex(code))
    assert decoded.name == name
    (memory,) = [one for one in decoded.operands if isinstance(one, Memory)]
    assert memory.size == size
