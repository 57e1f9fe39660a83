"""The pages agree with the tree: links, paths, make targets, verdicts, flags and CUDA functions."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from grader.cli.cli import app
from grader.cli.proofs.page_proofs import broken_links
from grader.engines import clang_flags, gcc_flags

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_TARGET = re.compile(r"^([a-z]+):", re.MULTILINE)
_SUFFIXES = (".py", ".hpp", ".cpp", ".cuh", ".sh", ".mk", ".md", ".json", ".toml", ".txt", ".svg", ".png")
# Names of files that are made while grading, or that stand for one of many.
_MADE = {
    "runner.json", "image.json", "cubin.json", "judge.json", "result.json", "RUNNER.json", "JUDGE.json", "faults.txt", "kit.json",
    "handout.json", "results.json", "program.json", "run.json", "verdict_list.hpp", "finding.txt", "history.json", "refused.txt",
    "course.toml", "overrides.csv", "regrade.csv", "times.csv",
}  # fmt: skip


def tracked(*patterns: str) -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(name for name in listed.split("\0") if name and (ROOT / name).is_file())


PAGES = tracked("*.md")
SMALL_LABS = sorted((ROOT / "docs" / "small-labs").iterdir())


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def script(name: str) -> ModuleType:
    """A script of docs/, which is in no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_pages_to_look_at() -> None:
    assert {"README.md", "ARCHITECTURE.md", "docs/how-the-cpu-executor-works.md"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    def read(path: str) -> str | None:
        found = ROOT / path
        return found.read_text(encoding="utf-8") if found.suffix == ".md" else "" if found.exists() else None

    assert [str(problem) for problem in broken_links(page, read)] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_is_named_exists(page: str) -> None:
    everything = tracked()
    names = {Path(name).name for name in everything} | _MADE
    folders = {parent.as_posix() for name in everything for parent in Path(name).parents}
    missing = []
    for code in _CODE.findall(_FENCE.sub("", text_of(page))):
        if re.search(r"[\s<>*…{}(\[=$]|^\W|^(OUT|build|out)/", code):
            continue
        path = code.rstrip("/")
        if "/" in path and path.split("/")[0] in folders:
            # A page that makes a small lab names its files as they are called then.
            found = path in folders or any((root / path).exists() for root in (ROOT, *SMALL_LABS))
        elif path.endswith(_SUFFIXES):
            found = path in names or any(name.endswith(f"/{path}") for name in everything)
        else:
            continue
        missing += [] if found else [code]
    assert missing == []


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_that_is_named_exists(page: str) -> None:
    # Students' pages speak of the Makefile they are handed beside them.
    recipes = ["Makefile", *tracked(f"{Path(page).parts[0]}/**Makefile*", f"{Path(page).parts[0]}/**.mk")]
    targets = {target for recipe in recipes for target in _TARGET.findall(text_of(recipe))}
    text = text_of(page)
    shown = [*_CODE.findall(_FENCE.sub("", text)), *"\n".join(_FENCE.findall(text)).splitlines()]
    named = {match[1] for line in shown if (match := re.match(r"(?:\w+=\S+ )?make ([a-z]+)", line))}
    assert named <= targets


def test_the_readme_or_the_index_leads_to_every_document_and_write_up() -> None:
    places = ("*.md", "docs/*.md", "docker/*.md", "assignments/*/README.md", "handouts/student/README.md")
    expected = set(tracked(*(f":(glob){place}" for place in places))) - {"README.md"}
    assert len(expected) > 10
    linked = set(re.findall(r"\]\(([^)#\s]+)", text_of("README.md")))
    linked |= {one.removeprefix("../") for one in re.findall(r"\]\((\.\./[^)#\s]+)", text_of("docs/README.md"))}
    linked |= {f"docs/{one}" for one in re.findall(r"\]\((\w[^)#\s]+)", text_of("docs/README.md"))}
    assert sorted(expected - linked) == []


def test_the_front_page_and_the_tour_of_the_architecture_are_short() -> None:
    assert [page for page in ("README.md", "ARCHITECTURE.md") if len(text_of(page).split()) > 900] == []


def test_the_glossary_is_short_and_explains_each_word_in_one_sentence() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text_of("docs/glossary.md"), re.MULTILINE)[1:]
    words = [word for word, _ in rows]
    assert 0 < len(words) <= 25
    assert len(set(words)) == len(words)
    assert [word for word, meaning in rows if len(re.findall(r"\.(?=\s|$)", meaning)) != 1] == []


def test_each_decision_has_two_lines_what_was_decided_and_why() -> None:
    decisions = text_of("docs/decisions.md").split("\n## Dependencies\n", 1)[0].split("\n## ")[1:]
    lines = [line for section in decisions for line in section.splitlines()[1:] if line]
    assert len(lines) > 50
    assert [line for line in lines[::2] if not re.fullmatch(r"- \*\*.+\.\*\*", line)] == []
    assert [line for line in lines[1::2] if not re.fullmatch(r"  \S.*\.", line)] == []


def test_the_tour_shows_every_package_of_the_grader_and_every_part_of_the_kit() -> None:
    table = text_of("ARCHITECTURE.md").split("| you look for | open |\n", 1)[1]
    assert table.split("\n\n")[0].count("\n| ") <= 15
    shown = set(re.findall(r"`((?:grader|kit)/\w+)/", table))
    folders = {"/".join(Path(name).parts[:2]) for name in tracked("grader/*/*", "kit/*/*")}
    assert sorted(folders - shown) == []


def test_the_page_says_of_each_verdict_what_the_table_says() -> None:
    page = text_of("docs/results.md")
    assert page == script("verdict_documents").with_rows(page), "run .venv/bin/python docs/verdict_documents.py"


def test_the_options_of_a_judge_are_those_it_takes() -> None:
    section = text_of("docs/protocols.md").split("## A judge's command line\n", 1)[1].split("\n## ", 1)[0]
    taken = set(re.findall(r'\["(--[a-z-]+)"\]', text_of("kit/judge/judge_main.cpp")))
    assert taken
    assert set(re.findall(r"--[a-z-]+", section)) == taken


def _documented(option: str, about: str) -> bool:
    """As `--lab`, or as the variable of make, `LAB=`."""
    variable = option.lstrip("-").replace("-", "_").upper()
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])|\b{variable}=|`{variable}`", about) is not None


def test_every_command_and_option_is_on_a_page_about_that_command() -> None:
    program = get_command(app)
    context = program.make_context("tilelab", [], resilient_parsing=True)
    assert isinstance(program, TyperGroup)
    commands = {name: program.get_command(context, name) for name in program.list_commands(context)}
    assert len(commands) > 20
    missing = []
    for name, command in commands.items():
        assert command is not None
        about = "".join(
            text for text in map(text_of, set(PAGES) - {"CHANGELOG.md"}) if re.search(rf"(tilelab|make) {name}\b", text)
        )
        missing += [] if about or command.hidden else [name]
        for option in command.params if not command.hidden else ():
            words = [one for one in (*option.opts, *option.secondary_opts) if one.startswith("-")]
            missing += [f"{name} {words}"] if words and not any(_documented(one, about) for one in words) else []
    assert missing == []


def test_every_compiler_flag_is_explained() -> None:
    page = text_of("docs/how-the-cpu-executor-works.md")
    section = page.split("## Each compiler flag", 1)[1].split("\n## ", 1)[0]
    explained = {word for code in _CODE.findall(section) for word in code.split()}
    merged = {f"-fsanitize={kind}" for kind in ("thread", "bounds", "alignment")}
    flags = {
        flag
        for told in (gcc_flags, clang_flags)
        for flag in (*told.LANGUAGE, *told.INSTRUMENTATION, *sum(told.MACHINE.values(), ()), *told.WARNINGS)
        if not flag.startswith("-fsanitize=")
    } | merged
    assert sorted(flags - explained - {"-std=c++20", "-Wall"}) == []


def test_the_list_of_cuda_functions_is_current() -> None:
    device_function_table = script("device_function_table")
    page = text_of("docs/cuda-on-the-cpu.md")
    section = device_function_table.function_table(of_the_page=True)
    remedy = "run .venv/bin/python docs/device_function_table.py --write"
    assert page == device_function_table.SECTION.replaced(section, page), remedy


def test_the_list_of_runtime_functions_is_current_and_misses_no_definition() -> None:
    runtime_call_table = script("runtime_call_table")
    page = text_of("docs/running-a-program.md")
    remedy = "run .venv/bin/python docs/runtime_call_table.py --write"
    assert page == runtime_call_table.SECTION.replaced(runtime_call_table.call_table(), page), remedy
    library = sorted((ROOT / "kit" / "host" / "library").glob("runtime_*.cpp"))
    text = "".join(path.read_text(encoding="utf-8") for path in library)
    both = re.findall(r"^TILELAB_COPIES\((cuda\w+),", text, re.MULTILINE)
    names = {
        *re.findall(r"^(?:cudaError_t|const char\*) (cuda\w+)\(", text, re.MULTILINE),
        *both,
        *(f"{name}Async" for name in both),
    }
    assert len(names) > 100
    assert sorted(names - set(_CODE.findall(runtime_call_table.call_table()))) == []


_OF_THE_KIT = (
    "fast_",
    "__grid_",
    "__xorwow_",
    "__philox_",
    "__needs_",
    "__child_",
    "__never",
    "__last_",
    "__new_",
    "__heap_",
    "tilelab_leaves",
)


def test_the_list_of_cuda_functions_misses_no_declaration() -> None:
    device_function_table = script("device_function_table")
    listed = set(_CODE.findall(device_function_table.function_table()))
    declared = re.compile(r"^(?!#|//|\s|struct|TILELAB)[\w\[\] ]+[ *&](\w+)\(", re.MULTILINE)
    headers = sorted((ROOT / "kit" / "executor" / "device").glob("*.hpp"))
    called_by_the_kit = {
        "inline_ptx.hpp",
        "library_calls.hpp",
        "texel_access.hpp",
        "cuda_scopes.hpp",
    }  # by other headers, and by what stands for inline PTX
    of_cuda = [header for header in headers if header.name not in called_by_the_kit]
    names = {name for header in of_cuda for name in declared.findall(device_function_table._text(header.name))}
    assert len(names) > 100
    kits_own = {name for name in names if name.startswith(_OF_THE_KIT)}
    scoped = {name for name in names if name.endswith(("_block", "_system")) and not name.startswith("__")}
    rounded = {name for name in names if f"{re.sub('r[nzud]$', '', name)}…" in listed}  # listed once for four endings
    makers = {f"make_{name}" for name in listed}  # a column says that each vector type has one
    assert sorted(names - listed - kits_own - scoped - rounded - makers) == []


def test_pictures_are_light_enough_for_a_front_page() -> None:
    pictures = tracked("docs/img/*.png", "docs/img/*.svg")
    assert pictures
    heavy = {name: (ROOT / name).stat().st_size for name in pictures if (ROOT / name).stat().st_size > 300_000}
    assert heavy == {}
