# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes fits.h5: small fits with NeMoS' converged solutions, polished and certified by an independent float64 program.

    python make_fit_golden.py [fits.h5] [--seed N]        needs nemos, numpy, scipy, h5py; a few minutes (compilation)

    /designs/NAME          features (rows, columns) float64, rows of NaN where a window or an epoch ends; attributes say how made.
                           `coupling` also has counts (rows, 4), taps (window, bases), epochs (2, 2), to be made from events.
    /fits/CASE             attributes: design, family, inverse_link, penalty (none, ridge, lasso, elasticnet, grouplasso),
                           ratio (elasticnet), alpha (negativebinomial), classes (classifier), columns (first columns of the design)
        y                  (rows) or (rows, targets); integer labels for the classifier
        strength           scalar, (columns), or (groups)
        groups             (columns) number of the group of a column, -1: none; of each target apart     [grouplasso]
        feature_mask       (columns, targets) of 0 and 1                                [some populations]
        coef, intercept    (columns[, targets][, classes]) THE ANSWER: NeMoS' solution polished to the floor of float64
        nemos_coef, nemos_intercept   NeMoS' own, LBFGS or ProximalGradient, tolerance 1e-12
        distance           max |coef - nemos_coef|, of both kinds of parameters
        loss, objective    of each target at the answer: mean loss over valid rows; with the penalty
        kkt, kkt_scale     certificates of each target (fit_reference.py)
        score              (3) log-likelihood, pseudo-r2-McFadden, pseudo-r2-Cohen as NeMoS' score() gives them AT THE ANSWER (all targets)
        scale, dof_resid   as NeMoS sets them, at the answer
        rate               (rows[, targets][, classes]) predict() at the answer, NaN kept
        start_intercept    NeMoS' initial intercept (the initial coefficients are 0)
        nonzero            number of coefficients that are not 0                        [sparse penalties]
        standard_error     (columns + 1[, targets]) sqrt(diag(inv(n H)) phi), the intercept last [none; phi = scale; Gaussian: loss has no 1/2]
Compare: coef within 1e-6 * max(1, |coef|max) and within 1e-3 standard errors; objective within 1e-12; zeros exactly zero; scores 1e-8.
"""
import sys, warnings
warnings.simplefilter("ignore")
import numpy as np, h5py, jax
jax.config.update("jax_enable_x64", True)
import nemos as nmo
from fit_reference import Target, link
from scipy.interpolate import BSpline as SciB

out = next((a for a in sys.argv[1:] if a.endswith(".h5")), "fits.h5")
seed = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else 20261123
rng = np.random.default_rng(seed)
f = h5py.File(out, "w")
f.attrs["nemos"], f.attrs["jax"], f.attrs["seed"] = nmo.__version__, jax.__version__, seed

# ------------------------------------------------------------------------------------------------ designs
def put(name, X, **a):
    d = f.create_group("designs/" + name)
    d.create_dataset("features", data=X, compression="gzip", shuffle=True)
    d.attrs.update(a)
    return X

n = 400
A = rng.normal(size=(6, 6)) * 0.35 + np.eye(6)
D = {"plain": put("plain", rng.normal(size=(n, 6)) @ A * 0.6, kind="correlated normal columns")}
u = rng.random(n)
t = np.r_[[0.0] * 4, np.arange(1, 5) / 5, [1 + 1e-12] * 4]
Bs = SciB.design_matrix(u, t, 3).toarray()
D["spline"] = put("spline", np.c_[Bs, rng.normal(size=(n, 2)) * 0.5], kind="8 cubic B-splines that sum to one (rank deficient with the intercept), then 2 normal columns")
W, K = 20, 4
s = np.log1p(50 * np.arange(W) / (W - 1)) / np.log1p(50)
taps = 0.5 * (1 + np.cos(np.clip(np.pi * (s[:, None] - np.arange(K) * (1 - 2 / (K + 1)) / (K - 1)) / ((1 - 2 / (K + 1)) / (K - 1) * 2), -np.pi, np.pi)))
T, ep = 1500, np.array([[0, 700], [700, 1500]])
counts = np.zeros((T, 4))
bc = rng.normal(size=(4, K, 4)) * 0.25
bc[np.arange(4), 0, np.arange(4)] -= 1.5
for a, b in ep:
    for i in range(a, b):
        e = np.full(4, -2.2)
        for k in range(1, min(W, i - a) + 1):
            e += np.einsum("c,b,cbr->r", counts[i - k], taps[k - 1], bc)
        counts[i] = rng.poisson(np.log1p(np.exp(np.minimum(e, 1.0))))
X = np.full((T, 4 * K), np.nan)
for a, b in ep:
    for c in range(4):
        for k in range(K):
            v = np.convolve(counts[a:b, c], taps[:, k])[: b - a]
            X[a + W : b, c * K + k] = v[W - 1 : b - a - 1]
D["coupling"] = put("coupling", X, kind="counts of 4 units, causal and shifted, RaisedCosineLog(4), window 20, two epochs", window=W, bases=K)
g = f["designs/coupling"]
g["counts"], g["taps"], g["epochs"] = counts.astype(np.uint8), taps, ep

OBS = {"poisson": "Poisson", "gamma": "Gamma", "gaussian": "Gaussian", "bernoulli": "Bernoulli", "negativebinomial": "NegativeBinomial"}
LINK = {"exp": jax.numpy.exp, "softplus": jax.nn.softplus, "logistic": jax.lax.logistic, "norm_cdf": jax.scipy.stats.norm.cdf, "one_over_x": nmo.utils.one_over_x, "identity": lambda x: x}
REG = {"none": "UnRegularized", "ridge": "Ridge", "lasso": "Lasso", "elasticnet": "ElasticNet", "grouplasso": "GroupLasso"}

def draw(fam, mu, alpha):
    if fam == "poisson": return rng.poisson(mu).astype(float)
    if fam == "gamma": return rng.gamma(2.0, mu / 2.0)
    if fam == "gaussian": return mu + rng.normal(size=mu.shape) * 0.7
    if fam == "bernoulli": return (rng.random(mu.shape) < mu).astype(float)
    if fam == "negativebinomial": return rng.negative_binomial(1 / alpha, 1 / (1 + alpha * mu)).astype(float)

def target_of(fam, lnk, X, N, alpha, b0):
    p = X.shape[1]
    B = rng.normal(size=(p, N)) * (rng.random((p, N)) < 0.6) * (0.5 if lnk != "one_over_x" else 0.12)
    e = np.where(np.isnan(X), 0, X) @ B + b0
    if lnk == "one_over_x": e = np.maximum(e, 0.15)
    return draw(fam, link(lnk)[0](np.clip(e, -8, 3 if lnk in ("exp",) else 8)), alpha)

def solver(kind):
    return dict(solver_name="LBFGS" if kind in ("none", "ridge") else "ProximalGradient", solver_kwargs=dict(tol=1e-12, maxiter=30000))

def case(name, design, fam, lnk, kind, strength=0.0, ratio=None, groups=None, N=1, alpha=None, mask=None, b0=-1.0, y=None):
    X = D[design]
    y = target_of(fam, lnk, X, N, alpha or 1.0, b0) if y is None else y
    y = y[:, 0] if N == 1 and y.ndim == 2 else y
    obs = OBS[fam] if fam != "negativebinomial" else nmo.observation_models.NegativeBinomialObservations(scale=alpha)
    reg = REG[kind]
    if kind == "grouplasso":
        m = np.array([groups == k for k in range(groups.max() + 1)], float)
        if N > 1:  # a group for each (group of columns, target): NeMoS' mask is (groups, columns, targets)
            m = np.array([np.where(np.arange(N) == j, row[:, None], 0.0) for row in m for j in range(N)])
        reg = nmo.regularizer.GroupLasso(mask=m)
    st = None if kind == "none" else strength if ratio is None else (strength, ratio)
    st_n = st
    if kind == "ridge" and np.ndim(strength) == 1 and N > 1: st_n = np.repeat(np.asarray(strength)[:, None], N, 1)
    kw = dict(observation_model=obs, inverse_link_function=LINK[lnk], regularizer=reg, regularizer_strength=st_n, **solver(kind))
    if N == 1: model = nmo.glm.GLM(**kw)
    else: model = nmo.glm.PopulationGLM(feature_mask=None if mask is None else jax.numpy.asarray(mask, float), **kw)
    try:
        start = np.asarray(model.initialize_params(X, y)[1])
    except Exception:
        start = np.asarray(model._model_specific_initialization(*model._preprocess_inputs(jax.numpy.asarray(X), jax.numpy.asarray(y))).intercept)
    model.fit(X, y)
    C, b = np.asarray(model.coef_, float).reshape(X.shape[1], N), np.asarray(model.intercept_, float).reshape(N)
    Y = y.reshape(len(y), N)
    P, P0, extra = np.zeros_like(C), np.zeros(N), {k: [] for k in ("loss", "objective", "kkt", "kkt_scale")}
    se = np.full((X.shape[1] + 1, N), np.nan)
    for j in range(N):
        tg = Target(X, Y[:, j], fam, lnk, kind, strength, 1.0 if ratio is None else ratio, groups, alpha or 1.0, None if mask is None else mask[:, j])
        c0 = C[:, j] * tg.free
        if kind in ("lasso", "elasticnet", "grouplasso"): c0 = np.where(np.abs(c0) < 1e-9, 0, c0)
        P[:, j], P0[j] = tg.polish(c0, b[j])
        if design == "spline" and kind == "none":   # not unique: keep the shift that NeMoS found, compare predictions
            P[:, j], P0[j] = C[:, j], b[j]
        ce = tg.certificate(P[:, j], P0[j])
        extra["loss"].append(tg.loss(P[:, j], P0[j])); extra["objective"].append(tg.objective(P[:, j], P0[j])); extra["kkt"].append(ce["kkt"]); extra["kkt_scale"].append(ce["kkt_scale"])
        if kind == "none" and design != "spline":
            i = np.r_[np.flatnonzero(tg.free), X.shape[1]]
            se[i, j] = np.sqrt(np.diag(np.linalg.inv(tg.hessian(P[:, j], P0[j])[np.ix_(i, i)] * tg.n)) * (2 if fam == "gaussian" else 1))
    nc, nb = np.array(model.coef_), np.array(model.intercept_)
    cm = P if mask is None else P * mask
    model.coef_, model.intercept_ = jax.numpy.asarray(cm[:, 0] if N == 1 else cm), jax.numpy.asarray(P0)
    model.dof_resid_ = model._estimate_resid_degrees_of_freedom(jax.numpy.asarray(X))
    ok = np.isfinite(X).all(1)
    Xv, yv = jax.numpy.asarray(X[ok]), jax.numpy.asarray(y[ok])
    dof_valid = model._estimate_resid_degrees_of_freedom(Xv)
    model.scale_ = model.observation_model.estimate_scale(yv, model._predict(model._get_model_params(), Xv), dof_resid=model.dof_resid_)
    if not np.isnan(np.asarray(model.scale_)).any() and np.isfinite(se).any():
        if fam in ("gaussian", "gamma"): se = se * np.sqrt(np.asarray(model.scale_).reshape(1, -1))
    sc = [float(model.score(X, y, score_type=k)) for k in ("log-likelihood", "pseudo-r2-McFadden", "pseudo-r2-Cohen")]
    d = max(np.abs((C if mask is None else C * mask) - cm).max(), np.abs(b - P0).max())
    q = f.create_group("fits/" + name)
    q.attrs.update(design=design, family=fam, inverse_link=lnk, penalty=kind, valid_rows=int(ok.sum()))
    if ratio is not None: q.attrs["ratio"] = ratio
    if alpha: q.attrs["alpha"] = alpha
    q["y"], q["strength"] = (y if fam in ("gamma", "gaussian") else y.astype(np.uint8)), np.asarray(strength, float)
    if groups is not None: q["groups"] = groups
    if mask is not None: q["feature_mask"] = np.asarray(mask, np.uint8)
    q["coef"], q["intercept"] = (cm[:, 0] if N == 1 else cm), P0
    q["nemos_coef"], q["nemos_intercept"], q["distance"] = nc, nb, d
    for k, v in extra.items(): q[k] = np.array(v)
    q["score"], q["scale"], q["dof_resid"], q["dof_resid_valid_rows"] = sc, np.asarray(model.scale_), np.asarray(model.dof_resid_), np.asarray(dof_valid)
    q["rate"], q["start_intercept"] = np.asarray(model._predict(model._get_model_params(), jax.numpy.asarray(X)), np.float64)[:: max(1, len(X) // 200)], start
    if kind in ("lasso", "elasticnet", "grouplasso"): q["nonzero"] = int((cm != 0).sum())
    if np.isfinite(se).any(): q["standard_error"] = se[:, 0] if N == 1 else se
    print(f"{name:44s} kkt {max(extra['kkt_scale']):.1e} distance to nemos {d:.1e} score {sc[0]:.6f} {sc[1]:.4f} {sc[2]:.4f} dof {np.ravel(model.dof_resid_)} scale {np.ravel(model.scale_)[:2]} nz {(cm != 0).sum()}/{cm.size}", flush=True)
    return y

G3 = np.array([0, 0, 1, 1, 2, 2])
PEN = [("none", {}), ("ridge", dict(strength=0.01)), ("lasso", dict(strength=0.03)), ("elasticnet", dict(strength=0.04, ratio=0.5)), ("grouplasso", dict(strength=0.02, groups=G3))]
for fam, lnk, alpha, b0 in (("poisson", "exp", None, -0.5), ("poisson", "softplus", None, 0.3), ("gaussian", "identity", None, 0.5), ("bernoulli", "logistic", None, -0.3), ("bernoulli", "norm_cdf", None, 0.0), ("gamma", "exp", None, 0.2), ("negativebinomial", "exp", 0.5, 0.0), ("negativebinomial", "softplus", 0.5, 0.8)):
    y = None
    for kind, a in PEN:
        if lnk in ("norm_cdf",) and kind in ("elasticnet", "grouplasso"): continue
        if (fam, lnk) == ("negativebinomial", "softplus") and kind not in ("none", "ridge"): continue
        y = case(f"{fam}_{lnk}_{kind}", "plain", fam, lnk, kind, alpha=alpha, b0=b0, y=y, **a)
y = case("gamma_one_over_x_none", "plain", "gamma", "one_over_x", "none", b0=1.2)
case("gamma_one_over_x_ridge", "plain", "gamma", "one_over_x", "ridge", strength=0.01, y=y)
y = case("gamma_softplus_ridge", "plain", "gamma", "softplus", "ridge", strength=0.01, b0=1.0)
y = case("poisson_exp_ridge_per_coefficient", "plain", "poisson", "exp", "ridge", strength=np.array([0, .01, .1, 1, .5, 0.]), b0=-0.5)
case("poisson_exp_lasso_zero", "plain", "poisson", "exp", "lasso", strength=5.0, y=y)
case("poisson_exp_grouplasso_per_group", "plain", "poisson", "exp", "grouplasso", strength=np.array([0.001, 0.05, 0.3]), groups=G3, y=y)
case("poisson_exp_grouplasso_ungrouped", "plain", "poisson", "exp", "grouplasso", strength=0.05, groups=np.array([0, 0, -1, 1, 1, -1]), y=y)
y = case("spline_poisson_exp_none", "spline", "poisson", "exp", "none", b0=-0.5)
case("spline_poisson_exp_ridge", "spline", "poisson", "exp", "ridge", strength=1e-3, y=y)
case("spline_poisson_exp_lasso", "spline", "poisson", "exp", "lasso", strength=0.01, y=y)
y = case("spline_gaussian_identity_ridge", "spline", "gaussian", "identity", "ridge", strength=1e-2)
GC = np.repeat(np.arange(4), K)
cy = counts.copy()
case("coupling_softplus_none", "coupling", "poisson", "softplus", "none", N=4, y=cy)
case("coupling_softplus_ridge", "coupling", "poisson", "softplus", "ridge", strength=1e-3, N=4, y=cy)
case("coupling_exp_ridge", "coupling", "poisson", "exp", "ridge", strength=1e-3, N=4, y=cy)
case("coupling_softplus_lasso", "coupling", "poisson", "softplus", "lasso", strength=3e-3, N=4, y=cy)
case("coupling_softplus_elasticnet", "coupling", "poisson", "softplus", "elasticnet", strength=5e-3, ratio=0.3, N=4, y=cy)
case("coupling_softplus_grouplasso", "coupling", "poisson", "softplus", "grouplasso", strength=3e-3, groups=GC, N=4, y=cy)
M = (rng.random((4, 4)) < 0.6) | np.eye(4, dtype=bool)
M = np.repeat(M, K, 0).astype(float)
case("coupling_softplus_ridge_mask", "coupling", "poisson", "softplus", "ridge", strength=1e-3, N=4, y=cy, mask=M)
case("coupling_softplus_lasso_mask", "coupling", "poisson", "softplus", "lasso", strength=2e-3, N=4, y=cy, mask=M)
case("coupling_softplus_single_target", "coupling", "poisson", "softplus", "ridge", strength=1e-3, y=cy[:, 2])

# ------------------------------------------------------------------------------------------------ classifier
def classifier(name, kind, strength):
    X, C = D["plain"], 3
    B = rng.normal(size=(6, C)) * 0.8
    e = X @ B + np.array([0.2, 0, -0.3])
    y = np.array([rng.choice(C, p=q) for q in np.exp(e) / np.exp(e).sum(1, keepdims=True)])
    m = nmo.glm.ClassifierGLM(n_classes=C, regularizer=REG[kind], regularizer_strength=None if kind == "none" else strength, **solver(kind)) if "n_classes" in nmo.glm.ClassifierGLM.__init__.__code__.co_varnames else nmo.glm.ClassifierGLM(regularizer=REG[kind], regularizer_strength=None if kind == "none" else strength, **solver(kind))
    if hasattr(m, "set_classes"): m.set_classes(y)
    m.fit(X, y)
    c, b = np.asarray(m.coef_, float), np.asarray(m.intercept_, float)
    for _ in range(100 if kind in ("none", "ridge") else 0):   # Newton on the over-parameterised model, minimum-norm step
        e = X @ c + b; P = np.exp(e - e.max(1, keepdims=True)); P /= P.sum(1, keepdims=True); R = (P - np.eye(C)[y]) / len(y); X1 = np.c_[X, np.ones(len(X))]
        gr = X1.T @ R; gr[:-1] += (strength if kind == "ridge" else 0) * c
        H = np.zeros((7 * C, 7 * C))
        for i in range(C):
            for j in range(C):
                w = P[:, i] * ((i == j) - P[:, j]) / len(y); H[i * 7:i * 7 + 7, j * 7:j * 7 + 7] = (X1.T * w) @ X1
        if kind == "ridge": H += np.diag(np.tile(np.r_[np.full(6, strength), 0], C))
        d = np.linalg.lstsq(H, -gr.T.ravel(), rcond=1e-12)[0].reshape(C, 7).T; c = c + d[:-1]; b = b + d[-1]
        if np.abs(d).max() < 1e-15: break
    e = X @ c + b; P = np.exp(e); P /= P.sum(1, keepdims=True); gr = X.T @ (P - np.eye(C)[y]) / len(y)
    kk = np.abs(gr + strength * c).max() if kind == "ridge" else np.abs(gr).max() if kind == "none" else np.where(c != 0, np.abs(gr + strength * np.sign(c)), np.maximum(0, np.abs(gr) - strength)).max()
    q = f.create_group("fits/" + name); q.attrs.update(design="plain", family="categorical", inverse_link="log_softmax", penalty=kind, classes=C, valid_rows=len(y))
    nc, nb = np.asarray(m.coef_), np.asarray(m.intercept_)
    m.coef_, m.intercept_ = jax.numpy.asarray(c), jax.numpy.asarray(b)
    q["y"], q["strength"], q["coef"], q["intercept"], q["nemos_coef"], q["nemos_intercept"] = y.astype(np.uint8), float(strength), c, b, nc, nb
    ll = -np.log(P[np.arange(len(y)), y]).mean()
    q["loss"], q["kkt"], q["score"], q["dof_resid"], q["rate"] = ll, kk, [float(m.score(X, y, score_type=k)) for k in ("log-likelihood", "pseudo-r2-McFadden", "pseudo-r2-Cohen")], np.asarray(m.dof_resid_), P[:200]
    q["distance"] = np.abs((c - c.mean(1, keepdims=True)) - (nc - nc.mean(1, keepdims=True))).max()
    print(f"{name:44s} kkt {kk:.1e} distance (centred) {q['distance'][()]:.1e} score {q['score'][:]}", flush=True)
for kind, st in (("none", 0.0), ("ridge", 0.02), ("lasso", 0.02)):
    classifier(f"classifier_{kind}", kind, st)
f.close()
