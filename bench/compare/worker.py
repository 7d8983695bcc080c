"""Runs one routine of numpy or scipy at a time, for the Go program beside this file.

Commands come on standard input, one a line, and each is answered by one line:

    versions            ok and the versions as JSON
    prepare NAME ORDER  ok, once the operands are there and the routine has run
    run TIMES           ok and the seconds that so many runs took
"""
import json
import sys
import time

import numpy as np
import scipy
import sklearn
import threadpoolctl
from scipy.linalg import blas, lapack

rng = np.random.default_rng(1)


def matrix(n):
    return np.asfortranarray(rng.standard_normal((n, n)))


def triangle(n):
    """Near the identity, so that solving again and again lets nothing grow."""
    u = matrix(n)
    u /= n
    np.fill_diagonal(u, 1)
    return u


def in_place(call, target):
    """Refuses wrappers that work on a copy of the target, which would count as time of the routine."""
    if not np.shares_memory(call(), target):
        raise RuntimeError("the routine has copied its operand")
    return call


def nothing():
    pass


# Each routine returns what is to be done before a run, which is not timed, and the run.


def gemm(n):
    a, b, c = matrix(n), matrix(n), matrix(n)
    return nothing, in_place(lambda: blas.dgemm(1.0, a, b, beta=0.0, c=c, overwrite_c=1), c)


def syrk(n):
    a, c = matrix(n), matrix(n)
    return nothing, in_place(lambda: blas.dsyrk(1.0, a, beta=1.0, c=c, trans=1, overwrite_c=1), c)


def cholesky(n):
    a = matrix(n)
    a += a.T
    np.fill_diagonal(a, 4.0 * n)
    work = a.copy(order="F")

    def call():
        u, info = lapack.dpotrf(work, lower=0, clean=0, overwrite_a=1)
        if info:
            raise RuntimeError(f"dpotrf: info {info}")
        return u

    return lambda: np.copyto(work, a), in_place(call, work)


def solve(side, trans):
    def of(n):
        u, x = triangle(n), matrix(n)
        return nothing, in_place(lambda: blas.dtrsm(1.0, u, x, side=side, lower=0, trans_a=trans, overwrite_b=1), x)

    return of


def elementwise(*functions):
    def of(n):
        x = rng.uniform(-10, 10, n)
        outs = [np.empty(n) for _ in functions]

        def call():
            for f, out in zip(functions, outs):
                f(x, out=out)

        return nothing, call

    return of


ROUTINES = {
    "gemm": gemm,
    "syrk": syrk,
    "cholesky": cholesky,
    "solve left": solve(0, 1),
    "solve right": solve(1, 0),
    "exp": elementwise(np.exp),
    "cos": elementwise(np.cos),
    "sincos": elementwise(np.sin, np.cos),
}


def versions():
    libraries = threadpoolctl.threadpool_info()
    found = {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
    for library in libraries:
        if library["user_api"] == "blas":
            found["blas"] = f"{library['internal_api']} {library['version']} ({library.get('architecture', '?')}, {library.get('threading_layer', '?')})"
    return found


def run(before, call, times):
    seconds = 0.0
    for _ in range(times):
        before()
        start = time.perf_counter()
        call()
        seconds += time.perf_counter() - start
    return seconds


def main():
    before = call = None
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        try:
            answer = ""
            if command == "versions":
                answer = json.dumps(versions())
            elif command == "prepare":
                before = call = None  # before the next operands need memory
                name, _, order = rest.rpartition(" ")
                before, call = ROUTINES[name](int(order))
                run(before, call, 1)
            elif command == "run":
                times = int(rest)
                run(before, call, (times + 1) // 2)  # so that threads are awake and on processors of their own
                answer = repr(run(before, call, times))
            else:
                raise ValueError(f"unknown command {command!r}")
            print("ok", answer, flush=True)
        except Exception as e:
            print("error", type(e).__name__ + ":", str(e).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
