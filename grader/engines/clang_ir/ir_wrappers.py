"""Removes the wrapper functions of `extern __shared__` arrays from Clang's dump of a file.

Clang accesses a thread-local variable of another file through a wrapper function, which would run the variable's initialiser first.
Shared memory has no initialiser. So each call of a wrapper becomes the variable's address, and the wrappers are removed. GCC has a
flag for this.
"""

from __future__ import annotations

import re

from grader.engines.clang_ir.ir_dump import SYMBOL
from grader.engines.clang_ir.ir_types import leading_type

_WRAPPER = re.compile(
    r"^define linkonce_odr hidden [^@\n]*@(_ZTW\w+)\(\)[^\n]*\{\n(.*?)^\}\n", re.MULTILINE | re.DOTALL
)
_WEAK = re.compile(r"^declare extern_weak void @_ZTH(\w+)\(\)", re.MULTILINE)
_CALL = re.compile(r"= (?:tail )?call (?P<type>[^@\n]*) @(?P<name>_ZTW\w+)\(\)(?: #\d+)?")
_PROMISE = re.compile(r"(?:noundef|nonnull|align \d+|dereferenceable\(\d+\)) ")


def without_wrappers(dump: str) -> str:
    weak = {f"_ZTW{name}" for name in _WEAK.findall(dump)}
    variables = {}
    for match in _WRAPPER.finditer(dump):
        named = {name for name in SYMBOL.findall(match[2]) if not name.startswith(("_ZTH", "llvm."))}
        if match[1] in weak and len(named) == 1:
            variables[match[1]] = named.pop()

    def address(call: re.Match[str]) -> str:
        if call["name"] not in variables:
            return call[0]
        kind = leading_type(_PROMISE.sub("", call["type"]))
        return f"= bitcast {kind} @{variables[call['name']]} to {kind}"

    without = _WRAPPER.sub(lambda match: "" if match[1] in variables else match[0], dump)
    return _CALL.sub(address, without)
