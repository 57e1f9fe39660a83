"""Pages and exports of a graded class, written again with new comments and decisions. Nothing is judged and nothing handed in is read."""
