# The compiled part (python/bindings); users call tilecast._model.
from typing import Any, Callable, Optional

Machine = tuple[str, bool, str]  # gpu, calibrated, configuration folder
Problem = tuple[str, str, str, dict[str, str]]  # op, shape, dtype, fields by name
Conditions = tuple[str, str, Optional[str]]  # regime, inputs, method
# schedules, top, simulate, threads, configs, objective
Search = tuple[list[str], int, Optional[int], int, list[str], str]
# block_m, block_n, block_k, stages, warps, group_m, split_k, persistent, flatten, tma, constant_k
TritonKernel = tuple[int, int, int, int, int, int, int, bool, bool, bool, bool]

class Error(RuntimeError): ...
class FileError(OSError): ...
class ConfigError(ValueError): ...

def gpus(configs: str, /) -> list[tuple[str, str, str, int, str]]: ...
def predict(machine: Machine, problem: Problem, conditions: Conditions, search: Search, /) -> tuple[str, str, str]:
    """JSON of `predict`, the table of its rows, and that of the best of each tile. Releases the GIL and stops at Ctrl-C, like all of these."""

def predict_many(machine: Machine, problems: list[Problem], conditions: Conditions, search: Search, /) -> list[str]: ...
def compare_many(machine: Machine, problems: list[Problem], conditions: Conditions, threads: int, /) -> list[str]:
    """JSON of `compare` for each problem."""

def constants(machine: Machine, /) -> dict[str, float]:
    """Numbers of the GPU's file by key, in SI units and cycles."""

def explain(machine: Machine, problem: Problem, conditions: Conditions, configs: list[str], best: bool,
            threads: int, /) -> tuple[str, str]: ...
def config_times(machine: Machine, problems: list[Problem], conditions: Conditions, configs: list[str],
                 threads: int, /) -> list[list[float]]:
    """Seconds of each configuration on each problem, infinite if it cannot run; of a partial one, its fastest match.
    Without a method, up to 50 pairs of GEMMs and configurations are simulated."""

def family_times(machine: Machine, problem: Problem, conditions: Conditions, kernels: list[list[str]],
                 cycles: dict[str, float], threads: int, /) -> list[tuple[float, float, float, str]]:
    """Seconds, cycles, SM clock in Hz and text of each kernel's first configuration that can run."""

def activations() -> list[tuple[str, int]]:
    """Words, and columns of A B per column of C: 2 for a gate."""

def routed_rows(tokens: int, experts: int, top_k: int, routing: str, seed: int, /) -> list[int]:
    """Rows of each expert (model/gemm/problem/routing.h)."""

def sm_limits(machine: Machine, /) -> tuple[int, int, float, float, bool]:
    """Threads, registers and bytes of shared memory per SM; bytes of shared memory per CTA."""

def triton_times(machine: Machine, problem: Problem, conditions: Conditions, kernels: list[TritonKernel],
                 costs: dict[str, float], threads: int, /) -> list[tuple[float, float]]:
    """Seconds (infinite if shared memory is exceeded), and a lower bound."""

class KnownCalls:
    """Fast path of matmul (python/bindings/known_calls.h)."""

    def __init__(self, api: Any, tensor: type, parameter: type, is_grad_enabled: Callable[[], bool],
                 empty_like: Callable[[Any], Any], run: int, device: int, is_capturing: int, /): ...
    def run(self, a: Any, b: Any, out: Any, bias: Any, activation: Any, /) -> Any:
        """`out`, or a new tensor if that is None; None if the package must handle the call."""

    def remember(self, a: Any, b: Any, out: Any, bias: Any, activation: Any, plan: int,
                 workspace: int, workspace_bytes: int, kept: Any, /) -> None: ...
