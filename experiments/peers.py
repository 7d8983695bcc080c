"""Two steps with scikit-learn's learners, on the tables that the Go program beside this file has written: h of Y on U, then f of h(U) on X.

    python3 -c SCRIPT DIR    prints one line of JSON: for each learner 1 - R2 and the accuracy (null for numbers) on xy.csv, and the seconds of a fit

DIR has xu.csv, uy.csv and xy.csv. A column of text is Y's classes, levels or, with more than 100 values, words.
"""
import json
import sys
import time
import warnings

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

warnings.filterwarnings("ignore")


class Encoder:
    """Standardised numbers, indicators of levels, 100 components of TF-IDF of words."""

    def __init__(self, table):
        self.parts = []
        numbers = [c for c in table if table[c].dtype != object]
        if numbers:
            self.parts.append((numbers, StandardScaler().fit(table[numbers].to_numpy(float))))
        for c in table:
            if c in numbers:
                continue
            if table[c].nunique() > 100:
                self.parts.append((c, make_pipeline(TfidfVectorizer(sublinear_tf=True), TruncatedSVD(100, random_state=0)).fit(table[c])))
            else:
                self.parts.append(([c], OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(table[[c]].to_numpy())))

    def __call__(self, table):
        return np.hstack([p.transform(table[c].to_numpy()) for c, p in self.parts])


class KernelRidge:
    """Exact ridge regression with an isotropic Gaussian kernel; bandwidth and penalty by leave-one-out error on at most 1,000 rows."""

    def fit(self, x, y):
        y = y.reshape(len(y), -1)
        self.x, self.mean = x, y.mean(0)
        some = np.random.default_rng(0).permutation(len(x))[:1000]
        d, centred, best = cdist(x[some], x[some], "sqeuclidean"), y[some] - y[some].mean(0), np.inf
        for scale in np.median(d) * 2.0 ** np.arange(-3, 5):
            w, q = np.linalg.eigh(np.exp(-d / (2 * scale)))
            rotated, squares = q.T @ centred, q * q
            for penalty in 10.0 ** np.arange(-7, 1):
                g = 1 / (np.maximum(w, 0) + penalty * len(some))
                error = np.mean((q @ (g[:, None] * rotated) / (squares @ g)[:, None]) ** 2)
                if error < best:
                    best, self.scale, chosen = error, scale, penalty
        gram = self.gram(x)
        gram[np.diag_indices_from(gram)] += chosen * len(x)
        self.alpha = cho_solve(cho_factor(gram, overwrite_a=True), y - self.mean)
        return self

    def gram(self, x):
        return np.exp(-cdist(x, self.x, "sqeuclidean") / (2 * self.scale))

    def predict(self, x):
        return self.mean + self.gram(x) @ self.alpha


class Each:
    """A regressor for each column of y."""

    def __init__(self, make):
        self.make = make

    def fit(self, x, y):
        self.parts = [self.make().fit(x, column) for column in y.reshape(len(y), -1).T]
        return self

    def predict(self, x):
        return np.column_stack([p.predict(x) for p in self.parts])


class Classes:
    """Boosted trees for classes, whose prediction is the probabilities."""

    def fit(self, x, y):
        self.part = HistGradientBoostingClassifier(random_state=0, early_stopping=True).fit(x, y.argmax(1))
        return self

    def predict(self, x):
        return self.part.predict_proba(x)


def learners(classes):
    forest = lambda: RandomForestRegressor(random_state=0, n_jobs=-1)
    boosted = lambda: Each(lambda: HistGradientBoostingRegressor(random_state=0, early_stopping=True) if classes else GradientBoostingRegressor(random_state=0))
    return {"GBM": (Classes if classes else boosted, boosted), "RF": (forest, forest), "iso": (KernelRidge, KernelRidge)}


def main(directory):
    xu, uy, xy = (pd.read_csv(f"{directory}/{name}.csv") for name in ("xu", "uy", "xy"))
    u = [c for c in xu if c in uy]
    x, y = [c for c in xu if c not in u], [c for c in uy if c not in u]
    classes = uy[y[0]].dtype == object
    names = np.unique(uy[y[0]]) if classes else None
    targets = lambda t: (t[y].to_numpy() == names).astype(float) if classes else t[y].to_numpy(float)
    side_u, side_x = Encoder(pd.concat([xu[u], uy[u]])), Encoder(xu[x])
    at_uy, at_xu, at_x, at_xy = side_u(uy[u]), side_u(xu[u]), side_x(xu[x]), side_x(xy[x])
    outcome, truth, results = targets(uy), targets(xy), {}
    for name, (make_h, make_f) in learners(classes).items():
        start = time.perf_counter()
        h = make_h().fit(at_uy, outcome if classes else outcome.squeeze())
        f = make_f().fit(at_x, h.predict(at_xu).squeeze())
        seconds = time.perf_counter() - start
        out = f.predict(at_xy).reshape(truth.shape)
        results[name] = {
            "unexplained": float(np.sum((out - truth) ** 2) / np.sum((truth - truth.mean(0)) ** 2)),
            "mse": float(np.mean(np.sum((out - truth) ** 2, 1))),
            "accuracy": float(np.mean(out.argmax(1) == truth.argmax(1))) if classes else None,
            "seconds": seconds,
        }
    print(json.dumps(results))


main(sys.argv[1])
