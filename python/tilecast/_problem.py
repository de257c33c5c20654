"""Problems as values, for `predict`, `predict_many`, `rank` and `explain`."""

from __future__ import annotations

import dataclasses
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Optional, Union

from . import _native

ConfigError = _native.ConfigError
Texts = tuple[str, str, str, dict[str, str]]  # _native.Problem


def word_of(value: Any) -> str:
    """Returns the library's word for a type: "float16" for torch.float16 or numpy.float16, "fp16"
    for triton's."""
    if isinstance(value, str):
        return re.sub(r"^(torch|numpy|np|jax\.numpy|jnp|triton\.language|tl)\.", "", value)
    return str(getattr(value, "__name__", value)).rpartition(".")[2].strip("<>'")


def flag(name: str, value: Any) -> bool:
    if value not in (True, False):
        raise ConfigError(f"{name}: expected True or False, got {value!r}")
    return bool(value)


def integer(name: str, value: Any) -> int:
    """Returns an integer of Python, numpy or any other library as an int."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise TypeError(f"{name}: expected an integer, got {value!r}")


def within(name: str, value: Any, least: int, most: int) -> int:
    """Returns the integer, checked against the range of the program's option of that name."""
    if not least <= integer(name, value) <= most:
        raise ConfigError(f"{name}: expected {least} to {most}, got {value}")
    return value


def named(name: str, call: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
    """Returns the call's result, or raises its error with the name in front."""
    try:
        return call(*arguments, **more)
    except (TypeError, ConfigError) as error:
        raise type(error)(f"{name}: {error}") from None


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, got {value!r}")
    return value


def _is_grouped(side: Any) -> bool:
    return isinstance(side, Sequence) and not isinstance(side, str)


def listed(name: str, values: Any, single: Callable[[Any], bool]) -> list:
    """Returns an iterable's values; one value alone as a list."""
    if single(values):
        return [values]
    if not isinstance(values, Iterable):
        raise TypeError(f"{name}: expected a sequence, got {values!r}")
    return list(values)


@dataclasses.dataclass(frozen=True)
class Gemm:
    """C[m,n] = epilogue(A[m,k] B): a problem for `predict`, `predict_many`, `rank` and `explain`.

    m, n, k         dimensions in elements; `m` may be the rows of each group of a grouped GEMM (`routed_rows`), whose
                    groups have their own B; or, in layout "nt", `k` the rows of each group, which have their own C
    lda, ldb, ldc   elements from one row in memory to the next; by default rows are contiguous
    others          as the keywords of `predict`
    """

    m: Union[int, Sequence[int]]
    n: int
    k: Union[int, Sequence[int]]
    dtype: Any = "fp16"
    layout: str = "tn"
    epilogue: str = "none"
    batch: Union[int, str] = 1
    accumulate: Optional[str] = None
    out_dtype: Any = None  # default: dtype, or bf16 for fp8
    lda: Optional[int] = None
    ldb: Optional[int] = None
    ldc: Optional[int] = None

    def __post_init__(self) -> None:
        for name in ("m", "n", "k"):
            side = getattr(self, name)
            for one in side if name != "n" and _is_grouped(side) else [side]:
                integer(name, one)
        if _is_grouped(self.m) and self.batch != 1:
            raise ConfigError("batch: cannot be combined with groups")

    def texts(self) -> Texts:
        side = lambda value: (f"[{','.join(str(operator.index(one)) for one in value)}]" if _is_grouped(value)
                              else str(operator.index(value)))
        batch = "" if _is_grouped(self.m) or _is_grouped(self.k) and self.batch == 1 else f"{self.batch}*"
        strides = {name: str(integer(name, given)) for name in ("lda", "ldb", "ldc")
                   if (given := getattr(self, name)) is not None}
        return ("gemm", f"{batch}{side(self.m)}x{side(self.n)}x{side(self.k)}", word_of(self.dtype),
                {"layout": text("layout", self.layout), "epilogue": text("epilogue", self.epilogue),
                 "accumulate": text("accumulate", self.accumulate or ""), **strides,
                 **({} if self.out_dtype is None else {"dtype_c": word_of(self.out_dtype)})})

    def record(self) -> dict[str, Any]:
        """Returns the columns of a table."""
        return {"m": self.m, "n": self.n, "k": self.k}

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Attention:
    """Attention forward, O = softmax(scale Q K^T) V for each query head of each sequence: a problem for `predict`,
    `predict_many`, `rank` and `explain` (docs/attention.md).

    batch     sequences
    heads     query heads
    kv_heads  heads of K and V, a divisor of heads; by default one for each query head
    queries   rows of Q and O per head
    keys      rows of K and V per head
    head_dim  64, 128 or 256
    causal    each query attends to the keys up to its own position; the last query attends to all
    dtype     "fp16" or "bf16", also as torch.bfloat16 and the like
    layout    "bhsd" or "bshd": how Q, K, V and O lie in memory
    lse       whether the log-sum-exp of each row is also written
    """

    batch: int
    heads: int
    kv_heads: Optional[int] = None
    queries: int
    keys: int
    head_dim: int
    causal: bool = False
    dtype: Any = "fp16"
    layout: str = "bhsd"
    lse: bool = False

    def __post_init__(self) -> None:
        if self.kv_heads is None:
            object.__setattr__(self, "kv_heads", self.heads)
        for name in ("batch", "heads", "kv_heads", "queries", "keys", "head_dim"):
            if integer(name, getattr(self, name)) < 1:
                raise ConfigError(f"{name}: expected at least 1, got {getattr(self, name)}")

    def texts(self) -> Texts:
        return ("attention", str(self), word_of(self.dtype),
                {"mask": "causal" if flag("causal", self.causal) else "full", "layout": text("layout", self.layout),
                 "lse": "yes" if flag("lse", self.lse) else "no"})

    def record(self) -> dict[str, Any]:
        """Returns the columns of a table."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        batch, heads, kv_heads, *sides = map(operator.index, (
            self.batch, self.heads, self.kv_heads, self.queries, self.keys, self.head_dim))
        return "x".join(map(str, (batch, heads if kv_heads == heads else f"{heads}:{kv_heads}", *sides)))


Problem = Union[Gemm, Attention]
OneProblem = Union[Problem, str, Sequence[int]]  # the latter: m, n and k


def problem_of(first: Any, n: Any = None, k: Any = None, **fields: Any) -> Problem:
    """Returns the problem that a question's first arguments name: a problem, or m, n and k of a GEMM, as three
    arguments, one tuple or a string. None in `fields` stands for the default."""
    given = {name: value for name, value in {"n": n, "k": k, **fields}.items() if value is not None}
    if isinstance(first, (Gemm, Attention)):
        if given:
            raise ConfigError(f"{', '.join(given)}: apply only to m, n and k; "
                              f"a tilecast.{type(first).__name__} has its own fields")
        return first
    sides = (first, n, k)
    if n is None and k is None:
        if isinstance(first, str):
            sides = [int(side) for side in first.split("x") if side.isdecimal()]
        else:
            sides = list(first) if isinstance(first, Iterable) else [first]
    if len(sides) != 3 or any(side is None for side in sides):
        raise TypeError(f"expected m, n and k of a GEMM, such as (4096, 4096, 4096) or '4096x4096x4096', "
                        f"a tilecast.Gemm or a tilecast.Attention; got {first!r}")
    fields = {name: value for name, value in given.items() if name not in ("n", "k")}
    return Gemm(*sides, **fields)


def problems_of(problems: Any, **fields: Any) -> list[Problem]:
    """Returns the problems of an iterable, or one problem alone, each in a form that `problem_of` takes."""
    is_one = lambda one: isinstance(one, (str, Gemm, Attention)) or isinstance(one, tuple) and not any(
        isinstance(side, (Iterable, Gemm, Attention)) for side in one)
    return [named(f"problems[{i}]", problem_of, one, **fields)
            for i, one in enumerate(listed("problems", problems, is_one))]


def routed_rows(tokens: int, experts: int, top_k: int = 1, routing: str = "uniform", seed: int = 1) -> list[int]:
    """Draws the rows of each expert when each token chooses `top_k` different experts, as `predict --experts` does:
    the rows of a `Gemm`. `routing` is "uniform", or "zipf:1.1" for popular experts by Zipf's law. Raises ConfigError
    if there are fewer experts than `top_k`, or over 2^22 rows."""
    for name, count in {"tokens": tokens, "experts": experts, "top_k": top_k}.items():
        within(name, count, 1, 1 << 22)
    within("seed", seed, 0, 1 << 62)
    return _native.routed_rows(tokens, experts, top_k, text("routing", routing), seed)
