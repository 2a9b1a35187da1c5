"""The command, the notebook, the types and the examples in the texts."""

import doctest
import importlib
import os
import signal
import subprocess
import sys
import time

import pytest
import tertium
from support import ENDLESS, ROOT


def test_the_command_is_the_command():
    output = subprocess.run(
        [sys.executable, "-m", "tertium", "check", "examples/door.kmts", "-q"], cwd=ROOT, capture_output=True, text=True
    )
    assert (output.returncode, output.stderr) == (10, "")
    assert "true     lit_when_moving: AG (moving -> lamp)" in output.stdout
    version = subprocess.run([sys.executable, "-m", "tertium", "--version"], capture_output=True, text=True)
    assert version.stdout == f"tertium {tertium.__version__}\n"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_is_an_exception():
    script = (
        "import sys, tertium\n"
        "print('begin', flush=True)\n"
        "try:\n    tertium.check(text=sys.stdin.read(), language='gcl', only='never')\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child.stdin.write(ENDLESS)
    child.stdin.close()
    assert child.stdout.readline() == "begin\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    child.wait(60)


def test_the_notebook_runs(tmp_path):
    pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    notebook = ROOT / "examples" / "tertium.ipynb"
    words = ["-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(tmp_path), str(notebook)]
    output = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert output.returncode == 0, output.stderr
    written = (tmp_path / "tertium.ipynb").read_text()
    assert "<iframe srcdoc=" in written, "the page is shown"


def test_types_are_strict(tmp_path):
    pytest.importorskip("mypy")
    # By its name, as whoever imports it: a path inside the environment would take its other packages for sources of the user's.
    words = ["-m", "mypy", "--strict", "--ignore-missing-imports", "--disable-error-code", "import-untyped", "-p", "tertium"]
    output = subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=tmp_path)
    assert output.returncode == 0, output.stdout + output.stderr


def test_examples_in_the_texts_are_true():
    for name in ["tertium", "tertium._structure"]:
        failed, tried = doctest.testmod(importlib.import_module(name))
        assert failed == 0 and tried > 0, name
