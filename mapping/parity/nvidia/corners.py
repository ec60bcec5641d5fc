"""Numbers where a definition leaves room: NaN and infinities, ties, increments that are negative or 0, factors of 0 over NaN,
empty sizes, singular systems. Small calls whose results are exact, so that a rounding is no difference."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from .probes import GROUPS as GROUPS
from .probes import Data, Host, Members, Tongue, group

NAN, INF = float("nan"), float("inf")
_VECTORS: tuple[Sequence[float], ...] = (
    (1, -3, 3, 2), (NAN, 1, 2), (1, NAN, 2), (1, 2, NAN), (NAN, NAN), (INF, NAN, 1), (1, NAN, INF), (-INF, INF), (0, -0.0, 0),
    (2, 0, NAN, 0), (4, 4, 4), (-1,),
)  # fmt: skip
_PAIRS = (
    (0, 0), (0, 2), (2, 0), (-3, 4), (3, -4), (-4, 3), (4, 3), (3, 3), (-3, 3), (NAN, 1), (1, NAN), (INF, 1), (1, INF),
    (0, -2), (-2, 0), (0, NAN),
)  # fmt: skip
_N, _T, _C = 0, 1, 2
_LOWER, _UPPER = 0, 1
_LEFT, _RIGHT = 0, 1
_PLAIN, _UNIT = 0, 1


@group
def corners_of_searches(t: Tongue) -> None:
    for function in ("cublasIsamax_v2", "cublasIsamin_v2", "cublasSasum_v2", "cublasSnrm2_v2"):
        out = Host((9,), "i32" if "Is" in function else "f32")
        for values in _VECTORS:
            t.ask(function, t.handle, len(values), Data(values), 1, out)
        for n, inc in ((0, 1), (-1, 1), (3, 0), (3, -1), (0, 0), (2, 2), (-1, 0), (2, -2)):
            t.ask(function, t.handle, n, Data((3, 0, 4, 0)), inc, out)
    for function in ("cublasIcamax_v2", "cublasIcamin_v2", "cublasScasum_v2", "cublasScnrm2_v2"):
        out = Host((9,), "i32" if "Ic" in function else "f32")
        for pairs in (
            (3 + 0j, 0 + 3j, 1 + 2j), (1, complex(NAN, 0), 2), (1, complex(0, NAN), 2), (complex(NAN, 9), 1, 2), (complex(INF, NAN), 1),
            (-3 - 4j, 3 + 4j), (0, 0),
        ):  # fmt: skip
            t.ask(function, t.handle, len(pairs), Data(pairs, "c32"), 1, out)


@group
def corners_of_vectors(t: Tongue) -> None:
    steps = ((3, 1, 1), (3, -1, 1), (3, 1, -1), (3, -1, -1), (2, 2, -2), (0, 1, 1), (-1, 1, 1), (3, 0, 1))
    x, y = (1, 2, 3, 4), (10, 20, 30, 40)
    for n, incx, incy in steps:
        t.ask("cublasScopy_v2", t.handle, n, Data(x), incx, Data(y), incy)
        t.ask("cublasSswap_v2", t.handle, n, Data(x), incx, Data(y), incy) if incx else None
        t.ask("cublasSaxpy_v2", t.handle, n, Host((2,)), Data(x), incx, Data(y), incy)
        t.ask("cublasSdot_v2", t.handle, n, Data(x), incx, Data(y), incy, Host((9,)))
        t.ask("cublasSrot_v2", t.handle, n, Data(x), incx, Data(y), incy, Host((0,)), Host((1,))) if incx else None
    t.ask("cublasSdot_v2", t.handle, 3, Data(x), 0, Data(y), 0, Host((9,)))
    t.ask("cublasSdot_v2", t.handle, 2, Data((NAN, 1)), 1, Data((0, 1)), 1, Host((9,)))
    t.ask("cublasSdot_v2", t.handle, 2, Data((INF, 1)), 1, Data((0, 1)), 1, Host((9,)))
    for factor in (0, -0.0, 1, NAN, INF):
        t.ask("cublasSscal_v2", t.handle, 5, Host((factor,)), Data((1, NAN, INF, -2, 0)), 1)
        t.ask("cublasSaxpy_v2", t.handle, 3, Host((factor,)), Data((1, NAN, INF)), 1, Data((5, 6, 7)), 1)
    for n, inc in ((3, 0), (3, -1), (0, 1), (-1, 1), (2, 2)):
        t.ask("cublasSscal_v2", t.handle, n, Host((2,)), Data(x), inc)
    t.ask("cublasSrot_v2", t.handle, 2, Data((1, 2)), 1, Data((NAN, 3)), 1, Host((1,)), Host((0,)))
    t.ask("cublasCdotc_v2", t.handle, 1, Data((1 + 2j,), "c32"), 1, Data((3 - 1j,), "c32"), 1, Host((9,), "c32"))


@group
def corners_of_rotations(t: Tongue) -> None:
    for a, b in _PAIRS:
        t.ask("cublasSrotg_v2", t.handle, Host((a,)), Host((b,)), Host((9,)), Host((9,)))
    for d1, d2, x1, y1 in (
        (1, 1, 1, 0), (-1, 1, 1, 1), (0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, -1, 2, 1), (1, -1, 1, 2), (1, 1, 1, 1),
        (4, 1, 2, 1), (1, 4, 1, 2), (1, -4, 1, 1), (0, 0, 0, 0),
    ):  # fmt: skip
        t.ask("cublasSrotmg_v2", t.handle, *(Host((v,)) for v in (d1, d2, x1, y1)), Host((9,) * 5))
    for flag in (-2, -1, 0, 1):
        t.ask("cublasSrotm_v2", t.handle, 2, Data((1, 2)), 1, Data((3, NAN)), 1, Host((flag, 2, 3, 5, 7)))


@group
def corners_of_level_2(t: Tongue) -> None:
    a = (1, 3, 2, 4)  # [[1, 2], [3, 4]]
    ones, h = Data((1, 1)), t.handle
    for alpha in (Host((0,)), Host((2,))):
        for b in (0, 1, 2):
            for matrix in (a, (1, NAN, 2, 4)):
                rest = (alpha, Data(matrix), 2, ones, 1, Host((b,)), Data((NAN if b == 0 else 5, 6)), 1)
                t.ask("cublasSgemv_v2", h, _N, 2, 2, *rest)
                t.ask("cublasSsymv_v2", h, _UPPER, 2, *rest)
        t.ask("cublasSger_v2", h, 2, 2, alpha, Data((1, NAN)), 1, Data((1, 2)), 1, Data(a), 2)
        t.ask("cublasSsyr_v2", h, _LOWER, 2, alpha, Data((1, NAN)), 1, Data(a), 2)
    one, none = Host((1,)), Host((0,))
    for m, n in ((0, 2), (2, 0), (0, 0)):
        for beta in (none, Host((2,))):
            for trans in (_N, _T):
                t.ask("cublasSgemv_v2", h, trans, m, n, one, Data(a), 2, ones, 1, beta, Data((5, NAN)), 1)
    for incx, incy in ((-1, 1), (1, -1), (-1, -1), (2, 1)):
        x, y = Data((1, 10, 100)), Data((NAN, NAN))
        t.ask("cublasSgemv_v2", h, _N, 2, 2, one, Data(a), 2, x, incx, none, y, incy)
    for unit in (_PLAIN, _UNIT):
        for triangle in ((2, 1, NAN, 4), (0, 1, 2, 4), (NAN, 1, 2, NAN)):
            for function in ("cublasStrmv_v2", "cublasStrsv_v2"):
                t.ask(function, h, _LOWER, _N, unit, 2, Data(triangle), 2, Data((2, 8)), 1)
    # Imaginary parts on the diagonal count as 0.
    hermitian = Data((1 + 5j, 2 + 1j, 2 - 1j, 3 + 7j), "c32")
    x, y = Data((1, 1), "c32"), Data((NAN, 0), "c32")
    t.ask("cublasChemv_v2", h, _LOWER, 2, Host((1,), "c32"), hermitian, 2, x, 1, Host((0,), "c32"), y, 1)
    for factor in (none, one):
        t.ask("cublasCher_v2", h, _LOWER, 2, factor, Data((1j, 1), "c32"), 1, hermitian, 2)


@group
def corners_of_level_3(t: Tongue) -> None:
    h, unity, nines = t.handle, Data((1, 0, 0, 1)), Data((9,) * 4)
    for alpha in (Host((0,)), Host((2,))):
        for b in (0, 1, 2):
            c = Data((NAN, 5, 6, 7) if b == 0 else (5, 6, 7, 8))
            for matrix in (Data((1, 3, 2, 4)), Data((1, NAN, 2, 4))):
                head, tail = (alpha, matrix, 2), (Host((b,)), c, 2)
                for k in (0, 2):
                    t.ask("cublasSgemm_v2", h, _N, _N, 2, 2, k, *head, unity, 2, *tail)
                    t.ask("cublasSsyrk_v2", h, _LOWER, _N, 2, k, *head, *tail)
                t.ask("cublasSsymm_v2", h, _LEFT, _UPPER, 2, 2, *head, unity, 2, *tail)
                t.ask("cublasSgeam", h, _N, _T, 2, 2, *head, Host((b,)), Data((1, 2, 3, NAN)), 2, nines, 2)
        for unit in (_PLAIN, _UNIT):
            for triangle in ((2, 1, NAN, 4), (0, 1, 2, 4), (NAN, 1, 2, NAN)):
                both = (_LEFT, _LOWER, _N, unit, 2, 2, alpha, Data(triangle), 2, Data((4, 8, NAN, 2)), 2)
                t.ask("cublasStrsm_v2", h, *both)
                t.ask("cublasStrmm_v2", h, *both, nines, 2)
    one, none = Host((1,)), Host((0,))
    t.ask("cublasSgemm_v2", h, _N, _N, 2, 2, 2, one, Data((0,) * 4), 2, Data((NAN, INF, 1, 1)), 2, none, nines, 2)
    hermitian = Data((1 + 5j, 2 + 1j, 9 + 9j, 3 + 7j), "c32")
    for alpha in (none, one):
        for beta in (none, one, Host((2,))):
            for k in (0, 1):
                t.ask("cublasCherk_v2", h, _LOWER, _N, 2, k, alpha, Data((1j, 1), "c32"), 2, beta, hermitian, 2)
    for inc in (1, 0, -1, 2):
        t.ask("cublasSdgmm", h, _RIGHT, 2, 2, Data((1, 3, 2, 4)), 2, Data((10, 100, 1000)), inc, nines, 2)


@group
def corners_of_systems(t: Tongue) -> None:
    """Batches of LU and what follows. Singular members are told by `info`; what their factors hold beyond it is nobody's promise."""
    regular, singular = (1, 2, 3, 4), (1, 2, 2, 4)
    info = Data((9, 9), "i32")
    for first, second in ((regular, singular), ((0, 0, 0, 0), regular), ((0, 1, 1, 0), regular)):
        for pivots in (Data((9,) * 4, "i32"), None):
            t.ask(
                "cublasSgetrfBatched",
                t.handle,
                2,
                Members((Data(first, kept=False), Data(second, kept=False))),
                2,
                pivots,
                info,
                2,
            )
        t.ask("cublasSmatinvBatched", t.handle, 2, Members((Data(first), Data(second, kept=False))), 2,
              Members((Data((9,) * 4, kept=False),) * 2), 2, info, 2)  # fmt: skip
    for n, count in ((0, 2), (2, 0), (0, 0)):
        t.ask(
            "cublasSgetrfBatched",
            t.handle,
            n,
            Members((Data(regular), Data(regular))),
            2,
            Data((9,) * 4, "i32"),
            info,
            count,
        )
    for rows, columns, right in ((2, 2, 1), (2, 0, 1), (0, 0, 0), (2, 2, 0)):
        t.ask("cublasSgelsBatched", t.handle, _N, rows, columns, right, Members((Data((2, 0, 0, 4), kept=False),)), 2,
              Members((Data((4, 8)),)), 2, Host((9,), "i32"), Data((9,), "i32"), 1)  # fmt: skip


@group
def grouped_products(t: Tongue) -> None:
    """Each argument of a product in groups wrong in turn; sizes and options are arrays on the host."""
    good: dict[str, Any] = {
        "transa": Host((_N,), "i32"), "transb": Host((_N,), "i32"), "m": Host((2,), "i32"), "n": Host((2,), "i32"), "k": Host((2,), "i32"),
        "alpha": Host((1,)), "A": Members((Data((1, 2, 3, 4)),)), "lda": Host((2,), "i32"), "B": Members((Data((1, 0, 0, 1)),)),
        "ldb": Host((2,), "i32"), "beta": Host((0,)), "C": Members((Data((NAN,) * 4),)), "ldc": Host((2,), "i32"), "count": 1,
        "size": Host((1,), "i32"),
    }  # fmt: skip
    wrong: list[tuple[str, Any]] = [("count", 1)]
    wrong += [(name, None) for name in good if name not in ("count", "A", "B", "C")]
    wrong += [(name, Host((value,), "i32")) for name in ("transa", "transb") for value in (1, 2, 3, -1)]
    wrong += [
        (name, Host((value,), "i32")) for name in ("m", "n", "k", "lda", "ldb", "ldc", "size") for value in (0, -1)
    ]
    wrong += [(name, Host((1,), "i32")) for name in ("lda", "ldb", "ldc")]
    wrong += [("count", 0), ("count", -1)]
    for name, value in wrong:
        values = {**good, name: value}
        t.ask("cublasSgemmGroupedBatched", t.handle, *values.values())
        typed = [x for key, v in values.items() for x in ((v, 0) if key in "ABC" else (v,))]
        t.ask("cublasGemmGroupedBatchedEx", t.handle, *typed, 68)
    for pedantic, kinds in ((64, (2,) * 3), (68, (0, 0, 2)), (68, (2, 2, 0)), (77, (2,) * 3)):
        typed = list(good.values())
        for place, kind in zip((7, 10, 14), kinds, strict=True):
            typed.insert(place, kind)
        t.ask("cublasGemmGroupedBatchedEx", t.handle, *typed, pedantic)
    t.ask("cublasSetPointerMode_v2", t.handle, ctypes.c_int(1))
    t.ask("cublasSgemmGroupedBatched", t.handle, *good.values())
