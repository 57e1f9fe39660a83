"""What came in, as data: uploads, archives and folders with their limits, and names from outside."""
