"""Untrusted systems in the real bubblewrap: what they try, and what happens."""

import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tarfile
import textwrap
import threading
import time
from pathlib import Path

import pytest

from job_functions import killed_at_end, wait_until
from levelhead.errors import InputError
from levelhead.task import sandbox
from levelhead.task.sandbox import check_sandbox, run_system
from levelhead.task.submissions import Interrupted
from task.sandbox_runs import BOMB, LIMITS, PYTHON, SHELL, first_inside, parent, run
from task.task_server import SANDBOX_USER, SANDBOX_USERS

pytestmark = pytest.mark.sandbox


@pytest.fixture
def place():
    """A folder that the sandbox's user can read, unlike pytest's folders."""
    path = Path("/tmp") / f"levelhead-test-{os.getpid()}-{time.monotonic_ns()}"
    for folder in (path, path / "system", path / "input"):
        folder.mkdir(mode=0o755)
    (path / "input" / "en.txt").write_text("a word\n")
    yield path
    shutil.rmtree(path)


TWO = LIMITS._replace(at_once=2, user=SANDBOX_USERS)


as_root = pytest.mark.skipif(not SANDBOX_USER, reason="only root can run systems as several users")


def nothing_is_left():
    """Whether no process of the sandbox's user is left, after the kernel has removed killed processes."""
    wait_until(lambda: not (_of_the_user() if SANDBOX_USER else _commands()))
    return True


def _of_the_user():
    return any(
        _owner(path) in {int(SANDBOX_USER), int(SANDBOX_USER) + 1}
        for path in Path("/proc").iterdir()
        if path.name.isdecimal()
    )


def _owner(path):
    try:
        return path.stat().st_uid
    except FileNotFoundError:
        return None


def test_a_system_reads_inputs_and_writes_outputs(place):
    done, log, outputs = run(place, SHELL + 'cat "$1/en.txt"; cp "$1/en.txt" "$2/en.conllu"; echo loud >&2; cat')
    assert done.reason is None
    assert log == "a word\nloud\n"
    assert outputs == {"en.conllu": b"a word\n"}


def test_it_sees_nothing_of_the_machine_but_programs(place):
    gold = place / "gold"
    gold.mkdir()
    (gold / "en.conllu").write_text("secret")
    script = f"""
        ls /; cat {gold}/en.conllu /etc/passwd /etc/shadow; ls /home /root /srv /var {place}
        find / -name '*.conllu' -not -path '/proc/*' -not -path '/usr/*' 2>/dev/null
        env; id -u; hostname; ls -d /proc/[0-9]* | wc -l
        cat /proc/1/root/etc/shadow; ls /proc/1/cwd/../home
    """
    _, log, _ = run(place, SHELL + textwrap.dedent(script))
    assert "secret" not in log
    assert "root:" not in log
    assert "en.conllu" not in "".join(line for line in log.splitlines() if "No such file" not in line)
    there = set(log.split("\n", 20)[:20])
    assert not there & {"home", "root", "var", "work", "mnt", "srv", "opt", "sys", "boot"}
    assert "sandbox" in log
    assert "LEVELHEAD" not in log


def test_it_is_nobody_and_cannot_become_somebody(place):
    script = """
        id -u; cat /proc/self/status | grep -E 'Cap(Eff|Bnd)|NoNewPrivs'
        unshare -r id; mount -t tmpfs none /tmp; su -c id; chroot / id; nice -n -5 true && echo nicer
        unshare -U true && echo namespace
    """
    _, log, _ = run(place, SHELL + textwrap.dedent(script))
    assert "CapEff:\t0000000000000000" in log
    assert "CapBnd:\t0000000000000000" in log
    assert "NoNewPrivs:\t1" in log
    assert "uid=0" not in log
    assert "\nnamespace\n" not in log


def test_there_is_no_network(place):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        port = server.getsockname()[1]
        script = f"""
            import socket
            for address in [("127.0.0.1", {port}), ("1.1.1.1", 53), ("::1", {port})]:
                try:
                    socket.create_connection(address, 1)
                    print("connected")
                except OSError as error:
                    print(error)
            print(sorted(name for _, name in socket.if_nameindex()))
            abstract = socket.socket(socket.AF_UNIX)
            try:
                abstract.connect("\\0levelhead-test")
                print("connected")
            except OSError as error:
                print(error)
        """
        with socket.socket(socket.AF_UNIX) as abstract:
            abstract.bind("\0levelhead-test")
            abstract.listen()
            _, log, _ = run(place, PYTHON + textwrap.dedent(script))
        with pytest.raises(TimeoutError):
            server.accept()
    assert "connected" not in log
    assert "['lo']" in log


def test_it_cannot_write_anywhere_else(place):
    script = """
        for there in / /usr /usr/bin /etc /system /input /dev /proc/sys/kernel; do
            touch $there/evil 2>/dev/null && echo "written $there"
            mkdir $there/evil 2>/dev/null && echo "written $there"
        done
        echo x >> /input/en.txt; echo x >> /system/run; rm -rf /input/* /system/*; chmod 777 /system
        echo out > $2/ok
    """
    done, log, outputs = run(place, SHELL + textwrap.dedent(script))
    assert done.reason is None
    assert "written" not in log
    assert outputs == {"ok": b"out\n"}
    assert [p.name for p in sorted(place.rglob("*"))] == ["input", "en.txt", "output", "ok", "system", "run"]
    assert (place / "input" / "en.txt").read_text() == "a word\n"


@pytest.mark.parametrize("script", [
    "ln -s /etc/passwd $2/en.conllu",
    "ln -s /etc $2/folder",
    "ln -s / $2/../output/x",
    "echo x > $2/a; ln $2/a $2/en.conllu",
    "mkfifo $2/en.conllu",
    "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"/output/en.conllu\")'; ln -s /etc/passwd $2/b",
])  # fmt: skip
def test_links_and_pipes_in_outputs_are_not_followed(place, script):
    done, _, outputs = run(place, SHELL + script)
    assert "is refused" in done.reason
    assert all(b"root:" not in data for data in outputs.values())
    assert not any(stat.S_ISLNK(p.lstat().st_mode) for p in (place / "output").rglob("*"))


def test_names_that_lead_elsewhere_are_refused(place):
    done, _, _ = run(place, PYTHON + "open(b'/output/a\\nb', 'w')")
    assert "is refused" in done.reason


def test_it_ends_when_its_time_is_over_with_all_that_it_started(place):
    script = """
        echo early > $2/en.conllu
        trap '' TERM HUP INT
        setsid sleep 1000 & (setsid sh -c 'trap "" TERM; while :; do sleep 1; done' &)
        python3 -c 'import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(1000)' &
        while :; do sleep 1; done
    """
    started = time.monotonic()
    done, _, outputs = run(place, SHELL + textwrap.dedent(script), LIMITS._replace(seconds=2))
    assert "killed" in done.reason
    assert time.monotonic() - started < 90
    assert outputs == {"en.conllu": b"early\n"}
    assert nothing_is_left()


def test_what_it_leaves_running_ends_with_it(place):
    done, _, outputs = run(place, SHELL + "(sleep 1000; echo late > $2/late) & setsid sleep 1000 & echo x > $2/ok")
    assert done.reason is None
    assert set(outputs) == {"ok"}
    assert nothing_is_left()


def test_computing_without_end_is_limited(place):
    started = time.monotonic()
    done, _, _ = run(place, SHELL + "while :; do :; done", LIMITS._replace(cpu_seconds=1))
    assert done.reason is not None
    assert time.monotonic() - started < 90


def test_a_fork_bomb_stays_in_its_limit(place):
    script = """
        import time
        children = 0
        try:
            while True:
                if os.fork() == 0:
                    time.sleep(100)
                children += 1
        except OSError as error:
            print("children", children, error, flush=True)
        def bomb():
            while True:
                try:
                    os.fork()
                except OSError:
                    time.sleep(0.1)
        bomb()
    """
    done, log, _ = run(place, PYTHON + textwrap.dedent(script), LIMITS._replace(seconds=4))
    assert "killed" in done.reason
    assert 0 < int(log.split("children ")[1].split()[0]) < LIMITS.processes
    assert nothing_is_left()


def test_a_memory_hog_stays_in_its_limit(place):
    script = """
        try:
            hog = bytearray(2_000_000_000)
            print("got it")
        except MemoryError:
            print("refused")
        big = []
        while True:
            big.append(bytearray(10_000_000))
    """
    done, log, _ = run(place, PYTHON + textwrap.dedent(script))
    assert "refused" in log
    assert "MemoryError" in log
    assert "exit code 1" in done.reason


def test_a_full_disk_is_its_own(place):
    script = """
        for there in $2 /tmp /dev/shm; do
            head -c 100000000 /dev/zero > $there/big || echo "full $there"
            head -c 100000000 /dev/zero > $there/more || echo "full $there"
            du -sm $there
        done
        rm $2/big $2/more; echo x > $2/ok
    """
    free = shutil.disk_usage(place).free
    done, log, outputs = run(place, SHELL + textwrap.dedent(script))
    assert log.count("full /output") == log.count("full /tmp") == 2
    assert outputs == {"ok": b"x\n"}
    assert done.reason is None
    assert abs(free - shutil.disk_usage(place).free) < 1 << 30


def test_many_files_are_refused(place, monkeypatch):
    monkeypatch.setattr(sandbox, "_MOST_OUTPUTS", 100)
    done, _, _ = run(place, PYTHON + "for i in range(120):\n    open(f'/output/{i}', 'w').close()")
    assert "more than 100 entries" in done.reason
    assert len(list((place / "output").iterdir())) <= 100


def test_endless_printing_is_cut(place):
    done, log, _ = run(place, SHELL + "echo begin; yes", LIMITS._replace(seconds=2))
    assert log.startswith("begin\ny\n")
    assert len(log) == LIMITS.log_kilobytes * 1024
    assert "killed" in done.reason


STEAL = """
    import ctypes, io, tarfile
    libc = ctypes.CDLL(None, use_errno=True)
    def pipes():
        "The pipe through which its shell hands outputs over, if it can be got hold of."
        for pid in (1, 2):
            there = libc.syscall(434, pid, 0)  # pidfd_open
            for number in range(3, 20):
                taken = libc.syscall(438, there, number, 0)  # pidfd_getfd
                if taken >= 0 and os.readlink(f"/proc/self/fd/{taken}").startswith("pipe"):
                    yield taken
    """


def test_forged_and_endless_outputs_through_the_pipe_of_its_shell(place):
    script = """
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as tar:
            for name, kind in [("output/../../evil", b"0"), ("/tmp/evil", b"0"), ("output/link", b"2")]:
                info = tarfile.TarInfo(name)
                info.type, info.linkname = kind, "/etc/passwd"
                tar.addfile(info)
        for pipe in pipes():
            os.write(pipe, data.getvalue())
            while True:
                os.write(pipe, bytes(65536))
        print("out of reach")
    """
    done, log, outputs = run(place, PYTHON + textwrap.dedent(STEAL) + textwrap.dedent(script))
    assert done.reason == "its output is larger than allowed" or log == "out of reach\n"
    assert outputs == {}
    assert nothing_is_left()


def test_an_exit_code_through_the_pipe_of_its_shell_is_not_believed(place):
    script = """
        for pipe in pipes():
            os.write(pipe, b"ended 0 0\\n")
        sys.exit(3)
    """
    done, _, outputs = run(place, PYTHON + textwrap.dedent(STEAL) + textwrap.dedent(script))
    assert "exit code 3" in done.reason or "is refused" in done.reason
    assert outputs == {}


def test_a_sandbox_killed_before_its_end_has_no_exit_code(place, monkeypatch):
    for said in ("ended 0 137", "ended 0", "ended 0 0; echo x"):
        monkeypatch.setattr(sandbox, "_command", lambda *_, said=said: ["sh", "-c", f"echo started; echo {said}"])
        with pytest.raises(Interrupted, match="the sandbox was killed"):
            run(place, SHELL)
        (place / "output").rmdir()


@pytest.mark.parametrize(("script", "reason"), [
    ("cat {}; echo ended 0 0", "is refused"), ("yes", "larger than allowed"),
    ("echo ended 0 2", "returned no output"), ("echo no archive; echo ended 0 0", "is refused"), ("exec 1>&- 2>&-; sleep 1000", "did not end in time"),
    ("sleep 1000", "did not end in time"),
])  # fmt: skip
def test_whatever_comes_out_of_a_sandbox_is_read_like_any_archive(place, monkeypatch, script, reason):
    links = [("output/../../evil", b"0"), ("/tmp/evil", b"0"), ("output/link", b"2")]
    with tarfile.open(place / "forged.tar", "w") as tar:
        for name, kind in links:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
    monkeypatch.setattr(
        sandbox, "_command", lambda *_: ["sh", "-c", f"echo started; {script.format(place / 'forged.tar')}"]
    )
    monkeypatch.setattr(sandbox, "_SECONDS_TO_HAND_OVER", 1)
    monkeypatch.setattr(sandbox, "_SECONDS_TO_END", 1)
    done, _, outputs = run(place, SHELL, LIMITS._replace(seconds=1))
    assert reason in done.reason
    assert outputs == {}
    assert not (place / "evil").exists()
    assert not Path("/tmp/evil").exists()


@pytest.mark.parametrize(("script", "reason"), [
    ("exit 3", "exit code 3"),
    ("kill -9 $$", "killed"),
    ("kill -9 -1", "killed"), ("kill -9 1; exit 4", "exit code 4"),
    ("kill -9 2", "killed"),
    # a process that goes on blocks the file of the exit code, and writes another one later
    ("setsid sh -c 'rm -f /status/code; mkfifo /status/code; sleep 5; echo 0 > /status/code' & sleep 1; exit 3",
     "exit code 3"),
])  # fmt: skip
def test_how_it_ends_is_told(place, script, reason):
    done, _, _ = run(place, SHELL + script)
    assert reason in done.reason


def test_a_program_that_cannot_be_run_is_told(place):
    done, _, _ = run(place, "#!/no/such/program\n")
    assert "cannot be executed" in done.reason
    (place / "output").rmdir()
    (place / "system" / "run").unlink()
    assert "no file `run`" in run_system(place / "system", place / "input", place / "output", LIMITS).reason


def test_it_ends_when_the_runner_is_killed(place):
    program = (
        "import sys; from pathlib import Path; p = Path(sys.argv[1]);"
        "from levelhead.task.description import SandboxLimits;"
        "from levelhead.task.sandbox import run_system;"
        f"run_system(p / 'system', p / 'input', p / 'output', SandboxLimits(user='{SANDBOX_USER}', output_megabytes=8))"
    )
    (place / "system" / "run").write_text(SHELL + "trap '' TERM HUP; sleep 1000 & setsid sleep 1000 & sleep 1000")
    with killed_at_end(subprocess.Popen([sys.executable, "-c", program, str(place)])):
        wait_until(lambda: b"sleep" in _commands())
    wait_until(lambda: b"sleep" not in _commands())


def _commands():
    """The processes in the sandboxes of these tests: those of our sandbox user in the folder /system."""
    users = {*SANDBOX_USERS.split("-")} if SANDBOX_USERS else {str(os.getuid())}
    found = []
    for path in Path("/proc").iterdir():
        try:
            ours = path.name.isdecimal() and re.search(r"Uid:\t(\d+)", (path / "status").read_text())[1] in users
            if ours and os.readlink(path / "cwd") == "/system":
                found.append((path / "cmdline").read_bytes().split(b"\0")[0])
        except OSError:
            continue
    return found


def test_runs_at_the_same_time_do_not_see_each_other(place):
    second = place / "second"
    shutil.copytree(place, second)
    script = "echo $2 > /tmp/mine; until test -e $1/both; do sleep .1; done\n"
    script += "ls /tmp /output; ls -d /proc/[0-9]*; cp /tmp/mine $2/x"
    (second / "system" / "run").write_text(SHELL + script)
    results = []
    other = threading.Thread(
        target=lambda: results.append(run_system(second / "system", second / "input", second / "output", LIMITS))
    )
    other.start()
    watcher = threading.Thread(target=tell_when_both_run, args=([place / "input", second / "input"],))
    watcher.start()
    done, log, _ = run(place, SHELL + script)
    other.join()
    watcher.join()
    assert done.reason is None
    assert results[0].reason is None
    assert log.count("mine") == results[0].log.decode().count("mine") == 1


def tell_when_both_run(inputs):
    wait_until(lambda: _commands().count(b"sleep") == 2)
    for folder in inputs:
        (folder / "both").touch()


@as_root
def test_a_fork_bomb_takes_no_processes_from_a_system_that_runs_at_the_same_time(place):
    second = place / "second"
    shutil.copytree(place, second)
    (second / "system" / "run").write_text(BOMB)
    limits, bomb = TWO._replace(seconds=1000), []
    other = threading.Thread(
        target=lambda: bomb.append(run_system(second / "system", second / "input", second / "output", limits, 1))
    )
    other.start()
    wait_until(lambda: len(_commands()) >= LIMITS.processes - 4)
    done, _, outputs = run(place, SHELL + 'for i in 1 2 3; do (cat "$1/en.txt" > "$2/$i") & done; wait', limits)
    assert bomb == []  # it went on all the time
    assert done.reason is None
    assert outputs == dict.fromkeys("123", b"a word\n")
    (second / "input" / "stop").touch()
    other.join()
    assert "killed" in bomb[0].reason  # its own fault: nothing to try again
    assert nothing_is_left()


@pytest.mark.parametrize("inside", [False, True])
def test_a_sandbox_that_is_killed_is_no_fault_of_the_system(place, inside):
    ends = []

    def run_it():
        try:
            ends.append(run(place, SHELL + "cp $1/en.txt $2/en.conllu; sleep 1000", LIMITS._replace(seconds=1000)))
        except Interrupted as error:
            ends.append(str(error))

    running = threading.Thread(target=run_it)
    running.start()
    wait_until(lambda: b"sleep" in _commands())
    os.kill(first_inside() if inside else parent(first_inside()), signal.SIGKILL)
    running.join()
    assert "the sandbox was killed" in ends[0]
    assert nothing_is_left()


@pytest.mark.parametrize("processes", [1, 2])
def test_a_system_that_could_not_be_started_is_no_fault_of_the_system(place, processes):
    """Bubblewrap, or the system that it starts, gets no process."""
    with pytest.raises(Interrupted, match="did not start the system") as raised:
        run(place, SHELL + "true", LIMITS._replace(processes=processes))
    assert "Resource temporarily unavailable" in str(raised.value) or "Cannot fork" in str(raised.value)
    with pytest.raises(InputError, match="failed: the sandbox did not start"):
        check_sandbox(LIMITS._replace(processes=processes), place)


def test_a_sandbox_that_cannot_be_started_is_no_fault_of_the_system(place, monkeypatch):
    monkeypatch.setattr(sandbox, "_command", lambda *_: ["/no/such/program"])
    with pytest.raises(Interrupted, match="could not be started"):
        run(place, SHELL + "true")


@as_root
def test_a_trial_is_run_as_every_user(tmp_path):
    check_sandbox(TWO, tmp_path)
