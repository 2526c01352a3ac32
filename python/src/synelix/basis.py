# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bases with the names, parameters and defaults of NeMoS: ``import synelix as nmo`` and ``nmo.basis.BSplineConv``."""

from __future__ import annotations

from . import _bases_conv, _bases_eval
from ._bases_conv import *  # noqa: F403
from ._bases_eval import *  # noqa: F403
from ._basis_composites import AdditiveBasis, MultiplicativeBasis
from ._basis_core import Basis

__all__ = ["AdditiveBasis", "Basis", "MultiplicativeBasis", *_bases_conv.__all__, *_bases_eval.__all__]


def __getattr__(name):
    if name == "TransformerBasis":
        from ._transformer import TransformerBasis

        return TransformerBasis
    raise AttributeError(f"module 'synelix.basis' has no attribute '{name}'")
