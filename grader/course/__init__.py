"""The course itself: starters, handouts and new labs, and what must not get into them."""
