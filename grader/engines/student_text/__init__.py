"""A submission's text as a person reads it: names, declarations, what a misspelt name may mean. It decides nothing."""
