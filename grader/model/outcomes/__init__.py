"""What judging found, before anybody awards points."""
