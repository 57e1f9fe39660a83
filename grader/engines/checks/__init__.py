"""What a submission's text and object code may not hold: each check refuses it with a line and a reason."""
