"""Libraries of cuBLASLt that are wrong in one way each; `spoiled.py` has the rest."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

Arguments = list[Any]
Real = Callable[..., Any]
Change = Callable[[Any, Real, str, Arguments], Any]

SPOILED: dict[str, tuple[tuple[str, ...], Change]] = {}
PRODUCT, TRANSFORM = "cublasLtMatmul", "cublasLtMatrixTransform"
HEURISTIC = "cublasLtMatmulAlgoGetHeuristic"


def spoiled(*functions: str) -> Callable[[Change], Change]:
    """Register a change under its own name; each of the functions must be found wrong by it."""

    def register(change: Change) -> Change:
        SPOILED[change.__name__] = (functions, change)
        return change

    return register


def attribute(title: str, kind: str, number: int, values: Mapping[int, int] | None = None, *functions: str) -> None:
    """A library that forgets one attribute, or takes some of its values for others."""

    def change(s: Any, real: Real, name: str, a: Arguments) -> Any:
        if name != f"cublasLt{kind}SetAttribute" or a[1] != number or not a[2]:
            return real(name, *a)
        if values is None:
            return 0
        variable = ctypes.c_int32.from_address(a[2])
        taken = ctypes.c_int32(values.get(variable.value, variable.value))
        return real(name, a[0], a[1], ctypes.addressof(taken), a[3])

    SPOILED[title] = (functions or (PRODUCT,), change)


attribute("a_bias_is_forgotten", "MatmulDesc", 7, {4: 1, 6: 2, 36: 32, 164: 160})
attribute("relu_is_forgotten", "MatmulDesc", 7, {2: 1, 6: 4})
attribute("gelu_is_relu", "MatmulDesc", 7, {32: 2, 36: 6})
attribute("a_mask_is_not_written", "MatmulDesc", 7, {130: 2, 134: 6})
attribute("a_mask_is_not_read", "MatmulDesc", 7, {136: 1})
attribute("the_second_matrix_is_not_written", "MatmulDesc", 7, {160: 32, 164: 36})
attribute("a_gradient_is_a_product", "MatmulDesc", 7, {192: 1})
attribute("sums_of_a_gradient_are_forgotten", "MatmulDesc", 7, {208: 192, 152: 136})
attribute("sums_of_a_are_forgotten", "MatmulDesc", 7, {256: 1})
attribute("sums_of_b_are_forgotten", "MatmulDesc", 7, {512: 1})
attribute("a_is_not_transposed", "MatmulDesc", 3)
attribute("b_is_not_transposed", "MatmulDesc", 4)
attribute("one_bias_serves_all", "MatmulDesc", 10)
attribute("a_scale_is_forgotten", "MatmulDesc", 17)
attribute("the_scale_of_d_is_forgotten", "MatmulDesc", 20)
attribute("the_largest_element_is_not_told", "MatmulDesc", 21)
attribute("a_vector_of_factors_is_a_number", "MatmulDesc", 2, {4: 0})
attribute("rows_are_columns", "MatrixLayout", 1, None, PRODUCT, TRANSFORM)
attribute("one_member_serves_all", "MatrixLayout", 6, None, PRODUCT, TRANSFORM)
attribute("the_second_operand_is_not_transposed", "MatrixTransformDesc", 3, None, TRANSFORM)


@spoiled(PRODUCT, TRANSFORM)
def nothing_is_computed(s: Any, real: Real, name: str, a: Arguments) -> Any:
    return 0 if name in (PRODUCT, TRANSFORM) else real(name, *a)


@spoiled(PRODUCT, TRANSFORM)
def nothing_is_supported(s: Any, real: Real, name: str, a: Arguments) -> Any:
    return 15 if name in (PRODUCT, TRANSFORM, HEURISTIC) else real(name, *a)


@spoiled(PRODUCT)
def c_is_not_added(s: Any, real: Real, name: str, a: Arguments) -> Any:
    if name == PRODUCT:
        zero = (ctypes.c_uint64 * 2)()
        a[7] = ctypes.addressof(zero)
        return real(name, *a)
    return real(name, *a)


@spoiled(TRANSFORM)
def b_alone_is_refused(s: Any, real: Real, name: str, a: Arguments) -> Any:
    return 7 if name == TRANSFORM and not a[3] else real(name, *a)


@spoiled(TRANSFORM)
def the_second_operand_is_forgotten(s: Any, real: Real, name: str, a: Arguments) -> Any:
    if name == TRANSFORM:
        a[5:8] = [0, 0, 0]
    return real(name, *a)


@spoiled(HEURISTIC)
def a_product_of_no_handle_is_answered(s: Any, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    return 0 if name == HEURISTIC and answer == 1 else answer


@spoiled(HEURISTIC)
def wrong_shapes_are_not_supported(s: Any, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    return 15 if name in (HEURISTIC, PRODUCT) and answer == 7 else answer


@spoiled(PRODUCT)
def the_heuristic_finds_nothing(s: Any, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name == HEURISTIC and answer == 0:
        ctypes.c_int.from_address(a[9]).value = 0
    return answer


@spoiled("cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutSetAttribute", "cublasLtMatmulPreferenceGetAttribute")
def sizes_of_values_are_not_looked_at(s: Any, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    return 0 if name.endswith("SetAttribute") and a[2] and a[3] and answer == 7 else answer


@spoiled("cublasLtMatmulDescDestroy", "cublasLtMatrixLayoutDestroy", "cublasLtMatmulPreferenceDestroy")
def freed_objects_live(s: Any, real: Real, name: str, a: Arguments) -> Any:
    return 0 if name.endswith("Destroy") and name != "cublasLtDestroy" else real(name, *a)


@spoiled("cublasLtMatrixLayoutCreate", "cublasLtMatmulDescCreate")
def objects_are_one(s: Any, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name.endswith("Create") and name != "cublasLtCreate" and a[0]:
        place = ctypes.c_void_p.from_address(a[0])
        place.value = s.seen.setdefault(name, place.value)
    return 0 if name.endswith("Destroy") and name != "cublasLtDestroy" else answer


@spoiled("cublasLtMatmulDescInit_internal", "cublasLtMatrixLayoutInit_internal")
def memory_behind_an_object_is_written(s: Any, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name.endswith("Init_internal") and a[0] and answer == 0:
        ctypes.memset(a[0] + a[1], 0, 8)
    return answer


@spoiled("cublasLtMatmulAlgoGetIds", "cublasLtMatmulAlgoInit")
def every_number_is_an_algorithm(s: Any, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    return 0 if name == "cublasLtMatmulAlgoInit" and a[8] and answer == 7 else answer


@spoiled("cublasLtMatmulAlgoConfigSetAttribute", "cublasLtMatmulAlgoConfigGetAttribute")
def choices_are_not_kept(s: Any, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name == "cublasLtMatmulAlgoConfigGetAttribute" and answer == 0 and a[1] and a[2]:
        ctypes.memset(a[2], 0x33, a[3])
    return answer


@spoiled("cublasLtMatmulAlgoCheck")
def a_check_tells_another_algorithm(s: Any, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name == "cublasLtMatmulAlgoCheck" and answer == 0:
        ctypes.memset(a[7], 0, 64)
    return answer


@spoiled("cublasLtCreate", "cublasLtDestroy")
def destroying_nothing_succeeds(s: Any, real: Real, name: str, a: Arguments) -> Any:
    return 0 if name == "cublasLtDestroy" and not a[0] else real(name, *a)


@spoiled("cublasLtHeuristicsCacheSetCapacity")
def the_capacity_is_not_kept(s: Any, real: Real, name: str, a: Arguments) -> Any:
    return 0 if name == "cublasLtHeuristicsCacheSetCapacity" else real(name, *a)


@spoiled("cublasLtGetVersion", "cublasLtGetProperty")
def the_version_is_another(s: Any, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    return answer + 1 if name == "cublasLtGetVersion" else answer


@spoiled("cublasLtLoggerSetLevel")
def every_level_is_taken(s: Any, real: Real, name: str, a: Arguments) -> Any:
    return 0 if name == "cublasLtLoggerSetLevel" else real(name, *a)
