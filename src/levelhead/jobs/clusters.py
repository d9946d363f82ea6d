"""Workers on several machines with dask.distributed (the extra `cluster`)."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, quoted
from levelhead.extras import require
from levelhead.jobs.running import Workers

_SECONDS_TO_CONNECT = 20
_JOBS_IN_A_TASK = 64  # at most: submitting a task takes one process 5 ms, a quarter of a job (docs/scale.md)
_TASKS_AHEAD = 3  # for each worker, so that none is idle
_TASKS_AFAR = 3000  # enough for a thousand workers, whose number can change


class Tls(NamedTuple):
    """The files of an encrypted connection, in PEM format.

    Args:
        authority: the certificate of the authority that signed the cluster's certificate.
        certificate: the certificate of this machine.
        key: the private key of `certificate`.
    """

    authority: str
    certificate: str
    key: str


def cluster(address: str, n: int = 0, *, tls: Tls | None = None) -> Workers:
    """Return the workers of a cluster.

    Use only a scheduler that you trust, since it can run any code. Workers need the same folders and the same version
    of levelhead as this process.

    Args:
        address: `local` to start a cluster on this machine, or the address of a scheduler, `tcp://host:port` or
            `tls://host:port`.
        n: the number of workers to start if the address is `local`.
        tls: the certificates and the key for tls:// addresses.

    Raises:
        InputError: the address is invalid, the address is public and not encrypted, or dask.distributed is not
            installed. It is also raised when jobs start, if no scheduler answers or a worker has another version.
    """
    check_address(address, tls)
    require("distributed", "clusters")
    from distributed.scheduler import KilledWorker

    def start() -> Executor:
        from distributed import Client, LocalCluster
        from distributed.security import Security

        if address == "local":
            local = LocalCluster(
                n_workers=n, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
                silence_logs="CRITICAL",
            )  # fmt: skip
            return _Cluster(Client(local), local)
        security = None
        if tls is not None:
            files = {"tls_ca_file": tls.authority, "tls_client_cert": tls.certificate, "tls_client_key": tls.key}
            if missing := [path for path in files.values() if not os.path.isfile(path)]:  # noqa: PTH113
                raise _invalid(f"file not found: {', '.join(missing)}")
            security = Security(**files, require_encryption=True)
        try:
            client = Client(address, security=security, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise _invalid(f"no scheduler answers at {address}: is it running?") from error
        return _Cluster(client)

    window = _TASKS_AHEAD * n if address == "local" else _TASKS_AFAR
    return Workers(start, window=window, batch=_JOBS_IN_A_TASK, lost=(KilledWorker,))


def check_address(address: str, tls: Tls | None) -> None:
    """Refuse invalid addresses, and public addresses without encryption, without connecting."""
    if address == "local":
        if tls is not None:
            raise _invalid("a local cluster does not use TLS files")
        return
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _invalid(f"invalid address {address!r}: use local, tcp://host:port or tls://host:port") from error
    if parts.scheme not in {"tcp", "tls"} or not host or port is None or parts.path or parts.query or parts.username:
        raise _invalid(f"invalid address {address!r}: use local, tcp://host:port or tls://host:port")
    if (tls is not None) != (parts.scheme == "tls"):
        raise _invalid("tls:// requires --tls-ca, --tls-cert and --tls-key; tcp:// does not use them")
    if tls is not None:
        return
    try:
        addresses = {str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError) as error:
        raise _invalid(f"unknown host {quoted(host)}") from error
    for number in (ipaddress.ip_address(address.partition("%")[0]) for address in addresses):
        reached = getattr(number, "ipv4_mapped", None) or number
        if not (reached.is_private or reached.is_loopback or reached.is_link_local):
            raise _invalid(f"{host} is a public address, where others could read the data and run code: use tls://")


def _invalid(message: str) -> InputError:
    return InputError(Fault("invalid-cluster", message))


class _Cluster(Executor):
    """A client of dask with workers of this version as an Executor; it closes everything that it opened."""

    def __init__(self, client: Any, *closing: Any) -> None:
        self._executor, self._closing = client.get_executor(pure=False), (client, *closing)
        with ExitStack() as stack:
            stack.callback(self.shutdown, cancel_futures=True)
            try:
                client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
            except TimeoutError as error:
                raise _invalid("the cluster has no workers") from error
            if others := set(client.run(version_here).values()) - {VERSION}:
                raise _invalid(f"workers have levelhead {', '.join(sorted(map(str, others)))}, this is {VERSION}")
            stack.pop_all()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._executor.shutdown(wait=wait and not cancel_futures)
        for part in self._closing:
            part.close()


def version_here() -> str:
    """Return the version of levelhead; also called on the workers."""
    return VERSION
