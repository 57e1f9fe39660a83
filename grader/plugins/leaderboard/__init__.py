"""The leaderboard of a timed lab: a public page in OUT, and who is who for the instructor. `tilelab leaderboard` writes it again."""

from grader.roll.batch.plugin import ClassAddition, Command

FILE = "leaderboard.html"
_BOARDS = "grader.plugins.leaderboard.class_boards"
PLUGINS = (
    ClassAddition("leaderboard", FILE, f"{_BOARDS}:rank_class"),
    Command("leaderboard", f"{_BOARDS}:make_leaderboard"),
)
