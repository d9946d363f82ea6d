"""A shared task with hidden gold: submissions, a queue, a sandbox, scores and a leaderboard."""
