"""A new task, and the search for gold among its inputs."""
