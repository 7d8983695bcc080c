"""Tests of package mediant: python3 test_mediant.py, with the program in the environment variable MEDIANT."""

import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from mediant import MediantError, MediatedRegressor

FAST = dict(method="2step", phi="gaussian", psi="gaussian", features=32, options=("--lambda", "1e-4"))


def draw(n, seed):
    """Return X, U and Y of n rows, Y convex in U."""
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, 2))
    U = X + 0.5 * r.normal(size=(n, 2))
    return X, U, U[:, 0] ** 2 + U[:, 1] + 0.1 * r.normal(size=n)


class TestMediatedRegressor(unittest.TestCase):
    def setUp(self):
        self.X, self.U, _ = draw(400, 1)
        _, self.U2, self.Y = draw(400, 2)
        self.new, _, self.truth = draw(1000, 3)

    def fitted(self, **params):
        return MediatedRegressor(**{**FAST, **params}).fit(self.X, self.U, self.U2, self.Y)

    def test_predicts_what_the_program_predicts(self):
        model = self.fitted()
        with tempfile.TemporaryDirectory() as folder:
            path, table, out = (os.path.join(folder, name) for name in ("m", "x.csv", "out.csv"))
            with open(path, "wb") as file:
                file.write(model.model_)
            np.savetxt(table, self.new, "%.17g", ",", header="X[0],X[1]", comments="")
            subprocess.run([os.environ["MEDIANT"], "predict", path, table, "--quiet", "-o", out], check=True)
            want = np.loadtxt(out, skiprows=1)
        got = model.predict(self.new)
        self.assertEqual(got.shape, (1000,))
        np.testing.assert_allclose(got, want, rtol=1e-12)

    def test_risk_holds_the_error_on_coupled_rows(self):
        model = self.fitted()
        new, _, truth = draw(20000, 3)
        error = np.mean((model.predict(new) - truth) ** 2)
        lo, hi = model.interval_
        self.assertTrue(lo < model.risk_ < hi)
        self.assertTrue(lo < error < hi, f"{error} is not in {model.interval_}")
        self.assertEqual(model.summary_["method"], "2step")
        self.assertGreater(model.score(self.new, self.truth), 0.5)

    def test_without_risk(self):
        model = self.fitted(options=("--lambda", "1e-4", "--no-risk"))
        self.assertIsNone(model.risk_)
        self.assertIsNone(model.interval_)

    def test_conventions(self):
        model = MediatedRegressor(**FAST)
        self.assertEqual(model.get_params()["features"], 32)
        copy = clone(model.set_params(seed=5))
        self.assertEqual(copy.get_params(), model.get_params())
        with self.assertRaises(ValueError):
            model.set_params(sede=1)
        with self.assertRaises(NotFittedError):
            copy.predict(self.new)
        fitted = self.fitted()
        self.assertFalse(hasattr(clone(fitted), "model_"))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(self.new), fitted.predict(self.new))
        np.testing.assert_array_equal(self.fitted(threads=1).predict(self.new), fitted.predict(self.new))

    def test_pipeline(self):
        scale = StandardScaler().fit(self.X)
        want = MediatedRegressor(**FAST).fit(scale.transform(self.X), self.U, self.U2, self.Y).predict(scale.transform(self.new))
        pipe = Pipeline([("scale", StandardScaler()), ("f", MediatedRegressor(**FAST))])
        got = clone(pipe).fit(self.X, self.U, f__U2=self.U2, f__Y=self.Y).predict(self.new)
        np.testing.assert_array_equal(got, want)
        plain = make_pipeline(FunctionTransformer(), MediatedRegressor())
        self.assertEqual(plain.set_params(mediatedregressor__seed=3).get_params()["mediatedregressor__seed"], 3)

    def test_shapes(self):
        Y = np.column_stack([self.Y, -self.Y])
        model = MediatedRegressor(**FAST).fit(self.X, self.U, self.U2, Y)
        got = model.predict(self.new)
        self.assertEqual(got.shape, (1000, 2))
        np.testing.assert_allclose(got[:, 0], -got[:, 1], atol=1e-9)
        truth = MediatedRegressor(**FAST).fit(self.X > 0, self.U, self.U2, self.Y > 1)
        np.testing.assert_array_equal(truth.predict(self.new > 0), truth.predict((self.new > 0).astype(int)))
        one = MediatedRegressor(**FAST).fit(self.X[:, 0], self.U[:, 0], self.U2[:, 0], self.Y)
        self.assertEqual(one.predict(self.new[:, 0]).shape, (1000,))
        self.assertEqual(one.n_features_in_, 1)

    def test_text_and_missing_values(self):
        r = np.random.default_rng(4)
        X = np.empty((400, 3), object)
        X[:, 0], X[:, 1], X[:, 2] = self.X[:, 0], np.where(self.X[:, 1] > 0, "high", "low"), r.integers(0, 3, 400)
        X[::7, 0] = None
        model = MediatedRegressor(**FAST).fit(X, self.U, self.U2, self.Y)
        high, low = model.predict(np.array([[0.0, "high", 1], [0.0, "low", 1]], object))
        self.assertGreater(high - low, 0.5)  # E[Y|X] grows by 1 for each unit of the second column

    def test_refusals(self):
        for args, text in [
            ((self.X[:-1], self.U, self.U2, self.Y), "X has 399 rows and U has 400"),
            ((self.X, self.U, self.U2, self.Y[:-1]), "U2 has 400 rows and Y has 399"),
            ((self.X, self.U[:, :1], self.U2, self.Y), "U has 1 columns and U2 has 2"),
            ((self.X, self.U, self.U2, self.Y.astype(str)), "Y must be numbers"),
            ((self.X[:0], self.U[:0], self.U2, self.Y), "X has the shape (0, 2)"),
            ((np.zeros((2, 2, 2)), self.U, self.U2, self.Y), "X has the shape (2, 2, 2)"),
        ]:
            with self.assertRaises(ValueError) as caught:
                MediatedRegressor(**FAST).fit(*args)
            self.assertIn(text, str(caught.exception))
        with self.assertRaises(TypeError):
            MediatedRegressor().fit(self.X, self.U)
        with self.assertRaises(ValueError):
            self.fitted().predict(self.new[:, :1])
        with self.assertRaises(MediantError) as caught:
            self.fitted(phi="none")
        self.assertIn("none", str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        with self.assertRaises(MediantError) as caught:
            self.fitted(binary="/nowhere/mediant")
        self.assertIn("/nowhere/mediant cannot be run", str(caught.exception))

    def test_warnings_are_pythons(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = MediatedRegressor(**FAST).fit(self.X, self.U, 2 * self.U2 + 1, self.Y)  # another distribution of U
        self.assertEqual([str(w.message) for w in caught], model.summary_["warnings"])

    def test_without_scikit_learn(self):
        program = """
import sys
sys.modules["sklearn"] = None
import numpy as np
from mediant import MediatedRegressor, NotFittedError
model = MediatedRegressor(method="2step", phi="gaussian", psi="gaussian", features=16)
assert model.set_params(features=8).get_params()["features"] == 8
for call, error in [(lambda: model.set_params(sede=1), ValueError), (lambda: model.predict([[0]]), NotFittedError)]:
    try:
        call()
    except error:
        continue
    raise SystemExit("no error")
r = np.random.default_rng(1)
u, v = r.normal(size=300), r.normal(size=300)
model.fit(u, u, v, 2 * v + 0.1 * r.normal(size=300))
assert model.score(u, 2 * u) > 0.9, model.score(u, 2 * u)
"""
        subprocess.run([sys.executable, "-c", program], check=True)


if __name__ == "__main__":
    unittest.main()
