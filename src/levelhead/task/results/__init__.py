"""The leaderboard, the final ranking, and the export of a task."""
