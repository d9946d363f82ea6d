"""Jobs on any Executor, with a store of results for resuming."""

from levelhead.jobs.clusters import Tls, check_address, cluster
from levelhead.jobs.job import Job, StaleInput
from levelhead.jobs.running import Outcome, run_jobs
from levelhead.jobs.store import Store, check_store
from levelhead.jobs.workers import Workers, borrowed, n_cores, processes

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
