"""The commands about a whole class: those that grade it and what is done with its grades afterwards."""
