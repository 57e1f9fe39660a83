"""The steps between the preprocessor and the compiler for the executor, in their order. What is compiled for a GPU, and the host
code of a program, have steps of their own (`grader/engines/gpu/`, `grader/programs/host/`).

A step gets the text and what the steps before it learned, and gives both back. The lines of the text stay where they are. None of the
steps is believed: what they made is compiled, checked and proved like any other text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from grader.engines.checks.bare_code import plain_text
from grader.engines.checks.entry_points import use_of
from grader.engines.checks.token_scan import scan
from grader.engines.inline_ptx.asm_statements import rewrite_assembly
from grader.engines.text_changes.alignment_first import with_alignment_first
from grader.engines.text_changes.changed_text import ChangedText, TextOrigin
from grader.engines.text_changes.kernel_returns import with_marked_returns
from grader.engines.text_changes.lambda_marks import unmarked_lambdas
from grader.engines.text_changes.launch_statements import with_launch_calls
from grader.engines.text_changes.local_guards import with_guards

# Macros of the kit: no variable with one of them is a local one.
_MEMORY = re.compile(r"\b__(?:shared|constant|device|managed)__")


@dataclass(frozen=True)
class TextStep:
    change: Callable[[ChangedText, TextOrigin], ChangedText]
    applies: Callable[[TextOrigin], bool] = lambda _: True
    mends: bool = False  # a compiler may refuse the text without it
    is_guessed: bool = False  # many texts need it, which shows before they are expanded


def in_steps(expanded: str, origin: TextOrigin) -> ChangedText:
    """What the steps make of a submission's expanded text. They end at the first refusal."""
    now = ChangedText(expanded, expanded)
    for step in STEPS:
        if now.refusal:
            break
        if step.applies(origin):
            before, now = now.text, step.change(now, origin)
            now = replace(now, mended=now.mended or (step.mends and now.text != before))
    return now


def probably_changed(source: str, origin: TextOrigin) -> bool:
    """Whether it is worth to wait for the steps before anything is compiled: as far as the file itself tells before its macros and
    headers are expanded. A wrong answer costs time alone.
    """
    text = _MEMORY.sub("static", plain_text(source))
    whole = ChangedText(text, text)
    return any(step.change(whole, origin).text != text for step in STEPS if step.is_guessed and step.applies(origin))


def _assembly(now: ChangedText, origin: TextOrigin) -> ChangedText:
    """Calls in the place of inline PTX."""
    rewritten = rewrite_assembly(now.text, origin.file, origin.folder)
    return replace(now, text=rewritten.text, assembly={**dict.fromkeys(rewritten.understood), **rewritten.refusals})


def _scanned(now: ChangedText, origin: TextOrigin) -> ChangedText:
    """The author's own text, before anything of ours is in it. What comes behind this step may rely on it."""
    return replace(now, refusal=scan(now.expanded, origin.file, origin.folder, now.assembly))


def _alignment(now: ChangedText, _: TextOrigin) -> ChangedText:
    return replace(now, text=with_alignment_first(now.text))


def _lambdas(now: ChangedText, _: TextOrigin) -> ChangedText:
    return replace(now, text=unmarked_lambdas(now.text))


def _guards(now: ChangedText, origin: TextOrigin) -> ChangedText:
    return replace(now, text=with_guards(now.text, origin.file, origin.folder))


def _launches(now: ChangedText, origin: TextOrigin) -> ChangedText:
    launching = with_launch_calls(now.text, origin.file, origin.folder)
    return replace(now, text=launching.text, launched=launching.kernels)


def _returns(now: ChangedText, origin: TextOrigin) -> ChangedText:
    kernels = [origin.kernel, *origin.beside, *now.launched]
    return replace(now, text=with_marked_returns(now.text, kernels, origin.file, origin.folder))


def _use(now: ChangedText, origin: TextOrigin) -> ChangedText:
    return replace(now, behind=f"\n{use_of(origin.kernel, origin.functions, origin.beside)}")


def _is_scanned(origin: TextOrigin) -> bool:
    return origin.scanned


def _is_clangs(origin: TextOrigin) -> bool:
    return origin.is_clang


def _is_by_name(origin: TextOrigin) -> bool:
    return origin.by_name


STEPS = (
    TextStep(_assembly, _is_scanned, mends=True),
    TextStep(_scanned, _is_scanned),
    TextStep(_alignment, _is_scanned, mends=True),
    TextStep(_lambdas, _is_clangs),
    TextStep(_guards, is_guessed=True),
    TextStep(_launches, _is_by_name),
    TextStep(_returns, is_guessed=True),  # behind the launches, which say what else is a kernel
    TextStep(_use, _is_by_name),
)
