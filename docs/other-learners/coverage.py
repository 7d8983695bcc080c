"""Counts how often the interval of `mediant evaluate --predictions --fold` covers the true risk of a random forest.

Each repetition draws tables of (X, U) and (U, Y), has Mediant label the first, fits a random forest to the labels, five times without a fifth of the
rows, and predicts these. The true risk of these five forests is an average over coupled rows whose E[Y|X] and Var[Y|X] are known.

    python3 coverage.py [REPETITIONS] [ROWS]

needs scikit-learn and the command `mediant` on the PATH; 200 repetitions of 800 rows take about 5 minutes of one core.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import KFold

NOISE = 0.5  # standard deviation of U given X, and of Y given U


def surrogates(rng, rows):
    """X, and the mean of U = (a, b) given X."""
    x = rng.standard_normal((rows, 3))
    return x, np.column_stack([x[:, 0], np.sin(x[:, 1]) + x[:, 2] / 2])


def draw_u(rng, mean):
    return mean + NOISE * rng.standard_normal(mean.shape)


def mean_y_of_u(u):
    return u[:, 0] ** 2 / 2 + u[:, 1] + u[:, 0] * u[:, 1]


def mean_and_variance_of_y(mean):
    """E[Y|X] and Var[Y|X], by the moments of the normal noise of U."""
    a, b, v = mean[:, 0], mean[:, 1], NOISE**2
    return (a**2 + v) / 2 + b + a * b, v * ((a + b) ** 2 + (1 + a) ** 2) + 1.5 * v**2 + NOISE**2


def write(name, header, columns):
    np.savetxt(name, columns, fmt="%.10g", delimiter=",", header=header, comments="")


def mediant(*args):
    return subprocess.run(["mediant", *args], check=True, capture_output=True, text=True).stdout


def repetition(seed, rows, coupled):
    rng = np.random.default_rng(seed)
    x, mean = surrogates(rng, rows)
    u = draw_u(rng, mean)
    write("xu.csv", "x1,x2,x3,u1,u2", np.column_stack([x, u]))
    _, other = surrogates(rng, rows)
    other = draw_u(rng, other)
    y = mean_y_of_u(other) + NOISE * rng.standard_normal(rows)
    write("uy.csv", "u1,u2,y", np.column_stack([other, y]))
    mediant("fit", "--xu", "xu.csv", "--uy", "uy.csv", "-o", "m.mediant", "--method", "2step", "--phi", "linear", "--psi", "gaussian", "--features", "128",
            "--no-risk", "--quiet", "--threads", "1")
    mediant("label", "m.mediant", "xu.csv", "--quiet", "-o", "labels.csv")
    labels = np.loadtxt("labels.csv", skiprows=1)
    new, new_mean = coupled
    m, v = mean_and_variance_of_y(new_mean)
    predictions, fold, risks = np.empty(rows), np.empty(rows), []
    for k, (train, held) in enumerate(KFold(5, shuffle=True, random_state=seed).split(x)):
        forest = RandomForestRegressor(50, min_samples_leaf=5, random_state=seed).fit(x[train], labels[train])
        predictions[held], fold[held] = forest.predict(x[held]), k
        risks.append(np.mean((m - forest.predict(new)) ** 2 + v))
    write("predicted.csv", "forest,fold,u1,u2", np.column_stack([predictions, fold, u]))
    risk = json.loads(mediant("evaluate", "--xu", "predicted.csv", "--uy", "uy.csv", "--predictions", "forest", "--fold", "fold", "--json",
                              "--threads", "1"))["risk"]
    return np.mean(risks), risk


def main():
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 800
    coupled = surrogates(np.random.default_rng(10**6), 20000)
    truths, estimates, errors, covered = [], [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(repetitions):
            truth, risk = repetition(seed, rows, coupled)
            truths.append(truth)
            estimates.append(risk["mse"])
            errors.append(risk["se"])
            covered += risk["lo"] <= truth <= risk["hi"]
        os.chdir("/")
    share = covered / repetitions
    bias = np.array(estimates) - truths
    print(f"{repetitions} repetitions of {rows} + {rows} rows: {covered} intervals, {100 * share:.1f} %, cover the true risk"
          f" (standard error {100 * math.sqrt(share * (1 - share) / repetitions):.1f} %)")
    print(f"true risk {np.mean(truths):.4f} on average, estimate {np.mean(estimates):.4f}; mean difference {bias.mean():.4f}"
          f" (standard error {bias.std(ddof=1) / math.sqrt(repetitions):.4f})")
    print(f"standard deviation of the difference {bias.std(ddof=1):.4f}, mean standard error of the estimates {np.mean(errors):.4f}")


if __name__ == "__main__":
    main()
