"""The options of commands that count outputs with the engine: which split, who works, where results are kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli.shared.cluster import cluster_options, tls_of, workers_of
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.cli.shared.result_paths import STORE
from levelhead.cli.shared.values import Choice, limited

if TYPE_CHECKING:
    from levelhead.campaign.plan import Plan
    from levelhead.treebank.layouts import Split

_SMALL = 8 << 20  # bytes of input up to which starting processes takes longer than they save

split_option: Decorator = click.option(
    "--split", type=Choice(["train", "dev", "test"], "split"),
    help="Which files of UD releases are gold.  [default: test, or the only split available]",
)  # fmt: skip

_OPTIONS = (
    split_option,
    click.option(
        "-j", "--jobs", type=limited("jobs"),
        help="Number of processes  [default: one per core; one for small inputs]",
    ),
    click.option("--store", type=STORE, help="Keep results in this file, and continue from there in the next run"),
    cluster_options,
)  # fmt: skip


class EngineOptions(NamedTuple):
    """The values of these options; see there."""

    split: Split | None
    jobs: int | None
    store: str | None
    address: str | None
    tls_ca: str | None
    tls_cert: str | None
    tls_key: str | None

    @contextmanager
    def running(self, plan: Plan) -> Iterator[dict[str, Any]]:
        """Give the workers and the store of a run, as `score_plan` takes them; the store is closed afterwards.

        Args:
            plan: what is scored.
        """
        from levelhead.jobs import Store, n_cores

        tls = tls_of(self.address, self.tls_ca, self.tls_cert, self.tls_key)
        paths = (path for system in plan.systems for path in system.outputs.values())
        small = self.address is None and sum(map(_size, paths)) < _SMALL
        workers = workers_of(self.address, self.jobs or (1 if small else n_cores()), tls)
        if self.store is None:
            yield {"workers": workers}
            return
        with Store(self.store) as store:
            yield {"workers": workers, "store": store}


def _size(path: os.PathLike[str]) -> int:
    try:
        return os.path.getsize(path)  # noqa: PTH202 -- pathlib is slow to load
    except OSError:
        return 0  # the engine reports it


engine_options: Decorator = grouped("engine", EngineOptions, _OPTIONS)
"""These options, whose values a command gets as the argument `engine`."""
