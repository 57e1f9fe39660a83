"""Lists what is proved of a course, in the order in which it is reported. Runs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.course import handouts, question_pages, starters
from grader.course.diagnostic import Diagnostic
from grader.course.handouts import Handout
from grader.model.labs import Lab, lab_ids
from grader.proofs import drawn_figures, made_text
from grader.proofs.page_links import broken_links
from grader.proofs.proof import Proof
from grader.proofs.stated_points import wrong_points


@dataclass(frozen=True)
class CourseProofs:
    """The proofs that need no judge, of these labs of the course at `root`."""

    root: Path
    labs: Sequence[Lab]
    made: Handout  # of these labs

    def proofs(self) -> list[Proof]:
        return [
            Proof("starters", "each starter is what its model solution gives", [self.current_starters]),
            Proof(
                "questions",
                "write-ups and answers.md hold each lab's questions, with seals of the right numbers",
                [self.questions],
            ),
            Proof("leaks", "no solution, hidden test, hidden shape, answer or seed in what students get", [self.leaks]),
            Proof("written", "nothing that students get still has to be filled in", [self.unwritten]),
            Proof("listing", "the handout holds the kinds of file that handouts/listing.txt names", [self.unlisted]),
            Proof("links", "every link and figure in a handout leads to a file inside it", [self.dead_links]),
            Proof(
                "figures",
                "each figure is what its script draws, and a write-up shows it",
                [lambda: list(drawn_figures.outdated(self.root))],
            ),
            Proof(
                "numbers",
                "pages show what their commands print now",
                [partial(self._remade, page) for page in self.pages()],
            ),
            Proof("points", "write-ups state the points that the grader gives", [self.points]),
        ]

    def current_starters(self) -> list[Diagnostic]:
        return self._without_other_labs(starters.outdated(self.root))

    def questions(self) -> list[Diagnostic]:
        return self._without_other_labs(question_pages.outdated(self.root))

    def leaks(self) -> list[Diagnostic]:
        return handouts.leaking(self.root, self.labs, self.made)

    def unwritten(self) -> list[Diagnostic]:
        return handouts.unfinished(self.root, self.labs, self.made)

    def unlisted(self) -> list[Diagnostic]:
        return handouts.unlisted(self.root, self.labs, self.made)

    def dead_links(self) -> list[Diagnostic]:
        files = self.made.files

        def read(path: str) -> str | None:
            if path in files:
                return files[path].data.decode("utf-8", "replace")
            return "" if path == "." or any(name.startswith(f"{path}/") for name in files) else None

        return [one for page in files if page.endswith(".md") for one in broken_links(page, read)]

    def points(self) -> list[Diagnostic]:
        found: list[Diagnostic] = []
        for lab in self.labs:
            page = f"assignments/{lab.id}/README.md"
            path = self.root / page
            found += (
                wrong_points(lab, path.read_text(encoding="utf-8"), page)
                if path.is_file()
                else [Diagnostic(page, None, "is missing")]
            )
        return found

    def pages(self) -> list[str]:
        """The pages that may show a command's output: the labs' and the course's own documents."""
        ours = [*self.root.glob("*.md"), *(self.root / "docs").glob("**/*.md")]
        for lab in self.labs:
            ours += [path for half in (lab.public_dir, lab.private_dir) if half for path in half.glob("*.md")]
        return sorted(path.relative_to(self.root).as_posix() for path in ours)

    def _remade(self, page: str) -> list[Diagnostic]:
        return list(made_text.outdated(self.root, page))

    def _without_other_labs(self, found: Sequence[Diagnostic]) -> list[Diagnostic]:
        others = set(lab_ids(self.root)) - {lab.id for lab in self.labs}
        return [one for one in found if not others & set(one.path.split("/")[1:2])]
