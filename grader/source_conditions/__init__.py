"""What the source says of an access: its subscripts, and the conditions around it with the numbers of one thread put in. Pure."""
