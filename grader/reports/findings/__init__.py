"""Shows one mistake: a finding with its source lines, or a wrong output as a picture."""
