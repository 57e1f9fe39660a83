"""A whole class: what is new is judged, everything is scored, and the results are written into OUT."""
