"""What an instructor uploads to a platform: everything that grading there needs, in the platform's own layout."""
