"""The options of commands whose jobs can run on a cluster."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.shared import options

if TYPE_CHECKING:
    from levelhead.jobs import Tls, Workers

_OPTIONS = (
    click.option(
        "--cluster",
        "address",
        metavar="ADDRESS",
        help="Run on a dask cluster: local, tcp://host:port or tls://host:port",
    ),
    click.option("--tls-ca", type=options.PATH, help="Certificate of the cluster's authority (PEM)"),
    click.option("--tls-cert", type=options.PATH, help="Your certificate (PEM)"),
    click.option("--tls-key", type=options.PATH, help="Key of your certificate (PEM)"),
)


def cluster_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --cluster, --tls-ca, --tls-cert and --tls-key; a bad address is refused before anything else."""

    @functools.wraps(function)
    def checked(**given: Any) -> Any:
        tls = tls_of(given["address"], given["tls_ca"], given["tls_cert"], given["tls_key"])
        if given["address"] is not None:
            from levelhead.jobs import check_address

            check_address(given["address"], tls)
        return function(**given)

    for decorator in reversed(_OPTIONS):
        checked = decorator(checked)
    return checked


def tls_of(address: str | None, authority: str | None, certificate: str | None, key: str | None) -> Tls | None:
    """Return the TLS files; None without encryption."""
    if authority is None and certificate is None and key is None:
        return None
    if authority is None or certificate is None or key is None:
        given = {"--tls-ca": authority, "--tls-cert": certificate, "--tls-key": key}
        missing = " and ".join(option for option, path in given.items() if path is None)
        raise click.UsageError(f"--tls-ca, --tls-cert and --tls-key must be used together: add {missing}")
    if address is None:
        raise click.UsageError("--tls-ca, --tls-cert and --tls-key require --cluster")
    from levelhead.jobs import Tls

    return Tls(authority, certificate, key)


def workers_of(address: str | None, n_workers: int, tls: Tls | None) -> Workers:
    """Return the workers: processes of this machine, or a cluster."""
    from levelhead.jobs import cluster, processes

    return processes(n_workers) if address is None else cluster(address, n_workers, tls=tls)
