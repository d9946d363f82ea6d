"""Jobs on Dask clusters: the same results, lost workers, addresses, and encryption."""

import signal
import sys
from pathlib import Path

import pytest

import job_functions
from conftest import library, one_in
from job_functions import SQUARES, jobs
from levelhead.errors import InputError
from levelhead.jobs import Job, Tls, cluster, run_jobs


@pytest.mark.cluster
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill")
@pytest.mark.parametrize("batch", one_in(2, (8, 1)))
def test_a_cluster_that_loses_a_worker_goes_on(tmp_path, batch):
    """A local cluster gives the same results, in the same order, with any number of jobs in a task."""
    some = [Job("fatal once", job_functions.die_once, (3, str(tmp_path)), "fatal"), *jobs(40)]
    found = run_jobs(some, cluster("local", 2)._replace(batch=batch)).results
    assert list(found.items()) == [("fatal once", b"9"), *SQUARES.items()]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://8.8.8.8:8786", "public address"),
        ("tcp://[2001:4860:4860::8888]:8786", "public address"),
        ("tcp://[::ffff:8.8.8.8]:8786", "public address"),
        ("tcp://127.0.0.1", "invalid address"),
        ("tcp://127.0.0.1:port", "invalid address"),
        ("tcp://127.0.0.1:99999999", "invalid address"),
        ("http://127.0.0.1:80", "invalid address"),
        ("somewhere", "invalid address"),
        ("tcp://[127.0.0.1:1", "invalid address"),
        ("tls://127.0.0.1:8786", "requires --tls-ca"),
        ("tcp://no-such-host.invalid:8786", "unknown host 'no-such-host.invalid'"),
        ("", "invalid address"),
    ],
)
def test_addresses_that_are_refused(address, message):
    with pytest.raises(InputError, match="invalid-cluster") as refusal:
        cluster(address, 1)
    assert message in str(refusal.value)


def test_tls_files_need_a_tls_address(tmp_path):
    library("distributed")
    files = tls_files(tmp_path)
    for address in ("tcp://127.0.0.1:8786", "local"):
        with pytest.raises(InputError, match="invalid-cluster"):
            cluster(address, 1, tls=files)
    with pytest.raises(InputError, match="file not found"):
        run_jobs(jobs(1), cluster("tls://8.8.8.8:8786", 1, tls=files))


def tls_files(folder: Path) -> Tls:
    return Tls(*(str(folder / name) for name in ("ca.pem", "cert.pem", "key.pem")))


def test_private_addresses_need_no_encryption():
    library("distributed")
    for address in ("tcp://127.0.0.1:1", "tcp://10.1.2.3:8786", "tcp://[::1]:8786", "tcp://192.168.0.1:9"):
        assert cluster(address, 1).batch > 1


@pytest.mark.cluster
def test_an_encrypted_cluster(tmp_path):
    """A separate scheduler with its own workers that requires certificates."""
    from distributed import LocalCluster
    from distributed.security import Security

    security = Security.temporary()
    files = tls_files(tmp_path)
    for path, text in zip(files, (security.tls_ca_file, security.tls_client_cert, security.tls_client_key)):
        Path(path).write_text(text)
    with LocalCluster(
        n_workers=1, security=security, protocol="tls://", host="127.0.0.1", dashboard_address=None
    ) as elsewhere:
        address = elsewhere.scheduler_address
        assert address.startswith("tls://")
        assert run_jobs(jobs(40), cluster(address, 1, tls=files)).results == SQUARES
        (tmp_path / "cert.pem").write_text("nonsense")
        with pytest.raises(InputError, match="invalid-cluster"):
            run_jobs(jobs(1), cluster(address, 1, tls=files))


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_does_not_answer(monkeypatch):
    library("distributed")
    monkeypatch.setattr("levelhead.jobs.clusters._SECONDS_TO_CONNECT", 0.5)
    with pytest.raises(InputError, match=r"no scheduler answers at tcp://127.0.0.1:1: is it running"):
        run_jobs(jobs(1), cluster("tcp://127.0.0.1:1", 1))


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'levelhead\[cluster\]'"):
        cluster("local", 1)


@pytest.mark.cluster
def test_workers_of_another_version_are_refused(monkeypatch):
    monkeypatch.setattr("levelhead.jobs.clusters.VERSION", "0.0.0")
    with pytest.raises(InputError, match=r"workers have levelhead .*, this is 0\.0\.0"):
        run_jobs(jobs(1), cluster("local", 1))
