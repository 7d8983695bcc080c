#!/usr/bin/python3
"""Independent slow reference for the formulas of docs/design.md. Writes golden.json.

Dense float64 numpy, full systems instead of Schur complements, explicit bias columns instead of
centring: on purpose none of the shortcuts that the product takes. Rows are samples.
"""
import json
import numpy as np

rng = np.random.default_rng(20261127)
r6 = lambda a: np.round(a, 6)
n, m, p, q, k = 14, 11, 4, 3, 2
phi, psi, psi2 = r6(rng.normal(size=(n, p))), r6(rng.normal(size=(n, q)) + .3), r6(rng.normal(size=(m, q)))
y = r6(psi2 @ rng.normal(size=(q, k)) + .5 * rng.normal(size=(m, k)) + 1)
wx, wy = r6(rng.uniform(.5, 2, n)), r6(rng.uniform(.5, 2, m))
xq = r6(rng.normal(size=(3, p)))
L = lambda a: np.asarray(a).tolist()
out = {"input": dict(phi=L(phi), psi=L(psi), psi2=L(psi2), y=L(y), weights_xu=L(wx), weights_uy=L(wy), phi_query=L(xq))}


def joint(phi, psi, psi2, y, w, lf, lh, penalty, intercept, ux=None, uy=None):
    """Full (p+q) stationarity system of the design's objectives; returns alpha, a0, beta, b0."""
    ux = np.ones(len(phi)) if ux is None else ux
    uy = np.ones(len(psi2)) if uy is None else uy
    ux, uy = ux / ux.sum(), uy / uy.sum()
    Pf, Pf0 = np.eye(phi.shape[1]), np.eye(psi.shape[1])
    if intercept:
        phi, psi, psi2 = [np.hstack([a, np.ones((len(a), 1))]) for a in (phi, psi, psi2)]
        Pf, Pf0 = np.diag(np.r_[np.ones(phi.shape[1] - 1), 0]), np.diag(np.r_[np.ones(psi.shape[1] - 1), 0])
    A, B, C = (phi.T * ux) @ phi, (phi.T * ux) @ psi, (psi.T * ux) @ psi
    D, E = (psi2.T * uy) @ psi2, (psi2.T * uy) @ y
    if penalty == "scaled":
        c = (1 - w) / w
        M = np.block([[A + lf * Pf, -B], [-c * B.T, D + lh * Pf0 + c * C]])
        rhs = np.vstack([np.zeros((len(A), y.shape[1])), E])
    else:
        M = np.block([[A / w + lf * Pf, -B / w], [-B.T / w, C / w + D / (1 - w) + lh * Pf0]])
        rhs = np.vstack([np.zeros((len(A), y.shape[1])), E / (1 - w)])
    t = np.linalg.solve(M, rhs)
    a, b = t[:len(A)], t[len(A):]
    if intercept:
        return a[:-1], a[-1], b[:-1], b[-1]
    z = np.zeros(y.shape[1])
    return a, z, b, z


out["fit"] = []
for penalty, ws in (("scaled", (1., .9, .5, .1)), ("paper", (.9, .5, .1))):
    for w in ws:
        for intercept in (False, True):
            for weighted in (False, True):
                a, a0, b, b0 = joint(phi, psi, psi2, y, w, .03, .07, penalty, intercept, wx if weighted else None, wy if weighted else None)
                out["fit"].append(dict(penalty=penalty, w=w, lambda_f=.03, lambda_h=.07, intercept=intercept, weighted=weighted,
                                       alpha=L(a), a0=L(a0), beta=L(b), b0=L(b0), f_query=L(xq @ a + a0)))

# uncoupled risk on one held-out fold: training rows give alpha, beta_h, gamma; held-out rows are scored
it, iv, jt, jv = np.arange(0, 9), np.arange(9, n), np.arange(0, 7), np.arange(7, m)
bias = lambda a: np.hstack([a, np.ones((len(a), 1))])
lam_h, mu = .02, .05
a, a0, _, _ = joint(phi[it], psi[it], psi2[jt], y[jt], 1., .03, .07, "scaled", True)
f = lambda z: z @ a + a0
Pt, P2t = bias(psi[it]), bias(psi2[jt])
# nuisances: ridge with the bias column unpenalised for h and v, uncentred moments with the bias column (penalised by mu too) for gamma and omega
pen = np.diag(np.r_[np.ones(q), 0])
Dt = P2t.T @ P2t / len(jt)
bh = np.linalg.solve(Dt + lam_h * pen, P2t.T @ y[jt] / len(jt))
bv = np.linalg.solve(Dt + lam_h * pen, P2t.T @ (y[jt] ** 2) / len(jt))
ga = np.linalg.solve(Dt + mu * np.eye(q + 1), Pt.T @ f(phi[it]) / len(it))
om = np.linalg.solve(Dt + mu * np.eye(q + 1), Pt.mean(0))
F, H, H2, R2 = f(phi[iv]), bias(psi[iv]) @ bh, bias(psi2[jv]) @ bh, bias(psi2[jv]) @ ga
V, V2, O2, Y = bias(psi[iv]) @ bv, bias(psi2[jv]) @ bv, (bias(psi2[jv]) @ om)[:, None], y[jv]


def est(tx, ty):
    tx, ty = tx.sum(1), ty.sum(1)  # outputs added per row first
    return dict(mse=float(tx.mean() + ty.mean()), se=float(np.sqrt(tx.var(ddof=1) / len(tx) + ty.var(ddof=1) / len(ty))))


form1 = est((F - H) ** 2, (Y - H2) ** 2 + 2 * (H2 - R2) * (Y - H2))
form2 = est(F * F - 2 * F * H + V, O2 * (Y * Y - V2) - 2 * R2 * (Y - H2))
ra = np.sqrt(((F - H) ** 2).sum(1).mean()); rb = np.sqrt(((H2 - Y) ** 2).sum(1).mean())
R1x = bias(psi[iv]) @ ga
half = 2 * np.sqrt(((F - R1x) ** 2).sum(1).mean() * ((H2 - Y) ** 2).sum(1).mean())
out["risk"] = dict(train_xu=L(it), held_xu=L(iv), train_uy=L(jt), held_uy=L(jv), lambda_f=.03, lambda_h_of_f=.07, lambda_h=lam_h, mu=mu,
                   beta_h=L(bh), beta_v=L(bv), gamma=L(ga), omega=L(om), form1=form1, form2=form2,
                   bracket=dict(lo=float((ra - rb) ** 2), hi=float((ra + rb) ** 2)), tight=dict(centre=form1["mse"], half_width=float(half)),
                   note="bias column last; for h and v it is not penalised, for gamma and omega the whole matrix gets mu; variances with n-1")

# sandwich standard errors of f(x), plain centred scores, no leverage correction, no intercept, output 0
for w in (1., .5):
    a, _, b, _ = joint(phi, psi, psi2, y, w, .03, .07, "scaled", False)
    a, b, c, y0 = a[:, 0], b[:, 0], (1 - w) / w, y[:, 0]
    A, B, C, D = phi.T @ phi / n, phi.T @ psi / n, psi.T @ psi / n, psi2.T @ psi2 / m
    M = np.block([[A + .03 * np.eye(p), -B], [-c * B.T, D + .07 * np.eye(q) + c * C]])
    res = psi @ b - phi @ a
    tx = np.hstack([phi * res[:, None] - .03 * a, -c * psi * res[:, None]])
    ty = np.hstack([np.zeros((m, p)), psi2 * (y0 - psi2 @ b)[:, None] - .07 * b])
    tx, ty = tx - tx.mean(0), ty - ty.mean(0)
    Mi = np.linalg.inv(M)
    cov = Mi @ (tx.T @ tx / n / n + ty.T @ ty / m / m) @ Mi.T
    out.setdefault("sandwich", []).append(dict(w=w, lambda_f=.03, lambda_h=.07, output=0, se_query=L(np.sqrt(np.einsum("ij,jk,ik->i", xq, cov[:p, :p], xq)))))

# effect of a randomised 0/1 treatment, nuisances fitted on the same rows (no cross-fitting) to keep the case small
T = (rng.uniform(size=n) < .5).astype(float)
pt = T.mean(); kap = T / pt - (1 - T) / (1 - pt)
P0, P2 = bias(psi), bias(psi2); Dm = P2.T @ P2 / m
bh = np.linalg.solve(Dm + lam_h * pen, P2.T @ y[:, :1] / m)
g = np.linalg.solve(Dm + mu * np.eye(q + 1), P0.T @ kap / n)
tx, ty = kap * (P0 @ bh)[:, 0], (P2 @ g) * (y[:, 0] - (P2 @ bh)[:, 0])
out["effect"] = dict(treatment=L(T), output=0, lambda_h=lam_h, mu=mu, tau=float(tx.mean() + ty.mean()), se=float(np.sqrt(tx.var(ddof=1) / n + ty.var(ddof=1) / m)))

# one-hot accuracy on the held-out fold of "risk", classes = argmax of two scores
yc = np.eye(k)[(y[:, 0] > y[:, 1]).astype(int)]
a, a0, _, _ = joint(phi[it], psi[it], psi2[jt], yc[jt], 1., .03, .07, "scaled", True)
bh = np.linalg.solve(Dt + lam_h * pen, P2t.T @ yc[jt] / len(jt))
hat = lambda z: np.eye(k)[(z @ a + a0).argmax(1)]
gk = np.linalg.solve(Dt + mu * np.eye(q + 1), Pt.T @ hat(phi[it]) / len(it))
tx = (hat(phi[iv]) * (bias(psi[iv]) @ bh)).sum(1); P2v = bias(psi2[jv]); ty = ((P2v @ gk) * (yc[jv] - P2v @ bh)).sum(1)
out["accuracy"] = dict(labels=L(yc.argmax(1)), estimate=float(tx.mean() + ty.mean()), se=float(np.sqrt(tx.var(ddof=1) / len(iv) + ty.var(ddof=1) / len(jv))))

json.dump(out, open("golden.json", "w"), indent=1)
print(form1, form2, out["risk"]["bracket"], out["effect"]["tau"], out["accuracy"]["estimate"], out["sandwich"][0]["se_query"])
