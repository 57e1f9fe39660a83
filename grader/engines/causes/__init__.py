"""What in a submission's own text may be the cause of a failure: said beside it, and never by itself. Nothing here decides a verdict."""
