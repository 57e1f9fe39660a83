"""Changes of a preprocessed text before it is compiled: calls of the kit at returns and in the place of launches."""
