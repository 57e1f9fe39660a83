"""Which inputs a value of a recorded launch was made of: followed through registers, shared memory and shuffles. Pure."""
