"""Creation of a task, and the search for gold in its inputs."""
