"""Notices when most of a class ends the same way, which is rarer among students than among broken machines. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from grader.model.labs import Lab
from grader.model.verdicts import Verdict

_FEWEST = 5  # files: below that, most of them is nobody
_MOST = 0.5  # of the files handed in
_NOT_JUDGED = frozenset({Verdict.MISSING_FILE, Verdict.INTERNAL_ERROR})


def same_endings(
    labs: Sequence[Lab], verdicts: Mapping[str, Sequence[Verdict]]
) -> Iterator[tuple[Lab, Verdict, int, int]]:
    """Each lab of which most files get one verdict that is no pass, with how many of how many. `verdicts`: by lab, of each file."""
    for lab in labs:
        judged = [one for one in verdicts[lab.id] if one not in _NOT_JUDGED]
        if len(judged) < _FEWEST:
            continue
        verdict, count = Counter(judged).most_common(1)[0]
        if verdict is not Verdict.PASS and count > _MOST * len(judged):
            yield lab, verdict, count, len(judged)
