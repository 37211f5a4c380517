"""Alignments and arithmetic come to the same bits on every processor."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from numpy.testing import assert_allclose

from kgnb.vectors.reproducible import exp, log, on_grid, principal, solved, unit


def test_an_alignment_is_the_same_whatever_the_kernels_and_threads_of_the_processor(
    tmp_path: Path,
) -> None:
    written = set()
    for core, threads, without in (
        ("Haswell", "2", "X86_V4 AVX512_ICL"),
        ("Prescott", "1", "X86_V3 X86_V4 AVX512_ICL"),
    ):
        out = tmp_path / f"{core}.sssom.tsv"
        subprocess.run(
            [
                sys.executable,
                "-m",
                "kgnb",
                "align",
                "huts:hollenmark",
                "huts:corvane",
                "--out",
                str(out),
            ],
            env=os.environ
            | {
                "OPENBLAS_CORETYPE": core,
                "OPENBLAS_NUM_THREADS": threads,
                "NPY_DISABLE_CPU_FEATURES": without,
            }
            | {"KGNB_CACHE": str(tmp_path / core), "KGNB_EMBEDDER": "characters"},
            check=True,
            capture_output=True,
        )
        written.add(out.read_bytes())
    assert len(written) == 1


def test_reproducible_functions_agree_with_numpy_except_for_the_last_bits() -> None:
    drawn = np.random.default_rng(0).standard_normal((400, 6))
    assert_allclose(exp(100 * drawn), np.exp(100 * drawn), rtol=1e-14)
    assert_allclose(log(np.abs(drawn)), np.log(np.abs(drawn)), rtol=1e-14, atol=1e-16)
    square = drawn.T @ drawn
    assert_allclose(solved(square, drawn[0]), np.linalg.solve(square, drawn[0]))
    rows = unit(drawn)
    assert np.array_equal(rows * 2048, np.rint(rows * 2048)) and np.array_equal(on_grid(rows), rows)
    assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
    stretched = drawn * [1, 1, 1, 1, 9, 30]
    most = np.abs(principal(unit(stretched), 2)).max(axis=1)
    assert set(np.argsort(most)[-2:]) == {4, 5}
