"""What a kernel needs of its file and of its author's own headers: the declarations that it names, and those that they name.

Everything else is host code for this kernel, and goes. Names decide, not scopes: a declaration too many stays where two share a name.
If the compiler misses something in the rest, kernel_build.py tries the whole file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from grader.kernel_files.host_code import Item, blanked, items_of, macros_of


def sliced(texts: Mapping[str, str], kernel: str, functions: Collection[str] = ()) -> dict[str, str]:
    """The texts, by name, with blanks in place of what `kernel` and some functions do not need. Lines and directives stay."""
    items = {name: items_of(text) for name, text in texts.items()}
    needed = _needed_names(
        [item for of_file in items.values() for item in of_file], _macros(texts), {kernel, *functions}
    )
    return {
        name: blanked(text, [one for one in items[name] if not _stays(one, needed) or _announces(one, kernel)])
        for name, text in texts.items()
    }


def _announces(item: Item, kernel: str) -> bool:
    """A declaration of the kernel without its body. Where it has other parameters, it would be a second version of the kernel."""
    return not item.is_function and "__global__" in item.words and item.declares == frozenset({kernel})


def _macros(texts: Mapping[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for text in texts.values():
        for name, words in macros_of(text).items():
            found[name] = found.get(name, frozenset()) | words
    return found


def _needed_names(items: list[Item], macros: Mapping[str, frozenset[str]], roots: set[str]) -> set[str]:
    """Every word that the kernel and some functions contain, directly or through what they name."""
    needed = set(roots)
    waiting = [item for item in items if not _is_host(item)]
    while True:
        words = {word for item in waiting if _stays(item, needed) for word in item.words}
        words |= {word for name in needed if name in macros for word in macros[name]}
        if words <= needed:
            return needed
        needed |= words
        waiting = [item for item in waiting if not item.words <= needed or item.declares is None]


def _stays(item: Item, needed: set[str]) -> bool:
    if _is_host(item):
        return False
    return item.declares is None or bool(item.declares & needed)


def _is_host(item: Item) -> bool:
    """A function of the host: no kernel can call it."""
    return item.is_function and not item.on_device
