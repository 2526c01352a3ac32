# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From file to file, beside h5py in one process; progress, exceptions, resuming, Ctrl-C."""

import errno
import os
import pickle
import shutil
import signal
import threading

import numpy as np
import pytest
from conftest import same

import synelix as sx

h5py = pytest.importorskip("h5py")


@pytest.fixture
def basis():
    return sx.BSplineConv(5, window_size=50)


@pytest.fixture
def folder(tmp_path, rng):
    with h5py.File(tmp_path / "r.h5", "w") as f:
        f.create_dataset("x", data=rng.integers(-100, 100, (50_000, 6)).astype(np.int16), chunks=(4096, 6), compression="gzip")
        f["x"].attrs["rate_hz"] = 1000.0
    return tmp_path


@pytest.mark.parametrize("from_path", [True, False])
@pytest.mark.parametrize("to_path", [True, False])
def test_files_have_the_bits_of_memory(folder, basis, from_path, to_path):
    done = []
    with h5py.File(folder / "r.h5") as f, h5py.File(folder / "o.h5", "w") as g:
        want = sx.convolve(f["x"][:], basis)
        if not to_path:
            g.create_dataset("f", shape=want.shape, dtype=want.dtype)
        report = sx.convolve_file(f"{folder}/r.h5:/x" if from_path else f["x"], basis, f"{folder}/p.h5:/f" if to_path else g["f"],
                                  budget="2MiB", progress=lambda n, of: done.append((n, of)))
        got = None if to_path else g["f"][:]
    if to_path:
        with h5py.File(folder / "p.h5") as g:
            got = g["f"][:]
            assert g["f"].attrs["rate_hz"] == 1000.0
    same(got, want)
    assert report["total_bytes"] <= 2 * 2**20 and done[-1] == (want.size, want.size) and len(done) > 3


def test_any_dimension_of_a_path_is_time(folder, basis):
    with h5py.File(folder / "r.h5", "a") as f:
        x = f["x"][:]
        f.create_dataset("turned", data=x.T, chunks=(2, 4096), compression="gzip")
        f["marked"] = x.astype("i4")
        f["marked"].attrs["_FillValue"] = np.int32(7)
    want, got = sx.convolve(x, basis), np.empty((50_000, 6, 5), np.float32)
    path = f"{folder}/r.h5:/turned"
    plan = sx.explain_file(path, basis, got, time_axis=1, budget="4MiB")
    report = sx.convolve_file(path, basis, got, time_axis=1, budget="4MiB")
    same(got, want)
    assert plan["blocks"] > 1 and report["total_bytes"] <= 4 * 2**20
    out = np.empty((50_000, 30), np.float32)
    sx.compute_features_file(basis, [path], out, time_axis=1)
    same(out, basis.compute_features(x))
    assert sx.Design(basis, path, time_axis=1).shape == (50_000, 30)
    marked = np.empty(want.shape, np.float64)
    sx.convolve_file(f"{folder}/r.h5:/marked", basis, marked)
    same(marked, sx.convolve(np.where(x == 7, np.nan, x.astype("f8")), basis))
    for call in (lambda: sx.convolve_file(x, basis, got, time_axis=0), lambda: sx.Design(basis, x, time_axis=0)):
        with pytest.raises(sx.Error, match="time_axis: .*moveaxis"):
            call()
    with pytest.raises(sx.FileError, match="time_axis: 2 is no dimension"):
        sx.convolve_file(path, basis, got, time_axis=2)


def test_designs_of_files(folder, rng, tmp_path):
    x = rng.normal(size=(20_000, 3)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    basis = sx.BSplineConv(5, window_size=50) + sx.IdentityEval()
    want = basis.compute_features(x, x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    out = np.lib.format.open_memmap(tmp_path / "f.npy", "w+", np.float32, want.shape)
    sx.compute_features_file(basis, [mapped, mapped], out, budget="2MiB")
    same(out, want)
    events = sx.Events([np.sort(rng.uniform(0, 20, 500))], 0.001, [[0, 20]])
    both = sx.HistoryConv(3) + sx.BSplineConv(5, window_size=50)
    out = np.empty((20_000, 18), np.float32)
    sx.compute_features_file(both, [events, mapped], out, budget="2MiB")
    same(out, both.compute_features(events, x))


@pytest.mark.parametrize("kind", ["path", "h5py"])
def test_fits_on_files_have_the_bits_of_memory(folder, kind):
    """Nothing is stored: each walk reads the recording again."""
    basis = sx.BSplineConv(5, window_size=50)
    with h5py.File(folder / "r.h5") as f:
        x = f["x"][:]
        y = (x[:, 0] > 50).astype(float)
        want = sx.GLM("Bernoulli", regularizer="Ridge", regularizer_strength=1.0).fit(sx.Design(basis, x, keep="nothing"), y)
        source = f"{folder}/r.h5:/x" if kind == "path" else f["x"]
        design = sx.Design(basis, source, keep="nothing", budget="4MiB")
        assert design.explain()["source"] == "streamed" and design.shape == (50_000, 30)
        got = sx.GLM("Bernoulli", regularizer="Ridge", regularizer_strength=1.0).fit(design, y)
        same(got.coef_, want.coef_)
        same(design @ got.coef_, sx.Design(basis, x) @ got.coef_)
        events = sx.Events([np.arange(0.5, 49, 0.1)], 0.001, [[0.0, 50.0]])
        both = sx.Design(basis + sx.HistoryConv(3), source, events)
        same(both.gram(), sx.Design(basis + sx.HistoryConv(3), x, events, keep="nothing").gram())


def test_designs_of_files_with_epochs(folder):
    basis = sx.BSplineConv(5, window_size=50)
    epochs = [[0, 20_000], [25_000, 50_000]]
    design = sx.Design(basis, f"{folder}/r.h5:/x", epochs=epochs)
    assert design.valid_rows() == [(50, 20_000), (25_050, 50_000)]
    out = np.empty((50_000, 30), np.float32)
    with h5py.File(folder / "r.h5") as f:
        sx.compute_features_file(basis, [f["x"]], out, epochs=epochs)
        same(out, basis.compute_features(f["x"][:], epochs=epochs))


def test_explained_files(folder, basis):
    told = sx.explain_file(f"{folder}/r.h5:/x", basis, f"{folder}/z.h5:/f", budget="2MiB")
    assert told["features"] == (50_000, 6, 5) and told["blocks"] > 1
    assert not (folder / "z.h5").exists()


def test_what_was_stopped_goes_on(folder, basis):
    def stop(done, total):
        if done > total / 2:
            raise KeyError("stop")

    source, out = f"{folder}/r.h5:/x", f"{folder}/q.h5:/f"
    with pytest.raises(KeyError, match="stop"):
        sx.convolve_file(source, basis, out, budget="2MiB", progress=stop)
    assert (folder / "q.h5.part").exists() and not (folder / "q.h5").exists()
    assert sx.convolve_file(source, basis, out, budget="2MiB", resume=True)["blocks_before"] >= 1
    with h5py.File(folder / "q.h5") as g, h5py.File(folder / "r.h5") as f:
        same(g["f"][:], sx.convolve(f["x"][:], basis))


def test_designs_that_were_stopped_go_on(folder, rng):
    def stop(done, total):
        if done > total / 2:
            raise KeyError("stop")

    basis, source, out = sx.BSplineConv(5, window_size=50) + sx.HistoryConv(3), f"{folder}/r.h5:/x", f"{folder}/d.h5:/f"
    with pytest.raises(KeyError, match="stop"):
        sx.compute_features_file(basis, [source, source], out, budget="4MiB", progress=stop)
    assert not (folder / "d.h5").exists()
    report = sx.compute_features_file(basis, [source, source], out, budget="4MiB", resume=True)
    assert report["blocks_before"] >= 1
    with h5py.File(folder / "d.h5") as g, h5py.File(folder / "r.h5") as f:
        same(g["f"][:], basis.compute_features(f["x"][:], f["x"][:]))


def test_a_bar_of_tqdm_fills_up(folder, basis, capsys):
    pytest.importorskip("tqdm")
    sx.convolve_file(f"{folder}/r.h5:/x", basis, f"{folder}/bar.h5:/f", budget="2MiB", progress=True)
    assert "100%" in capsys.readouterr().err


def test_exceptions_of_sources_and_sinks_come_out(basis):
    class Bad:
        shape, dtype = (1000, 2), np.dtype("f4")

        def __getitem__(self, _):
            raise RuntimeError("disk on fire")

        def __setitem__(self, *_):
            raise OSError("disk is full")

    with pytest.raises(RuntimeError, match="disk on fire"):
        sx.convolve_file(Bad(), basis, np.empty((1000, 2, 5), np.float32))

    class Full(Bad):
        shape = (1000, 2, 5)

    with pytest.raises(OSError, match="disk is full"):
        sx.convolve_file(np.zeros((1000, 2), np.float32), basis, Full())


def test_ctrl_c_ends_a_stream(folder, basis, interrupts):
    sent = []

    def interrupt(done, total):
        if not sent:
            sent.append(os.kill(os.getpid(), signal.SIGINT))

    with pytest.raises(KeyboardInterrupt):
        sx.convolve_file(f"{folder}/r.h5:/x", basis, f"{folder}/c.h5:/f", budget="1MiB", progress=interrupt)
    assert not (folder / "c.h5").exists()


def test_threads_read_and_write_files_beside_h5py(folder, basis):
    with h5py.File(folder / "r.h5") as f:
        x = f["x"][:]
    want, failures = sx.convolve(x, basis), []

    def work(k):
        try:
            for i in range(2):
                with h5py.File(folder / f"{k}_{i}.h5", "w") as f:
                    f.create_dataset("x", data=x, chunks=(8192, 6), compression="gzip", compression_opts=1)
                sx.convolve_file(f"{folder}/{k}_{i}.h5:/x", basis, f"{folder}/{k}_{i}_o.h5:/f", budget="4MiB")
                with h5py.File(folder / f"{k}_{i}_o.h5") as f:
                    same(f["f"][:], want)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_a_missing_file_says_which(folder, basis):
    path = f"{folder}/none.h5:/x"
    for call in (lambda: sx.convolve_file(path, basis, f"{folder}/n.h5:/f"), lambda: sx.Design(basis, path)):
        with pytest.raises(FileNotFoundError) as info:
            call()
        assert isinstance(info.value, sx.FileError) and info.value.errno == errno.ENOENT
        assert info.value.filename == f"{folder}/none.h5" and str(info.value).startswith(f"{folder}/none.h5: ")
        assert str(pickle.loads(pickle.dumps(info.value))) == str(info.value)
    with pytest.raises(sx.FileError) as other:
        sx.Design(basis, f"{folder}/r.h5:/none")
    assert not isinstance(other.value, FileNotFoundError)


def test_spike_times_are_no_samples(folder, basis):
    path = f"{folder}/r.h5:/units/spike_times"
    out = np.empty((100, 5))
    with h5py.File(folder / "r.h5", "a") as f:
        f["units/spike_times"] = np.arange(100.0)
    words = "/units/spike_times holds spike times of units, not samples. .*synelix.Events"
    with pytest.raises(sx.Error, match=f"source: {path[:-18]}{words}"):
        sx.convolve_file(path, basis, out)
    with pytest.raises(sx.Error, match="xi\\[0\\]: "):
        sx.Design(basis, path)
    with h5py.File(folder / "r.h5") as f:
        stored = f["units/spike_times"]
        for call in (lambda: sx.convolve_file(stored, basis, out), lambda: sx.Design(basis, stored), lambda: sx.convolve(stored, basis)):
            with pytest.raises(sx.Error, match=words):
                call()


@pytest.mark.parametrize("call, error, words", [
    (lambda d, b: sx.convolve_file("/nowhere.h5:/x", b, f"{d}/n.h5:/f"), OSError, "/nowhere.h5"),
    (lambda d, b: sx.convolve_file(f"{d}/r.h5:/y", b, f"{d}/n.h5:/f"), OSError, "r.h5:/y: "),
    (lambda d, b: sx.convolve_file(f"{d}/r.h5:/x", b, f"{d}/r.h5:/f"), ValueError, "r.h5"),
    (lambda d, b: sx.convolve_file(f"{d}/r.h5:/x", b, np.empty((5, 5))), ValueError, "out: the shape is (5, 5)"),
    (lambda d, b: sx.convolve_file(3, b, f"{d}/n.h5:/f"), TypeError, "source: int"),
    (lambda d, b: sx.convolve_file(f"{d}/r.h5:/x", b, 3), TypeError, "out: int"),
    (lambda d, b: sx.convolve_file(f"{d}/r.h5:/x", b, f"{d}/n.h5:/f", existing="keep"), ValueError,  # type: ignore
     "'refuse', 'replace', 'append'"),
    (lambda d, b: sx.convolve_file(f"{d}/r.h5:/x", b, f"{d}/old.h5:/f"), ValueError,
     "Give a new name, replace the file (existing='replace'), or append to it (existing='append')"),
    (lambda d, b: sx.convolve_file(f"{d}/r.h5:/x", b, f"{d}/n.h5:/f", budget=1000), MemoryError, "budget"),
])
def test_refusals(folder, basis, call, error, words):
    shutil.copy(f"{folder}/r.h5", f"{folder}/old.h5")
    with pytest.raises(error) as info:
        call(folder, basis)
    assert words in str(info.value)


def test_complex_recordings_are_refused(tmp_path, basis):
    with pytest.raises(sx.Error, match="complex64 are complex numbers"):
        sx.convolve_file(np.ones((100, 2), np.complex64), basis, np.empty((100, 2, 5), np.float32))


def test_a_sink_may_keep_what_it_gets(basis, rng):
    x = rng.normal(size=(60_000, 2)).astype(np.float32)

    class Sink:
        shape, dtype, parts = (60_000, 2, basis.n_basis_funcs), np.dtype(np.float32), {}

        def __setitem__(self, at, values):
            self.parts[at[0].start] = values

    sink = Sink()
    sx.convolve_file(x, basis, sink, budget="1MiB")
    kept = np.concatenate([sink.parts[k] for k in sorted(sink.parts)])
    assert len(sink.parts) > 1
    same(kept, sx.convolve(x, basis))


class Part:
    """A source whose slices are changed."""

    def __init__(self, x, change, **attrs):
        self.x, self.change, self.shape, self.dtype, self.attrs = x, change, x.shape, x.dtype, attrs

    def __getitem__(self, index):
        return self.change(self.x[index])


@pytest.mark.parametrize("change, words", [
    (lambda part: part * 0.5, "a slice holds values of type float64, but the dtype of the source is int16"),
    (lambda part: part.astype(np.int32) * 1000, "a slice holds values of type int32"),
    (lambda part: part + 1j, "a slice holds values of type complex128"),
    (lambda part: part[:1], "has the extents (1, 6)"),
    (lambda part: part[0, 0], "has the extents ()"),
    (lambda part: None, "has the extents ()"),
    (lambda part: np.ma.masked_less(part, 0), "a slice holds masked values"),
])
def test_slices_are_what_the_source_says(folder, basis, change, words):
    """NumPy would cut, wrap, repeat or unmask these values silently."""
    with h5py.File(folder / "r.h5") as f:
        x = f["x"][:1000]
    with pytest.raises(sx.Error) as info:
        sx.convolve_file(Part(x, change), basis, np.empty((1000, 6, 5), np.float32))
    assert words in str(info.value)


@pytest.mark.parametrize("change", [lambda part: part, lambda part: np.ma.masked_less(part, -1000), lambda part: part.astype(">i2"),
                                    lambda part: part.astype(np.int8)])
def test_slices_of_other_words_for_the_same_values(folder, basis, change):
    with h5py.File(folder / "r.h5") as f:
        x = f["x"][:1000]
    out = np.empty((1000, 6, 5), np.float32)
    sx.convolve_file(Part(x, change), basis, out)
    same(out, sx.convolve(x, basis))


@pytest.mark.parametrize("rate", ["fast", np.array([1.0, 2.0]), -1.0, np.nan])
def test_rates_that_are_none(basis, rate):
    with pytest.raises(sx.Error, match="source: its attribute rate is .*, which is not a rate"):
        sx.explain_file(Part(np.zeros((100, 2), np.int16), lambda part: part, rate=rate), basis, np.empty((100, 2, 5), np.float32))


# ---------------------------------------------------------------- files that change while they are read
def rewrite(file):
    with h5py.File(file, "r+", locking=False) as f:
        f["x"][:1000] = 9


def truncate(file):
    os.truncate(file, os.path.getsize(file) // 2)


def replace(file):
    shutil.copy(file, f"{file}.new")
    os.replace(f"{file}.new", file)


def design_calls(design, model, y):
    """Every way to read the rows of a design."""
    ridge = {"regularizer": "Ridge", "regularizer_strength": 1.0}
    return {
        "gram": design.gram, "@": lambda: design @ model.coef_, "adjoint": lambda: design.adjoint(y), "weights": lambda: design.gram(y + 1),
        "GLM.fit": lambda: sx.GLM(**ridge).fit(design, y), "PopulationGLM.fit": lambda: sx.PopulationGLM(**ridge).fit(design, y[:, None]),
        "Path.fit": lambda: sx.Path(n_strengths=3).fit(design, y),
        "CrossValidation.fit": lambda: sx.CrossValidation(n_strengths=3, cv=2).fit(design, y),
        "predict": lambda: model.predict(design), "score": lambda: model.score(design, y), "diagnose": lambda: model.diagnose(design, y),
        "simulate": lambda: model.simulate(0, design),
    }


WAYS = ["gram", "@", "adjoint", "weights", "GLM.fit", "PopulationGLM.fit", "Path.fit", "CrossValidation.fit", "predict", "score", "diagnose",
        "simulate"]


@pytest.mark.parametrize("way, change", [*((way, rewrite) for way in WAYS), ("gram", truncate), ("gram", replace), ("GLM.fit", truncate)])
def test_designs_notice_that_a_file_changes(tmp_path, way, change):
    """The recording is larger than what a design holds of it, so each product reads it again."""
    file = tmp_path / "in.h5"
    x = np.random.default_rng(0).poisson(0.3, (300_000, 4)).astype(np.uint8)
    with h5py.File(file, "w") as f:
        f["x"] = x
    y = x[:, 0].astype(float)
    design = sx.Design(sx.HistoryConv(1), f"{file}:/x", keep="nothing", budget="3MiB")
    model = sx.GLM(regularizer="Ridge").fit(design, y)
    calls = design_calls(design, model, y)
    assert list(calls) == WAYS
    change(file)
    with pytest.raises(sx.FileError, match="in.h5: this file was (changed|replaced by another file) while it was read"):
        calls[way]()


@pytest.mark.parametrize("kind", ["h5py", "memmap"])
def test_open_files_that_change_are_noticed(tmp_path, basis, kind):
    """Those that are open for reading alone: a call may write others itself. Blocks are read ahead of the one whose end
    is told, so there are many."""
    file, samples = tmp_path / "in.bin", 400_000
    x = np.random.default_rng(0).normal(size=(samples, 2)).astype(np.float32)
    if kind == "memmap":
        x.tofile(file)
        source = np.memmap(file, np.float32, "r", shape=x.shape)
    else:
        with h5py.File(file, "w") as f:
            f["x"] = x
        source = h5py.File(file)["x"]
    out = np.empty((samples, 2, 5), np.float32)
    sx.convolve_file(source, basis, out, budget="1MiB")
    same(out, sx.convolve(x, basis))

    def change(*_):
        os.utime(file, ns=(1, 1))

    with pytest.raises(sx.FileError, match="in.bin: this file was changed while it was read"):
        sx.convolve_file(source, basis, out, budget="1MiB", progress=change)


@pytest.mark.parametrize("change", [rewrite, truncate, replace])
@pytest.mark.parametrize("way", ["convolve_file", "compute_features_file"])
def test_runs_over_files_notice_that_one_changes(folder, basis, way, change):
    changed = []

    def progress(done, total):
        if not changed:
            changed.append(change(folder / "r.h5"))

    out = np.empty((50_000, 6, 5), np.float32)
    options = {"budget": "1MiB", "progress": progress}
    with pytest.raises(sx.FileError, match="r.h5: this file was (changed|replaced by another file) while it was read"):
        if way == "convolve_file":
            sx.convolve_file(f"{folder}/r.h5:/x", basis, out, **options)
        else:
            sx.compute_features_file(basis, [f"{folder}/r.h5:/x"], out.reshape(50_000, 30), **options)
