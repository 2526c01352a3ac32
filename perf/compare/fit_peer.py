# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits one problem with one peer in a process of its own, and certifies the peer's answer and ours in float64.

    fit_peer.py '{"peer": "glum", "folder": ..., "family": "poisson", "strength": 1e-4, "ours": FILE, ...}'

Prints a line of JSON: seconds of the processor, seconds of the wall, peak MiB, and of each answer the largest violation
of the optimality conditions relative to that of the model without features, and the objective.
"""
import json
import os
import sys
import time

QUESTION = json.loads(sys.argv[1])
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = str(QUESTION.get("threads", 1))
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from scipy.special import gammaln  # noqa: E402

import fit_problems  # noqa: E402


def peak_mib():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))


def read():
    """Features (rows, columns) and targets (rows, targets), float64: the peer's, and ours if those are more."""
    folder = Path(QUESTION["folder"])
    count = max(QUESTION.get("targets", 1), QUESTION.get("our_targets", 1))
    if (folder / "events.i64").exists():
        counts = fit_problems.read_events(folder)
        first = QUESTION.get("first_target", 0)
        return fit_problems.coupling_features(counts), counts[fit_problems.WINDOW:, first:first + count]
    rows = QUESTION["rows"]
    features = np.fromfile(folder / "features.f32", np.float32, rows * QUESTION["columns"]).reshape(rows, -1).astype(float)
    if "targets" in QUESTION:
        targets = np.fromfile(folder / "targets.f64").reshape(-1, QUESTION["all_rows"])[:count, :rows].T
    else:
        targets = np.fromfile(folder / f"{QUESTION['family']}.f64", count=rows)[:, None]
    return features, targets


X, ALL = read()
Y = ALL[:, :QUESTION.get("targets", ALL.shape[1])]
ROWS, COLUMNS = X.shape
FAMILY, RATIO = QUESTION["family"], QUESTION.get("ratio", 0.0)
GROUP = QUESTION.get("group", 0)           # columns of a group, where groups are penalized
DATA_MIB = peak_mib()
# The loss of NeMoS: Gaussian without 1/2, so that the strengths of the others are half of ours.
HALF = 0.5 if FAMILY == "gaussian" else 1.0


def residual(predictor, target):
    if FAMILY == "gaussian":
        return 2 * (predictor - target)
    return (np.exp(predictor) if FAMILY == "poisson" else 1 / (1 + np.exp(-predictor))) - target


def loss(predictor, target):
    if FAMILY == "gaussian":
        return np.mean((predictor - target) ** 2)
    if FAMILY == "poisson":
        return np.mean(np.exp(predictor) - target * predictor)
    return np.mean(np.logaddexp(0, predictor) - target * predictor)


def certificate(coefficients, intercept, target, strength):
    """(violation relative to that of the model without features, objective)."""
    mean = target.mean()
    none = 2 * (mean - target) if FAMILY == "gaussian" else mean - target
    scale = max(np.mean(np.abs(X[:, j] * none)) for j in range(COLUMNS))
    predictor = X @ coefficients + intercept
    rest = residual(predictor, target)
    slope = X.T @ rest / ROWS
    if GROUP:
        blocks, slopes, bound = coefficients.reshape(-1, GROUP), slope.reshape(-1, GROUP), strength * np.sqrt(GROUP)
        size = np.linalg.norm(blocks, axis=1)
        inside = np.linalg.norm(slopes + bound * blocks / np.where(size > 0, size, 1)[:, None], axis=1)
        outside = np.maximum(0, np.linalg.norm(slopes, axis=1) - bound)
        worst, penalty = np.where(size > 0, inside, outside).max(), bound * size.sum()
    else:
        slope = slope + strength * (1 - RATIO) * coefficients
        bound = strength * RATIO
        worst = np.where(coefficients != 0, np.abs(slope + bound * np.sign(coefficients)), np.maximum(0, np.abs(slope) - bound)).max()
        penalty = strength * ((1 - RATIO) / 2 * np.sum(coefficients ** 2) + RATIO * np.sum(np.abs(coefficients)))
    return max(worst, abs(rest.mean())) / scale, loss(predictor, target) + penalty


# ---------------------------------------------------------------- one strength
def sklearn_fit(strength):
    from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
    answers = []
    for target in Y.T:
        if FAMILY == "poisson":
            model = PoissonRegressor(alpha=strength, solver="newton-cholesky", tol=1e-10, max_iter=1000)
        elif FAMILY == "bernoulli":
            model = LogisticRegression(C=1 / (strength * ROWS), solver="newton-cholesky", tol=1e-10, max_iter=1000)
        else:
            model = Ridge(alpha=strength * ROWS / 2, solver="cholesky")
        model.fit(X, target)
        answers.append((np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])))
    return answers


def glum_fit(strength):
    from glum import GeneralizedLinearRegressor
    family = {"poisson": "poisson", "bernoulli": "binomial", "gaussian": "normal"}[FAMILY]
    answers = []
    for target in Y.T:
        model = GeneralizedLinearRegressor(family=family, alpha=strength * HALF, l1_ratio=0, solver="irls-ls", gradient_tol=1e-7,
                                           scale_predictors=False, max_iter=1000, copy_X=False).fit(X, target)
        answers.append((model.coef_, float(model.intercept_)))
    return answers


# ---------------------------------------------------------------- paths
def sklearn_path(strengths):
    from sklearn.linear_model import enet_path
    middle, mean = X.mean(0), Y[:, 0].mean()
    _, found, _ = enet_path(X - middle, Y[:, 0] - mean, l1_ratio=RATIO, alphas=strengths / 2, precompute=True, tol=1e-9, max_iter=100_000)
    return [(one, mean - middle @ one) for one in found.T]


def glum_path(strengths):
    from glum import GeneralizedLinearRegressor
    family = {"poisson": "poisson", "bernoulli": "binomial", "gaussian": "normal"}[FAMILY]
    model = GeneralizedLinearRegressor(family=family, alpha=list(strengths * HALF), alpha_search=True, l1_ratio=RATIO, solver="irls-cd",
                                       gradient_tol=1e-6, scale_predictors=False, max_iter=300, copy_X=False).fit(X, Y[:, 0])
    return list(zip(np.array(model.coef_path_), np.ravel(model.intercept_path_)))


def adelie_group_path(strengths):
    import adelie
    state = adelie.grpnet(X=np.asfortranarray(X), glm=adelie.glm.poisson(y=np.ascontiguousarray(Y[:, 0])), groups=np.arange(0, COLUMNS, GROUP),
                          lmda_path=list(strengths), alpha=1.0, tol=1e-8, irls_tol=1e-8, progress_bar=False, early_exit=False,
                          n_threads=1, adev_tol=1, ddev_tol=0)
    return list(zip(state.betas.toarray(), np.array(state.intercepts)))


# ---------------------------------------------------------------- cross-validation: held-out log-likelihood of each strength
def held_out(answer, target, rows):
    predictor = X[rows] @ answer[0] + answer[1]
    return np.mean(target[rows] * predictor - np.exp(predictor) - gammaln(target[rows] + 1))


def glum_grid(strengths):
    from glum import GeneralizedLinearRegressor
    fold = np.arange(ROWS) * 3 // ROWS
    scores = np.zeros((3, len(strengths)))
    for k in range(3):
        train = fold != k
        for target in Y.T:
            model = GeneralizedLinearRegressor(family="poisson", alpha=list(strengths), alpha_search=True, l1_ratio=RATIO, solver="irls-cd",
                                               gradient_tol=1e-6, max_iter=300).fit(X[train], target[train])
            for i in range(len(strengths)):
                scores[k, i] += held_out((model.coef_path_[i], model.intercept_path_[i]), target, ~train) / Y.shape[1]
    return scores.mean(0)


def nemos_grid(strengths):
    import nemos
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    fold = np.arange(ROWS) * 3 // ROWS
    grid = GridSearchCV(nemos.glm.PopulationGLM(regularizer="ElasticNet", regularizer_strength=(1e-3, RATIO)),
                        {"regularizer_strength": [(float(one), RATIO) for one in strengths]}, cv=PredefinedSplit(fold), refit=False)
    grid.fit(X, Y)
    return grid.cv_results_["mean_test_score"]


def main():
    strengths = np.asarray(QUESTION["strengths"] if "strengths" in QUESTION else [QUESTION["strength"]])
    run = globals()[f"{QUESTION['peer']}_{QUESTION['task']}"] if "peer" in QUESTION else None
    answer = {"data_mib": DATA_MIB}
    if run:
        wall, processor = time.perf_counter(), time.process_time()
        found = run(strengths[0] if QUESTION["task"] == "fit" else strengths)
        answer |= {"wall": time.perf_counter() - wall, "seconds": time.process_time() - processor, "peak_mib": peak_mib()}
        if QUESTION["task"] == "grid":
            answer["scores"] = [float(one) for one in found]
        else:
            certified = certify(found, Y, strengths)
            answer |= {"violation": certified[0], "objectives": certified[1]}
    if "ours" in QUESTION:
        numbers = np.fromfile(QUESTION["ours"]).reshape(-1, COLUMNS + 1)
        certified = certify([(one[:-1], one[-1]) for one in numbers], ALL, strengths)
        answer |= {"our_violation": certified[0], "our_objectives": certified[1]}
    print(json.dumps(answer))


def certify(found, targets, strengths):
    """For several targets at one strength, or one target at several: (largest violation, objectives)."""
    pairs = [(target, strengths[0]) for target in targets.T] if len(strengths) == 1 else [(targets[:, 0], one) for one in strengths]
    certified = [certificate(np.asarray(one[0]), float(one[1]), *pair) for one, pair in zip(found, pairs, strict=True)]
    return max(one[0] for one in certified), [float(one[1]) for one in certified]


if __name__ == "__main__":
    main()
