"""One mistake, shown: a finding with its source lines, a wrong output as a picture."""
