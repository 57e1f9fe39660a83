"""What a compiler says of a submission, in a tutor's words: the line that lacks something, the name that was meant."""
