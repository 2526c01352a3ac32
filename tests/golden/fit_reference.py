# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Independent float64 GLM in NumPy: losses, gradients, Hessians, optimality certificates, and a slow reference solver.

Nothing here is NeMoS' code; conventions are NeMoS': the loss of a target is the MEAN over valid rows of l(y, mu), the
penalty is added unscaled, the intercept is never penalised, targets add up.

    smooth part   F(b, b0) = mean_t w_t l(y_t, f(x_t b + b0 + o_t)) + penalty
    penalty       ridge s/2 |b|^2; lasso s |b|_1; elasticnet s((1-r)/2 |b|^2 + r |b|_1); grouplasso s sum_g sqrt(n_g) |b_g|

Certificate of a point: for each target
    kkt        max over coefficients of the distance of -grad to the subdifferential of the penalty, and |grad of b0|
    kkt_scale  the same divided by max_j mean_t |x_tj| |r0_t|, r0 the residual at b = 0 with the best intercept:
               a number without unit, which neither the scale of columns (where all share one) nor that of y changes
    decrement  sqrt(n g' H^-1 g), smooth penalties only: the distance to the optimum in standard errors
"""
import numpy as np
from scipy import special, stats

EPS = np.finfo(float).eps


# ---------------------------------------------------------------- links: f, f', f''
def link(name):
    if name == "exp":
        return (np.exp,) * 3
    if name == "softplus":
        s = special.expit
        return (lambda x: np.logaddexp(0, x), s, lambda x: s(x) * s(-x))
    if name == "logistic":
        s = special.expit
        return (s, lambda x: s(x) * s(-x), lambda x: s(x) * s(-x) * (1 - 2 * s(x)))
    if name == "norm_cdf":
        d = stats.norm.pdf
        return (special.ndtr, d, lambda x: -x * d(x))
    if name == "one_over_x":
        return (lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3)
    if name == "identity":
        return (lambda x: x, np.ones_like, np.zeros_like)
    raise KeyError(name)


# ---------------------------------------------------------------- families: l(y, mu), dl/dmu, d2l/dmu2
def family(name, alpha=1.0):
    if name == "poisson":
        return (lambda y, m: m - special.xlogy(y, m), lambda y, m: 1 - y / m, lambda y, m: y / m**2)
    if name == "gamma":
        return (lambda y, m: y / m + np.log(m), lambda y, m: (m - y) / m**2, lambda y, m: (2 * y - m) / m**3)
    if name == "gaussian":
        return (lambda y, m: (y - m) ** 2, lambda y, m: -2 * (y - m), lambda y, m: np.full_like(m, 2.0))
    if name == "bernoulli":
        return (lambda y, m: -special.xlogy(y, m) - special.xlog1py(1 - y, -m),
                lambda y, m: (m - y) / (m * (1 - m)),
                lambda y, m: y / m**2 + (1 - y) / (1 - m) ** 2)
    if name == "negativebinomial":
        a = alpha
        return (lambda y, m: -special.xlogy(y, a * m / (1 + a * m)) + np.log1p(a * m) / a,
                lambda y, m: (m - y) / (m * (1 + a * m)),
                lambda y, m: y / m**2 - a * (1 + a * y) / (1 + a * m) ** 2)
    raise KeyError(name)


def pieces(fam, lnk, eta, y, alpha=1.0):
    """loss, residual dl/deta and curvature d2l/deta2 of each row."""
    l, d1, d2 = family(fam, alpha)
    f, f1, f2 = link(lnk)
    if fam == "bernoulli" and lnk == "logistic":  # no cancellation
        m = special.expit(eta)
        return np.logaddexp(0, eta) - y * eta, m - y, m * special.expit(-eta)
    m = f(eta)
    return l(y, m), d1(y, m) * f1(eta), d2(y, m) * f1(eta) ** 2 + d1(y, m) * f2(eta)


def penalty(kind, b, s, ratio=1.0, groups=None):
    s = np.broadcast_to(s, b.shape if kind != "grouplasso" else (int(groups.max()) + 1,))
    if kind == "none":
        return 0.0
    if kind == "ridge":
        return 0.5 * np.sum(s * b**2)
    if kind == "lasso":
        return np.sum(s * np.abs(b))
    if kind == "elasticnet":
        return np.sum(s * (0.5 * (1 - ratio) * b**2 + ratio * np.abs(b)))
    if kind == "grouplasso":  # groups: number of each coefficient's group, -1: none
        return sum(s[g] * np.sqrt((groups == g).sum()) * np.linalg.norm(b[groups == g]) for g in range(len(s)))
    raise KeyError(kind)


class Target:
    """One target: the data of a fit. Rows with a non-finite value of X or y are left out."""

    def __init__(self, X, y, fam, lnk, kind="none", strength=0.0, ratio=1.0, groups=None, alpha=1.0, mask=None, offset=None, weights=None):
        ok = np.isfinite(X).all(1) & np.isfinite(y)
        self.X, self.y = np.asarray(X, float)[ok], np.asarray(y, float)[ok]
        self.fam, self.lnk, self.kind, self.alpha = fam, lnk, kind, alpha
        self.ratio, self.groups = ratio, groups
        p = X.shape[1]
        self.free = np.ones(p, bool) if mask is None else np.asarray(mask, bool)
        self.s = strength if kind == "grouplasso" else np.broadcast_to(np.asarray(strength, float), (p,))
        self.o = 0.0 if offset is None else np.asarray(offset, float)[ok]
        self.w = np.ones(len(self.y)) if weights is None else np.asarray(weights, float)[ok]
        self.n = self.w.sum()

    def eta(self, b, b0):
        return self.X @ (b * self.free) + b0 + self.o

    def loss(self, b, b0):
        return np.sum(self.w * pieces(self.fam, self.lnk, self.eta(b, b0), self.y, self.alpha)[0]) / self.n

    def objective(self, b, b0):
        return self.loss(b, b0) + penalty(self.kind, b, self.s, self.ratio, self.groups)

    def gradient(self, b, b0):
        """The gradient of the mean loss alone."""
        r = self.w * pieces(self.fam, self.lnk, self.eta(b, b0), self.y, self.alpha)[1]
        return (self.X.T @ r) / self.n * self.free, r.sum() / self.n

    def hessian(self, b, b0):
        d = self.w * pieces(self.fam, self.lnk, self.eta(b, b0), self.y, self.alpha)[2]
        X1 = np.c_[self.X * self.free, np.ones(len(self.y))]
        return (X1.T * d) @ X1 / self.n

    def smooth_penalty(self):
        return self.s if self.kind == "ridge" else self.s * (1 - self.ratio) if self.kind == "elasticnet" else np.zeros(self.X.shape[1])

    def l1(self):
        return self.s if self.kind == "lasso" else self.s * self.ratio if self.kind == "elasticnet" else np.zeros(self.X.shape[1])

    def kkt(self, b, b0):
        g, g0 = self.gradient(b, b0)
        v = np.zeros_like(b)
        if self.kind == "grouplasso":
            s = np.broadcast_to(self.s, (int(self.groups.max()) + 1,))
            v = np.abs(g)
            for k in range(len(s)):
                i = self.groups == k
                t, nb = s[k] * np.sqrt(i.sum()), np.linalg.norm(b[i])
                v[i] = np.linalg.norm(g[i] + t * b[i] / nb) if nb > 0 else max(0.0, np.linalg.norm(g[i]) - t)
        else:
            g = g + self.smooth_penalty() * b
            t = self.l1()
            v = np.where(b != 0, np.abs(g + t * np.sign(b)), np.maximum(0, np.abs(g) - t))
        return max(v[self.free].max(initial=0.0), abs(g0))

    def scale(self):
        b0 = np.zeros(())
        b0, _ = self.best_intercept()
        r = pieces(self.fam, self.lnk, np.full(len(self.y), b0) + self.o, self.y, self.alpha)[1]
        return np.max((np.abs(self.X) * np.abs(self.w * r)[:, None]).sum(0) / self.n)

    def best_intercept(self):
        m = np.sum(self.w * self.y) / self.n
        inv = {"exp": np.log, "softplus": lambda x: x + np.log(-np.expm1(-x)), "logistic": special.logit, "norm_cdf": stats.norm.ppf, "one_over_x": lambda x: 1 / x, "identity": lambda x: x}[self.lnk]
        return float(inv(m)), m

    def certificate(self, b, b0):
        out = {"kkt": self.kkt(b, b0)}
        out["kkt_scale"] = out["kkt"] / self.scale()
        if self.kind in ("none", "ridge"):
            g, g0 = self.gradient(b, b0)
            q = np.r_[(g + self.smooth_penalty() * b)[self.free], g0]
            i = np.r_[np.flatnonzero(self.free), len(b)]
            H = (self.hessian(b, b0) + np.diag(np.r_[self.smooth_penalty(), 0.0]))[np.ix_(i, i)]
            out["decrement"] = float(np.sqrt(max(0.0, self.n * q @ np.linalg.lstsq(H, q, rcond=1e-14)[0])))
        return out

    # ------------------------------------------------------------ reference solver: proximal Newton, inner FISTA/CD to the floor
    def polish(self, b, b0, steps=60):
        b, b0 = np.array(b, float) * self.free, float(b0)
        p = len(b)
        for _ in range(steps):
            g, g0 = self.gradient(b, b0)
            H = self.hessian(b, b0)
            best = self.kkt(b, b0)
            if best < 1e-16:
                break
            nb, nb0 = self.inner(b, b0, g, g0, H)
            t, f = 1.0, self.objective(b, b0)
            for _ in range(40):
                c, c0 = b + t * (nb - b), b0 + t * (nb0 - b0)
                with np.errstate(all="ignore"):
                    fc = self.objective(c, c0)
                if np.isfinite(fc) and fc <= f + 1e-13 * abs(f):
                    break
                t /= 2
            if self.kkt(c, c0) >= best and fc >= f:
                break
            b, b0 = c, c0
        return b, b0

    def inner(self, b, b0, g, g0, H):
        """argmin of the quadratic model plus penalty, by blocks; the intercept is a separate block."""
        p = len(b)
        i = np.flatnonzero(self.free)
        if self.kind in ("none", "ridge"):
            j = np.r_[i, p]
            A = (H + np.diag(np.r_[self.smooth_penalty(), 0]))[np.ix_(j, j)]
            d = np.linalg.lstsq(A, -np.r_[g + self.smooth_penalty() * b, g0][j], rcond=1e-13)[0]
            nb = b.copy()
            nb[i] += d[:-1]
            return nb, b0 + d[-1]
        z, z0 = b.copy(), b0
        gr = np.r_[g, g0].copy()  # gradient of the quadratic model at (z, z0)
        l2, l1 = self.smooth_penalty(), self.l1()
        s = None if self.kind != "grouplasso" else np.broadcast_to(self.s, (int(self.groups.max()) + 1,))
        for sweep in range(3000):
            mv = 0.0
            if self.kind == "grouplasso":
                for k in range(-1, len(s)):
                    J = np.flatnonzero((self.groups == k) & self.free)
                    if not len(J):
                        continue
                    L = np.linalg.eigvalsh(H[np.ix_(J, J)])[-1]
                    for _ in range(20):
                        u = z[J] - gr[J] / L
                        if k >= 0:
                            t = s[k] * np.sqrt((self.groups == k).sum()) / L
                            nu = np.linalg.norm(u)
                            u = u * max(0.0, 1 - t / nu) if nu > 0 else u
                        d = u - z[J]
                        z[J] = u
                        gr += H[:, J] @ d
                        mv = max(mv, np.abs(d).max())
            else:
                for j in i:
                    h = H[j, j]
                    u = z[j] * h - gr[j]
                    u = np.sign(u) * max(0.0, abs(u) - l1[j]) / (h + l2[j])
                    d = u - z[j]
                    if d:
                        z[j] = u
                        gr += H[:, j] * d
                        mv = max(mv, abs(d))
            d = -gr[p] / H[p, p]
            z0 += d
            gr += H[:, p] * d
            if max(mv, abs(d)) < 1e-16:
                break
        return z, z0
