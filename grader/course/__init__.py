"""The course's files: starters, handouts and new labs, and checks that they hold nothing secret."""
