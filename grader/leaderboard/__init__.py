"""The leaderboard of a lab: who is on it, in which place and under which name, and what is kept from batch to batch. Pages are made
elsewhere.
"""
