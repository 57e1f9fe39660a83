"""Who is who: the course's roster, and which id a student has in every batch."""
