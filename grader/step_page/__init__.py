"""What a page that steps through a block holds: stories, their runs and steps, and the block of data that the page reads."""
