"""Jobs on any Executor, with a store of results for resuming."""

from levelhead.jobs.clusters import Tls, check_address, cluster
from levelhead.jobs.running import Job, Outcome, StaleInput, Workers, borrowed, n_cores, processes, run_jobs
from levelhead.jobs.store import Store, check_store

__all__ = [
    "Job",
    "Outcome",
    "StaleInput",
    "Store",
    "Tls",
    "Workers",
    "borrowed",
    "check_address",
    "check_store",
    "cluster",
    "n_cores",
    "processes",
    "run_jobs",
]
