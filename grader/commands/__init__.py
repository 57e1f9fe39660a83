"""The `tilelab` command: one file a command. Each parses its words, calls the packages below, and prints."""
