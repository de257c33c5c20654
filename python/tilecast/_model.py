"""Queries to the model, and its results as Python objects.

The results equal the program's: fields are the fields of `predict --format json`, and a printed
result is the program's table. The model itself is in _native (python/bindings).
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union, overload

from . import _native
from ._config import Config
from ._problem import Attention, OneProblem, Problem, flag, listed, named, problem_of, problems_of, text, within

_CONFIGS = pathlib.Path(__file__).parent / "configs"


def config_folder() -> str:
    """Returns the folder of the GPU files: TILECAST_CONFIG_DIR, else the folder in this package."""
    return os.environ.get("TILECAST_CONFIG_DIR") or str(_CONFIGS)


@dataclasses.dataclass(frozen=True)
class Gpu:
    """A GPU that has a GPU file."""

    name: str
    product: str
    architecture: str
    sms: int
    why_not: str  # why no schedule of tilecast runs on it; empty if schedules do


@dataclasses.dataclass(frozen=True)
class Prediction:
    """One kernel on one problem. Times are in microseconds, of the kernel itself, without its
    launch."""

    config: str  # canonical form, schedule:key=value,...
    method: str  # "simulated" or "analytic"
    time_us: float
    interval_us: tuple[float, float]  # 90 % interval
    tflops: float
    cycles: float  # SM clock cycles
    sm_clock_mhz: float
    power_w: float
    energy_mj: float  # of one launch, in millijoules
    limiter: str
    shares: dict[str, float]  # utilization of each resource, 0 to 1
    l2_to_sm_bytes: float  # multicasts count once
    l2_hit_rate: float
    dram_read_bytes: float
    dram_write_bytes: float
    closed_form_time_us: float
    extrapolated: bool  # unlike every kernel of the calibration

    @classmethod
    def _of(cls, row: dict[str, Any]) -> Prediction:
        values = {field.name: row[field.name] for field in dataclasses.fields(cls)}
        values["interval_us"] = tuple(row["interval_us"])
        return cls(**values)


@dataclasses.dataclass(frozen=True)
class Failure:
    """A problem of `predict_many` that could not be predicted."""

    error: str


OneConfig = Union[str, Prediction, Config, tuple, Mapping[str, Any]]
Configs = Union[OneConfig, Iterable[OneConfig]]  # one or several


class _Rows(Sequence):
    """A sequence that converts to a pandas.DataFrame."""

    _rows: Sequence

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index):
        return self._rows[index]

    def _records(self) -> list[dict[str, Any]]:
        return [_flat(row) for row in self._rows]

    def to_pandas(self):
        """Returns a pandas.DataFrame with one row per object; imports pandas."""
        import pandas

        return pandas.DataFrame(self._records())


def _flat(row: Union[Prediction, Failure]) -> dict[str, Any]:
    values = dataclasses.asdict(row)
    if isinstance(row, Prediction):
        values["interval_low_us"], values["interval_high_us"] = values.pop("interval_us")
        for part, share in values.pop("shares").items():
            values[f"{part}_share"] = share
    return values


class _Table(_Rows):
    """Predictions that print as the program's table."""

    def __init__(self, rows: Iterable[dict[str, Any]], table: str):
        self._rows, self._table = [Prediction._of(row) for row in rows], table

    def __str__(self) -> str:
        return self._table

    __repr__ = __str__


class Ranking(_Table):
    """The fastest configurations of a problem, fastest first: a sequence of `Prediction`.

    Prints as the table of `predict --all`: row 1 is ranking[0]. `by_tile` has the fastest of each schedule and tile,
    and prints as the table of `predict`. `data` is the whole output of `predict --format json`:
    `candidates`, `rejected` and `simulated` among others.
    """

    def __init__(self, text: str, table: str, by_tile: str):
        self.data = json.loads(text)
        super().__init__(self.data["ranking"], table)
        self.by_tile = _Table(self.data.get("by_tile", self.data["ranking"]), by_tile)


class Predictions(_Rows):
    """The results of `predict_many`, in the order of the problems: `Prediction` or `Failure`."""

    def __init__(self, problems: Sequence[Problem], answers: Iterable[str]):
        self.problems = problems
        self._rows = []
        for answer in map(json.loads, answers):
            error = answer.get("error")
            self._rows.append(
                Failure(error) if error else Prediction._of(answer["ranking"][0])
            )

    def _records(self) -> list[dict[str, Any]]:
        return [{**problem.record(), **_flat(row)} for problem, row in zip(self.problems, self._rows)]

    def __str__(self) -> str:
        lines = []
        for problem, row in zip(self.problems, self._rows):
            if isinstance(row, Failure):
                lines.append(f"{problem!s:>20}  {row.error}")
            else:
                lines.append(f"{problem!s:>20} {row.time_us:>10.2f} us {row.tflops:>7.1f} TFLOPS  {row.config}")
        return "\n".join(lines)

    __repr__ = __str__


class Explanation:
    """Why kernels take their time. Prints as the program's table; `kernels` and, if requested,
    `best` are as in `explain --format json`."""

    def __init__(self, text: str, table: str):
        self.data = json.loads(text)
        self.kernels: list[dict[str, Any]] = self.data["kernels"]
        self.best: Optional[dict[str, Any]] = self.data.get("best")
        self._table = table

    def __str__(self) -> str:
        return self._table

    __repr__ = __str__


def _machine(gpu: Any, calibrated: bool) -> tuple[str, bool, str]:
    if not isinstance(gpu, (str, os.PathLike, Gpu)):
        raise TypeError(f"gpu: expected a name from tilecast.gpus(), or the path of a GPU file, got {gpu!r}")
    return (gpu.name if isinstance(gpu, Gpu) else os.fspath(gpu), flag("calibrated", calibrated), config_folder())


def _conditions(regime: str, inputs: str, method: Optional[str]) -> tuple[str, str, Optional[str]]:
    return (text("regime", regime), text("inputs", inputs), None if method is None else text("method", method))


def is_one_config(value: Any) -> bool:
    """Whether this is a configuration, not several; of tuples, those that contain a number."""
    return (isinstance(value, (str, Prediction, Config, Mapping))
            or isinstance(value, tuple) and any(hasattr(part, "__index__") for part in value))


def config_of(config: Any) -> str:
    """Returns the text of a configuration: a string, a Prediction's, or parts (Config.of)."""
    if isinstance(config, (Mapping, tuple)):
        config = Config.of(config)
    if not isinstance(config, (str, Prediction, Config)):
        raise TypeError("config: expected a configuration as a string, a tilecast.Config, a tuple or dict of its "
                        f"parts, or a tilecast.Prediction, got {config!r}")
    return config.config if isinstance(config, Prediction) else str(config)


def configs_of(configs: Any) -> list[str]:
    """Returns the texts of an iterable of configurations, or of one alone."""
    if is_one_config(configs):
        return [config_of(configs)]
    return [named(f"configs[{i}]", config_of, one) for i, one in enumerate(listed("configs", configs, is_one_config))]


def gpus() -> list[Gpu]:
    """Returns the GPUs that have a GPU file, sorted by name. `predict(gpu=...)` takes the names."""
    return [Gpu(*line) for line in _native.gpus(config_folder())]


def gpu_of(device_name: str, sms: int) -> str:
    """Returns the GPU file for a CUDA device with this name ("NVIDIA H200") and number of SMs."""
    model = (device_name.split() + ["", ""])[1]
    found = [gpu.name for gpu in gpus() if gpu.sms == sms and model in gpu.product.split()]
    if len(found) != 1:
        matches = f"several GPU files match: {', '.join(found)}" if found else "no GPU file matches"
        raise ConfigError(f"{device_name} ({sms} SMs): {matches}; choose one with gpu=")
    return found[0]


@overload
def predict(problem: OneProblem, /, *, gpu: Union[str, os.PathLike, Gpu] = "h200_sxm", regime: str = "burst",
            inputs: str = "normal", top: int = 10, config: Optional[Configs] = None,
            schedules: Union[str, Iterable[str]] = (), method: Optional[str] = None,
            simulate: Optional[int] = None, threads: int = 0, calibrated: bool = True,
            objective: str = "time") -> Ranking: ...
@overload
def predict(m: int, n: int, k: int, *, dtype: Any = "fp16", layout: str = "tn",
            gpu: Union[str, os.PathLike, Gpu] = "h200_sxm", regime: str = "burst",
            inputs: str = "normal", top: int = 10, config: Optional[Configs] = None,
            schedules: Union[str, Iterable[str]] = (), method: Optional[str] = None,
            simulate: Optional[int] = None, threads: int = 0, calibrated: bool = True,
            objective: str = "time", epilogue: str = "none",
            batch: Union[int, str] = 1, accumulate: Optional[str] = None, out_dtype: Any = None) -> Ranking: ...
def predict(m, n=None, k=None, *, dtype=None, layout=None, gpu="h200_sxm", regime="burst",
            inputs="normal", top=10, config=None, schedules=(), method=None, simulate=None, threads=0,
            calibrated=True, objective="time", epilogue=None, batch=None, accumulate=None,
            out_dtype=None) -> Ranking:
    """Returns the `top` fastest configurations of C[m,n] = epilogue(A[m,k] B), fastest first; or
    of a `tilecast.Attention` that is given instead of m, n and k.

    m, n, k    dimensions in elements, at least 1; also one tuple (m, n, k), or one string "4096x4096x4096"
    gpu        a name from `gpus()`, or the path of a GPU file
    regime     "burst": within 10 ms of work on an idle GPU; "sustained": under continuous load
    inputs     "normal", "uniform", "ternary" or "zeros"; power, and so the clock, depends on them
    config     only this configuration, in long or short form, or those that match a partial one:
               "ws:tile=128x256x64"; also a Config, a tuple or dict of its parts, or a Prediction, for its
               configuration; or only these, if it is a list: of a partial one, the fastest match
    schedules  only these, by name, abbreviation or unique prefix
    method     "simulated" (default of GEMMs) or "analytic"
    simulate   number of candidates to simulate per schedule, the best by the analytic model; by default 1 to 8
    threads    number of threads for simulations; one per processor if 0
    calibrated False ignores the GPU's calibration
    objective  "time": the fastest first; "energy": the one with the least energy first, among those too close to
               the fastest to call

    GEMMs only:
    dtype      "fp16" (default), "bf16", "fp8" ("e4m3") or "e5m2", also as torch.bfloat16 and the like
    out_dtype  type of C; by default that of A and B, for fp8 bf16
    layout     "tn" (default): B is [n,k]; "nn": B is [k,n]; A is [m,k] in both. "nt": B is [k,n]; "tt": B is
               [n,k]; A is [k,m] in both
    epilogue   "none" (default), or steps in this order, joined by "+" ("bias_n+gelu"): fp8 scales ("scale_tensor",
               "scale_row", "scale_block"), a bias ("bias_n", one per column as nn.Linear's, or "bias_m", one per row),
               an activation ("relu", "gelu", "gelu_tanh", "silu") or a gate ("swiglu", "geglu"), "residual", "amax",
               "scale_c"
    batch      number of GEMMs in one launch; "32:a", "32:b" or "32:ab" if they share A, B or both
    accumulate for fp8: "fast" (default) or "exact", partial sums promoted to fp32 every 128 of K

    Raises ConfigError, a ValueError, for problems that cannot be predicted, FileError, an OSError, for a file
    that cannot be read.
    """
    problem = problem_of(m, n, k, dtype=dtype, layout=layout, epilogue=epilogue, batch=batch, accumulate=accumulate,
                         out_dtype=out_dtype)
    return Ranking(*_native.predict(_machine(gpu, calibrated), problem.texts(), _conditions(regime, inputs, method),
                                    search_of(schedules, top, simulate, threads, objective, config)))


def search_of(schedules: Optional[Iterable[str]] = (), top: int = 1, simulate: Optional[int] = None, threads: int = 0,
              objective: str = "time", config: Optional[Configs] = None) -> tuple:
    """Returns the Search of _native.pyi."""
    names = listed("schedules", () if schedules is None else schedules, lambda one: isinstance(one, str))
    return ([text("schedules", name) for name in names], within("top", top, 1, 1 << 20),
            None if simulate is None else within("simulate", simulate, 1, 4096), _threads(threads),
            [] if config is None else configs_of(config), text("objective", objective))


def _threads(count: int) -> int:
    return within("threads", count, 0, 1024)


@overload
def predict_many(problems: Iterable[OneProblem], /, *, gpu: Union[str, os.PathLike, Gpu] = "h200_sxm",
                 regime: str = "burst", inputs: str = "normal", schedules: Union[str, Iterable[str]] = (),
                 method: Optional[str] = None, simulate: Optional[int] = None, threads: int = 0,
                 calibrated: bool = True, objective: str = "time") -> Predictions: ...
@overload
def predict_many(m: Any, n: Any, k: Any, *, dtype: Any = "fp16", layout: str = "tn",
                 gpu: Union[str, os.PathLike, Gpu] = "h200_sxm", regime: str = "burst",
                 inputs: str = "normal", schedules: Union[str, Iterable[str]] = (),
                 method: Optional[str] = None, simulate: Optional[int] = None, threads: int = 0,
                 calibrated: bool = True, objective: str = "time",
                 epilogue: str = "none", accumulate: Optional[str] = None, out_dtype: Any = None) -> Predictions: ...
def predict_many(m, n=None, k=None, *, dtype=None, layout=None, gpu="h200_sxm", regime="burst", inputs="normal",
                 schedules=(), method=None, simulate=None, threads=0, calibrated=True, objective="time",
                 epilogue=None, accumulate=None, out_dtype=None) -> Predictions:
    """Returns the fastest configuration of each of many problems, using all CPUs and without the
    GIL.

    m, n, k are numbers or sequences (lists, arrays) of equal lengths; a number applies to all
    problems. A list of problems, each as in `predict`, stands for all three. Other arguments are as in `predict`. A
    problem that cannot be predicted gives a `Failure`, and the others continue.
    """
    fields = {"dtype": dtype, "layout": layout, "epilogue": epilogue, "accumulate": accumulate,
              "out_dtype": out_dtype}
    problems = (problems_of(m, **fields) if n is None and k is None else
                [problem_of(*sides, **fields) for sides in _broadcast(m, n, k)])
    answers = _native.predict_many(_machine(gpu, calibrated), [problem.texts() for problem in problems],
                                   _conditions(regime, inputs, method),
                                   search_of(schedules, 1, simulate, threads, objective))
    return Predictions(problems, answers)


def _broadcast(*sides) -> list[tuple]:
    lists = [list(side) if isinstance(side, Iterable) and not isinstance(side, str) else None for side in sides]
    lengths = {len(side) for side in lists if side is not None}
    if len(lengths) > 1:
        raise ConfigError(f"m, n, k: expected sequences of equal length, got lengths {sorted(lengths)}")
    count = lengths.pop() if lengths else 1
    return list(zip(*(side if side is not None else [single] * count for side, single in zip(lists, sides))))


@overload
def explain(problem: OneProblem, /, config: Configs = (), *,
            gpu: Union[str, os.PathLike, Gpu] = "h200_sxm", regime: str = "burst", inputs: str = "normal",
            method: Optional[str] = None, best: bool = True, threads: int = 0,
            calibrated: bool = True) -> Explanation: ...
@overload
def explain(m: int, n: int, k: int, config: Configs = (), *, dtype: Any = "fp16",
            layout: str = "tn", gpu: Union[str, os.PathLike, Gpu] = "h200_sxm", regime: str = "burst",
            inputs: str = "normal", method: Optional[str] = None, best: bool = True,
            threads: int = 0, calibrated: bool = True, epilogue: str = "none",
            batch: Union[int, str] = 1, accumulate: Optional[str] = None, out_dtype: Any = None) -> Explanation: ...
def explain(m, n=None, k=None, config=None, *, dtype=None, layout=None, gpu="h200_sxm", regime="burst",
            inputs="normal", method=None, best=True, threads=0, calibrated=True, epilogue=None, batch=None,
            accumulate=None, out_dtype=None) -> Explanation:
    """Explains what limits kernels: bottleneck, utilization and phases, bytes, waves, energy. `config` is one
    configuration or several, which are compared side by side; each in a form that `predict` takes. With
    `best` they are also compared with the best of all candidates; without `config` only that is explained. A problem
    can be one argument: `explain(problem, config)`. Other arguments and exceptions are as in `predict`."""
    if k is None and config is None:  # explain(problem, config)
        n, config = None, n
    problem = problem_of(m, n, k, dtype=dtype, layout=layout, epilogue=epilogue, batch=batch, accumulate=accumulate,
                         out_dtype=out_dtype)
    return Explanation(*_native.explain(_machine(gpu, calibrated), problem.texts(), _conditions(regime, inputs, method),
                                        configs_of(() if config is None else config), flag("best", best),
                                        _threads(threads)))


ConfigError = _native.ConfigError
ConfigError.__doc__ = "Invalid input: an impossible problem, word, number or configuration. A ValueError."
FileError = _native.FileError
FileError.__doc__ = "A file that cannot be read or written. An OSError."
Error = _native.Error
Error.__doc__ = "Any other failure of tilecast. A RuntimeError."
