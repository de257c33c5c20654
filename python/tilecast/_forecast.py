"""The result of `tilecast.torch.forecast`: a table of operations with their times, totals, and
exports."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from typing import Any

from ._files import write_file
from ._kernels import REACH_OF_ALL, REACH_OF_LAUNCHES, Kernel, Timer


@dataclasses.dataclass(frozen=True)
class Row:
    """Identical launches. Times are in microseconds, summed over them."""

    operation: str
    kind: str  # gemm, attention, pointwise, reduction, or unknown: takes at least its bytes and its FLOPs
    shape: str
    count: int
    time_us: float  # time as torch runs it
    tilecast_us: float  # time with our kernel if that is faster
    interval_us: tuple[float, float]  # 90 % interval of time_us; that of an unknown operation has no end
    share: float  # fraction of the model's time
    bottleneck: str
    bytes: float  # bytes read and written by each launch
    source: str  # source of the time of a GEMM or attention: measured, forecast, our kernel, or bytes
    at: str  # module of the first launch
    flops: float  # of each launch of an unknown operation


class Forecast:
    """Cost of a model's forward pass by operation: a sequence of `Row`, the longest first. Prints
    as a table.

    total_us       time of one pass, as torch runs it
    launch_us      part of total_us: between kernels, and for the start of a graph
    tilecast_us    time of one pass with tilecast's kernels where they are faster
    interval_us    90 % interval of total_us; without an end if an operation is unknown
    sm_clock_mhz   under continuous load: the clock at which the mean power is the GPU's limit
    """

    def __init__(self, kernels: Sequence[Kernel], timer: Timer, gpu: str, mode: str, launch: str, repeats: int):
        self.gpu, self.regime, self.mode, self.launch, self.repeats = gpu, timer.regime, mode, launch, repeats
        times = timer.times(kernels)
        grouped: dict[Kernel, list[Kernel]] = {}
        for kernel in kernels:
            grouped.setdefault(kernel, []).append(kernel)
        between, start = timer.launch(len(kernels) * repeats, launch, len(kernels) * repeats)
        busy = sum(times[kernel].us for kernel in kernels)
        self.launch_us = (between + start) / repeats
        if launch == "stream":  # the host runs ahead of the GPU, or the GPU waits for it
            self.launch_us = max(between / repeats, start / repeats - busy)
        self.total_us = busy + self.launch_us
        rows, variance, common = [], 0.0, 0.0
        self._uncompared = 0  # launches of GEMMs that take the time of tilecast's kernel though torch's runs
        for group in grouped.values():
            first, count = times[group[0]], len(group)
            us = sum(times[kernel].us for kernel in group)
            if first.source == "our kernel":  # one error of the GPU's model, not independent ones
                common += first.reach * us
                self._uncompared += 0 if group[0].ours else count
            else:
                variance += (first.reach * us) ** 2
            kind = "unknown" if first.source == "bytes" else group[0].kind
            rows.append(Row(group[0].op, kind, group[0].shape, count, us,
                            sum(times[kernel].ours_us for kernel in group),
                            (us * (1 - first.reach), math.inf if kind == "unknown" else us * (1 + first.reach)),
                            self._share(us), first.bottleneck, group[0].bytes,
                            first.source if group[0].gemm or group[0].attention else "", group[0].at,
                            group[0].flops if kind == "unknown" else 0))
        self.rows = sorted(rows, key=lambda row: -row.time_us)
        self.tilecast_us = sum(row.tilecast_us for row in rows) + self.launch_us
        reach = math.sqrt(variance + common ** 2 + (REACH_OF_ALL * self.total_us) ** 2 +
                          (REACH_OF_LAUNCHES * self.launch_us) ** 2)
        self.interval_us = (self.total_us - reach, math.inf if self.unknown else self.total_us + reach)
        self.sm_clock_mhz = min((time.clock for time in times.values()), default=0.0)
        self._trace = [(kernel, times[kernel].us) for kernel in kernels]

    def _share(self, us: float) -> float:
        return us / self.total_us if self.total_us else 0.0  # a model that only has views launches nothing

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    @property
    def unknown(self) -> list[Row]:
        """Returns operations without a forecast; their time is a lower bound, from bytes and FLOPs."""
        return [row for row in self.rows if row.kind == "unknown"]

    def to_pandas(self):
        """Returns a pandas.DataFrame with one row per operation; imports pandas."""
        import pandas

        return pandas.DataFrame([dataclasses.asdict(row) for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        return {"schema": 1, "gpu": self.gpu, "regime": self.regime, "mode": self.mode, "launch": self.launch,
                "repeats": self.repeats, "total_us": self.total_us, "tilecast_us": self.tilecast_us,
                "interval_us": _finite(self.interval_us), "launch_us": self.launch_us,
                "sm_clock_mhz": self.sm_clock_mhz,
                "operations": [{**dataclasses.asdict(row), "interval_us": _finite(row.interval_us)}
                               for row in self.rows]}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=1)

    def write_trace(self, path: str) -> None:
        """Writes the launches in order to a file for chrome://tracing and Perfetto."""
        events, at = [], 0.0
        gap = self.launch_us / max(1, len(self._trace))
        for kernel, us in self._trace:
            events.append({"name": f"{kernel.op} {kernel.shape}", "cat": kernel.kind, "ph": "X", "ts": at, "dur": us,
                           "pid": 0, "tid": 0, "args": {"module": kernel.at, "bytes": kernel.bytes}})
            at += us + gap
        write_file(path, json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}))

    def __str__(self) -> str:
        titles = ("operation", "shape", "count", "time us", "tilecast us", "share", "bound by")
        cells = [(_cut(row.operation, 34), _cut(row.shape, 34), str(row.count), f"{row.time_us:.1f}",
                  f"{row.tilecast_us:.1f}" if row.tilecast_us < row.time_us else "", f"{100 * row.share:.1f} %",
                  "unknown operation" if row.kind == "unknown" else row.bottleneck) for row in self.rows]
        widths = [max(len(line[i]) for line in [titles, *cells]) for i in range(len(titles))]
        line = lambda parts: "  ".join(part.ljust(width) if i in (0, 1, 6) else part.rjust(width)
                                       for i, (part, width) in enumerate(zip(parts, widths))).rstrip()
        low, high = self.interval_us
        total, ours = f"{self.total_us:.1f} us", f"{self.tilecast_us:.1f} us"
        lines = [f"{self.gpu}, {self.regime}, {self.mode}, launched by {self.launch}: " +
                 (f"at least {total}" if self.unknown else f"{total} ({low:.1f} to {high:.1f})"),
                 f"with tilecast's kernels " + (f"{self.total_us - self.tilecast_us:.1f} us less" if self.unknown else
                 f"{ours}, {self.total_us / self.tilecast_us if self.tilecast_us else 1:.2f} times as fast"),
                 _REGIMES[self.regime].format(clock=self.sm_clock_mhz / 1000), "",
                 line(titles), *map(line, cells),
                 line(("launches", "", str(len(self._trace)), f"{self.launch_us:.1f}", "",
                       f"{100 * self._share(self.launch_us):.1f} %", ""))]
        if self.unknown:
            moved = sum(row.bytes * row.count for row in self.unknown)
            flops = sum(row.flops * row.count for row in self.unknown)
            lines += ["", f"{len(self.unknown)} unknown operations, {moved / 1e6:.1f} MB and {flops / 1e9:.1f} GFLOP, "
                      "take at least the time of these: " + ", ".join(sorted({row.operation for row in self.unknown}))]
        if self._uncompared:
            lines += ["", f"{self._uncompared} GEMM launches take the time of tilecast's kernel: that of torch's library is "
                      f"not known for them on {self.gpu}"]
        return "\n".join(lines)

    __repr__ = __str__


_REGIMES = {"burst": "burst: within 10 ms of work on an idle GPU",
            "sustained": "sustained: continuous load holds the clock at {clock:.2f} GHz; predict and compare assume "
                         "bursts by default"}


def _finite(interval: tuple[float, float]) -> list:
    return [None if one == math.inf else one for one in interval]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[:width - 3] + "..."
