"""Settings of the sandbox: users of systems, folders, and machines where it cannot run."""

import os
import pwd
from pathlib import Path

import pytest

from levelhead.errors import InputError
from levelhead.task.description import SandboxLimits
from levelhead.task.sandbox import _command, check_sandbox, users_of
from task.sandbox_runs import LIMITS
from task.task_server import SANDBOX_USER

pytestmark = pytest.mark.sandbox


def test_each_system_that_runs_at_a_time_has_a_user_of_its_own(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert users_of(SandboxLimits(user="61234-61299", at_once=3)) == [61234, 61235, 61236]
    assert users_of(SandboxLimits(user="nobody, 61234", at_once=2)) == [pwd.getpwnam("nobody").pw_uid, 61234]
    for user in ("61234", "61234,61234", "61234-61235,61235"):
        with pytest.raises(InputError, match='name more, for example user = "61000-61002"') as refused:
            users_of(SandboxLimits(user=user, at_once=3))
        assert refused.value.slug == "no-sandbox"
    for user in ("0-5", "61234,root"):
        with pytest.raises(InputError, match="as root"):
            users_of(SandboxLimits(user=user, at_once=2))
    for user in ("5-4", "4294967295", f"1-{10**20}", "9" * 5000):
        with pytest.raises(InputError, match=r"no user can have|unknown user"):
            users_of(SandboxLimits(user=user))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(InputError, match=r"only root can run systems as other users: set sandbox\.at_once = 1"):
        users_of(SandboxLimits(at_once=2))


def test_root_without_a_user_for_systems_is_refused(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for user in ("", "0", "root", "there-is-no-such-user"):
        with pytest.raises(InputError) as refused:
            users_of(SandboxLimits(user=user))
        assert refused.value.slug == "no-sandbox"


def test_a_user_for_systems_is_not_ignored_where_only_root_can_change_users(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert users_of(SandboxLimits()) == [None]
    with pytest.raises(InputError, match="only root") as refused:
        users_of(SandboxLimits(user="61234"))
    assert refused.value.slug == "no-sandbox"


def test_tasks_where_every_system_could_read_them_are_refused(tmp_path):
    check_sandbox(LIMITS, tmp_path)
    with pytest.raises(InputError, match="the task must be in another folder"):
        check_sandbox(LIMITS, Path("/usr/share/task"))
    with pytest.raises(InputError, match=r"sandbox\.scratch must be in another folder"):
        check_sandbox(LIMITS._replace(scratch="/usr/share/scratch"), tmp_path)


def test_systems_are_tried_out_in_the_scratch_folder_of_the_task(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot run a system in .*file: .*; change sandbox\.scratch"):
        check_sandbox(LIMITS._replace(scratch=str(tmp_path / "file")), tmp_path)
    if SANDBOX_USER:  # who cannot look into the folder
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        with pytest.raises(InputError, match=r"a test run in .*closed failed"):
            check_sandbox(LIMITS._replace(scratch=str(closed)), tmp_path)


def test_a_machine_without_bubblewrap_is_told_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(InputError, match="apt-get install bubblewrap"):
        check_sandbox(LIMITS, tmp_path)


def test_bubblewrap_in_any_folder_of_the_path_is_started(monkeypatch, tmp_path):
    bwrap = tmp_path / "bwrap"
    bwrap.write_text("#!/bin/sh\n")
    bwrap.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    command = _command(tmp_path, tmp_path, LIMITS)
    assert command[command.index("--") + 1] == str(bwrap)
    assert Path(command[0]).is_absolute()
