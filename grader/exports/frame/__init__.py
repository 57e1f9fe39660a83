"""What the formats of grades have in common: what they are made from, safe cells, points, and what was tested."""
