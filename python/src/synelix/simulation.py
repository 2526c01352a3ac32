# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Simulation of units that excite and inhibit each other. The arguments are those of NeMoS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _core, _inputs
from ._design import StoredDesign
from ._errors import Error
from ._model_words import loss_options, seed_of

if TYPE_CHECKING:
    from ._types import Any, ArrayLike, Floats

__all__ = ["simulate_recurrent"]


def simulate_recurrent(coupling_coef: ArrayLike, feedforward_coef: ArrayLike, intercepts: ArrayLike, random_key: Any,
                       feedforward_input: ArrayLike, coupling_basis_matrix: ArrayLike, init_y: ArrayLike,
                       inverse_link_function: Any = "softplus") -> tuple[Floats, Floats]:
    """Draw the counts of a recurrent network from Poisson distributions, row by row.

    Parameters
    ----------
    coupling_coef : array of shape (units that receive, units that send, bases)
        Coefficients of the history of each unit.
    feedforward_coef : array of shape (units, features)
        Coefficients of the features.
    intercepts : array of shape (units,)
        They are added to the linear predictor.
    random_key : int or key of JAX
        Random numbers follow from the key, the row and the unit. They differ from those of NeMoS.
    feedforward_input : array of shape (samples, units, features)
        Features of each unit.
    coupling_basis_matrix : array of shape (window, bases)
        Taps of each basis. Row 0 multiplies the counts of the previous row.
    init_y : array of shape (window, units)
        Counts before the first row, the oldest first.
    inverse_link_function : str or function of JAX
        "softplus" or "exp".

    Returns
    -------
    (counts, rates) : arrays of shape (samples, units)
        Counts, and their means. Means are per row, not per second.

    Raises
    ------
    synelix.Error
        Shapes do not fit together, a link is not known, or the network excites itself without bound.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> counts, rates = sx.simulation.simulate_recurrent(
    ...     coupling_coef=np.zeros((2, 2, 3)), feedforward_coef=np.ones((2, 1)), intercepts=-np.ones(2), random_key=0,
    ...     feedforward_input=np.zeros((50, 2, 1)), coupling_basis_matrix=np.ones((10, 3)), init_y=np.zeros((10, 2)))
    >>> counts.shape, float(rates[0, 0].round(4))
    ((50, 2), 0.3133)
    """
    coupling = _inputs.reals("coupling_coef", coupling_coef, 3)
    coefficients = _inputs.reals("feedforward_coef", feedforward_coef, 2)
    inputs = _inputs.reals("feedforward_input", feedforward_input, 3)
    taps, initial = _inputs.reals("coupling_basis_matrix", coupling_basis_matrix, 2), _inputs.reals("init_y", init_y, 2)
    intercepts = _inputs.reals("intercepts", intercepts, 1)
    units, bases = len(intercepts), taps.shape[1]
    for name, got, wanted in (("coupling_coef", coupling.shape, (units, units, bases)),
                              ("feedforward_coef", coefficients.shape[:1], (units,)),
                              ("feedforward_input", inputs.shape[1:], coefficients.shape),
                              ("init_y", initial.shape, (len(taps), units))):
        if got != wanted:
            raise Error(f"{name}: the shape has {got}. Use {wanted}, of {units} units and {bases} bases.")
    # Each unit has its own inputs. They become one matrix, whose coefficients are 0 for the other units.
    own = np.zeros((units, coefficients.shape[1], units))
    own[np.arange(units), :, np.arange(units)] = coefficients
    design = StoredDesign(inputs.reshape(len(inputs), -1))
    link = loss_options("Poisson", inverse_link_function)["inverse_link"]
    return _core.simulate_recurrent(taps, np.ascontiguousarray(coupling.transpose(1, 2, 0)).reshape(-1, units),
                                    intercepts, initial, link, design._core, own.reshape(-1, units), len(inputs),
                                    seed_of(random_key))
