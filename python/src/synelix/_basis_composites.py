# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and products of bases."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np

from ._basis_core import Basis, CountsColumns
from ._basis_kinds import checked_label
from ._errors import Error

if TYPE_CHECKING:
    from ._types import Any


class CompositeBasis(CountsColumns):
    """Two bases, combined. They are deep copies, so later changes of the parts have no effect on it."""

    _names = ("basis1", "basis2")
    _sign = ""

    def __init__(self, basis1: Basis, basis2: Basis, label: str | None = None) -> None:
        self.basis1, self.basis2 = copy.deepcopy(basis1), copy.deepcopy(basis2)
        self._own = checked_label(label)
        names = self._labels()
        for labels in (list(names.values()), [t._label_of(names) for t in self._terms()]):
            repeated = sorted({x for x in labels if labels.count(x) > 1})
            if repeated:
                raise Error(f"label: '{repeated[0]}' is the label of two bases. Give each its own.")

    def _atoms(self):
        return self.basis1._atoms() + self.basis2._atoms()

    def _with_parts(self):
        return [self, *self.basis1._with_parts(), *self.basis2._with_parts()]

    def _label_of(self, names):
        if self._own is not None:
            return self._own
        return f"({self.basis1._label_of(names)} {self._sign} {self.basis2._label_of(names)})"

    def _part(self, name):
        for key in self._names:
            if name == key:
                return getattr(self, key)
        names = self._labels()
        for atom in self._atoms():
            if names[id(atom)] == name:
                return atom
        raise Error(f"{name!r} is not a part of this basis. Use "
                    f"{', '.join(repr(n) for n in [*self._names, *names.values()])}.")

    def __getitem__(self, label: str) -> Any:
        """The part with that label."""
        return self._part(label)

    def _params(self, deep):
        names, found = self._labels(), {"basis1": self.basis1, "basis2": self.basis2}
        for atom in self._atoms() if deep else ():
            found.update({f"{names[id(atom)]}__{k}": v for k, v in atom.get_params().items()})
        return found

    def __deepcopy__(self, memo):
        return type(self)(self.basis1, self.basis2, self._own)

    def __reduce__(self):
        return type(self), (self.basis1, self.basis2, self._own)

    def __repr__(self):
        inner = ",\n".join(repr(b) for b in (self.basis1, self.basis2)).replace("\n", "\n    ")
        return f"'{self.label}': {type(self).__name__}(\n    {inner},\n)"

    def _evaluate(self, xi):
        count = self.basis1._count_inputs()
        return self._combined(self.basis1.evaluate(*xi[:count]), self.basis2.evaluate(*xi[count:]))

    def _evaluate_on_grid(self, n_samples):
        count = self.basis1._count_inputs()
        *points1, values1 = self.basis1.evaluate_on_grid(*n_samples[:count])
        *points2, values2 = self.basis2.evaluate_on_grid(*n_samples[count:])
        rank1, rank2 = values1.ndim - 1, values2.ndim - 1
        spread1 = [np.broadcast_to(p.reshape(p.shape + (1,) * rank2), n_samples) for p in points1]
        spread2 = [np.broadcast_to(p.reshape((1,) * rank1 + p.shape), n_samples) for p in points2]
        values1 = np.broadcast_to(values1.reshape(values1.shape[:-1] + (1,) * rank2 + values1.shape[-1:]),
                                  (*n_samples, values1.shape[-1]))
        values2 = np.broadcast_to(values2.reshape((1,) * rank1 + values2.shape), (*n_samples, values2.shape[-1]))
        return (*spread1, *spread2, self._combined(values1, values2))


class AdditiveBasis(CompositeBasis):
    """The columns of one basis, followed by the columns of another.

    Parameters
    ----------
    basis1, basis2 : Basis
        They are copied. Later changes have no effect on the sum.
    label : str, optional
        Name in `split_by_feature`. Default: a name that is made of the labels of the parts.

    Raises
    ------
    synelix.Error
        Two bases have the same label.

    Examples
    --------
    >>> import synelix as sx
    >>> (sx.BSplineConv(5, window_size=10) + sx.MSplineEval(6)).label
    '(BSplineConv + MSplineEval)'
    """

    _sign = "+"

    def _terms(self):
        return self.basis1._terms() + self.basis2._terms()

    def _expression(self):
        return self.basis1._expression() + self.basis2._expression()

    def _columns_of_channel(self):
        return self.basis1._columns_of_channel() + self.basis2._columns_of_channel()

    @staticmethod
    def _combined(first, second):
        return np.concatenate([first, second], axis=-1)


class MultiplicativeBasis(CompositeBasis):
    """Each column of one basis times each column of another, channel by channel.

    Parameters
    ----------
    basis1, basis2 : Basis
        They are copied. Later changes have no effect on the product.
    label : str, optional
        Name in `split_by_feature`. Default: a name that is made of the labels of the parts.

    Raises
    ------
    synelix.Error
        Two bases have the same label.

    Examples
    --------
    >>> import synelix as sx
    >>> (sx.BSplineEval(5) * sx.BSplineEval(6)).label
    '(BSplineEval * BSplineEval_1)'
    """

    _sign = "*"

    def _expression(self):
        return self.basis1._expression() * self.basis2._expression()

    def _columns_of_channel(self):
        return self.basis1._columns_of_channel() * self.basis2._columns_of_channel()

    @staticmethod
    def _combined(first, second):
        return (first[..., :, None] * second[..., None, :]).reshape(*first.shape[:-1], -1)
