# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calibrations: measured, given to calls, kept in files, and exchanged with the program."""

import copy
import json
import os
import pickle
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest

import synelix as sx

PROGRAM: Any = os.environ.get("SYNELIX_TOOL") or shutil.which("synelix")
STEPS = ["multiply_add", "result", "run", "strip", "sample", "fft_point", "fft_far", "fft_result", "fft_run", "event",
         "event_tap", "event_result", "event_strip"]
BYTES = ["direct_block", "fft_block"]
BASIS = sx.RaisedCosineLogConv(8, window_size=500)


@pytest.fixture(scope="session")
def machine():
    """A calibration of this machine: it takes some seconds."""
    return sx.calibrate()


def in_use():
    """The instruction set of calls without arguments."""
    return sx.explain(np.zeros((1000, 2), np.float32), BASIS)["instruction_set"]


def made(**nanoseconds):
    """A calibration of the set in use, with these nanoseconds. All other steps cost nothing."""
    return sx.Machine(in_use(), nanoseconds)


@pytest.fixture
def x(rng):
    return rng.normal(size=(20_000, 4)).astype(np.float32)


def bits(values):
    return np.asarray(values).tobytes()


def test_it_measures_every_step(machine):
    assert machine.instruction_set == in_use()
    assert list(machine.nanoseconds) == STEPS and list(machine.bytes) == BYTES
    assert all(np.isfinite(value) and value >= 0 for value in machine.nanoseconds.values())
    assert machine.nanoseconds["multiply_add"] > 0 and machine.nanoseconds["fft_point"] > 0
    assert machine.processor == sx.Machine("plain", {}).processor != ""


def test_another_set_is_measured_and_used(x):
    if in_use() == "plain":
        pytest.skip("this processor has no wider set")
    plain = sx.calibrate("plain", threads=1)
    assert plain.instruction_set == "plain"
    assert sx.explain(x, BASIS, machine=plain)["instruction_set"] == "plain"
    want = sx.convolve(x, BASIS, method="direct", instruction_set="plain")
    assert bits(sx.convolve(x, BASIS, method="direct", machine=plain)) == bits(want)
    with pytest.raises(sx.Error, match=f"instruction_set: '{in_use()}' is not 'plain', the set of `machine`"):
        sx.convolve(x, BASIS, machine=plain, instruction_set=in_use())
    for same in ("plain", "auto"):
        sx.convolve(x, BASIS, machine=plain, instruction_set=same)


def test_it_changes_no_bit_of_a_method(machine, x, rng):
    for method in ("direct", "fft"):
        want = sx.convolve(x, BASIS, method=method)
        assert bits(sx.convolve(x, BASIS, method=method, machine=machine)) == bits(want)
        assert bits(sx.convolve(x, BASIS, method=method, machine=None)) == bits(want)


def test_sizes_of_work_items_reach_the_library(machine, rng):
    long, basis = rng.normal(size=(200_000, 16)).astype(np.float32), sx.RaisedCosineLogConv(2, window_size=50)
    sizes = sx.Machine(machine.instruction_set, machine.nanoseconds, dict.fromkeys(BYTES, 4096))
    batches = [sx.explain(long, basis, method="direct", machine=each)["batch_samples"] for each in (None, sizes)]
    assert batches[1] < batches[0], batches
    want = sx.convolve(long, basis, method="direct")
    assert bits(sx.convolve(long, basis, method="direct", machine=sizes)) == bits(want)


def methods_of(x, machine):
    """The method that each way to compute takes, by its name."""
    basis, out = sx.RaisedCosineLogConv(8, window_size=500), np.empty((len(x), 4, 8), np.float32)
    matrix = out.reshape(len(x), 32)
    direct = basis.compute_features(x, method="direct")
    features = basis.compute_features(x, machine=machine)
    stored = sx.compute_features_file(basis, [x], matrix, machine=machine)
    design = sx.Design(basis, x, machine=machine, keep="features") @ np.ones(32)
    plain = sx.Design(basis, x, method="direct", keep="features") @ np.ones(32)
    named = {True: "direct", False: "fft"}
    return {
        "explain": sx.explain(x, basis, machine=machine)["method"],
        "ConvolvePlan": sx.ConvolvePlan(x, basis, machine=machine).explain()["method"],
        "explain_file": sx.explain_file(x, basis, out, machine=machine)["method"],
        "convolve_file": sx.convolve_file(x, basis, out, machine=machine)["method"],
        "convolve": named[bits(sx.convolve(x, basis, machine=machine)) == bits(sx.convolve(x, basis, method="direct"))],
        "trials": named[bits(sx.convolve([x], basis, machine=machine)[0]) == bits(sx.convolve(x, basis, method="direct"))],
        "compute_features": named[bits(features) == bits(direct)],
        "compute_features_file": stored["method"],
        "Design": named[bits(design) == bits(plain)],
    }


def test_it_decides_over_the_method_of_every_call(x):
    fast_sums, fast_transforms = made(fft_point=1.0), made(multiply_add=1.0)
    assert set(methods_of(x, fast_sums).values()) == {"direct"}, methods_of(x, fast_sums)
    assert set(methods_of(x, fast_transforms).values()) == {"fft"}, methods_of(x, fast_transforms)
    assert sx.explain(x, BASIS, machine=fast_sums)["candidates"]["direct"] == 0


def test_events_and_streams_take_it(rng):
    events = sx.Events([np.sort(rng.uniform(0, 100, 500))], 0.001, [[0.0, 100.0]])
    assert sx.explain(events, BASIS, machine=made(event_tap=1.0))["method"] != "events"
    assert sx.explain(events, BASIS, machine=made(multiply_add=1.0, fft_point=1.0))["method"] == "events"
    want = sx.ConvolveStream(BASIS, channels=1, longest=600).push(np.ones((600, 1), np.float32))
    got = sx.ConvolveStream(BASIS, channels=1, longest=600, machine=made(multiply_add=1.0)).push(np.ones((600, 1), np.float32))
    assert bits(got) == bits(want)


def test_it_is_a_value(machine):
    twin = sx.Machine(machine.instruction_set, machine.nanoseconds, machine.bytes, machine.processor)
    for other in (twin, pickle.loads(pickle.dumps(machine)), copy.copy(machine), copy.deepcopy(machine)):
        assert other == machine and hash(other) == hash(machine) and other is not machine
    nanoseconds = {**machine.nanoseconds, "run": machine.nanoseconds["run"] + 1}
    for other in (sx.Machine(machine.instruction_set, nanoseconds, machine.bytes),
                  sx.Machine(machine.instruction_set, machine.nanoseconds, dict.fromkeys(BYTES, 7)),
                  sx.Machine(machine.instruction_set, machine.nanoseconds, machine.bytes, "another one"), "machine"):
        assert other != machine
    changeable: Any = machine
    for name in ("instruction_set", "nanoseconds", "bytes", "processor", "note"):
        with pytest.raises(AttributeError):
            setattr(changeable, name, 1)
    with pytest.raises(TypeError):
        changeable.nanoseconds["run"] = 1.0


def test_it_is_printed(machine):
    text = repr(sx.Machine("plain", {"multiply_add": 1 / 3}, {"fft_block": 65536}, "A CPU"))
    assert text.startswith("Machine('plain', processor='A CPU',\n        nanoseconds={'multiply_add': 0.333, 'result': 0.0, ")
    assert text.endswith("\n        bytes={'direct_block': 0, 'fft_block': 65536})")
    assert eval(repr(machine), {"Machine": sx.Machine}).instruction_set == machine.instruction_set


def test_files_give_back_what_was_saved(machine, tmp_path):
    file = tmp_path / "new" / "machine.json"
    machine.save(file)
    assert sx.Machine.load(file) == machine == sx.Machine.load(str(file), machine.instruction_set)
    other = sx.Machine(machine.instruction_set, {"run": 1 / 3}, {"fft_block": 2**40}, "another one")
    other.save(file)
    changed = sx.Machine(machine.instruction_set, {"run": 0.1})
    changed.save(file)
    assert sx.Machine.load(file) == changed
    entries = json.loads(file.read_text())["machines"]
    assert [entry["processor"] for entry in entries] == [machine.processor, "another one"]
    assert entries[1]["nanoseconds"]["run"] == 1 / 3 and entries[1]["bytes"]["fft_block"] == 2**40
    assert os.listdir(file.parent) == ["machine.json"]


def test_the_file_of_the_user(machine, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="synelix/machine.json: cannot be read: no such file. Measure this machine"):
        sx.Machine.load()
    machine.save()
    assert (tmp_path / "synelix" / "machine.json").exists() and sx.Machine.load() == machine
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.delenv("HOME", raising=False)
    with pytest.raises(sx.Error, match="path: there is no folder for your configuration"):
        sx.Machine.load()


def ran(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.mark.skipif(PROGRAM is None, reason="no program synelix")
def test_the_program_writes_what_is_loaded(tmp_path):
    file = tmp_path / "machine.json"
    done = ran("calibrate", "--output", file, "--json")
    assert done.returncode == 0, done.stderr
    report, found = json.loads(done.stdout), sx.Machine.load(file)
    assert found.nanoseconds == report["nanoseconds"] and found.bytes == report["bytes"]
    assert (found.processor, found.instruction_set) == (report["processor"], report["instruction_set"])


@pytest.mark.skipif(PROGRAM is None, reason="no program synelix")
def test_the_program_reads_what_is_saved(tmp_path, x):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "rec.h5", "w") as recording:
        recording["x"] = x
        recording["x"].attrs["rate"] = 1000.0
    for made_machine in (made(fft_point=1.0, strip=1.0), made(multiply_add=1.0, strip=1.0)):
        made_machine.save(tmp_path / "machine.json")
        done = ran("plan", f"{tmp_path}/rec.h5:/x", "--basis", "raised-cosine-log", "--bases", 8, "--window", 500, "--machine",
                   tmp_path / "machine.json", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["method"] == sx.explain(x, BASIS, machine=made_machine)["method"]


def test_damaged_files_are_refused_and_stay(tmp_path):
    file = tmp_path / "machine.json"
    made(run=1.0).save(file)
    good = file.read_text()
    whole_file = [("{", "it holds no JSON"), ("{}", "it holds no list of machines"),
                  (good.replace('"format": 1', '"format": 2'), "it has format 2")]
    one_entry = [(good.replace('"run": 1.0', '"run": -1'), "it holds -1 nanoseconds of the step run"),
                 (good.replace('"fft_block": 0', '"fft_block": 0.5'), "it holds 0.5 as the bytes of fft_block")]
    for text, says in whole_file + one_entry:
        assert text != good
        file.write_text(text)
        with pytest.raises(sx.FileError) as error:
            sx.Machine.load(file)
        assert f"machine.json: {says}" in str(error.value) and str(error.value).endswith("use synelix.calibrate().")
        if (text, says) in whole_file:
            with pytest.raises(sx.FileError, match=says):
                made(run=1.0).save(file)
            assert file.read_text() == text
        else:  # the entry of this machine is written anew
            made(run=1.0).save(file)
            assert file.read_text() == good
    with pytest.raises(sx.FileError, match="it is a folder"):
        sx.Machine.load(tmp_path)
    with pytest.raises(sx.FileError, match="Not a directory"):
        made(run=1.0).save(file / "below.json")


def test_files_of_others_are_refused(tmp_path):
    file = tmp_path / "machine.json"
    with pytest.raises(sx.MissingFileError, match=r"no such file. Measure this machine: synelix.calibrate\('") as missing:
        sx.Machine.load(file)
    assert missing.value.filename == str(file)
    sx.Machine(in_use(), {}, processor="another one").save(file)
    with pytest.raises(sx.FileError, match=f"holds nothing for .* with {in_use()}. Measure this machine"):
        sx.Machine.load(file)
    if in_use() != "plain":
        made(run=1.0).save(file)
        with pytest.raises(sx.FileError, match="holds nothing for .* with plain. Measure this machine"):
            sx.Machine.load(file, "plain")


def absent_set():
    """A set that this processor does not have."""
    return "avx2" if in_use() in ("neon", "sve256") else "sve256"


def test_a_set_that_is_not_here(x):
    absent = absent_set()
    foreign = sx.Machine(absent, {"run": 1.0})
    calls = [lambda: sx.convolve(x, BASIS, machine=foreign), lambda: sx.ConvolvePlan(x, BASIS, machine=foreign),
             lambda: sx.Design(BASIS, x, machine=foreign), lambda: BASIS.compute_features(x, machine=foreign)]
    for call in calls:
        with pytest.raises(sx.Error, match=f"machine: it was measured with {absent}, which is not .* synelix.calibrate()"):
            call()
    for call in (lambda: sx.calibrate(absent), lambda: sx.Machine.load("none.json", absent)):
        with pytest.raises(sx.Error, match=f"^instruction_set: {absent} is not .* Use auto, or one of .*plain"):
            call()


def test_arguments_are_checked(x):
    wrong: Any
    for wrong in ("machine.json", 1, {"multiply_add": 1.0}):
        with pytest.raises(sx.ArgumentTypeError, match="machine: .* is not a Machine. Use synelix.calibrate()"):
            sx.convolve(x, BASIS, machine=wrong)
    new: Any = sx.Machine
    for arguments, says in ((("auto", {}), "instruction_set: 'auto' names no set"),
                            (("avx3", {}), "instruction_set: 'avx3' is not known"),
                            ((None, {}), "instruction_set: None is not a str"),
                            (("plain", [1.0]), "nanoseconds: list is not a dict"),
                            (("plain", {"walk": 1.0}), "nanoseconds: 'walk' is not known. Use one of 'multiply_add'"),
                            (("plain", {"run": -1.0}), "nanoseconds['run']: -1.0 is no time"),
                            (("plain", {"run": np.nan}), "nanoseconds['run']: nan is no time"),
                            (("plain", {"run": "1"}), "nanoseconds['run']: '1' is not a number"),
                            (("plain", {}, {"block": 1}), "bytes: 'block' is not known. Use one of 'direct_block'"),
                            (("plain", {}, {"fft_block": -1}), "bytes['fft_block']: -1 is out of range"),
                            (("plain", {}, {"fft_block": 2**40 + 1}), "bytes['fft_block']: 1099511627777 is out of range"),
                            (("plain", {}, {"fft_block": 0.5}), "bytes['fft_block']: 0.5 is not a whole number"),
                            (("plain", {}, {}, 3), "processor: 3 is not a str")):
        with pytest.raises(sx.Error) as error:
            new(*arguments)
        assert says in str(error.value)
    with pytest.raises(sx.Error, match="instruction_set: 'avx3' is not known"):
        sx.calibrate("avx3")  # type: ignore[arg-type]  # pyright: ignore
    with pytest.raises(sx.ArgumentTypeError, match="path: int is not a path"):
        sx.Machine.load(3)  # type: ignore[arg-type]  # pyright: ignore
