# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A basis as a transformer of scikit-learn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _inputs, _pynapple
from ._basis_core import Basis
from ._errors import ArgumentTypeError, Error

if TYPE_CHECKING:
    from ._types import Any, Self


class TransformerBasis(TransformerMixin, BaseEstimator):
    """A basis whose inputs are the columns of one matrix.

    The attributes of the basis are also attributes of the transformer, and its parameters are also parameters of the
    transformer, for example for a grid search. They are set on the basis itself, which `Basis.to_transformer` copies.

    Parameters
    ----------
    basis : Basis
        Its input shapes define how many columns each input has: see `Basis.set_input_shape`. If a basis has one input
        of unknown shape, that input has all columns.

    Attributes
    ----------
    n_features_in_ : int
        Columns of the matrix.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> basis = (sx.BSplineConv(5, window_size=10) + sx.IdentityEval()).set_input_shape(2, 1)
    >>> sx.TransformerBasis(basis).fit_transform(np.ones((50, 3))).shape
    (50, 11)
    """

    n_features_in_: int

    def __init__(self, basis: Basis) -> None:
        self.basis = basis

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("basis", "n_features_in_"):
            raise AttributeError(name)
        return getattr(self.basis, name)

    def __setattr__(self, name, value):
        basis = self.__dict__.get("basis")
        if name != "basis" and name in getattr(basis, "_names", ()):
            setattr(basis, name, value)
        else:
            super().__setattr__(name, value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool
            Whether the parameters of the basis are listed too, by the names that they have in the basis.

        Returns
        -------
        dict

        Examples
        --------
        >>> import synelix as sx
        >>> sx.TransformerBasis(sx.MSplineEval(5)).get_params()["n_basis_funcs"]
        5
        """
        found = self.basis.get_params() if deep and isinstance(self.basis, Basis) else {}
        return {**found, "basis": self.basis}

    def set_params(self, **params: Any) -> Self:
        """Set the basis, or parameters of it.

        Parameters
        ----------
        **params
            ``basis``, or parameters of the basis with new values. The names are those of `get_params`, with or without
            ``basis__`` before them.

        Returns
        -------
        self

        Raises
        ------
        synelix.Error
            There is no such parameter, a value is refused, or a basis is given beside parameters.

        Examples
        --------
        >>> import synelix as sx
        >>> sx.TransformerBasis(sx.MSplineEval(5)).set_params(n_basis_funcs=8).basis.n_basis_funcs
        8
        """
        if "basis" in params:
            others = sorted(set(params) - {"basis"})
            if others:
                raise Error(f"basis: it is given beside {', '.join(others)}, which would change it. Give a basis with "
                            "these parameters.")
            self.basis = params["basis"]
        elif params:
            self.basis.set_params(**{name.removeprefix("basis__"): value for name, value in params.items()})
        return self

    def _inputs(self, X):
        if not isinstance(self.basis, Basis):
            raise ArgumentTypeError(f"basis: {type(self.basis).__name__} is not a basis. Use one of synelix.basis.")
        shapes = [s for a in self.basis._atoms() for s in [a._input_shape] * a._n_inputs]
        if shapes == [None]:
            shapes = [(X.shape[1],)]
        if any(s is None for s in shapes):
            raise Error("basis: the shapes of its inputs are not known. Call set_input_shape first.")
        widths = [math.prod(s) for s in shapes]
        if X.shape[1] != sum(widths):
            raise Error(f"X: the shape is {tuple(X.shape)}. Use two dimensions with {sum(widths)} columns.")
        values = X.values if hasattr(X, "values") else X
        firsts = np.cumsum([0, *widths])
        parts = [np.asarray(values[:, a:b]).reshape(len(values), *s) for a, b, s in zip(firsts, firsts[1:], shapes)]
        if hasattr(X, "time_support"):
            parts = [_pynapple.like(X, p) for p in parts]
        return parts

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the shape of X.

        Parameters
        ----------
        X : array of shape (samples, columns), or pynapple TsdFrame
            The columns of all inputs of the basis, in order.
        y
            It is ignored.

        Returns
        -------
        self

        Raises
        ------
        synelix.Error
            The number of columns is not that of the inputs, or the shapes of the inputs are not known.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> sx.BSplineConv(5, window_size=10).set_input_shape(2).to_transformer().fit(np.ones((50, 2))).n_features_in_
        2
        """
        self._inputs(self._checked(X, reset=True))
        return self

    def _checked(self, X, reset):
        """X after the checks of scikit-learn. An object of pynapple is not changed."""
        _inputs.refuse_kinds_of_estimators("X", X)
        if not _pynapple.is_tsd(X):
            return validate_data(self, X, reset=reset, dtype=_inputs.TYPES, ensure_all_finite=False)
        if X.ndim != 2:
            raise Error(f"X: the object has {X.ndim} dimensions. Use a TsdFrame.")
        if reset:
            self.n_features_in_ = X.shape[1]
        elif X.shape[1] != self.n_features_in_:
            raise Error(f"X: there are {X.shape[1]} columns, not the {self.n_features_in_} of fit. Use as many.")
        return X

    def transform(self, X: Any) -> Any:
        """Compute the features of X.

        Parameters
        ----------
        X
            As in `fit`.

        Returns
        -------
        array of shape (samples, features)
            A TsdFrame if X is one.

        Raises
        ------
        ValueError
            The number of columns is not that of `fit`, or the transformer is not fitted.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> transformer = sx.BSplineConv(5, window_size=10).set_input_shape(2).to_transformer()
        >>> transformer.fit(np.ones((50, 2))).transform(np.ones((60, 2))).shape
        (60, 10)
        """
        check_is_fitted(self, "n_features_in_")
        return self.basis.compute_features(*self._inputs(self._checked(X, reset=False)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def __repr__(self):
        return f"Transformer({self.basis!r})"
