"""What surrounds every command: the tools that it opens, and the exit status with which it ends."""
