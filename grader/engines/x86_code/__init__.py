"""How x86-64 code reads, what its instructions do, and how a call is put before one of them."""
