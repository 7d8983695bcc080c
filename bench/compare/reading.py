"""Readers of tables for the Go program beside this file: pandas and pyarrow, where they are there.

Commands come on standard input, one a line, and each is answered by one line:

    versions             ok and the versions as JSON
    read READER FILE     ok and the seconds, and those of processors, that it took to read the file into memory, or ok none if the reader is not there
"""
import json
import sys
import time


def versions():
    found = {}
    for name in ("pandas", "pyarrow", "fastparquet"):
        try:
            found[name] = __import__(name).__version__
        except ImportError:
            pass
    return json.dumps(found)


def read(reader, file):
    if reader == "pandas.read_csv":
        import pandas

        return lambda: pandas.read_csv(file, engine="c")
    if reader == "pandas.read_csv round_trip":
        import pandas

        return lambda: pandas.read_csv(file, engine="c", float_precision="round_trip")
    if reader == "pyarrow.csv":
        import pyarrow.csv

        return lambda: pyarrow.csv.read_csv(file)
    if reader == "pandas.read_parquet":
        import pandas
        import pyarrow  # noqa: F401

        return lambda: pandas.read_parquet(file, engine="pyarrow")
    if reader == "pyarrow.parquet":
        import pyarrow.parquet

        return lambda: pyarrow.parquet.read_table(file)
    raise ValueError(f"unknown reader {reader!r}")


def main():
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        try:
            answer = ""
            if command == "versions":
                answer = versions()
            elif command == "read":
                reader, file = rest.split("\t")
                try:
                    run = read(reader, file)
                    start, busy = time.perf_counter(), time.process_time()
                    table = run()
                    answer = f"{time.perf_counter() - start!r} {time.process_time() - busy!r}"
                    assert table.shape[0] > 0
                    del table
                except ImportError:
                    answer = "none"
            else:
                raise ValueError(f"unknown command {command!r}")
            print("ok", answer, flush=True)
        except Exception as err:
            print("error", " ".join(repr(err).split()), flush=True)


main()
