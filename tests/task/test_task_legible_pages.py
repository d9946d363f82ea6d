"""Every page of a task can be read at 1400 and 400 px, light, dark and in print, and logs nothing."""

import pytest

from legibility import found_on
from task.task_server import make_task, outputs, serving, tar, token


@pytest.mark.slow
def test_every_page_can_be_read(browser, tmp_path):
    folder = make_task(tmp_path / "task", task={"title": "Pages", "kinds": ["outputs"]})
    with serving(folder) as server:
        secret, other = token(folder, "A team with a name that is rather long for a phone"), token(folder, "other")
        files = outputs("alpha")
        del files["tr.conllu"]
        found = [server.submit(one, tar(files))[1]["id"] for one in (secret, other)]
        server.wait(secret, found[0])
        server.wait(other, found[1])
        page, said, hard = browser.new_page(), [], []
        page.on("console", lambda message: said.append(message.text) if message.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        for path in ("/", "/sign-in"):
            page.goto(server.address + path)
            hard += [f"{path} {one}" for one in found_on(page)]
        page.fill("input[name=token]", secret)
        page.keyboard.press("Enter")
        page.wait_for_url("**/submissions")
        for path in ("/", "/submissions", f"/submissions/{found[0]}", "/treebanks/en"):
            page.goto(server.address + path)
            hard += [f"{path} {one}" for one in found_on(page)]
        page.close()
    assert said + hard == []
