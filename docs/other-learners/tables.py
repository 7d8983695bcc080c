"""Compares `mediant evaluate --predictions` with coupled rows, for gradient boosting fitted to the labels of Mediant.

    python3 tables.py FOLDER...

Each folder has xu.csv and uy.csv, and xy.csv with coupled rows for the truth. The command `mediant` must be on the PATH; needs scikit-learn and pandas. For each folder it prints
the estimated risk of cross-fitted trees (the program of docs/other-learners.md) beside their error on the coupled rows, and the difference of trees and Mediant's own model, both of
which have seen one half of the rows of either table alone, estimated on the other half, beside that on the coupled rows. A table takes about half a minute with OMP_NUM_THREADS=1;
on a busy machine the threads of scikit-learn wait for each other.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold


def mediant(*args):
    return subprocess.run(["mediant", *args], check=True, capture_output=True, text=True).stdout


def fit_trees(x, labels):
    return [HistGradientBoostingRegressor(random_state=0).fit(x, labels[c]) for c in labels]


def predict(trees, x):
    return np.column_stack([f.predict(x) for f in trees])


class Task:
    """The two tables, the coupled rows, and which columns are X, U and Y."""

    def __init__(self, folder):
        self.xu, self.uy, self.xy = (pd.read_csv(os.path.join(folder, name + ".csv"), float_precision="round_trip") for name in ("xu", "uy", "xy"))
        self.u = [c for c in self.xu if c in self.uy]
        self.x = [c for c in self.xu if c not in self.u]
        (self.y,) = [c for c in self.uy if c not in self.u]
        self.columns = pd.get_dummies(self.xu[self.x]).columns
        truth = self.xy[self.y]
        self.truth = pd.get_dummies(truth, prefix=self.y, prefix_sep="=", dtype=float) if truth.dtype == object else truth.to_frame()

    def features(self, table):
        return pd.get_dummies(table[self.x]).reindex(columns=self.columns, fill_value=0)

    def labels(self, table, uy, model):
        """Fits a model to both tables and returns the labels of the first, a column per output."""
        table.to_csv("a.csv", index=False)
        uy.to_csv("b.csv", index=False)
        mediant("fit", "--xu", "a.csv", "--uy", "b.csv", "-o", model, "--quiet", "--no-risk")
        mediant("label", model, "a.csv", "--quiet", "-o", "labels.csv")
        labels = pd.read_csv("labels.csv")
        self.truth = self.truth[labels.columns]
        return labels

    def evaluate(self, table, predictions, uy, *more):
        names = ["tree:" + c for c in self.truth]
        both = pd.concat([table[self.u].reset_index(drop=True), pd.DataFrame(predictions, columns=names)], axis=1)
        if "--fold" in more:
            both["fold"] = table["fold"].to_numpy()
        if "--against" in more:
            both = pd.concat([both, table[self.x].reset_index(drop=True)], axis=1)
        both.to_csv("predicted.csv", index=False)
        uy.to_csv("b.csv", index=False)
        return json.loads(mediant("evaluate", "--xu", "predicted.csv", "--uy", "b.csv", "--predictions", ",".join(f'"{n}"' for n in names), "--u", ",".join(f'"{c}"' for c in self.u), "--json", *more))

    def errors(self, predictions):
        """Squared errors on the coupled rows, summed over outputs."""
        return ((self.truth.to_numpy() - predictions) ** 2).sum(axis=1)


def mean_and_se(values):
    return values.mean(), values.std(ddof=1) / np.sqrt(len(values))


def cross_fitted(task):
    labels, x = task.labels(task.xu, task.uy, "m.mediant"), task.features(task.xu)
    predictions, fold, errors = np.empty(labels.shape), np.empty(len(labels), int), []
    for k, (train, held) in enumerate(KFold(5, shuffle=True, random_state=0).split(x)):
        trees = fit_trees(x.iloc[train], labels.iloc[train])
        predictions[held], fold[held] = predict(trees, x.iloc[held]), k
        errors.append(task.errors(predict(trees, task.features(task.xy))))
    risk = task.evaluate(task.xu.assign(fold=fold), predictions, task.uy, "--fold", "fold")["risk"]
    mean, se = mean_and_se(np.mean(errors, axis=0))
    holds = "holds" if risk["lo"] <= mean <= risk["hi"] else "misses"
    print(f"  risk {risk['mse']:.5g} ({risk['lo']:.5g} to {risk['hi']:.5g}) {holds} {mean:.5g} (standard error {se:.2g}), the error on {len(task.xy)} coupled rows")


def compared(task, seed):
    rng = np.random.default_rng(seed)
    in_xu, in_uy = rng.permutation(len(task.xu)) % 2 == 0, rng.permutation(len(task.uy)) % 2 == 0
    labels = task.labels(task.xu[in_xu], task.uy[in_uy], "half.mediant")
    trees = fit_trees(task.features(task.xu[in_xu]), labels)
    rest = task.xu[~in_xu]
    d = task.evaluate(rest, predict(trees, task.features(rest)), task.uy[~in_uy], "--against", "half.mediant")["difference"]
    task.xy[task.x].to_csv("x.csv", index=False)
    scores = ["--scores"] if task.xy[task.y].dtype == object else []
    mediant("predict", "half.mediant", "x.csv", "--quiet", "-o", "scores.csv", *scores)
    own = pd.read_csv("scores.csv")[task.truth.columns].to_numpy()
    mean, se = mean_and_se(task.errors(predict(trees, task.features(task.xy))) - task.errors(own))
    sign = "the same sign" if d["estimate"] * mean > 0 else "another sign"
    print(f"  trees less model {d['estimate']:.4g} ({d['lo']:.4g} to {d['hi']:.4g}), on the coupled rows {mean:.4g} (standard error {se:.2g}): {sign}")


def main():
    folders = [os.path.abspath(f) for f in sys.argv[1:]]
    for folder in folders:
        print(os.path.basename(folder), flush=True)
        task = Task(folder)
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            cross_fitted(task)
            for seed in range(2):
                compared(task, seed)
            os.chdir("/")


if __name__ == "__main__":
    main()
