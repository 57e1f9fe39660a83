"""A piece of HTML about a result, for a platform that shows one inside its own page: what was found, and the whole page as a download.

It has no style and no script of its own. Every text in it is escaped. A page that is too large for a link is left out, and it says so.
"""

from __future__ import annotations

import base64
from html import escape

from grader.autograders.autograder_platform import Graded
from grader.autograders.handed_in import late_words
from grader.autograders.misnamed_files import misnamed_words
from grader.exports.frame.tested_rows import finding_lines
from grader.reports.findings.lab_summary import what_happened

_MOST_BYTES = 1 << 20  # of the page
_MOST_FINDINGS = 40


def output_fragment(graded: Graded) -> str:
    parts = [f"<p>{escape(late)}</p>" if (late := late_words(graded.handed_in.late)) else ""]
    parts += [f"<p>{escape(one)}</p>" for one in graded.result.submission.notices]
    parts.append(f"<p>{escape(words)}</p>" if (words := misnamed_words(graded.result)) else "")
    parts += [
        f"<p><strong>{escape(lab.title)}: {escape(lab.look.label)}.</strong> {escape(what_happened(lab))}</p>"
        for lab in graded.result.labs.values()
    ]
    found = finding_lines(graded.result)
    if found:
        left = len(found) - _MOST_FINDINGS
        more = [f"… and {left} more"] if left > 0 else []
        items = "".join(f"<li>{escape(line)}</li>" for line in [*found[:_MOST_FINDINGS], *more])
        parts.append(f"<ul>{items}</ul>")
    parts.append(_link(graded.page))
    return "\n".join(filter(None, parts))


def _link(page: str) -> str:
    data = page.encode("utf-8", "replace")
    if len(data) > _MOST_BYTES:
        return "<p>The whole report is too large to be shown here. Run <code>make report</code> in your handout.</p>"
    packed = base64.b64encode(data).decode("ascii")
    return (
        f'<p><a download="report.html" href="data:text/html;charset=utf-8;base64,{packed}">Download the whole report</a> '
        "and open it in a browser: it shows the lines of your file.</p>"
    )
