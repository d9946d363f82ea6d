"""The task, its teams and submissions, and the database that keeps them."""
