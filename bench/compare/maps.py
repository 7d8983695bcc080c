"""Features of scikit-learn's kernel approximations, for the Go program beside this file.

Commands come on standard input, one a line, and each is answered by one line:

    versions                     ok and the versions as JSON
    rows FILE ROWS TRAIN         ok, once the float64 numbers of the file are there, of which TRAIN rows are to be fitted
    map NAME SIZE SEED PARAM OUT ok and the seconds of fit and transform, once OUT has the features of all rows
"""
import json
import sys
import time

import numpy as np
import scipy
import sklearn
import threadpoolctl
from sklearn.kernel_approximation import Nystroem, PolynomialCountSketch, RBFSampler


def make(name, size, seed, param):
    if name == "RBFSampler":
        return RBFSampler(gamma=param, n_components=size, random_state=seed)
    if name == "Nystroem":
        return Nystroem(kernel="rbf", gamma=param, n_components=size, random_state=seed)
    if name == "Nystroem polynomial":
        return Nystroem(kernel="poly", gamma=1, coef0=1, degree=int(param), n_components=size, random_state=seed)
    if name == "PolynomialCountSketch":
        return PolynomialCountSketch(gamma=1, coef0=1, degree=int(param), n_components=size, random_state=seed)
    raise ValueError(f"unknown map {name!r}")


def versions():
    found = {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
    for library in threadpoolctl.threadpool_info():
        if library["user_api"] == "blas":
            found["blas"] = f"{library['internal_api']} {library['version']}"
    return json.dumps(found)


def main():
    x = train = None
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        try:
            answer = ""
            if command == "versions":
                answer = versions()
            elif command == "rows":
                file, rows, fitted = rest.split("\t")
                x = np.fromfile(file).reshape(int(rows), -1)
                train = x[: int(fitted)]
            elif command == "map":
                name, size, seed, param, out = rest.split("\t")
                start = time.perf_counter()
                phi = make(name, int(size), int(seed), float(param)).fit(train).transform(x)
                answer = repr(time.perf_counter() - start)
                np.ascontiguousarray(phi, dtype=np.float64).tofile(out)
            else:
                raise ValueError(f"unknown command {command!r}")
            print("ok", answer, flush=True)
        except Exception as e:
            print("error", type(e).__name__ + ":", str(e).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
