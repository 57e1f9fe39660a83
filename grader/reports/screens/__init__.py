"""What a student sees on a terminal."""
