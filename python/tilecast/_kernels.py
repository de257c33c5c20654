"""Converts operations of a model to kernels, and times each: the part of `tilecast.torch.forecast`
that does not need torch.

Times of library kernels depend on the kind. GEMMs and attention use the program's `compare`
(tilecast's forecast times the ratio of cuBLASLt or cuDNN). All others take bytes at the predicted
copy bandwidth, or elements at the rate of torch's strided kernels. Constants of libraries, with
sources, are in torch_kernels.json; constants of the GPU are in its file.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import json
import pathlib
from collections.abc import Sequence
from typing import Any, Optional

from . import _native
from ._attention import HEAD_DIMS
from ._model import ConfigError, _machine, search_of
from ._problem import Attention, Gemm, Problem

_NUMBERS = {name: row["value"] for name, row in
            json.loads((pathlib.Path(__file__).parent / "torch_kernels.json").read_text()).items()}
# Relative half-widths of 90 % intervals: of each launch, and of the clock and the GPU, which all
# kernels share.
REACH_OF_LAUNCHES, REACH_OF_ALL = _NUMBERS["launch_reach"], _NUMBERS["common_reach"]
# Results by machine, regime and problem, kept until the process ends, like the GPU files that they
# depend on.
_compared: dict[tuple, dict[str, Any]] = {}


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One launch. `kind`: gemm, attention, pointwise, reduction or unknown."""

    op: str
    kind: str
    shape: str
    bytes: float = 0  # bytes read and written
    elements: int = 0
    strided: str = ""  # how torch's kernel addresses its elements: "", "strided", "permuted" or "cat"
    row: int = 0  # number of elements of a reduction
    fused: bool = False  # fused by Inductor
    gemm: Optional[Gemm] = None
    attention: Optional[Attention] = None
    ours: bool = False  # whether tilecast's kernel computes this GEMM
    masked: bool = False  # attention with a mask or dropout, which tilecast's kernel does not compute
    flops: float = 0  # of a launch that is not elementwise; an unknown one takes at least these at the rate of `unit`
    unit: str = ""  # fp32, tf32, 16 or 8 (bits, tensor cores)
    at: str = dataclasses.field(default="", compare=False)  # name of the module


def _problem_of(kernel: Kernel) -> Optional[Problem]:
    """Returns the problem that `compare` forecasts. Attention of another head dimension takes the
    time of the next larger one."""
    head_dim = min((one for one in HEAD_DIMS if kernel.attention and one >= kernel.attention.head_dim), default=None)
    return dataclasses.replace(kernel.attention, head_dim=head_dim) if head_dim else kernel.gemm or kernel.attention


@dataclasses.dataclass
class Time:
    """Microseconds at `clock` (MHz); `scaled` of them follow the SM clock."""

    us: float
    scaled: float
    reach: float
    bottleneck: str
    clock: float
    power: float  # W at the clock, static power included; dram_w of it does not depend on the clock
    dram_w: float
    ours_us: float
    source: str = "forecast"

    def at(self, clock: float) -> float:
        return self.us - self.scaled + self.scaled * self.clock / clock


@functools.lru_cache
def _copies(machine: tuple, regime: str) -> tuple[list[float], list[float], float]:
    """Returns bytes read and written, and seconds, of our fastest copies; joules per byte."""
    elements = [1 << bits for bits in range(11, 30, 2)]
    answers = _native.predict_many(machine, [("memcpy", str(count), "fp16", {}) for count in elements],
                                   (regime, "normal", None), search_of())
    rows = [json.loads(answer)["ranking"][0] for answer in answers]
    sizes, times = [4.0 * count for count in elements], [row["time_us"] * 1e-6 for row in rows]
    watts = rows[-1]["power_w"] - _native.constants(machine)["power.static_power"]
    return sizes, times, watts * times[-1] / sizes[-1]


class Timer:
    """Times of kernels on one GPU under one regime."""

    def __init__(self, gpu: str, regime: str, calibrated: bool = True, threads: int = 0):
        self.machine, self.regime, self.threads = _machine(gpu, calibrated), regime, threads
        self.gpu = _native.constants(self.machine)
        self.mma_rate = self.gpu.get("wgmma.flops_per_sm", self.gpu.get("tcgen05.flops_per_sm"))
        if self.mma_rate is None:
            raise ConfigError(f"gpu: layers are forecast on Hopper and on Blackwell data-centre GPUs alone, not on {gpu}")
        if "clock.tensor_plateau" not in self.gpu:
            raise ConfigError(f"gpu: the file of {gpu} has no section clock, which forecasts of layers require")
        self.sms = self.gpu["sm.count"]
        self._flop_rates = {unit: rate * self.sms * self.gpu["clock.max"] for unit, rate in (
            ("8", 2 * self.mma_rate), ("16", self.mma_rate), ("tf32", self.mma_rate / 2),
            ("fp32", _NUMBERS["fp32_flops_per_sm"]))}
        self.plateau = self.gpu["clock.tensor_plateau"] * 1e-6

    def times(self, kernels: Sequence[Kernel]) -> dict[Kernel, Time]:
        """Times each distinct kernel once. Under continuous load all run at the clock at which
        their mean power equals the GPU's limit, since its controller averages over many kernels."""
        count = {}
        for kernel in kernels:
            count[kernel] = count.get(kernel, 0) + 1
        times = self._library_times([k for k in count if _problem_of(k)])
        for kernel in count:
            if kernel not in times:  # without a forecast it takes at least its bytes and its FLOPs
                unknown = _problem_of(kernel) or kernel.kind == "unknown"
                times[kernel] = self._time(dataclasses.replace(kernel, kind="unknown") if unknown else kernel)
                times[kernel].source = "bytes" if unknown else "forecast"
        if self.regime == "sustained":
            clock = self._common_clock([(times[kernel], n) for kernel, n in count.items()])
            for time in times.values():
                ratio = time.at(clock) / time.us
                time.us, time.ours_us, time.scaled = time.us * ratio, time.ours_us * ratio, time.scaled * ratio
                time.clock = clock
        return times

    def launch(self, kernels: int, launch: str, calls: int) -> tuple[float, float]:
        """Returns the microseconds between kernels, and of the start from an idle GPU."""
        gaps = kernels * (self.gpu[f"machine.{launch}_launch"] - _NUMBERS["empty_kernel"])
        if launch == "stream":
            return gaps * 1e6, calls * _NUMBERS["host_call"] * 1e6
        start = _NUMBERS["graph_launch"] + kernels * _NUMBERS["graph_launch_kernel"]
        return gaps * 1e6, start * 1e6 if self.regime == "burst" else 0.0

    def _common_clock(self, times: list[tuple[Time, int]]) -> float:
        static, limit = self.gpu["power.static_power"], self.gpu["power.sustained_limit"]
        exponent = 1 + self.gpu["clock.energy_exponent"]

        def mean_power(clock: float) -> float:
            joules = seconds = 0.0
            for time, count in times:
                us = time.at(clock)
                # Energy of its work at another clock; DRAM's energy does not change.
                scaled = max(0.0, time.power - static - time.dram_w) * (clock / time.clock) ** (exponent - 1)
                joules += count * (static * us + time.dram_w * time.us + scaled * time.us)
                seconds += count * us
            return joules / seconds if seconds else 0.0

        low, high = _NUMBERS["lowest_clock"] * self.plateau, self.plateau
        if mean_power(high) <= limit:
            return high
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if mean_power(middle) <= limit else (low, middle)
        return low

    def _library_times(self, kernels: list[Kernel]) -> dict[Kernel, Time]:
        """Returns times that `compare` forecasts, of GEMMs and attention alone."""
        found = {}
        different = list(dict.fromkeys((_problem_of(kernel), kernel.ours) for kernel in kernels))
        for key, answer in zip(different, self.compared([problem for problem, _ in different])):
            if "error" in answer:
                found[key] = None
                continue
            ours = answer["ours"]
            library = {} if key[1] else answer["cudnn" if isinstance(key[0], Attention) else "cublaslt"]
            us = library.get("time_us", ours["time_us"])
            low, high = library.get("interval_us", ours["interval_us"])
            ours_us, clock = min(us, ours["time_us"]), ours["sm_clock_mhz"]
            if self.regime == "sustained" and isinstance(key[0], Attention) and not key[1]:
                # cuDNN's slower kernel draws less power, so its clock is higher; tilecast's time is at that clock too.
                clock_ratio = max(1.0, min(self.plateau / clock, (us / ours["time_us"]) ** _NUMBERS["cudnn_clock"]))
                ours_us, clock = ours_us / clock_ratio, clock * clock_ratio
            scaled = 0.0 if ours["limiter"] in ("dram", "launch") else max(0.0, us - answer["roofs_us"]["launch"])
            dram = self.gpu["power.per_dram_byte"] * ours["dram_bytes"] / (ours["time_us"] * 1e-6)
            found[key] = Time(us, scaled, (high - low) / 2 / us, ours["limiter"], clock, ours["power_w"], dram, ours_us,
                              library.get("source", "our kernel"))
        times = {}
        for kernel in kernels:
            if (time := found[_problem_of(kernel), kernel.ours]) is not None:
                computable = not kernel.masked and kernel.attention in (None, _problem_of(kernel))
                times[kernel] = dataclasses.replace(time, ours_us=time.ours_us if computable else time.us)
        return times

    def compared(self, problems: list[Problem]) -> list[dict[str, Any]]:
        """Returns the output of `compare`, in the order of the problems."""
        key = lambda problem: (self.machine, self.regime, problem)
        new = [problem for problem in dict.fromkeys(problems) if key(problem) not in _compared]
        answers = _native.compare_many(self.machine, [problem.texts() for problem in new],
                                       (self.regime, "normal", None), self.threads)
        _compared.update({key(problem): json.loads(answer) for problem, answer in zip(new, answers)})
        return [_compared[key(problem)] for problem in problems]

    def _time(self, kernel: Kernel) -> Time:
        small = self.gpu["stream.kernel"]
        moved = self._copy_seconds(kernel.bytes) - self._copy_seconds(0)
        if kernel.kind == "reduction":
            rate, row = (("fused_reduction_rate", "fused_row_element") if kernel.fused else
                         ("norm_rate", "norm_row_element"))
            seconds = small + moved / _NUMBERS[rate] + kernel.row * _NUMBERS[row]
        elif kernel.strided:
            cycles = kernel.elements * _NUMBERS[f"{kernel.strided}_element"] / self.sms
            by_sms = cycles / (self.plateau * 1e6)
            base = _NUMBERS["strided_kernel"]
            if by_sms > moved:
                return self._stream_time(base + by_sms, kernel, by_sms, "instructions")
            seconds = base + moved
        else:
            seconds = small + moved
        if kernel.kind == "unknown" and kernel.flops:
            computed = kernel.flops / self._flop_rates[kernel.unit]
            if computed > seconds:
                return self._stream_time(computed, kernel, 0.0, "flops")
        return self._stream_time(seconds, kernel, 0.0, "launch" if moved < small else "dram")

    def _stream_time(self, seconds: float, kernel: Kernel, scaled: float, bottleneck: str) -> Time:
        # Energy of its bytes, as in a copy, and of its instructions if they address each element
        # separately.
        memory = kernel.bytes / seconds * _copies(self.machine, self.regime)[2]
        instructions = 0.0
        if kernel.strided:
            instructions = (kernel.elements / seconds * _NUMBERS["strided_energy"] *
                            (self.plateau * 1e-3) ** self.gpu["clock.energy_exponent"])
        return Time(seconds * 1e6, scaled * 1e6, _NUMBERS[f"{kernel.kind}_reach"], bottleneck, self.plateau,
                    self.gpu["power.static_power"] + memory + instructions, memory, seconds * 1e6)

    def _copy_seconds(self, moved: float) -> float:
        sizes, times, _ = _copies(self.machine, self.regime)
        if moved <= sizes[0]:
            return times[0]
        right = min(bisect.bisect_left(sizes, moved), len(sizes) - 1)
        left = right - 1
        return times[left] + (times[right] - times[left]) * (moved - sizes[left]) / (sizes[right] - sizes[left])
