"""Many jobs on any Executor: a store of results, resumption."""

from levelhead.jobs.clusters import Tls, cluster
from levelhead.jobs.job import Job, StaleInput
from levelhead.jobs.running import Outcome, run
from levelhead.jobs.store import Store
from levelhead.jobs.workers import Workers, borrowed, n_cores, processes

__all__ = [
    "Job",
    "Outcome",
    "StaleInput",
    "Store",
    "Tls",
    "Workers",
    "borrowed",
    "cluster",
    "n_cores",
    "processes",
    "run",
]
