# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Synelix: convolution of large multi-channel series and spike trains with banks of filters, in bounded memory.

To do                                              Use
-------------------------------------------------  ------------------------------------------------------------------
convolve an array, pynapple object, trials         `convolve`, `explain`, `ConvolvePlan`, `ConvolveStream`
compute features of bases, their sums, products    `synelix.basis`: the classes of NeMoS, conv and eval mode
count spikes without storing zeros                 `Events`, from times, or from a pynapple TsGroup
convolve a file into a file, inside a budget       `convolve_file`, `compute_features_file`, `explain_file`
fit models without storing features                `Design`, `GLM`, `PopulationGLM`, `Path`, `CrossValidation`
define a model with the objects of NeMoS           `synelix.observation_models`, `synelix.regularizer`
simulate a coupled population                      `synelix.simulation.simulate_recurrent`
draw filters, features, spikes, fits               `synelix.plot`, with matplotlib
multiply, convolve images, differentiate           `matmul`, `quadratic_forms`, `conv1d` to `conv3d`, `conv_transpose1d`
                                                   to `conv_transpose3d`, their gradients (`conv2d_input`,
                                                   `conv2d_weight`)
measure the machine, for the choice of methods     `calibrate`, `Machine`
set and see threads and versions                   `set_num_threads`, `get_num_threads`, `show_versions`

In a build for CUDA, arrays in memory of the device are used in place, and results are arrays of their library.

Each of them has a docstring with shapes, units, errors and an example: try ``help(synelix.convolve)``. Modules
whose names begin with an underscore are private.

Examples
--------
>>> import numpy as np, synelix as sx
>>> basis = sx.RaisedCosineLogConv(n_basis_funcs=8, window_size=100)
>>> sx.convolve(np.ones((1000, 10), np.float32), basis, budget="64MiB").shape
(1000, 10, 8)
"""

from __future__ import annotations

import os as _os
import typing as _typing

from . import _core
from . import basis as basis
from ._convolutions import *  # noqa: F403
from ._convolve import ConvolvePlan, convolve, explain
from ._errors import ArgumentTypeError, BudgetError, Cancelled, Error, FileError, MissingFileError, StateError
from ._events import Events
from ._reports import Explanation
from ._files import append_plugin_folder, compute_features_file, convolve_file, explain_file
from ._filters import FilterBank
from ._machine import Machine, calibrate
from ._operators import bilinear_forms, matmul, quadratic_forms
from ._stream import ConvolveStream
from .basis import *  # noqa: F403

_core.set_errors(Error, BudgetError, FileError, StateError, Cancelled)
_core.set_package_folder(_os.path.join(_os.path.dirname(__file__), ""))
__version__: str = _core.build_description()["version"]

#: These names are imported when they are first used, because they need other packages.
_LATE = {"CrossValidation": "_paths", "Design": "_design", "GLM": "glm", "Path": "_paths", "PopulationGLM": "glm",
         "TransformerBasis": "_transformer", "glm": "glm", "observation_models": "observation_models", "plot": "plot",
         "regularizer": "regularizer", "simulation": "simulation"}

__all__ = [
    "ArgumentTypeError", "BudgetError", "Cancelled", "ConvolvePlan", "ConvolveStream", "Error", "Events",
    "Explanation", "FileError", "FilterBank", "Machine", "MissingFileError", "StateError", "append_plugin_folder",
    "basis", "bilinear_forms", "calibrate", "compute_features_file", "conv1d", "conv1d_input", "conv1d_weight",
    "conv2d", "conv2d_input", "conv2d_weight", "conv3d", "conv3d_input", "conv3d_weight", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "convolve", "convolve_file", "explain", "explain_file", "get_num_threads",
    "matmul", "quadratic_forms", "set_num_threads", "show_versions", "versions",
]
__all__ += basis.__all__
__all__ += [*_LATE]

if _typing.TYPE_CHECKING:  # a type checker does not run __getattr__
    from . import glm as glm, observation_models as observation_models, plot as plot, regularizer as regularizer
    from . import simulation as simulation
    from ._design import Design as Design
    from ._paths import CrossValidation as CrossValidation, Path as Path
    from ._transformer import TransformerBasis as TransformerBasis
    from .glm import GLM as GLM, PopulationGLM as PopulationGLM
else:

    def __getattr__(name):
        if name in _LATE:
            from importlib import import_module

            module = import_module(f".{_LATE[name]}", __name__)
            return module if name == _LATE[name] else getattr(module, name)
        raise AttributeError(f"module 'synelix' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LATE})


def set_num_threads(n: int) -> None:
    """Set the number of threads of calls without an argument `threads`.

    Parameters
    ----------
    n : int
        0 means all threads. If this function is called before the first computation, it also sets how many threads
        are started. Later calls cannot raise that number.

    Raises
    ------
    synelix.Error
        n is not an int, is negative, or is more than the threads that were started.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.set_num_threads(0)
    """
    from ._inputs import whole

    _core.set_threads(whole("n", n))


def get_num_threads() -> int:
    """Return the number of threads of calls without an argument `threads`.

    If nothing was computed before, this call starts the threads.

    Returns
    -------
    int

    Raises
    ------
    synelix.StateError
        Python is ending, or this process was forked during a computation.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.get_num_threads() >= 1
    True
    """
    return _core.threads()


def versions() -> Explanation:
    """Describe how this package was built, and the packages that it works with.

    Returns
    -------
    Explanation
        Version, compiler, Kokkos, instruction sets, threads (None before the first computation), Python, and the
        installed packages that it works with.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.versions()["version"] == sx.__version__
    True
    """
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {**_core.build_description(), "threads": _core.threads() if _core.is_running() else None,
             "python": platform.python_version(), "platform": platform.platform()}
    for package in ("numpy", "scipy", "scikit-learn", "pynapple", "nemos", "h5py", "matplotlib", "xarray", "torch",
                    "jax"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return Explanation(found)


def show_versions() -> None:
    """Print `versions`, for a bug report.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.show_versions()  # doctest: +ELLIPSIS
    <BLANKLINE>
    ...
    """
    print()
    print(versions())
