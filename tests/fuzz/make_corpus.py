# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the first inputs of the fuzz targets: make_corpus.py FOLDER. What a fuzzer found is beside them."""
import pathlib
import sys

import h5py
import numpy as np


def signal(file):
    group = file.create_group("acquisition/e")
    group.attrs["neurodata_type"] = "ElectricalSeries"
    data = group.create_dataset("data", data=np.arange(60, dtype=np.int16).reshape(20, 3))
    data.attrs["conversion"], data.attrs["offset"] = 1e-6, 0.5
    return group


def with_rate(file):
    group = signal(file)
    group["starting_time"] = 1.5
    group["starting_time"].attrs["rate"] = 1000.0


def with_timestamps(file):
    group = signal(file)
    group["timestamps"] = np.arange(20) / 1000 + 5 * (np.arange(20) > 12)
    group["channel_conversion"] = np.array([1.0, 2.0, 3.0])


def units(file):
    file.attrs["nwb_version"] = "2.6.0"
    table = file.create_group("units")
    table["id"] = np.arange(3)
    table["spike_times"] = np.array([0.1, 0.2, 0.25, 0.3, 0.1, 0.4])
    table["spike_times_index"] = np.array([2, 4, 6], dtype=np.uint8)
    table["quality"] = np.array(["a", "b", "a"], dtype=h5py.string_dtype())
    table["obs_intervals"] = np.array([[0.0, 0.3], [0.3, 0.5], [0.0, 0.5], [0.0, 0.5]])
    table["obs_intervals_index"] = np.array([2, 3, 4], dtype=np.uint8)


def intervals(file):
    units(file)
    table = file.create_group("intervals/trials")
    table["id"] = np.arange(2)
    table["start_time"], table["stop_time"] = np.array([0.05, 0.2]), np.array([0.15, 0.35])
    table["kind"] = np.array(["go", "stop"], dtype=h5py.string_dtype())


def chunks(file):
    file.create_dataset("x", data=np.zeros((40, 6), np.float32), chunks=(8, 3), compression="gzip", shuffle=True)


def plain(file):
    file["x"] = np.arange(12, dtype=np.float64)


def matrix(file):
    file["x"] = np.arange(12, dtype=np.int64).reshape(6, 2)


def fixed_text(file):
    file["x"] = np.array([b"ab", b"c"])
    file["flags"] = np.array([True, False])


def model(file):
    file.attrs["format"], file.attrs["family"], file.attrs["inverse_link"] = "Synelix model 1", "poisson", "exp"
    record = [("name", "S4"), ("first_column", "<i8"), ("columns", "<i8"), ("channels", "<i8"), ("bases", "<i8")]
    file["terms"] = np.array([(b"self", 0, 3, 1, 3)], dtype=record)
    file["target_ids"] = np.array([4, 7])
    file["coefficients"], file["intercepts"] = np.ones((3, 2)), np.zeros(2)
    file["stopped"] = np.array([b"converged", b"separated"])
    file["components"] = np.array([b"self: History, window 3"])
    file["scores/deviance"] = np.ones(2)


FILES = {made.__name__: made
         for made in (with_rate, with_timestamps, units, intervals, chunks, plain, matrix, fixed_text, model)}

# the first byte: the contents of the file; then changes (recipe.cpp)
RECIPES = {"nothing": [0], "spike_trains": [1], "signal": [2], "both": [3], "with_rate": [6], "latest_format": [129],
           "number": [2, 3, 17, 0, 10], "times": [2, 4, 19, 5, 0, 1, 2, 3, 4], "dataset": [0, 6, 0, 9, 2, 3, 4, 0, 1],
           "chunks": [0, 6, 0, 2, 2, 14, 3, 3, 2, 1], "link": [1, 2, 3, 4, 0], "cycle": [1, 2, 0, 0, 0],
           "patched": [1, 5, 0, 0, 1, 0, 7], "column": [1, 6, 6, 9, 1, 4, 0, 1, 2, 3, 4], "text": [1, 1, 2, 6, 12, 8, 1],
           "starting_time": [6, 6, 18, 9, 1, 4, 0, 1]}

OPTIONS = {
    "convolve": "convolve\nin.h5:/x\nout.h5:/f\n--basis=raised-cosine-log\n--bases=8\n--window=100ms\n--budget=512MiB\n"
                "--batch=2000,,2\n--chunk=1024x64x8\n--filter=shuffle,deflate:1\n-O",
    "ranges": "plan\nin.h5:/x\n--basis=history\n--window=5\n--time=10s:2min\n--channels=0:64\n--epochs=e.h5:/e\n"
              "--causality=acausal\n--border=valid\n--every=3\n--method=direct\n--type=double",
    "units": "convolve\nin.nwb\nout.h5:/f\n--units\n--bin=10ms\n--unit-ids=1,2\n--where=location=thalamus\n--bank=b.h5:/t",
    "basis": "basis\n--basis=orth-exponential\n--decay-rates=1,2.5,1e3\n--window=20\n--json",
    "simulate": "simulate\nout.h5:/x\n--samples=100\n--channels=4\n--seed=-1\n--rate-hz=5.5\n--bin=1ms\n--quiet",
    "join": "join\nout.h5:/x\na.h5\nb.h5\n--remove-parts\n-O",
    "info": "info\nfile.h5:/group/x\n--json", "help": "convolve\n--help", "version": "--version",
    "config": "convolve\nin.h5:/x\nout.h5:/f\n%\nbasis = \"bspline\"\nbases = 5\n[convolve]\nwindow = \"10ms\"\n"
              "where = [\"a=b\", 'c=d']\noverwrite = true\n[basis]\norder = 3\n# comment\n; another",
    "values": "9223372036854775807\n-9223372036854775808\n1e308h\n0x10\n1.5TiB\n:\n,,\nxx\n=\n1:2:3",
}

DESIGNS = {
    "whole": """# a model
[options]
budget = "256MiB"
overwrite = true
[inputs.spikes]
units = "a.nwb"
bin = "10ms"
unit-ids = [1, 2]
where = ["location=thalamus"]
[inputs.position]
data = "b.h5:/position"
channels = "0:1"
scale = 0.5
offset = -1
rate-hz = 100.0
[bases.coupling]
type = "raised-cosine-log"
bases = 8
window = "250ms"
time-scaling = 50
[bases.place]
type = "bspline"
mode = "eval"
bases = 6
order = 4
bounds = [0.0, 1.0]
fill = "nan"
[bases.phase]
type = "fourier"
frequencies = [[0, 1, 2], 3]
bounds = [[0.0, 6.28], [0, 1]]
constant = true
[bases.own]
type = "bank"
bank = "c.h5:/taps"
[bases.itself]
type = "identity"
[[terms]]
name = "coupling"
input = "spikes"
basis = "coupling"
[[terms]]
name = "product"
product = [{input = "position", basis = "place"}, {sum = [{input = "position", basis = "itself"},
  {input = "position", basis = "itself"}]}]
[[terms]]
name = "phase"
inputs = ["position", "position"]
basis = "phase"
""",
    "small": "[inputs.x]\ndata='a:/b'\n[bases.h]\ntype='history'\nwindow=3\n[[terms]]\nname='x'\ninput='x'\nbasis='h'\n",
    "rates": "inputs={x={data='a:/b'}}\nbases={o={type='orth-exponential',decay-rates=[1,2],window=9},z={type='zero'}}\n"
             "terms=[{name='x',input='x',basis='o'},{name='y',input='x',basis='z'}]\n",
    "wrong": "[inputs\nx = 1e999\ny = 0x1_0\nz = 1979-05-27T07:32:00Z\nq = \"\"\"\n\\u00e9\"\"\"\n",
}


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in ("file_bytes", "file_recipe", "options", "design"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, make in FILES.items():
        with h5py.File(folder / "file_bytes" / name, "w") as file:
            make(file)
    for name, recipe in RECIPES.items():
        (folder / "file_recipe" / name).write_bytes(bytes(recipe))
    for kind, texts in {"options": OPTIONS, "design": DESIGNS}.items():
        for name, text in texts.items():
            (folder / kind / name).write_text(text)


main()
