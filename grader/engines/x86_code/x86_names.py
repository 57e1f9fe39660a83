"""The x86-64 instructions that compilers make without optimising, by what they do to their operands. Those that compute with
general registers are not here: `x86_processor.py` has a function for each.
"""

from __future__ import annotations

CONDITIONS = ("o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g")
JUMPS = {f"j{condition}": condition for condition in CONDITIONS}

_SETS = " ".join(f"set{condition}" for condition in CONDITIONS)
_COMPARISONS = " ".join(
    f"cmp{how}{kind}"
    for how in ("", "eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord")
    for kind in ("ss", "sd", "ps", "pd")
)
_MOVES = """
    movaps movapd movups movupd movdqa movdqu movd movq movss movlps movhps movlpd movhpd movnti movntps movntpd movntdq fst fstp fistp
    fist fisttp fnstcw fnstsw
"""
_WRITERS = f"""
    {_MOVES} {_SETS} {_COMPARISONS} cvtsi2ss cvtsi2sd cvttss2si cvttsd2si cvtss2si cvtsd2si cvtss2sd cvtsd2ss cvtps2pd cvtpd2ps
    cvtdq2ps cvtdq2pd cvttps2dq cvtps2dq cvttpd2dq sqrtss sqrtsd sqrtps sqrtpd pshufd pshuflw pshufhw shufps shufpd unpcklps unpckhps
    unpcklpd unpckhpd punpcklbw punpcklwd punpckldq punpcklqdq punpckhbw punpckhwd punpckhdq punpckhqdq addss addsd addps addpd subss
    subsd subps subpd mulss mulsd mulps mulpd divss divsd divps divpd minss minsd minps minpd maxss maxsd maxps maxpd andps andpd andnps
    andnpd orps orpd xorps xorpd pand pandn por pxor paddb paddw paddd paddq psubb psubw psubd psubq pmuludq pmullw pmulhw psllw pslld
    psllq psrlw psrld psrlq psraw psrad pslldq psrldq pcmpeqb pcmpeqw pcmpeqd pcmpgtb pcmpgtw pcmpgtd packssdw packsswb packuswb movmskps
    movmskpd pmovmskb movhlps movlhps pinsrw pextrw rsqrtss rsqrtps rcpss rcpps bsf bsr
"""
_READERS = """
    ucomiss ucomisd comiss comisd fld fild fldcw fadd fsub fsubr fmul fdiv fdivr fiadd fisub fimul fidiv fldz fld1 fchs fabs fxch faddp
    fsubp fsubrp fmulp fdivp fdivrp fucomi fcomi fucompi fcompi fcmovne fcmove fcmovb fcmovbe fcmovnb fcmovnbe fcmovu fcmovnu fucomip
    fcomip frndint fsqrt fwait wait ffree fldpi fldl2e fldln2 fldl2t fldlg2
"""
_NOTHING = "nop endbr64 pause prefetcht0 prefetcht1 prefetcht2 prefetchnta"

WRITERS = frozenset(_WRITERS.split())  # the first operand, of which nothing is known then; they read the others
MAY_STORE = frozenset([*_MOVES.split(), *_SETS.split(), "movsd"])  # of these: into memory
READERS = frozenset(_READERS.split())
CHANGERS = frozenset({"adc", "sbb", "rol", "ror", "rcl", "rcr", "xchg", "xadd"})  # read and write the first operand
NOTHING = frozenset(_NOTHING.split())  # a prefetch names memory and does not use it
COUNTED = {"stosb": 1, "stosd": 4, "stosq": 8, "stosw": 2, "movsb": 1, "movsw": 2, "movsd": 4, "movsq": 8}
