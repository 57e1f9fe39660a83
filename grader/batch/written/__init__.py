"""Files of OUT: how they are written, and which of them need not be written again."""
