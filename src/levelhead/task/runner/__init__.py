"""Processing of submissions: the queue, runs of systems in a sandbox, scoring."""
