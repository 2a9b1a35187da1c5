"""The answers are those of the command line, over the whole corpus; and a process that checks a thousand times does not grow."""

import gc
import json
import os
import pathlib
import subprocess
import sys

import pytest
import tertium
from support import LAMP, ROOT

FOLDERS = ["examples", "corpus/gcl", "corpus/good", "corpus/promela"]
# Models whose decision takes minutes: they have a test of their own elsewhere.
SECONDS = float(os.environ.get("TERTIUM_PYTHON_SECONDS", "20"))


def models():
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".kmts", ".gcl", ".pml", ".aut") or (path.suffix == ".json" and folder == "corpus/good"):
                found.append(path.relative_to(ROOT))
    each = int(os.environ.get("TERTIUM_PYTHON_EACH", "1"))
    return found[::each]


def by_command(path):
    words = [sys.executable, "-m", "tertium", "check", "--format", "json", "--timeout", f"{SECONDS}s", str(path)]
    output = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "TERTIUM_PROGRESS": "off"})
    return json.loads(output.stdout)


def comparable(document):
    """What does not depend on how fast a machine is."""
    if "error" in document:
        return [diagnostic["code"] for diagnostic in document["error"]["diagnostics"]]
    return [(r["name"], r["formula"], r["value"], (r["evidence"].get("run") or {}).get("steps")) for r in document["results"]]


def test_answers_are_those_of_the_command_line(monkeypatch):
    monkeypatch.chdir(ROOT)
    # Engines take turns by counts, so that runs are the same ones.
    monkeypatch.setenv("TERTIUM_DETERMINISTIC", "1")
    compared = skipped = 0
    for path in models():
        expected = by_command(path)
        stopped = any(result["stopped"] for result in expected.get("results", []))
        try:
            found = tertium.check(path, timeout=SECONDS).document
        except tertium.TertiumError as error:
            found = error.document
        if stopped or any(result["stopped"] for result in found.get("results", [])):
            # How far a run comes before its limit is the machine's, not the model's.
            skipped += 1
            continue
        assert comparable(found) == comparable(expected), path
        compared += 1
    print(f"{compared} models compared, {skipped} reached the limit of {SECONDS:g} s")
    assert compared > 20 and skipped < compared / 4


def resident_kilobytes():
    status = pathlib.Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


@pytest.mark.skipif(not pathlib.Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_a_thousand_checks_do_not_leak():
    solver = (ROOT / "corpus/gcl/ends/nested.gcl", "ends")

    def round_of(count):
        for number in range(count):
            tertium.check(text=LAMP, language="gcl")
            if number % 20 == 0:
                tertium.check(solver[0], only=solver[1])
        gc.collect()
        return resident_kilobytes()

    # What is loaded once and kept is there after the first round.
    first, second, third = round_of(300), round_of(350), round_of(350)
    growth = [second - first, third - second]
    print(f"resident: {first} kB, then {growth[0]:+} kB and {growth[1]:+} kB after 350 checks each")
    assert min(growth) < 4096, growth
