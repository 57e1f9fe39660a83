"""Pairs of similar files: copies are found under other names, and what the course gave or many wrote makes no pair."""

from __future__ import annotations

import random
import re
from pathlib import Path

from grader.explain.similar_files import LEAST_PASSAGES, MOST_PAIRS, SimilarFiles, kept_pairs, similar_files

STARTER = "__global__ void k(const float* in, float* out, int n) {\n  // Write the kernel here.\n}\n"


def expression(source: random.Random, names: list[str], depth: int = 3) -> str:
    if depth == 0 or source.random() < 0.2:
        return source.choice([*names, str(source.randrange(99))])
    one, other = (expression(source, names, depth - 1) for _ in range(2))
    form = source.choice(
        ["{} + {}", "{}[{}]", "({}) * {}", "{} / ({})", "{} - {}", "fmaxf({}, {})", "{} % {}", "{} & {}"]
    )
    return form.format(one, other)


def own_work(seed: int, lines: int = 30) -> str:
    """A text that nobody else wrote: statements and names of its own."""
    source = random.Random(seed)
    names = [f"{source.choice('abcdefgh')}{source.randrange(1000)}" for _ in range(12)]
    made = []
    for _ in range(lines):
        name, value = source.choice(names), expression(source, names)
        made.append(
            source.choice(
                [f"  float {name} = {value};", f"  if ({value} < {name}) {name} += {value};", f"  {name} = {value};"]
            )
        )
    return STARTER.replace("  // Write the kernel here.", "\n".join(made))


def with_other_names(text: str) -> str:
    return re.sub(r"\b([a-h])(\d+)\b", r"my_\1_\2", text)


def nobody_together(_one: str, _other: str) -> bool:
    return False


def a_class(number: int = 40) -> dict[str, str]:
    return {f"s{n:02d}": own_work(n) for n in range(number)}


def found(texts: dict[str, str], *known: str) -> SimilarFiles:
    return similar_files(texts, [STARTER, *known], nobody_together)


def test_a_class_that_worked_alone_has_no_pair() -> None:
    assert found(a_class()) == SimilarFiles()


def test_a_copy_with_other_names_is_found_with_its_lines() -> None:
    texts = a_class() | {"zoe": with_other_names(own_work(3)) + "// mine\n"}
    (pair,) = found(texts).pairs
    assert (pair.one, pair.other, pair.renamed) == ("s03", "zoe", True)
    assert pair.share > 0.9
    assert set(pair.lines[0]) <= set(range(1, texts["s03"].count("\n") + 1))


def test_half_a_copy_among_work_of_ones_own_is_found() -> None:
    half = own_work(3).split("\n")[:18]
    texts = a_class() | {"zoe": "\n".join([*half, *own_work(777).split("\n")[18:]])}
    (pair,) = found(texts).pairs
    assert (pair.one, pair.other, pair.renamed) == ("s03", "zoe", False)
    assert max(pair.lines[1]) <= 18


def test_moved_parts_are_found() -> None:
    lines = own_work(3).split("\n")
    moved = "\n".join([lines[0], *lines[16:-2], *lines[1:16], *lines[-2:]])
    assert [(pair.one, pair.other) for pair in found(a_class() | {"zoe": moved}).pairs] == [("s03", "zoe")]


def test_what_the_course_gave_makes_no_pair() -> None:
    given = own_work(500)
    texts = {name: f"{text}{given}" for name, text in a_class().items()}
    assert found(texts, given) == SimilarFiles()


def test_what_many_wrote_makes_no_pair() -> None:
    common = own_work(500).split("\n")[1:-2]
    texts = {name: "\n".join([*text.split("\n")[:-2], *common, "}"]) for name, text in a_class().items()}
    assert found(texts).pairs == ()


def test_a_team_is_not_compared_with_itself() -> None:
    texts = a_class() | {"zoe": own_work(3), "yan": with_other_names(own_work(4))}
    teams = {"s03", "zoe"}, {"s04", "yan"}
    seen = similar_files(texts, [STARTER], lambda one, other: any({one, other} <= each for each in teams))
    assert seen == SimilarFiles()


def test_the_same_file_of_several_is_told_once_and_not_side_by_side() -> None:
    texts = a_class() | {"zoe": own_work(3), "yan": own_work(3)}
    seen = found(texts)
    assert seen.equal == (("s03", "zoe", "yan"),)
    assert seen.pairs == ()


def test_who_changed_nothing_of_the_starter_is_like_nobody() -> None:
    assert found({"ada": STARTER, "ben": STARTER, "cyd": "", "dan": ""}) == SimilarFiles()


def test_a_file_with_little_of_its_own_is_compared_with_nobody() -> None:
    small = STARTER.replace("// Write the kernel here.", "out[threadIdx.x] = in[threadIdx.x] + 41;")
    assert LEAST_PASSAGES > 10
    assert found({"ada": small, "ben": small + "// b"}).pairs == ()


def test_of_very_many_pairs_the_most_alike_are_told_and_the_others_counted() -> None:
    texts = {f"{n}-{turn}": own_work(n) + f"// {turn}\n" for n in range(30) for turn in range(3)}
    seen = found(texts)
    assert len(seen.pairs) == MOST_PAIRS
    assert seen.left_out == 90 - MOST_PAIRS


def test_nothing_is_compared_again_where_no_file_has_changed(tmp_path: Path) -> None:
    texts = a_class(8) | {"zoe": with_other_names(own_work(3))}
    path = tmp_path / "similar" / "lab.json"
    first, seen = kept_pairs(path, texts, [STARTER], {})
    assert len(seen.pairs) == 1
    stamp = path.stat().st_mtime_ns
    assert kept_pairs(path, texts, [STARTER], {}) == (first, seen)
    assert path.stat().st_mtime_ns == stamp
    second, changed = kept_pairs(path, texts, [STARTER], {"s03": "T", "zoe": "T"})
    assert second != first
    assert changed.pairs == ()
    path.write_text("[", encoding="utf-8")
    assert kept_pairs(path, texts, [STARTER], {}) == (first, seen)
