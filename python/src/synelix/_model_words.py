# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Translates NeMoS' names of models and options into those of the library."""

from __future__ import annotations

import numpy as np

from . import _inputs
from ._errors import ArgumentTypeError, Error

_FAMILIES = {"poisson": "poisson", "gaussian": "gaussian", "bernoulli": "bernoulli", "gamma": "gamma",
             "negativebinomial": "negative_binomial"}
_LINKS = {"exp": "exp", "softplus": "softplus", "logistic": "logistic", "expit": "logistic", "sigmoid": "logistic",
          "norm_cdf": "norm_cdf", "cdf": "norm_cdf", "one_over_x": "one_over_x", "reciprocal": "one_over_x",
          "identity": "identity"}
_KINDS = {"unregularized": "none", "ridge": "ridge", "lasso": "lasso", "elasticnet": "elastic_net",
          "grouplasso": "group_lasso"}
_SOLVERS = ("newton", "lbfgs", "proximal_newton")
#: Solvers of NeMoS, and their options. Solvers that do not exist here are ignored, and so are the options: the optimum
#: does not depend on them, and the library chooses a solver.
_THEIR_SOLVERS = frozenset(("gradientdescent", "bfgs", "lbfgs", "nonlinearcg", "proximalgradient", "svrg", "proxsvrg"))
_THEIR_OPTIONS = frozenset((
    "acceleration", "adjoint", "atol", "batch_size", "condition", "decrease_factor", "history_size",
    "implicit_diff", "increase_factor", "jit", "key", "linesearch", "linesearch_init", "linesearch_kwargs",
    "max_iter", "max_steps", "max_stepsize", "maxiter", "maxls", "memory_size", "method", "min_stepsize",
    "momentum", "norm", "optim", "options", "rtol", "scale_init_precond", "stepsize", "tags", "throw", "tol",
    "unroll", "use_gamma", "use_inverse", "verbose", "while_loop_kind"))


def _name_of(value, suffix=""):
    text = value if isinstance(value, str) else type(value).__name__
    return text.lower().removesuffix(suffix)


def loss_options(observation_model, inverse_link_function):
    """The family, its inverse link and its dispersion."""
    family = _FAMILIES.get(_name_of(observation_model, "observations"))
    if family is None:
        raise Error(f"observation_model: {observation_model!r} is not known. "
                    "Use 'Poisson', 'Gaussian', 'Bernoulli', 'Gamma' or 'NegativeBinomial'.")
    link = "auto"
    if inverse_link_function is not None:
        is_name = isinstance(inverse_link_function, str)
        name = inverse_link_function if is_name else getattr(inverse_link_function, "__name__", "")
        link = _LINKS.get(name)
        if link is None:
            raise Error(f"inverse_link_function: {inverse_link_function!r} is not known. Use "
                        f"{', '.join(sorted(set(_LINKS.values())))}.")
    dispersion = getattr(observation_model, "scale", 1.0) if family == "negative_binomial" else 1.0
    return {"family": family, "inverse_link": link, "dispersion": dispersion}


def penalty_options(regularizer, strength, columns, targets):
    """The penalty with its strength."""
    kind = "none" if regularizer is None else _KINDS.get(_name_of(regularizer))
    if kind is None:
        raise Error(f"regularizer: {regularizer!r} is not known. Use 'UnRegularized', 'Ridge', 'Lasso', 'ElasticNet' "
                    "or 'GroupLasso'.")
    if kind == "none":
        return {"kind": "none"}
    found = {"kind": kind}
    if kind == "elastic_net":
        given = strength if isinstance(strength, (tuple, list)) else (strength, 0.5)
        if len(given) != 2:
            raise Error(f"regularizer_strength: there are {len(given)} numbers. Use two for an elastic net: "
                        "(strength, ratio).")
        strength, found["ratio"] = given
    strength = 1.0 if strength is None else strength
    if kind == "group_lasso":
        found["groups"] = groups_of_mask(getattr(regularizer, "mask", None), columns)
    if np.ndim(strength) == 0:
        return {**found, "strength": _inputs.real("regularizer_strength", strength)}
    numbers = _inputs.reals("regularizer_strength", strength)
    pers = {"group": (max(found.get("groups", [0])) + 1,)} if kind == "group_lasso" else {
        "coefficient": (columns,), "coefficient_of_target": (columns, targets), "target": (targets,)}
    for per, shape in pers.items():
        if numbers.shape == shape:
            return {**found, "strength": numbers, "per": per}
    raise Error(f"regularizer_strength: the shape is {numbers.shape}. Use a number, or one of the shapes "
                f"{list(pers.values())}.")


def require_zeros_and_ones(name, what, mask):
    """Refuses values other than 0 and 1, which a conversion to integers would turn into 0 or 1."""
    wrong = np.argwhere(~np.isin(mask, (0, 1)))
    if len(wrong):
        place = ", ".join(map(str, wrong[0]))
        raise Error(f"{name}: {what} holds {mask[tuple(wrong[0])]!s} at ({place}). "
                    "Use 1 for what takes part, and 0 for the rest.")


def groups_of_mask(mask, columns):
    """The group of each column from a mask (groups, columns) of 0 and 1; -1 means no group. Without a mask, all
    columns are one group."""
    if mask is None:
        return [0] * columns
    _inputs.refuse_kinds("regularizer", mask)
    mask = np.asarray(_inputs.plain(mask))
    if mask.ndim != 2 or mask.shape[1] != columns:
        raise Error(f"regularizer: the mask of groups has the shape {mask.shape}. Use (groups, {columns}).")
    require_zeros_and_ones("regularizer", "the mask of groups", mask)
    if (np.count_nonzero(mask, axis=0) > 1).any():
        raise Error("regularizer: a column is in two groups of the mask. Put it into one at most.")
    return [int(np.argmax(c)) if c.any() else -1 for c in mask.T]


def solver_options(name, keywords):
    """The solver and its tolerances, in upper or lower case. For a solver of NeMoS that does not exist here,
    the library chooses one: the optimum is the same."""
    if keywords is not None and not isinstance(keywords, dict):
        raise ArgumentTypeError(f"solver_kwargs: {keywords!r} is not a dictionary. Use one with some of tol and "
                                "maxiter.")
    keywords = keywords or {}
    if name is not None and not isinstance(name, str):
        raise Error(f"solver_name: {name!r} is not a name. Use {', '.join(map(repr, _SOLVERS))} or None.")
    known = "auto" if name is None else name.partition("[")[0].lower()  # NeMoS names a backend: LBFGS[optax]
    found = {"solver": known if known in _SOLVERS else "auto", "tol": 1e-6, "standard_errors_tol": 1e-3, "maxiter": 500}
    if name is not None and known not in _SOLVERS and known not in _THEIR_SOLVERS:
        raise Error(f"solver_name: '{name}' is not known. Use {', '.join(map(repr, _SOLVERS))}, a solver of NeMoS, "
                    "or None.")
    unknown = sorted(set(keywords) - _THEIR_OPTIONS)
    if unknown:
        raise Error(f"solver_kwargs: '{unknown[0]}' is not known. Use tol and maxiter.")
    for ours, theirs in (("tol", ("tol",)), ("maxiter", ("maxiter", "max_steps", "max_iter"))):
        for key in theirs:
            if key in keywords:
                found[ours] = keywords[key]
    found["maxiter"] = _inputs.whole("solver_kwargs", found["maxiter"])
    found["tol"] = _inputs.real("solver_kwargs", found["tol"])
    return found


def seed_of(key, name="random_key"):
    """A seed from an int, or from a random key of JAX."""
    if isinstance(key, (int, np.integer)):
        return int(key) % 2**64
    try:
        words = np.asarray(key)
    except TypeError:  # the numbers of JAX's new-style keys need a function of JAX
        import jax

        words = np.asarray(jax.random.key_data(key))
    if words.dtype.kind not in "ui":
        raise Error(f"{name}: {key!r} is not a key. Use an int, or a key of jax.random.")
    seed = 0
    for word in words.ravel().astype(np.uint64):
        seed = (seed * 2**32 + int(word)) % 2**64
    return seed


def _require(y, sample_weight):
    if y is None:
        raise Error("y: a model requires y to be passed, but the target y is None. Give the targets.")
    _require_weights(sample_weight)


def _require_weights(sample_weight):
    """Refuses weights that leave no row."""
    if sample_weight is None:
        return
    _inputs.refuse_kinds("sample_weight", sample_weight)
    if not np.any(np.asarray(_inputs.plain(sample_weight))):
        raise Error("sample_weight: every weight is zero. Give at least one row a sample_weight above zero.")


def _vector(values, name):
    return None if values is None else _inputs.as_array(values, name)
