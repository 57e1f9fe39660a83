"""docs/message-fields.md names every field that the processes send each other, and no other: its list and its table against the code.

The list is made from the kit's own lists. Of what is read and written by hand it reads the quoted keys, and parses no C++. What a field
means is not looked at.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from grader.model.outcome import Clocks, Contest, LaunchShape
from grader.model.result import Explanation, Finding, LineTraffic, Mismatch, Site, Traffic, WrongElement
from grader.run.launches.trace_phases import Trace, TracedArray, TracedPlace

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "message-fields.md"
PROTOCOLS = ROOT / "docs" / "protocols.md"
_ROW = re.compile(r"^\| `(?P<file>kit/[\w/]+\.[ch]pp)` \| [^|]+ \| (?P<fields>[^|]+) \|$", re.MULTILINE)
_KEYS = (
    r'(?:\.|->)at\("(\w+)"\)',
    r'\.(?:contains|value|has)\("(\w+)"',
    r'request\.\w+\("(\w+)"',
    r'\b(?:flag|optional_number)\("(\w+)"\)',
    r'\{"(\w+)",\s*(?![\s"])',
    r'\["(\w+)"\]',
)
_OPERATION = re.compile(r'\bop == "(\w+)"')
_CALLS = re.compile(r"\bplain_calls = \{(.*?)\};", re.DOTALL)  # requests by their functions: no fields
_FIELDS = re.compile(r"\bfields(?:<[\w:]+>)?\((.*?)\);", re.DOTALL)  # each key before its member
# What else the two folders read or write as JSON with quoted keys is part of no message of these processes.
_MESSAGES = (
    "kit/runner/submission/image.cpp",
    "kit/program/**/*.[ch]pp",
)


def keys_in(text: str) -> set[str]:
    members = re.findall(r'"(\w+)"', "".join(_FIELDS.findall(text)))
    return {*members, *(key for pattern in _KEYS for key in re.findall(pattern, _CALLS.sub("", text)))}


def requests_in(text: str) -> set[str]:
    return {*_OPERATION.findall(text), *re.findall(r'"(\w+)"', "".join(_CALLS.findall(text)))}


def files_with_fields() -> dict[str, set[str]]:
    files = {path for pattern in _MESSAGES for path in ROOT.glob(pattern)}
    found = {str(path.relative_to(ROOT)): keys_in(path.read_text(encoding="utf-8")) for path in files}
    return {name: keys for name, keys in found.items() if keys}


def fields_on(page: str) -> dict[str, set[str]]:
    return {row["file"]: set(re.findall(r"`(\w+)`", row["fields"])) for row in _ROW.finditer(page)}


FILES = files_with_fields()


@pytest.mark.parametrize("file", sorted(FILES))
def test_the_page_names_the_fields_that_the_code_reads_and_writes(file: str) -> None:
    named = fields_on(PAGE.read_text(encoding="utf-8")).get(file, set())
    assert sorted(FILES[file] - named) == [], f"docs/message-fields.md does not name these fields of {file}"
    assert sorted(named - FILES[file]) == [], f"docs/message-fields.md names fields that {file} does not have"


def test_the_list_of_messages_is_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    made = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "protocol_fields.py")], check=True, capture_output=True, text=True
    ).stdout
    assert f"-->\n{made}<!-- messages: end -->" in page, "run .venv/bin/python docs/protocol_fields.py --write"


def test_every_list_of_fields_is_on_the_page() -> None:
    made = set(re.findall(r"^- `([\w:]+)`: ", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "kit").rglob("*.cpp")]
    listed = {
        name
        for text in sources
        for name in re.findall(r"^TILELAB_(?:MESSAGE|FIELDS|ROW)\(([\w:]+),", text, re.MULTILINE)
    }
    assert len(listed) > 20
    assert listed <= made


# What the grader reads of these messages, and what is beside them in its models or left to others.
_MODELS: list[tuple[str, type[BaseModel], set[str]]] = [
    ("Site", Site, set()),
    ("Finding", Finding, {"site", "address"}),  # an address is for the broker alone
    ("WrongElement", WrongElement, set()),
    ("Mismatch", Mismatch, set()),
    ("Explanation", Explanation, set()),
    ("LineTraffic", LineTraffic, set()),
    ("Traffic", Traffic, set()),
    ("TracedArray", TracedArray, set()),
    ("TracedPlace", TracedPlace, set()),
    ("Trace", Trace, set()),
    ("LaunchConfig", LaunchShape, set()),
    ("ClockReading", Clocks, set()),
    ("TimingReply", Contest, set()),
]


@pytest.mark.parametrize(("message", "model", "others"), _MODELS)
def test_the_graders_models_have_the_fields_of_the_messages(
    message: str, model: type[BaseModel], others: set[str]
) -> None:
    (line,) = re.findall(rf"^- `{message}`: (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    fields = set(re.findall(r"`(\w+)`", line))
    assert fields
    assert fields - others <= set(model.model_fields)


def test_the_page_has_no_row_of_a_file_without_messages() -> None:
    assert sorted(set(fields_on(PAGE.read_text(encoding="utf-8"))) - set(FILES)) == []


def test_the_page_names_each_request_of_a_program() -> None:
    asked = requests_in((ROOT / "kit/program/broker.cpp").read_text(encoding="utf-8"))
    table = PROTOCOLS.read_text(encoding="utf-8").split("| `op` | what it asks for |")[1].split("\n\n")[0]
    rows = {one for line in table.split("\n")[2:] for one in re.findall(r"`(\w+)`", line.split("|")[1])}
    named = set(re.findall(r"`(\w+)`", table))
    assert sorted(asked - named) == [], "docs/protocols.md does not name these requests"
    assert sorted(rows - asked - {"planned_by", "graph"}) == [], "docs/protocols.md names requests that are not there"


def test_keys_are_found_however_they_are_read_or_written() -> None:
    text = """
      value = {{"status", reply.status}, {"detail", text}};
      value["trace"] = 1; value.at("uses"); value.contains("heap"); request.number("address"); flag("reversed");
      fields(value, "transfer_log", program.transfer_log, "kept_reads",
             program.kept);
      if (op == "copy") fail("a sentence");
      constexpr const char* kinds[] = {"leak", "copy-size"};
      const std::map<std::string, Call> plain_calls = {
          {"allocate", allocate}, {"free", free_memory}};
    """
    found = {"status", "detail", "trace", "uses", "heap", "address", "reversed", "transfer_log", "kept_reads"}
    assert keys_in(text) == found
    assert requests_in(text) == {"copy", "allocate", "free"}
