"""The public page of leaderboards, and the page that says who is who."""
