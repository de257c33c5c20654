"""Problems as values, for `predict`, `predict_many`, `rank` and `explain`."""

from __future__ import annotations

import dataclasses
import operator
import re
from collections.abc import Sequence
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


@dataclasses.dataclass(frozen=True)
class Gemm:
    """C[m,n] = epilogue(A[m,k] B). `m` may also be the rows of each group, without a batch."""

    m: Union[int, Sequence[int]]
    n: int
    k: int
    dtype: Any = "fp16"
    layout: str = "tn"
    epilogue: str = "none"
    batch: Union[int, str] = 1
    accumulate: Optional[str] = None

    def texts(self) -> Texts:
        rows = (f"[{','.join(str(operator.index(one)) for one in self.m)}]" if isinstance(self.m, Sequence)
                else f"{self.batch}*{operator.index(self.m)}")
        return ("gemm", f"{rows}x{operator.index(self.n)}x{operator.index(self.k)}", word_of(self.dtype),
                {"layout": self.layout, "epilogue": self.epilogue, "accumulate": self.accumulate or ""})

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
    heads     query heads; `kv_heads` of K and V, which divide them; by default one for each
    queries   rows of Q and O of each head; `keys`, of K and V
    head_dim  64, 128 or 256
    causal    each query sees the keys up to its own place; the last query sees all
    dtype     "fp16" or "bf16", also as torch.bfloat16 and the like
    layout    "bhsd" or "bshd": how Q, K, V and O lie in memory
    lse       the log-sum-exp of each row is written too
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

    def texts(self) -> Texts:
        return ("attention", str(self), word_of(self.dtype),
                {"mask": "causal" if flag("causal", self.causal) else "full", "layout": self.layout,
                 "lse": "yes" if flag("lse", self.lse) else "no"})

    def record(self) -> dict[str, Any]:
        """Returns the columns of a table."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        batch, heads, kv_heads, *sides = map(operator.index, (
            self.batch, self.heads, self.kv_heads, self.queries, self.keys, self.head_dim))
        return "x".join(map(str, (batch, heads if kv_heads == heads else f"{heads}:{kv_heads}", *sides)))


Problem = Union[Gemm, Attention]


def problem_of(first: Any, n: Any = None, k: Any = None, **fields: Any) -> Problem:
    """Returns the Attention, or the GEMM with these dimensions and `fields`, of which None stands for
    the default."""
    given = {name: value for name, value in {"n": n, "k": k, **fields}.items() if value is not None}
    if not isinstance(first, Attention):
        if n is None or k is None:
            raise TypeError("expected m, n and k of a GEMM, or a tilecast.Attention")
        return Gemm(first, **given)
    if given:
        raise ConfigError(f"{', '.join(given)}: of GEMMs; a tilecast.Attention has its own fields")
    return first
