"""What becomes of a submission: the queue, runs of systems in a sandbox, scoring."""
