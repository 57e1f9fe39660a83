"""How 64-bit ARM code reads, what its instructions do, and how a call is put before one of them."""
