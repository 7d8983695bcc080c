#!/usr/bin/python3
"""Log loss of classes on coupled rows: mediant fit beside 2Step-RR by scikit-learn's gradient boosting and clipped ridge scores.

Needs Debian's python3-sklearn and python3-pandas, and a mediant on the PATH.

  probabilities.py DIR...   folders with xu.csv, uy.csv and xy.csv; a column of numbers Y becomes a label, whether it is above its median in uy.csv
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder


def encoder(table):
    """Numbers as they are, levels as indicators, text as 100 components of TF-IDF."""
    parts = []
    for name in table.columns:
        if table[name].dtype != object:
            parts.append(("passthrough", [name]))
        elif table[name].nunique() > 100:
            parts.append((make_pipeline(TfidfVectorizer(), TruncatedSVD(100, random_state=0)), name))
        else:
            parts.append((OneHotEncoder(handle_unknown="ignore", sparse_output=False), [name]))
    return make_column_transformer(*parts)


def boosted(xu, uy, xy, x, u, y):
    """h by classification of Y by U, and f by regression of each of its probabilities on X, clipped and scaled to sum 1."""
    side_u, side_x = encoder(uy[u]).fit(pd.concat([uy[u], xu[u]])), encoder(xu[x]).fit(xu[x])
    h = HistGradientBoostingClassifier(random_state=0, early_stopping=True).fit(side_u.transform(uy[u]), uy[y])
    of, classes = h.predict_proba(side_u.transform(xu[u])), h.classes_
    at, new = side_x.transform(xu[x]), side_x.transform(xy[x])
    f = np.column_stack([HistGradientBoostingRegressor(random_state=0, early_stopping=True).fit(at, of[:, k]).predict(new) for k in range(len(classes))])
    return clipped(f), classes


def clipped(f):
    f = np.clip(f, 1e-3, None)
    return f / f.sum(1, keepdims=True)


def losses(f, classes, labels):
    at = np.searchsorted(classes, labels)
    return -np.log(f[np.arange(len(at)), at])


def mediant(folder, y, loss):
    model, out = os.path.join(folder, "m.mediant"), os.path.join(folder, "out.csv")
    subprocess.run(["mediant", "fit", "--xu", f"{folder}/xu.csv", "--uy", f"{folder}/uy.csv", "--loss", loss, "-o", model, "--quiet"], check=True)
    subprocess.run(["mediant", "predict", model, f"{folder}/xy.csv", "-o", out, "--quiet", "--scores"], check=True)
    table = pd.read_csv(out).drop(columns=y)
    return table.to_numpy(), np.array([name.split("=", 1)[1] for name in table.columns])


print("| table | mediant | gradient boosting | difference (standard error) | clipped ridge scores |")
print("|---|---|---|---|---|")
for source in sys.argv[1:]:
    tables = {name: pd.read_csv(f"{source}/{name}.csv") for name in ("xu", "uy", "xy")}
    u = [c for c in tables["xu"] if c in tables["uy"]]
    x = [c for c in tables["xu"] if c not in u]
    y = [c for c in tables["uy"] if c not in u][0]
    if tables["uy"][y].dtype != object:
        cut = tables["uy"][y].median()
        for name in ("uy", "xy"):
            known = tables[name][y].notna()
            tables[name] = tables[name][known].assign(**{y: np.where(tables[name][y][known] > cut, "above", "below")})
    labels = tables["xy"][y].to_numpy()
    with tempfile.TemporaryDirectory() as folder:
        for name, table in tables.items():
            table.to_csv(f"{folder}/{name}.csv", index=False)
        own = losses(*mediant(folder, y, "auto"), labels)
        ridge, classes = mediant(folder, y, "squared")
        ridge = losses(clipped(ridge), classes, labels)
    trees = losses(*boosted(tables["xu"], tables["uy"], tables["xy"], x, u, y), labels)
    gap = own - trees
    print(f"| {os.path.basename(source)} | {own.mean():.4f} | {trees.mean():.4f} | {gap.mean():.4f} ({gap.std(ddof=1) / len(gap) ** .5:.4f}) | {ridge.mean():.4f} |", flush=True)
