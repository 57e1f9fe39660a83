"""The page that steps through a block of a launch, as plain data for its template."""
