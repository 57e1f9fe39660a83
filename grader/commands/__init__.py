"""The `tilelab` command, one file for each of its commands. Each parses its options, calls the packages below, and prints."""
