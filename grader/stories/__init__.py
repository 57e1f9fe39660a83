"""Stories of single mistakes: a part of a recorded launch, with remarks, and questions that its steps answer. Pure."""
