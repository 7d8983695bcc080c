"""Predict Y from X when X and Y were never observed together, only (X, U) and (U, Y).

A thin layer over the program mediant, which it calls with arrays in files of NumPy. It needs NumPy alone; with scikit-learn installed, estimators are its BaseEstimator.
"""

import json
import os
import subprocess
import tempfile
import warnings

import numpy as np

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.exceptions import NotFittedError
except ImportError:
    import inspect

    class NotFittedError(ValueError, AttributeError):
        """An estimator is used before it is fitted."""

    class BaseEstimator:
        """What of scikit-learn's class of this name an estimator needs."""

        @classmethod
        def _get_param_names(cls):
            return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

        def get_params(self, deep=True):
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params):
            for name, value in params.items():
                if name not in self._get_param_names():
                    raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(self._get_param_names())}")
                setattr(self, name, value)
            return self

    class RegressorMixin:
        """What of scikit-learn's class of this name an estimator needs."""

        _estimator_type = "regressor"

        def score(self, X, Y):
            Y = np.asarray(Y, float)
            error, total = ((Y - self.predict(X)) ** 2).sum(0), ((Y - Y.mean(0)) ** 2).sum(0)
            return float(np.mean(1 - error / total))


__all__ = ["MediantError", "MediatedRegressor", "NotFittedError"]


class MediantError(RuntimeError):
    """The program mediant ended with an error, whose one line this is, or was not found."""


class MediatedRegressor(RegressorMixin, BaseEstimator):
    """Regression of Y on X by 2Step-RR, Joint-RR or the naive chain, from rows of (X, U) and others of (U, Y).

    Parameters
    ----------
    method : str, "auto", "2step", "joint", "naive" or "cme".
    phi, psi : str, feature maps of X and of U ("auto", "gaussian", "nystrom:laplacian", ...).
    features : int, number of features of X and of U each; None chooses it.
    seed : int, seed of all random choices.
    threads : int, processors to use; None uses all. Results do not depend on it.
    options : sequence of str, further flags of `mediant fit`, such as ("--lambda", "1e-3").
    binary : str, the program; None is the environment variable MEDIANT, or mediant on the PATH.

    Attributes
    ----------
    risk_ : float, the estimated mean squared error of predict, without a coupled row of X and Y; None with "--no-risk".
    interval_ : (float, float), the 95 % interval of risk_; None with "--no-risk".
    summary_ : dict, all that `mediant fit --json` prints (docs/commands.md).
    model_ : bytes, the content of the model file.
    n_features_in_ : int, the number of columns of X.
    """

    def __init__(self, method="auto", phi="auto", psi="auto", features=None, seed=0, threads=None, options=(), binary=None):
        self.method = method
        self.phi = phi
        self.psi = psi
        self.features = features
        self.seed = seed
        self.threads = threads
        self.options = options
        self.binary = binary

    def fit(self, X, U, U2=None, Y=None):
        """Fit to n rows of X and U and m rows of U2 and Y: arrays n×d, n×q, m×q and m×k, or of one dimension for one column.

        Columns of X and U may be text, in arrays of strings or of objects; NaN and None are missing values. Y is numbers. In a Pipeline,
        fit(X, U, name__U2=U2, name__Y=Y) passes all four.
        """
        if U2 is None or Y is None:
            raise TypeError("fit takes four arrays: X and U of the same rows, and U2 and Y of the same other rows")
        X, U, U2, Y = _matrix("X", X), _matrix("U", U), _matrix("U2", U2), np.asarray(Y)
        if Y.dtype.kind not in "fiub":
            raise ValueError("Y must be numbers")
        _same("rows", X=len(X), U=len(U))
        _same("rows", U2=len(U2), Y=len(Y) if Y.ndim else 0)
        _same("columns", U=U.shape[1], U2=U2.shape[1])
        flags = ["--method", self.method, "--phi", self.phi, "--psi", self.psi, "--seed", str(self.seed), "--json", "--quiet"]
        if self.features is not None:
            flags += ["--features", str(self.features)]
        with tempfile.TemporaryDirectory() as folder:
            xu, uy, model = (os.path.join(folder, name) for name in ("xu.npz", "uy.npz", "model.mediant"))
            np.savez(xu, **_columns("X", X), **_columns("U", U))
            np.savez(uy, **_columns("U", U2), **_columns("Y", _matrix("Y", Y)))
            summary = json.loads(self._run("fit", "--xu", xu, "--uy", uy, "-o", model, *flags, *self.options))
            with open(model, "rb") as file:
                self.model_ = file.read()
        self.summary_, self.n_features_in_, self._flat = summary, X.shape[1], Y.ndim == 1
        risk = summary.get("risk")
        self.risk_ = risk and risk["mse"]
        self.interval_ = risk and (risk["lo"], risk["hi"])
        for text in summary.get("warnings") or []:
            warnings.warn(text, stacklevel=2)
        return self

    def predict(self, X):
        """Predict Y for the rows of X: an array of one dimension if Y had one, else n×k."""
        if not hasattr(self, "model_"):
            raise NotFittedError("this MediatedRegressor is not fitted yet: call fit first")
        X = _matrix("X", X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} columns, but MediatedRegressor is expecting {self.n_features_in_} columns as input")
        with tempfile.TemporaryDirectory() as folder:
            model, table, out = (os.path.join(folder, name) for name in ("model.mediant", "x.npz", "out.npy"))
            with open(model, "wb") as file:
                file.write(self.model_)
            np.savez(table, **_columns("X", X))
            self._run("predict", model, table, "--quiet", "-o", out)
            values = np.load(out)
        return values[:, 0] if self._flat else values

    def _run(self, *args):
        """Run the program and return what it prints."""
        program = self.binary or os.environ.get("MEDIANT") or "mediant"
        if self.threads is not None:
            args += ("--threads", str(self.threads))
        try:
            done = subprocess.run([program, *args], capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
        except OSError as error:
            raise MediantError(f"{program} cannot be run: {error.strerror}; install it (go install ./cmd/mediant) or set binary or MEDIANT") from error
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            raise MediantError(lines[-1].removeprefix("mediant: "))
        return done.stdout


def _matrix(name, values):
    """Return values as an array of two dimensions."""
    values = np.asarray(values)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"{name} has the shape {values.shape}, want rows and columns")
    return values


def _columns(name, values):
    """Return the arrays of an archive for a matrix: itself, or, if it is not of numbers, one for each column."""
    if values.dtype.kind in "fiub":
        return {name: values.astype(float)}
    return {f"{name}[{j}]": _column(values[:, j]) for j in range(values.shape[1])}


def _column(cells):
    """Return a column as numbers, if all its cells are, or as text, with missing cells empty."""
    missing = [cell is None or cell != cell for cell in cells]
    if all(m or isinstance(cell, (int, float, np.number, np.bool_)) for cell, m in zip(cells, missing)):
        return np.array([np.nan if m else cell for cell, m in zip(cells, missing)], float)
    return np.array(["" if m else str(cell) for cell, m in zip(cells, missing)])


def _same(what, **sizes):
    """Refuse arrays of which one has another number of rows or columns."""
    (a, n), (b, m) = sizes.items()
    if n != m:
        raise ValueError(f"{a} has {n} {what} and {b} has {m}, want as many")
