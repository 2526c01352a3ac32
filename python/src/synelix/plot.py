# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of filters, features, spikes, plans and models, with matplotlib.

To draw                                             Use
--------------------------------------------------  ------------------------------------------
the filters of a basis or of taps                   `bank`
features over time                                  `features`
spike times                                         `raster`
the blocks of a plan                                `plan`
filters of a model, with errors                     `coupling`, `coupling_grid`, `filter_errors`
a prediction against the data                       `fit`
scores over a penalty or iterations                 `learning_curve`

Each function draws on the axes that you pass, or makes a figure, and returns the axes. The labels of axes name a
quantity and its unit. The functions need matplotlib: ``pip install 'synelix[plot]'``.

Examples
--------
>>> import synelix as sx
>>> sx.plot.bank(sx.RaisedCosineLogConv(8, window_size=100), bin_size=0.001).figure.savefig("/dev/null", format="png")
"""

from __future__ import annotations

from ._plot_inputs import bank, features, plan, raster
from ._plot_models import coupling, coupling_grid, filter_errors
from ._plot_scores import fit, learning_curve

__all__ = ["bank", "coupling", "coupling_grid", "features", "filter_errors", "fit", "learning_curve", "plan", "raster"]
