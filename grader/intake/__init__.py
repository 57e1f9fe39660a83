"""The first step: takes from each upload one source file for each lab."""
