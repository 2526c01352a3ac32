# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic bases. In conv mode their functions are filters. In eval mode they are evaluated at each sample."""

from __future__ import annotations

import copy
import inspect
import re
from typing import TYPE_CHECKING

import numpy as np

from . import _core, _inputs
from ._basis_core import Basis
from ._errors import ArgumentTypeError, Error

if TYPE_CHECKING:
    from ._types import Any, ArrayLike, Bounds, Floats

_CONV_OPTIONS = ("predictor_causality", "shift", "batch_size_samples", "batch_size_channels", "batch_size_basis")
#: Parameters that the functions of a basis do not have, and those whose names differ in the library.
_NOT_OF_FUNCTIONS = frozenset(("window_size", "bounds", "fill_value", "label", "conv_kwargs"))
_OURS = {"n_basis_funcs": "bases", "enforce_decay_to_zero": "decay"}
#: What a parameter is, where the docstring of a class does not say it.
_WORDS = {
    "n_basis_funcs": "int\n    Number of functions{least}.",
    "window_size": "int\n    Length of each filter, in samples.",
    "width": "float\n    Half the width of a function, in units of the distance between peaks: a multiple of 1/2, "
             "above 1.",
    "order": "int\n    Order of the pieces, which is their degree + 1: 1 or more.",
    "time_scaling": "float, optional\n    How much narrower the first functions are than the last: a number above 0. "
                    "Default: 50.",
    "enforce_decay_to_zero": "bool\n    Whether all functions end at 0 at the end of the window.",
    "decay_rates": "array of shape (n_basis_funcs,)\n    Decay rates of the exponentials, per {range}. They must all "
                   "be different.",
    "bounds": "(float, float), optional\n    Where the functions begin and end, in units of the samples. Default: the "
              "smallest and the largest sample.",
    "fill_value": "float\n    The value of rows whose sample is outside the bounds.",
    "label": "str, optional\n    Name in `split_by_feature`. Default: the name of the class.",
    "conv_kwargs": f"dict, optional\n    {', '.join(_CONV_OPTIONS)}.",
}


def described(name, text, parameters):
    """The docstring of a class of `synelix.basis`, with all sections.

    Parameters
    ----------
    name : str
        Name of the class.
    text : str
        What the class says itself, in paragraphs: the title, other text, parameters, an example. A title without a
        period is followed by the mode. The default example shows the shape of features.
    parameters : sequence of str
        Names of all parameters.
    """
    title, *parts = inspect.cleandoc(text).split("\n\n")
    has_window, has_rates = "window_size" in parameters, "decay_rates" in parameters
    if not title.endswith("."):
        title += ",\n" + ("in conv mode: filters that an input is convolved with." if has_window else
                          "in eval mode: the functions are evaluated at each sample.")
    count, arguments = (2, "2, 10, [1.0, 3.0]" if has_window else "2, [1.0, 3.0]") if has_rates else (
        5, "5, window_size=10" if has_window else "5")
    samples = "np.ones(50)" if has_window else "np.linspace(0, 1, 50)"
    example, own = f">>> sx.{name}({arguments}).compute_features({samples}).shape\n(50, {count})", {}
    for part in parts:
        if part.startswith(">>>"):
            example = part
        elif re.match(r"\w+ : ", part):
            own = {entry.partition(" ")[0]: entry for entry in re.split(r"\n(?=\w)", part)}
        else:
            title += f"\n\n{part}"
    least = "`order`" if "order" in parameters else "2" if "width" in parameters else ""
    words = {"least": least and f", at least {least}",
             "range": "window" if has_window else "distance between the bounds"}
    entries = "\n".join(own.get(key) or f"{key} : {_WORDS[key].format(**words)}" for key in parameters)
    raised = "" if tuple(parameters) == ("label",) else (
        "Raises\n------\nsynelix.Error\n    A parameter is out of its range"
        f"{', `window_size` is missing, or `conv_kwargs` has a key that is not known' if has_window else ''}.\n\n")
    return (f"{title}\n\nParameters\n----------\n{entries}\n\n{raised}"
            f"Examples\n--------\n>>> import numpy as np, synelix as sx\n{example}\n")


class AtomicBasis(Basis):
    """One basis. Its parameters are attributes. Setting one checks all of them again.

    A class with a `family`, the name in the library, is a row of `synelix.basis`, and gets its docstring here.
    """

    _family = ""
    #: Names of the parameters, in the order of the constructor.
    _names: tuple[str, ...] = ()
    _input_shape = None
    _n_inputs = 1

    def __init_subclass__(cls, family: str = "", **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "__init__" in vars(cls):
            cls._names = tuple(p for p in inspect.signature(cls.__init__).parameters if p != "self")
        if family:
            cls._family = family
            cls.__doc__ = cls.__doc__ and described(cls.__name__, cls.__doc__, cls._names)

    def _set_up(self, given):
        """Takes the local names of a constructor, which are self and all parameters, and checks them."""
        del given["self"]
        label = checked_label(given.pop("label"))
        if given.get("time_scaling", 0) is None:
            given["time_scaling"] = 50.0
        self.__dict__.update(given, _own_label=label if label is not None else type(self).__name__, _ready=True)
        self._refresh()

    def __setattr__(self, name, value):
        if name not in self._names or not self.__dict__.get("_ready"):
            object.__setattr__(self, name, value)
            return
        key = "_own_label" if name == "label" else name
        if name == "label":
            value = checked_label(value) or type(self).__name__
        before = dict(self.__dict__)
        self.__dict__[key] = value
        try:
            self._refresh()
        except Exception:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _set_together(self, values):
        if values:
            if "label" in values:
                values = {**values, "label": checked_label(values["label"]) or type(self).__name__}
            self.__dict__.update({"_own_label" if name == "label" else name: value for name, value in values.items()})
            self._refresh()

    @property
    def label(self) -> str:
        """Name of the basis in `split_by_feature`."""
        return self._own_label

    def _atoms(self):
        return [self]

    def _label_of(self, names):
        return names[id(self)]

    def _labels(self):
        return {id(self): self._own_label}

    def _refresh(self):
        raise NotImplementedError

    def _parameters(self):
        """Parameters by the names of the library."""
        if "decay_rates" in self._names:
            return {"decay_rates": _checked_rates(self.decay_rates, self.n_basis_funcs)}
        for name in ("n_basis_funcs", "order"):
            value = getattr(self, name) if name in self._names else 0
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise Error(f"{name}: {value!r} is not a whole number. Use an int.")
        return {_OURS.get(name, name): getattr(self, name) for name in self._names if name not in _NOT_OF_FUNCTIONS}

    def _batches(self):
        return {}

    def _columns_of_channel(self):
        return int(self.__dict__["n_basis_funcs"])

    def _params(self, deep):
        return {name: getattr(self, name) for name in self._names}

    def __repr__(self):
        hidden = ("label", "conv_kwargs", "fill_value", "bounds")
        shown = (f"{k}={getattr(self, k)!r}" for k in self._names if k not in hidden
                 or (k == "bounds" and self.bounds is not None))
        text = f"{type(self).__name__}({', '.join(shown)})"
        return text if self._own_label == type(self).__name__ else f"'{self._own_label}': {text}"

    def __deepcopy__(self, memo):
        result = type(self)(**copy.deepcopy(self.get_params(), memo))
        result._input_shape = self._input_shape
        return result

    def __reduce__(self):
        return _rebuilt, (type(self), self.get_params(), self._input_shape)

    def evaluate(self, x: ArrayLike) -> Floats:  # type: ignore[override]  # one input
        """Evaluate the functions at the samples of x.

        Parameters
        ----------
        x : array of any shape
            Without bounds, its smallest and largest value are the ends of the range of the functions.

        Returns
        -------
        array of shape (*x.shape, functions)

        Raises
        ------
        synelix.Error
            `x` does not hold numbers.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> sx.BSplineEval(5).evaluate(np.linspace(0, 1, 20)).shape
        (20, 5)
        """
        x = _inputs.reals("x", x.values if hasattr(x, "time_support") else x)
        flat = np.ascontiguousarray(np.atleast_1d(x).reshape(len(np.atleast_1d(x)), -1))
        expression = self._eval_expression()
        values, _ = _core.compute_features(expression, [flat], None, None, True, {}, 0)
        return values.reshape(*x.shape, -1)

    def _eval_expression(self):
        raise NotImplementedError

    def evaluate_on_grid(self, n_samples: int) -> tuple[Floats, ...]:  # type: ignore[override]
        """Evaluate the functions at evenly spaced points.

        Parameters
        ----------
        n_samples : int
            Number of points, 1 or more.

        Returns
        -------
        (points, values) : arrays of shape (n_samples,) and (n_samples, functions)

        Raises
        ------
        synelix.Error
            `n_samples` is not a whole number, or is below 1.

        Examples
        --------
        >>> import synelix as sx
        >>> points, values = sx.BSplineConv(5, window_size=10).evaluate_on_grid(10)
        >>> values.shape
        (10, 5)
        """
        return self._grid(_inputs.at_least_one("n_samples", n_samples, "points"))

    def _grid(self, n_samples):
        return np.linspace(0.0, 1.0, n_samples), _core.taps(self._family, n_samples, self._parameters())


def _rebuilt(kind, params, shape):
    result = kind(**params)
    result._input_shape = shape
    return result


def checked_label(label):
    """A label: a text, or None for the default one."""
    if label is None or (isinstance(label, str) and label):
        return label
    raise ArgumentTypeError(f"label: {label!r} is not a name. Use a str that is not empty, or None.")


def _checked_rates(rates, count):
    """Decay rates as a list with one for each function."""
    rates = _inputs.reals("decay_rates", () if rates is None else rates, 1).tolist()
    if len(rates) != count:
        raise Error(f"decay_rates: there are {len(rates)} rates for {count} functions. Give one for each.")
    return rates


class ConvBasis(AtomicBasis):
    """A basis whose functions are filters."""

    window_size: int
    conv_kwargs: dict[str, Any]

    def _set_up(self, given):
        if given["window_size"] is None:
            raise Error("window_size: a basis in conv mode needs it. Give the number of taps, in samples.")
        given["conv_kwargs"] = given["conv_kwargs"] or {}
        super()._set_up(given)

    def _refresh(self):
        options = self.conv_kwargs
        if not isinstance(options, dict):
            raise Error(f"conv_kwargs: {options!r} is not a dictionary. Use one with some of "
                        f"{', '.join(_CONV_OPTIONS)}.")
        if "axis" in options:
            raise Error("conv_kwargs: 'axis' cannot be chosen, time comes first. Transpose the input.")
        unknown = sorted(set(options) - set(_CONV_OPTIONS))
        if unknown:
            raise Error(f"conv_kwargs: {', '.join(unknown)} is not known. Use {', '.join(_CONV_OPTIONS)}.")
        is_whole = isinstance(self.window_size, (int, np.integer)) and not isinstance(self.window_size, bool)
        if not is_whole or self.window_size < 1:
            raise Error(f"window_size: {self.window_size!r} is not a window. Use a positive integer, in samples.")
        parameters = self._parameters()
        expression = _core.Expression.conv(self._family, self.window_size, options.get("predictor_causality", "causal"),
                                           options.get("shift"), parameters)
        self.__dict__.update(_bank=_core.Bank.of_basis(self._family, self.window_size, parameters), _expr=expression)

    @property
    def kernel_(self) -> Floats:
        """The filters, an array (window_size, n_basis_funcs)."""
        return self._bank.taps

    def _expression(self):
        return self._expr

    def _eval_expression(self):
        return _core.Expression.eval(self._family, [], np.nan, self._parameters())

    def _columns_of_channel(self):
        return self._bank.bases

    def _batches(self):
        return {k: v for k, v in self.conv_kwargs.items() if k.startswith("batch_size") and v is not None}


class EvalBasis(AtomicBasis):
    """A basis whose functions are evaluated at each sample."""

    bounds: Bounds
    fill_value: float

    def _refresh(self):
        fill = _inputs.real("fill_value", self.fill_value)
        self.__dict__["_expr"] = _core.Expression.eval(self._family, self._bounds_list(), fill, self._parameters())

    def _bounds_list(self):
        bounds = self.bounds
        if bounds is None:
            return []
        try:
            pairs = _inputs.reals("bounds", bounds).reshape(-1, 2)
        except ValueError:
            raise Error(f"bounds: {bounds!r} is not a pair of numbers. Use (lower, upper).") from None
        return [(float(a), float(b)) for a, b in pairs]

    def _expression(self):
        return self._expr

    def _eval_expression(self):
        return self._expr

    def _grid(self, n_samples):
        lower, upper = (0.0, 1.0) if self.bounds is None else self._bounds_list()[0]
        points = np.linspace(lower, upper, n_samples)
        return points, self.evaluate(points)
