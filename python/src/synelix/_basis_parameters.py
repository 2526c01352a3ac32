# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters of bases, with the conventions of scikit-learn."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from ._errors import Error

if TYPE_CHECKING:
    from ._types import Any, Self


class HasParameters:
    """A class with parameters, its own and those of its parts. Subclasses define `_names` and `_params`."""

    #: Names of its own parameters, without those of its parts.
    _names: tuple[str, ...] = ()

    def _params(self, deep):
        raise NotImplementedError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool
            Whether the parameters of parts are listed too, as ``label__name``.

        Returns
        -------
        dict

        Examples
        --------
        >>> import synelix as sx
        >>> sx.MSplineEval(5).get_params()["n_basis_funcs"]
        5
        >>> (sx.BSplineEval(5) + sx.MSplineEval(6)).get_params()["MSplineEval__n_basis_funcs"]
        6
        """
        return self._params(deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name. Parameters of parts have names such as ``part__name``.

        Parameters
        ----------
        **params
            New values. They are checked together with the unchanged values.

        Returns
        -------
        self

        Raises
        ------
        synelix.Error
            There is no such parameter, or a value is refused. Then no parameter changes.

        Examples
        --------
        >>> import synelix as sx
        >>> sx.BSplineConv(5, window_size=10).set_params(window_size=20).kernel_.shape
        (20, 5)
        """
        own, of_parts = {}, {}
        for name, value in params.items():
            part, separator, rest = name.partition("__")
            if separator:
                of_parts.setdefault(part, {})[rest] = value
            elif name in self._names:
                own[name] = value
            else:
                raise Error(f"{name}: {type(self).__name__} has no such parameter. Use one of "
                            f"{', '.join(self._names)}.")
        before = [(each, dict(each.__dict__)) for each in self._with_parts()]
        try:
            self._set_together(own)
            for part, values in of_parts.items():
                self._part(part).set_params(**values)
        except Exception:
            for each, attributes in before:
                each.__dict__.clear()
                each.__dict__.update(attributes)
            raise
        return self

    def _with_parts(self):
        """This basis, and all its parts."""
        return [self]

    def _set_together(self, values):
        """Sets parameters of this basis itself."""
        for name, value in values.items():
            setattr(self, name, value)

    def _part(self, name):
        raise Error(f"{name}: {type(self).__name__} has no parts. Use one of its parameters: {', '.join(self._names)}.")

    def __sklearn_clone__(self):
        return copy.deepcopy(self)
