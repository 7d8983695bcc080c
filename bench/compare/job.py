"""2Step-RR in scikit-learn: random Fourier features and ridge regression, on the files that the Go
program beside this file has written. Prints one line of JSON.

    job.py NAME DIR SETTINGS    NAME is fit, mixed, assessed, cv or search, SETTINGS is JSON
"""
import json
import sys
import time

import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline


def read(directory, table):
    return np.loadtxt(f"{directory}/{table}.csv", delimiter=",", skiprows=1)


def gamma(s):
    return 1 / (2 * s["bandwidth"] ** 2)


def fit(s, x0, u0, u1, y1):
    """Both steps; the penalty of Ridge is on sums over rows, ours on means."""

    def model(rows):
        features = RBFSampler(gamma=gamma(s), n_components=s["features"], random_state=0)
        return make_pipeline(features, Ridge(alpha=s["lambda"] * rows, solver="cholesky"))

    h = model(len(u1)).fit(u1, y1)
    f = model(len(x0)).fit(x0, h.predict(u0))
    return f.predict


def cv(s, x0, u0, u1, y1):
    """Both steps with penalties chosen by cross-validated squared error."""
    lambdas = np.logspace(-7, 1, s["grid"])
    psi = RBFSampler(gamma=gamma(s), n_components=s["features"], random_state=0).fit(u1)
    phi = RBFSampler(gamma=gamma(s), n_components=s["features"], random_state=1).fit(x0)

    def search(rows):
        return GridSearchCV(Ridge(solver="cholesky"), {"alpha": lambdas * rows}, cv=s["folds"], scoring="neg_mean_squared_error")

    h = search(len(u1)).fit(psi.transform(u1), y1)
    f = search(len(x0)).fit(phi.transform(x0), h.predict(psi.transform(u0)))
    return lambda x: f.predict(phi.transform(x))


def peak():
    """The largest resident memory of this process in MB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def main(name, directory, settings):
    s = json.loads(settings)
    d = s["dim"]
    t0 = time.perf_counter()
    xu, uy = read(directory, "xu"), read(directory, "uy")
    t1 = time.perf_counter()
    predict = {"fit": fit, "mixed": fit, "assessed": fit, "cv": cv, "search": cv}[name](s, xu[:, :d], xu[:, d:], uy[:, :d], uy[:, d])
    t2 = time.perf_counter()
    memory = peak()
    xy = read(directory, "xy")
    t3 = time.perf_counter()
    y = predict(xy[:, :d])
    t4 = time.perf_counter()
    print(json.dumps({
        "read": t1 - t0, "fit": t2 - t1, "predict": t4 - t3,
        "mse": float(np.mean((y.ravel() - xy[:, d]) ** 2)), "fit_mb": memory, "peak_mb": peak(),
    }))


if __name__ == "__main__":
    main(*sys.argv[1:])
