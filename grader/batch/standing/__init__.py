"""The course's policy in a batch: what turns scores into grades, and the history that is kept of them."""
