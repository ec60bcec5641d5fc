"""Batch normalisation in its three APIs: cudnnBatchNormalization…, …Ex with activation and addition, cudnnNormalization….

One body serves them all: they differ in the names of what they are given. The saved statistics, the running ones and the reserve
space come from the library's own forward call where backward needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cases import Values
from ..draws import Draw
from ..elements import TYPES, Type
from ..names import ACTIVATION, BATCH_NORM, NORM, NORM_OPS
from ..oracles import norm as oracle
from ..registry import procedure
from ..running import Real, blend, exact
from ..stage import INT, SIZE, Operand, Stage, ints
from .common import output, parameter_type, set_scaling

_BATCH, _NORM = "Batch normalisation", "Normalisation"
_BASE: dict[str, Any] = {
    "type": "f32", "mode": "spatial", "x": [3, 4, 3, 2], "layout": "packed", "epsilon": 1e-3, "alpha": 2.0, "beta": 0.5,
}  # fmt: skip
_TRAIN = {**_BASE, "factor": 0.25, "running": True, "saved": True}
_BACK = {**_BASE, "alpha_params": 2.0, "beta_params": 0.5, "saved": True}
_EX = {"ops": "norm"}


def _drawn(d: Draw) -> dict[str, Any]:
    axes = d.pick(2, 2, 3, 2)
    ops = d.word("norm norm activation add_activation")
    fused = ops != "norm"
    type_ = d.type("f16 f16 f32 bf16") if fused else d.type()
    x = d.sizes((3, 2, 1, 5), (4, 3, 1, 8), *[(3, 1, 5, 2)] * axes)
    if fused:  # what NVIDIA's fused kernels take: channels in fours, channels last
        x[1] = d.pick(4, 8, 12)
    blending = {"alpha": 1.0, "beta": 0.0} if fused else d.blend()
    return {
        "type": type_,
        "mode": "spatial_persistent" if fused else d.word("spatial spatial per_activation spatial_persistent"),
        "ops": ops,
        "x": x,
        "layout": "nhwc" if fused else d.word("packed packed nhwc padded"),
        "epsilon": d.pick(1e-3, 1e-5, 0.25),
        "factor": d.pick(0.25, 1.0, 0.1, 0.0),
        "running": d.flag(3, 4),
        "saved": d.flag(3, 4),
        **blending,
        "alpha_params": d.scale(),
        "beta_params": d.keep(),
    }


def _some(keys: dict[str, Any]) -> Any:
    """A drawing that keeps the values which a function has."""
    fused = "ops" in keys

    def drawing(d: Draw) -> dict[str, Any]:
        values = _drawn(d)
        if not fused and values["ops"] != "norm":
            values["mode"] = "spatial"
        return {k: values[k] for k in keys}

    return drawing


@dataclass
class _Setting:
    """Types, descriptors and parameters of one normalisation."""

    s: Stage
    v: Values
    api: str  # batch, ex or norm
    type: Type
    kept: Type  # of parameters and statistics
    dims: list[int]  # of parameters
    x: Operand
    parameters: int  # descriptor of scale and bias
    moments: int  # and of mean and variance: another one in cudnnNormalization…

    @property
    def ops(self) -> str:
        return str(self.v.get("ops", "norm"))

    @property
    def fused(self) -> bool:
        return self.ops != "norm"

    @property
    def adds(self) -> bool:
        return self.ops == "add_activation"

    def vector(self, name: str, io: str = "in", data: str = "real", values: Any = None) -> Operand:
        """One value for each group."""
        return self.s.array(name, self.kept, self.dims, io=io, data=data, values=values)

    def modes(self) -> dict[str, Any]:
        """The leading arguments that say what is computed."""
        if self.api == "norm":
            channel = self.v.mode != "per_activation"
            return {
                "mode": NORM["per_channel" if channel else "per_activation"],
                "normOps": NORM_OPS[self.ops],
                "algo": int(self.v.mode == "spatial_persistent"),
            }
        mode = {"mode": BATCH_NORM[self.v.mode]}
        return {**mode, "bnOps": NORM_OPS[self.ops]} if self.api == "ex" else mode

    def real(self, operand: Operand) -> Real:
        return exact(operand.x, self.type.math)


def _setting(s: Stage, v: Values, api: str, data: str = "real") -> _Setting:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    x = s.tensor("x", type_, v.x, v.layout, data=data)
    kept = parameter_type(type_)
    dims = [1, *v.x[1:]] if v.mode == "per_activation" else [1, v.x[1], *[1] * (len(v.x) - 2)]
    parameters = s.create("Tensor")
    if api == "norm":
        moments = s.create("Tensor")
        s.host(
            "cudnnDeriveNormTensorDescriptor", derivedNormScaleBiasDesc=parameters, derivedNormMeanVarDesc=moments, xDesc=x,
            mode=NORM["per_activation" if v.mode == "per_activation" else "per_channel"], groupCnt=1,
        )  # fmt: skip
    else:
        moments = parameters
        s.host("cudnnDeriveBNTensorDescriptor", derivedBnDesc=parameters, xDesc=x, mode=BATCH_NORM[v.mode])
    for descriptor in {parameters, moments}:
        found, count, shape, _ = s.host(
            "cudnnGetTensorNdDescriptor", tensorDesc=descriptor, nbDimsRequested=len(dims), dataType=INT, nbDims=INT,
            dimA=ints(len(dims)), strideA=ints(len(dims)),
        )  # fmt: skip
        s.check(
            (found, count, shape) == (kept.number, len(dims), dims),
            f"derived descriptor: type {found}, dimensions {shape}; expected type {kept.number}, {dims}",
        )
    return _Setting(s, v, api, type_, kept, dims, x, parameters, moments)


def _activation(q: _Setting) -> int | None:
    if not q.fused:
        return None
    return q.s.make("Activation", "cudnnSetActivationDescriptor", mode=ACTIVATION["relu"], reluNanOpt=1, coef=0.0)


# Inference


def _inference(api: str) -> Any:
    def body(s: Stage, v: Values) -> None:
        q = _setting(s, v, api)
        scale, bias, mean = q.vector("scale"), q.vector("bias"), q.vector("mean")
        variance = q.vector("variance", data="positive")
        y = output(s, "y", q.type, v.x, v.layout, v.beta)
        z = s.tensor("z", q.type, v.x, v.layout) if q.adds else None
        common = {"alpha": v.alpha, "beta": v.beta, "xDesc": q.x, "x": q.x, "yDesc": y, "y": y,
                  "estimatedMean": mean, "estimatedVariance": variance, "epsilon": v.epsilon}  # fmt: skip
        if api == "norm":
            s.run(
                "cudnnNormalizationForwardInference", **q.modes(), **common, normScaleBiasDesc=q.parameters, normScale=scale,
                normBias=bias, normMeanVarDesc=q.moments, zDesc=z, z=z, activationDesc=_activation(q), groupCnt=1,
            )  # fmt: skip
        else:
            s.run(
                "cudnnBatchNormalizationForwardInference", **q.modes(), **common, bnScaleBiasMeanVarDesc=q.parameters,
                bnScale=scale, bnBias=bias,
            )  # fmt: skip
        inverse = 1 / (q.real(variance) + v.epsilon).sqrt()
        result = oracle.normed(q.real(q.x), q.real(mean), inverse, q.real(scale), q.real(bias))
        s.claim(y, blend(v.alpha, _finished(q, result, z), v.beta, y.x, q.type))

    return body


def _finished(q: _Setting, result: Real, z: Operand | None) -> Real:
    """The addition and the ReLU behind a fused normalisation; rounded in between where a library takes several steps."""
    if not q.fused:
        return result
    result = result.stored(q.type)
    if z is not None:
        result = (result + q.real(z)).stored(q.type)
    return Real(np.maximum(result.v, 0), result.e, result.u)


# Training


@dataclass
class _Trained:
    """A forward training call: its operands and what they must hold."""

    y: Operand
    z: Operand | None
    scale: Operand
    bias: Operand
    saved_mean: Operand | None
    saved_inverse: Operand | None
    reserve: Operand | None
    reserve_size: int
    result: Real
    moments: oracle.Statistics


def _train(q: _Setting, running: bool, saved: bool, alpha: float, beta: float) -> _Trained:
    s, v = q.s, q.v
    factor = v.get("factor", 0.25)
    scale, bias = q.vector("scale"), q.vector("bias")
    y = output(s, "y", q.type, v.x, v.layout, beta)
    z = s.tensor("z", q.type, v.x, v.layout) if q.adds else None
    old_mean = q.vector("runningMean", "inout") if running else None
    old_variance = q.vector("runningVariance", "inout", "positive") if running else None
    mean = q.vector("savedMean", "out") if saved else None
    inverse = q.vector("savedInvVariance", "out") if saved else None
    act = _activation(q)
    common: dict[str, Any] = {
        "alpha": alpha, "beta": beta, "xDesc": q.x, "yDesc": y, "exponentialAverageFactor": factor,
        "resultRunningMean": old_mean, "resultRunningVariance": old_variance, "epsilon": v.epsilon, "resultSaveMean": mean,
        "resultSaveInvVariance": inverse,
    }  # fmt: skip
    reserve, size = None, 0
    if q.api == "batch":
        s.run(
            "cudnnBatchNormalizationForwardTraining", **q.modes(), **common, x=q.x, y=y,
            bnScaleBiasMeanVarDesc=q.parameters, bnScale=scale, bnBias=bias,
        )  # fmt: skip
    else:
        work_size, size = _sizes(q, y, z, act)
        work, reserve = s.space("work", work_size), s.space("reserve", size)
        spaces = {"workspace": work, "workSpaceSizeInBytes": work_size, "reserveSpace": reserve,
                  "reserveSpaceSizeInBytes": size, "activationDesc": act, "zDesc": z, "zData": z}  # fmt: skip
        if q.api == "ex":
            s.run(
                "cudnnBatchNormalizationForwardTrainingEx", **q.modes(), **common, **spaces, xData=q.x, yData=y,
                bnScaleBiasMeanVarDesc=q.parameters, bnScale=scale, bnBias=bias,
            )  # fmt: skip
        else:
            s.run(
                "cudnnNormalizationForwardTraining", **q.modes(), **common, **spaces, xData=q.x, yData=y,
                normScaleBiasDesc=q.parameters, normScale=scale, normBias=bias, normMeanVarDesc=q.moments, groupCnt=1,
            )  # fmt: skip
    moments = oracle.statistics(q.real(q.x), _mode(v))
    inverse_ = moments.inverse(v.epsilon)
    result = _finished(q, oracle.normed(q.real(q.x), moments.mean, inverse_, q.real(scale), q.real(bias)), z)
    if old_mean and old_variance:
        s.claim(old_mean, oracle.running(q.real(old_mean), moments.mean, factor).stored(q.kept))
        spread = oracle.unbiased(moments.variance, moments.count)
        s.claim(old_variance, oracle.running(q.real(old_variance), spread, factor).stored(q.kept))
    if mean and inverse:
        s.claim(mean, moments.mean.stored(q.kept))
        s.claim(inverse, inverse_.stored(q.kept))
    return _Trained(y, z, scale, bias, mean, inverse, reserve, size, result, moments)


def _mode(v: Values) -> str:
    return "per_activation" if v.mode == "per_activation" else "spatial"


def _sizes(q: _Setting, y: Operand, z: Operand | None, act: int | None) -> tuple[int, int]:
    """Workspace and reserve space of a training call."""
    s = q.s
    if q.api == "ex":
        work = s.size(
            "cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize", **q.modes(), xDesc=q.x, zDesc=z, yDesc=y,
            bnScaleBiasMeanVarDesc=q.parameters, activationDesc=act, sizeInBytes=SIZE,
        )  # fmt: skip
        reserve = s.size(
            "cudnnGetBatchNormalizationTrainingExReserveSpaceSize", **q.modes(), activationDesc=act, xDesc=q.x,
            sizeInBytes=SIZE,
        )  # fmt: skip
    else:
        work = s.size(
            "cudnnGetNormalizationForwardTrainingWorkspaceSize", **q.modes(), xDesc=q.x, zDesc=z, yDesc=y,
            normScaleBiasDesc=q.parameters, activationDesc=act, normMeanVarDesc=q.moments, sizeInBytes=SIZE, groupCnt=1,
        )  # fmt: skip
        reserve = s.size(
            "cudnnGetNormalizationTrainingReserveSpaceSize", **q.modes(), activationDesc=act, xDesc=q.x, sizeInBytes=SIZE,
            groupCnt=1,
        )  # fmt: skip
    return work, reserve


def _training(api: str) -> Any:
    def body(s: Stage, v: Values) -> None:
        q = _setting(s, v, api)
        trained = _train(q, v.running, v.saved, v.alpha, v.beta)
        s.claim(trained.y, blend(v.alpha, trained.result, v.beta, trained.y.x, q.type))

    return body


# Backward


def _backward(api: str) -> Any:
    def body(s: Stage, v: Values) -> None:
        q = _setting(s, v, api)
        if q.fused:
            _backward_fused(q)
        else:
            _backward_plain(q)

    return body


def _differentials(q: _Setting) -> tuple[Operand, Operand, Operand, dict[str, Any]]:
    s, v = q.s, q.v
    dx = output(s, "dx", q.type, v.x, v.layout, v.beta)
    kept = "inout" if v.beta_params else "out"
    dscale, dbias = q.vector("dscale", kept), q.vector("dbias", kept)
    scalars = {"alphaDataDiff": v.alpha, "betaDataDiff": v.beta, "alphaParamDiff": v.alpha_params,
               "betaParamDiff": v.beta_params, "epsilon": v.epsilon}  # fmt: skip
    return dx, dscale, dbias, scalars


def _claim_gradients(q: _Setting, g: oracle.Gradients, dx: Operand, dscale: Operand, dbias: Operand) -> None:
    v = q.v
    q.s.claim(dx, blend(v.alpha, g.x, v.beta, dx.x, q.type))
    q.s.claim(dscale, blend(v.alpha_params, g.scale, v.beta_params, dscale.x, q.kept))
    q.s.claim(dbias, blend(v.alpha_params, g.bias, v.beta_params, dbias.x, q.kept))


def _backward_plain(q: _Setting) -> None:
    """Without a fused activation nothing of a forward call is needed but its statistics, given or computed again."""
    s, v = q.s, q.v
    moments = oracle.statistics(q.real(q.x), _mode(v))
    scale, bias = q.vector("scale"), q.vector("bias")
    mean = q.vector("savedMean", values=moments.mean.v) if v.saved else None
    inverse = q.vector("savedInvVariance", values=moments.inverse(v.epsilon).v) if v.saved else None
    dy = s.tensor("dy", q.type, v.x, v.layout)
    dx, dscale, dbias, scalars = _differentials(q)
    stats = {"savedMean": mean, "savedInvVariance": inverse}
    if q.api == "batch":
        s.run(
            "cudnnBatchNormalizationBackward", **q.modes(), **scalars, **stats, xDesc=q.x, x=q.x, dyDesc=dy, dy=dy, dxDesc=dx,
            dx=dx, dBnScaleBiasDesc=q.parameters, bnScale=scale, dBnScaleResult=dscale, dBnBiasResult=dbias,
        )  # fmt: skip
    else:
        y = s.tensor("y", q.type, v.x, v.layout)
        _call_backward(q, scalars, stats, (y, dy, None, dx), (scale, bias, dscale, dbias), None, 0, None)
    centre = q.real(mean) if mean else moments.mean
    spread = q.real(inverse) if inverse else moments.inverse(v.epsilon)
    _claim_gradients(
        q, oracle.backward(q.real(q.x), q.real(dy), q.real(scale), centre, spread, _mode(v)), dx, dscale, dbias
    )


def _call_backward(
    q: _Setting,
    scalars: dict[str, Any],
    stats: dict[str, Any],
    data: tuple[Operand, Operand, Operand | None, Operand],
    parameters: tuple[Operand, ...],
    reserve: Operand | None,
    reserve_size: int,
    act: int | None,
) -> None:
    s = q.s
    y, dy, dz, dx = data
    scale, bias, dscale, dbias = parameters
    tensors = {"xDesc": q.x, "xData": q.x, "yDesc": y, "yData": y, "dyDesc": dy, "dyData": dy, "dzDesc": dz, "dzData": dz,
               "dxDesc": dx, "dxData": dx, "activationDesc": act}  # fmt: skip
    descriptors = {k: o for k, o in tensors.items() if k.endswith("Desc")}
    if q.api == "ex":
        size = s.size(
            "cudnnGetBatchNormalizationBackwardExWorkspaceSize", **q.modes(), **descriptors, dBnScaleBiasDesc=q.parameters,
            sizeInBytes=SIZE,
        )  # fmt: skip
    else:
        size = s.size(
            "cudnnGetNormalizationBackwardWorkspaceSize", **q.modes(), **descriptors, dNormScaleBiasDesc=q.parameters,
            normMeanVarDesc=q.moments, sizeInBytes=SIZE, groupCnt=1,
        )  # fmt: skip
    work = s.operands.get("backwardWork") or s.space("backwardWork", size)
    spaces = {"workSpace": work, "workSpaceSizeInBytes": size, "reserveSpace": reserve,
              "reserveSpaceSizeInBytes": reserve_size}  # fmt: skip
    if q.api == "ex":
        s.run(
            "cudnnBatchNormalizationBackwardEx", **q.modes(), **scalars, **stats, **tensors, **spaces,
            dBnScaleBiasDesc=q.parameters, bnScaleData=scale, bnBiasData=bias, dBnScaleData=dscale, dBnBiasData=dbias,
        )  # fmt: skip
    else:
        s.run(
            "cudnnNormalizationBackward", **q.modes(), **scalars, **stats, **tensors, **spaces,
            dNormScaleBiasDesc=q.parameters, normScaleData=scale, normBiasData=bias, dNormScaleData=dscale,
            dNormBiasData=dbias, normMeanVarDesc=q.moments, groupCnt=1,
        )  # fmt: skip


def _backward_fused(q: _Setting) -> None:
    """The library's own forward call fills y, the statistics and the reserve space; then its backward call."""
    s, v = q.s, q.v
    act = _activation(q)
    dy = s.tensor("dy", q.type, v.x, v.layout)
    dz = s.tensor("dz", q.type, v.x, v.layout, io="out") if q.adds else None
    dx, dscale, dbias, scalars = _differentials(q)
    s.space("backwardWork", 1 << 20)
    t = _train(q, False, True, 1.0, 0.0)
    s.leave_open(t.y)
    y_now = s.dense(t.y)
    stats = {"savedMean": t.saved_mean, "savedInvVariance": t.saved_inverse}
    _call_backward(
        q, scalars, stats, (t.y, dy, dz, dx), (t.scale, t.bias, dscale, dbias), t.reserve, t.reserve_size, act
    )
    open_ = np.abs(t.result.v) <= t.result.e  # may have come out on either side of ReLU's edge
    stopped = ~(y_now > 0)
    passed = exact(np.where(stopped, 0, dy.x), q.type.math)
    # as for the activation alone: where the derivative is 0, a gradient that is not finite carries no promise
    passed = passed.free(stopped & ~np.isfinite(dy.x))
    g = oracle.backward(q.real(q.x), passed, q.real(t.scale), t.moments.mean, t.moments.inverse(v.epsilon), "spatial")
    _claim_gradients(q, g, dx, dscale, dbias)
    if dz is not None:
        s.claim(dz, passed.stored(q.type).free(open_))


def _keys(base: dict[str, Any], fused: bool) -> dict[str, Any]:
    return {**base, **_EX} if fused else base


_SIGNED = "type mode ops layout"
for _api, _chapter, _infer, _forward, _back in (
    ("batch", _BATCH, "cudnnBatchNormalizationForwardInference", "cudnnBatchNormalizationForwardTraining",
     "cudnnBatchNormalizationBackward"),
    ("ex", _BATCH, "", "cudnnBatchNormalizationForwardTrainingEx", "cudnnBatchNormalizationBackwardEx"),
    ("norm", _NORM, "cudnnNormalizationForwardInference", "cudnnNormalizationForwardTraining",
     "cudnnNormalizationBackward"),
):  # fmt: skip
    _fused = _api != "batch"
    _parts = {
        "batch": ("", ""),
        "ex": ("cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize "
               "cudnnGetBatchNormalizationTrainingExReserveSpaceSize", "cudnnGetBatchNormalizationBackwardExWorkspaceSize"),
        "norm": ("cudnnGetNormalizationForwardTrainingWorkspaceSize "
                 "cudnnGetNormalizationTrainingReserveSpaceSize", "cudnnGetNormalizationBackwardWorkspaceSize"),
    }[_api]  # fmt: skip
    if _infer:
        procedure(
            _infer, _chapter, _some(_keys(_BASE, _fused)), _keys(_BASE, _fused), twists="x y", signature=_SIGNED,
            poison={"x": ("nan", "denormal"), "variance": ("zero",)},
        )(_inference(_api))  # fmt: skip
    procedure(
        _forward, _chapter, _some(_keys(_TRAIN, _fused)), _keys(_TRAIN, _fused), twists="x y", signature=_SIGNED,
        poison={"x": ("nan",), "runningMean": ("nan",)}, also=_parts[0],
    )(_training(_api))  # fmt: skip
    procedure(
        _back, _chapter, _some(_keys(_BACK, _fused)), _keys(_BACK, _fused), twists="x dy dx", signature=_SIGNED,
        poison={"dy": ("nan",)}, also=_parts[1],
    )(_backward(_api))  # fmt: skip
