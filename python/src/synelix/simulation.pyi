# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from typing import Any

import numpy as np
import numpy.typing as npt

__all__: list[str]

_Floats = np.ndarray[Any, np.dtype[np.float64]]

def simulate_recurrent(coupling_coef: npt.ArrayLike, feedforward_coef: npt.ArrayLike, intercepts: npt.ArrayLike, random_key: Any,
                       feedforward_input: npt.ArrayLike, coupling_basis_matrix: npt.ArrayLike, init_y: npt.ArrayLike,
                       inverse_link_function: Any = "softplus") -> tuple[_Floats, _Floats]: ...
