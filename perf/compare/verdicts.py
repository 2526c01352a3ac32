# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run must show, and whether it does. Nothing here runs anything."""
import math
import statistics
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Must:
    key: str
    what: str
    must: float
    aim: float
    most: bool = False                     # the number is an upper bound
    percent: bool = False
    unit: str = "x"

    def is_met(self, value, bound):
        return value <= bound if self.most else value >= bound

    def text(self, value):
        return f"{100 * value:.1f} %" if self.percent else f"{value:.2f}{self.unit}"


@dataclass
class Result:
    """The measurement for a must; without a value: the reason why it could not run."""
    value: float | None
    note: str = ""
    details: dict = field(default_factory=dict)


MUSTS = (
    Must("direct", "dense direct, W >= 100, B 4 8 12 16: share of multiply-add peak", .80, .90, percent=True),
    Must("direct_other", "dense direct, B 1 2 3 5 10 20: share of multiply-add peak", .70, .85, percent=True),
    Must("small_window", "small window: share of the binding roof", .70, .85, percent=True),
    Must("one_basis", "one basis, W 100, direct: share of the binding roof", .65, .80, percent=True),
    Must("trimmed_gain", "direct on raised cosines: gain over dense", 2.2, 2.6),
    Must("trimmed_100", "direct on raised cosines, W 100: share of peak of the work done", .65, .80, percent=True),
    Must("trimmed_1000", "direct on raised cosines, W 1000: share of peak of the work done", .85, .92, percent=True),
    Must("fft_100", "fft, W 100: times the memory limit", 3.0, 2.0, most=True),
    Must("fft_1000", "fft, W 1000: times the memory limit", 8.0, 5.0, most=True),
    Must("fft_10000", "fft, W 10000: times the memory limit", 12.0, 7.0, most=True),
    Must("fftw", "fft over FFTW overlap-save, W <= 1000", 5.0, 9.0),
    Must("fftw_10000", "fft over FFTW overlap-save, W 10000", 3.3, 5.0),
    Must("events_roof", "events, 5 Hz, W 100: times the store roof", 2.0, 1.3, most=True),
    Must("events_5", "events, 5 Hz, W 100: gain over the best dense method", 1.4, 2.0),
    Must("events_1", "events, 1 Hz, W 100: gain over the best dense method", 1.6, 2.2),
    Must("numpy", "every case over NumPy", 18.0, 40.0),
    Must("scipy", "every case over SciPy's best", 6.0, 20.0),
    Must("torch", "every case over torch's best", 7.0, 16.0),
    Must("onednn", "every case over oneDNN", 5.0, 10.0),
    Must("nemos", "every case over NeMoS", 20.0, 60.0),
    Must("small_onednn", "small window over oneDNN", 5.0, 8.0),
    Must("small_numpy", "small window over NumPy", 18.0, 40.0),
    Must("small_nemos", "small window over NeMoS", 25.0, 60.0),
    Must("single_onednn", "single channel over oneDNN", 6.0, 10.0),
    Must("single_torch", "single channel over torch", 10.0, 16.0),
    Must("single_nemos", "single channel over NeMoS", 25.0, 60.0),
    Must("wide_torch", "users and wide over torch", 8.0, 12.0),
    Must("wide_onednn", "users and wide over oneDNN", 8.0, 12.0),
    Must("call_1", "run of a plan, 1 sample x 10 channels x 8 bases, W 100", 1.0, 0.7, most=True, unit=" us"),
    Must("call_10", "the same, 10 samples", 2.5, 1.2, most=True, unit=" us"),
    Must("call_100", "the same, 100 samples", 20.0, 6.0, most=True, unit=" us"),
    Must("one_shot", "what a call of 100 samples takes more that makes its plan", 25.0, 10.0, most=True, unit=" us"),
    Must("choice", "automatic choice: shapes within 10 % of the best method", .90, .98, percent=True),
    Must("calibrated", "calibrated over the library's own constants, worst of the shapes cut otherwise: time", 1.02, 1.0, most=True),
    Must("int8", "int8 input, W >= 50: time over float input", 1.03, .98, most=True),
    Must("threads", "2 threads over 1, over the same of the roof", .93, .98),
    Must("windows_loop", "window products over a loop in NumPy", 20.0, 100.0),
    Must("windows_matmul", "window products over NumPy's sliding_window_view and matmul", 5.0, 20.0),
    Must("windows_slices", "window products over one product whose windows are copied", 1.2, 2.0),
    Must("ragged", "10,000 ragged products over a loop of BLAS calls", 2.0, 3.0),
    Must("ragged_share", "10,000 ragged products: share of multiply-add peak", .60, .75, percent=True),
    Must("ragged_kokkos", "10,000 ragged products over Kokkos' batched product", 2.0, 4.0),
    Must("product_int8", "products of int8 operands: time over float operands", 1.10, 1.0, most=True),
    Must("cubes_8", "products of cubes of 8: share of multiply-add peak", .45, .60, percent=True),
    Must("cubes_16", "products of cubes of 16: share of multiply-add peak", .50, .75, percent=True),
    Must("cubes_32", "products of cubes of 32: share of multiply-add peak", .60, .85, percent=True),
    Must("cubes_64", "products of cubes of 64: share of multiply-add peak", .70, .90, percent=True),
    Must("cubes", "products of cubes over the BLAS and over NumPy", 2.0, 4.0),
    Must("product_threads", "products: 2 threads over 1, over the same of the roof", .93, .98),
    Must("large", "(2000, 40000) x (40000, 2000) in double over the BLAS", .97, 1.0),
    Must("conv2d", "conv2d 64 to 64, 3 x 3, 56 x 56, batch 8 over oneDNN and torch", 1.0, 1.2),
    Must("conv_depthwise", "the same depthwise over oneDNN and torch", 1.0, 1.5),
    Must("conv_depthwise_grad_input", "gradient of the depthwise one by its input over oneDNN and torch", 1.0, 1.5),
    Must("conv_depthwise_grad_weights", "gradient of the depthwise one by its weights over oneDNN and torch", 1.0, 1.5),
    Must("conv1d", "conv1d 64 to 64, window 9 over oneDNN and torch", .8, 1.2),
    Must("conv3d", "conv3d 16 to 16, 3 x 3 x 3 over oneDNN and torch", .6, 1.0),
    Must("conv2d_grad_input", "gradient of that conv2d by its input over oneDNN and torch", 1.0, 1.2),
    Must("conv2d_grad_weights", "gradient of that conv2d by its weights over oneDNN and torch", 1.0, 1.2),
    Must("conv2d_first", "conv2d 3 to 64, 7 x 7, and its gradients over oneDNN and torch", .8, 1.2),
    Must("conv2d_1x1", "conv2d 256 to 64, 1 x 1, and its gradients over oneDNN and torch", .8, 1.2),
    Must("conv2d_few", "conv2d 64 to 1 and 3 results, and its gradients over oneDNN and torch", .8, 1.2),
    Must("conv1d_long", "conv1d 1 to 8, window 1000, and its gradients over oneDNN and torch", 10.0, 25.0),
    Must("conv_int8", "convolutions of int8 samples: time over float samples", 1.10, 1.0, most=True),
    Must("forms", "50,000 quadratic forms of length 1000 over NumPy's stored product and dots", 1.2, 1.5),
)
# Of fits: ./dev perf --fit.
FIT_MUSTS = (
    Must("recording", "a recording of 3 units at 1 ms, 3 Poisson targets over scikit-learn", 60.0, 200.0),
    Must("recording_memory", "the same: peak of memory beyond the events", 16.0, 8.0, most=True, unit=" MiB"),
    Must("network", "100 recurrent units, 200,000 samples: a target over scikit-learn", 100.0, 600.0),
    Must("network_memory", "the same: memory of scikit-learn over ours", 20.0, 40.0),
    Must("dense_poisson", "dense 200 x 1,000,000, Poisson over glum", 10.0, 25.0),
    Must("dense_bernoulli", "dense 200 x 1,000,000, Bernoulli over glum", 10.0, 25.0),
    Must("dense_gaussian", "dense 200 x 1,000,000, Gaussian over glum", 5.0, 25.0),
    Must("tile_hessian", "pass over a dense design: Hessian, share of multiply-add peak", .60, .80, percent=True),
    Must("tile_gradient", "pass over a dense design: gradient, share of reading", .55, .85, percent=True),
    Must("path_poisson", "elastic net, path of 50, 200,000 rows, Poisson over glum", 8.0, 25.0),
    Must("path_gaussian", "the same, Gaussian over scikit-learn with Gram matrix", 15.0, 40.0),
    Must("grid_glum", "30 targets x 8 strengths x 3 folds over glum", 6.0, 100.0),
    Must("grid_nemos", "30 targets x 8 strengths x 3 folds over NeMoS", 25.0, 100.0),
    Must("groups", "group path, 100 groups of 8, 200,000 samples over adelie", 5.0, 30.0),
    Must("groups_memory", "the same: memory of adelie over ours", 40.0, 80.0),
    Must("population", "700 units x 700 targets on two cores", 15.0, 6.0, most=True, unit=" min"),
    Must("threads_targets", "two threads over one, 16 targets on events", 1.8, 1.95),
    Must("threads_rows", "two threads over one, one target on a dense design", 1.7, 1.95),
    Must("files", "a file larger than the budget: time over memory", 1.3, 1.05, most=True),
)
# Of the Python package: ./dev perf --python.
PYTHON_MUSTS = (
    Must("call", "Python: convolve(out=) of 100 x 1 x 8", 15.0, 8.0, most=True, unit=" us"),
    Must("plan", "Python: plan.run of 100 x 1 x 8", 3.0, 1.5, most=True, unit=" us"),
    Must("nemos_1", "Python: 1,000,000 x 20 x 8, W 100, over NeMoS, 1 thread", 60.0, 140.0),
    Must("nemos_2", "the same, 2 threads", 60.0, 140.0),
    Must("scipy_1", "the same over SciPy, 1 thread", 25.0, 40.0),
    Must("scipy_2", "the same, 2 threads", 25.0, 40.0),
    Must("cpp_1", "the same: time over the C++ call, 1 thread", 1.03, 1.0, most=True),
    Must("cpp_2", "the same, 2 threads", 1.03, 1.0, most=True),
    Must("latency", "Python: worst small call beside a thread of long ones", 10.0, 1.0, most=True, unit=" ms"),
    Must("import", "Python: import beyond NumPy's", 60.0, 20.0, most=True, unit=" ms"),
    Must("fit", "Python: GLM.fit of a recording at 1 ms, 24 features, over NeMoS", 200.0, 1000.0),
)
# Of ranks and parts: ./dev perf --ranks.
RANK_MUSTS = (
    Must("parts_2", "processor seconds of 2 computing parts of a file over one process", 1.10, 1.0, most=True),
    Must("parts_4", "processor seconds of 4 computing parts of a file over one process", 1.10, 1.0, most=True),
    Must("fit_2", "processor seconds of a fit on 2 ranks over one process", 1.10, 1.0, most=True),
    Must("fit_4", "processor seconds of a fit on 4 ranks over one process", 1.10, 1.0, most=True),
    Must("halo_2", "a convolution on 2 ranks over the same rows without messages", 1.10, 1.0, most=True),
)
WORST_CHOICE = 1.3                         # the aim of the choice: never worse than this


def verdict(must, result):
    """"aim met", "met", "missed", or "did not run"; the last two fail."""
    if result is None or result.value is None or not math.isfinite(result.value):
        return "did not run"
    if not must.is_met(result.value, must.must):
        return "missed"
    reaches = must.is_met(result.value, must.aim)
    if must.key == "choice":
        reaches = reaches and result.details.get("worst", math.inf) <= WORST_CHOICE
    return "aim met" if reaches else "met"


def line(must, result):
    """One line for each row: name, measured, must, aim, verdict, and a note."""
    found = verdict(must, result)
    measured = "-" if found == "did not run" else must.text(result.value)
    bound = "<=" if must.most else ">="
    note = result.note if result else "the run ended before it"
    return (f"{must.what:<70} {measured:>9}   must {bound} {must.text(must.must):<8} aim {must.text(must.aim):<8} "
            f"{found}" + (f": {note}" if note else ""))


def has_failed(results, musts=MUSTS):
    """Whether a must is missed, or did not run; `results` is {key: Result}."""
    return any(verdict(must, results.get(must.key)) in ("missed", "did not run") for must in musts)


# ---------------------------------------------------------------- numbers from seconds
def median_ratio(above, below):
    """Median of the ratios of values that were measured next to each other."""
    if len(above) != len(below) or not above:
        raise ValueError("ratios need as many values above as below, and one at least")
    return statistics.median(a / b for a, b in zip(above, below))


def least(named):
    """(value, name) of the least of {name: value}."""
    name = min(named, key=named.get)
    return named[name], name


def greatest(named):
    name = max(named, key=named.get)
    return named[name], name


def choice_share(ratios, within=1.10):
    """(share of shapes within the bound, worst ratio) of times over the best method's."""
    return sum(ratio <= within for ratio in ratios) / len(ratios), max(ratios)
