"""The options of commands that count outputs with the engine: the split, the workers, the store of results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.shared.cluster import cluster_options, tls_of, workers_of
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.cli.shared.result_paths import STORE
from levelhead.cli.shared.values import Choice, limited
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from levelhead.campaign.plan import Plan
    from levelhead.jobs import Tls, Workers
    from levelhead.treebank.layouts import Split

_SMALL = 8 << 20  # bytes of input up to which starting processes takes longer than they save
_SMALL_TRAINING = 1 << 14  # the same for commands that train parsers

split_option: Decorator = click.option(
    "--split", type=Choice(["train", "dev", "test"], "split"),
    help="Which files of UD releases are gold  [default: test, or the only split available]",
)  # fmt: skip

as_runs_option: Decorator = click.option(
    "--as-runs", is_flag=True,
    help="Treat all folders in each system's folder as runs of this system (for a single GOLD file, also all files)"
    "  [default: only those named run or seed with a number]",
)  # fmt: skip


@immutable(eq=True)
class WorkerOptions:
    """The values of the options of workers."""

    jobs: int | None
    address: str | None
    tls_ca: str | None
    tls_cert: str | None
    tls_key: str | None

    @property
    def tls(self) -> Tls | None:
        """The TLS files; None without encryption."""
        return tls_of(self.address, self.tls_ca, self.tls_cert, self.tls_key)

    def for_files(
        self, paths: Iterable[str | os.PathLike[str]], n_jobs: int | None = None, small: int = _SMALL
    ) -> Workers:
        """Return the workers of a command."""
        from levelhead.jobs import n_cores
        from levelhead.treebank.input_bytes import size_of_file

        chosen = self.address is not None or self.jobs is not None
        one = not chosen and (n_jobs == 1 or sum(map(size_of_file, paths)) < small)
        return workers_of(self.address, self.jobs or (1 if one else n_cores()), self.tls)

    def for_training(self, treebank: str) -> Workers:
        """Return the workers of a command that trains parsers on a treebank."""
        return self.for_files([treebank], small=_SMALL_TRAINING if os.path.isfile(treebank) else 0)  # noqa: PTH113


@immutable(eq=True)
class EngineOptions:
    """The values of the options of a command that counts outputs."""

    split: Split | None
    workers: WorkerOptions
    store: str | None

    @contextmanager
    def running(self, plan: Plan) -> Iterator[dict[str, Any]]:
        """Yield the workers and the store of a run, as `score_plan` takes them; the store is closed afterwards."""
        from levelhead.jobs import Store

        workers = self.workers.for_files(path for system in plan.systems for path in system.outputs.values())
        if self.store is None:
            yield {"workers": workers}
            return
        with Store(self.store) as store:
            yield {"workers": workers, "store": store}


def worker_options(default: str = "one per core; one for small inputs") -> Decorator:
    """Return --jobs, --cluster and its TLS options, passed to a command as the argument `workers`."""
    jobs = click.option("-j", "--jobs", type=limited("jobs"), help=f"Number of processes  [default: {default}]")
    return grouped("workers", WorkerOptions, (jobs, cluster_options))


store_option: Decorator = click.option(
    "--store", type=STORE, help="Keep results in this file, and resume from it in the next run"
)

engine_options: Decorator = grouped("engine", EngineOptions, (split_option, worker_options(), store_option))
"""The options of commands that count outputs, passed to a command as the argument `engine`."""
