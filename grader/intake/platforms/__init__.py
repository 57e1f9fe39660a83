"""How each course platform lays out a download of all submissions: one module for each platform."""
