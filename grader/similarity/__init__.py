"""Which files of a class have passages in common that few others have. It compares texts, says nothing of people and decides no grade."""
