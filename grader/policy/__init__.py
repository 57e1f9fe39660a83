"""A course's policy: deadlines, lateness, extensions, overrides, regrade requests, and the history of grades. Rules and data alone."""
