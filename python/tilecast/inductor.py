"""Ranks torch.inductor's matmul templates before any of them is compiled.

    tilecast.inductor.enable()          # then torch.compile(model, mode="max-autotune")

Configurations of mm, addmm, bmm, baddbmm and scaled_mm that exceed shared memory are
dropped, and at most the `top_k` with the shortest predicted times are compiled and benchmarked together with ATen.
Choices that tilecast does not predict are kept, in order. torch._dynamo.utils.counters["tilecast"] counts both.
Checked by: python/tests/test_inductor.py with torch's CPU build, python/tests/inductor_gpu.py on a GPU.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import math
import numbers
import os
import pathlib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import torch
from torch._dynamo.utils import counters
from torch._inductor import choices as inductor_choices
from torch._inductor import config
from torch._inductor.kernel_template_choice import KernelTemplateChoice
from torch._inductor.select_algorithm import ExternKernelChoice
from torch._inductor.template_heuristics.params import DictKernelTemplateParams
from torch._inductor.virtualized import V
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from . import _library, _native
from ._matmul import make_plan, matmul as product
from ._model import ConfigError, Error, FileError, config_folder, gpu_of
from ._problem import flag, integer
from .triton import FamilyWarning, Tile, times_us, worth_measuring

# Templates by uid: whether programs are persistent and load by TMA. Others are left unchanged.
_TEMPLATES = {"triton::mm": False, "triton::bmm": False, "triton::mm_persistent_tma": True,
              "triton::scaled_mm_device_tma_epilogue_scaling": True}
_OPS = ("mm", "addmm", "bmm", "baddbmm", "scaled_mm")
# Whether the contiguous dimension of A is M, and of B is N, instead of K.
_LAYOUTS = {(False, False): "tn", (False, True): "nn", (True, True): "nt", (True, False): "tt"}
_before: dict[str, Any] = {}  # settings that `enable` changed


def enable(top_k: int = 4, exhaustive: bool = False, matmul: bool = True, gpu: Optional[str] = None,
           within: float = 0.15) -> None:
    """Ranks the choices of every later compilation with max_autotune in this process.

    top_k       most template configurations to compile and benchmark per matmul, at least 1
    exhaustive  ranks Inductor's EXHAUSTIVE search space instead of its default list
    matmul      offers `tilecast.matmul` as a further choice for mm and for addmm with a bias, if libtilecast is
                installed, shapes are static and operands fp16 or bf16
    gpu         a name from `tilecast.gpus()`, or the path of a GPU file; default: that of the tensors' device
    within      configurations predicted to take longer than the fastest by more than this fraction are not
                compiled; math.inf compiles `top_k`

    Raises ConfigError for a `top_k` below 1, a negative `within` and a `gpu` whose kernels are not predicted,
    FileError for one whose file cannot be read. Choices that cannot be ranked later are kept, with one warning.
    """
    if integer("top_k", top_k) < 1:
        raise ConfigError(f"top_k: expected at least 1, got {top_k}")
    if not isinstance(within, numbers.Real):
        raise TypeError(f"within: expected a number, got {within!r}")
    if not within >= 0:
        raise ConfigError(f"within: expected at least 0, got {within}")
    if gpu is not None:
        times_us([Tile(128, 128, 64)], 512, 512, 512, gpu=gpu)
    flag("exhaustive", exhaustive)
    factory = _Factory(top_k, flag("matmul", matmul), gpu, float(within), _version(gpu))
    disable()
    if matmul:
        _register()
    _before.update(space=config.max_autotune_gemm_search_space, choices=config.inductor_choices_class)
    if exhaustive:
        config.max_autotune_gemm_search_space = "EXHAUSTIVE"
    if hasattr(inductor_choices, "register_inductor_choices"):  # torch 2.15
        inductor_choices.register_inductor_choices("tilecast", factory)
    else:
        config.inductor_choices_class = factory
        V.set_choices_handler(factory())


def disable() -> None:
    """Reverts `enable`."""
    if not _before:
        return
    config.max_autotune_gemm_search_space = _before.pop("space")
    earlier = _before.pop("choices")
    if hasattr(inductor_choices, "unregister_inductor_choices"):
        inductor_choices.unregister_inductor_choices("tilecast")
    else:
        config.inductor_choices_class = earlier
        V.set_choices_handler(earlier() if earlier else inductor_choices.InductorChoices())


class Choices(inductor_choices.InductorChoices):
    """Inductor's choices with matmul templates pruned by forecast."""

    def __init__(self, factory: _Factory):
        super().__init__()
        self._factory = factory
        self._gpus: dict[torch.device, Optional[str]] = {}
        self._warned = False

    def uuid(self) -> tuple:
        """Returns a part of the key of Inductor's caches."""
        return ("tilecast", *dataclasses.astuple(self._factory))

    def _finalize_template_configs(self, template_choices: Mapping[str, Any], kernel_inputs: Any,
                                   templates: Sequence[Any], op_name: str, kwarg_overrides: Any = None) -> list:
        choices = super()._finalize_template_configs(template_choices, kernel_inputs, templates, op_name,
                                                     kwarg_overrides)
        if op_name not in _OPS or kernel_inputs.device_type != "cuda":
            return choices
        if self._factory.matmul and (config.max_autotune or config.max_autotune_gemm):
            choices = choices + _extern(kernel_inputs, op_name)
        tiles = {i: tile for i, choice in enumerate(choices) if (tile := _tile(choice)) is not None}
        if len(tiles) <= 1:
            return choices
        order = self._picked(list(tiles.values()), kernel_inputs)
        if order is None:
            counters["tilecast"]["not_ranked"] += len(tiles)
            return choices
        places = list(tiles)
        counters["tilecast"]["pruned"] += len(places) - len(order)
        counters["tilecast"]["kept"] += len(order)
        kept = [choices[places[i]] for i in order]
        return choices[:places[0]] + kept + [one for i, one in enumerate(choices) if i > places[0] and i not in tiles]

    def _picked(self, tiles: list[Tile], inputs: Any) -> Optional[list[int]]:
        """Returns the indices of the tiles to compile; None for a problem that is not predicted,
        and if no tile can be launched."""
        gpu = self._gpu(inputs.device())
        if gpu is None or free_unbacked_symbols(inputs.shapes_symbolic()):
            return None
        layout = _layout(inputs)
        if layout is None:
            return None
        m, n, k = inputs.mnk_hinted()
        constant_k = not getattr(inputs.mnk_symbolic()[2], "free_symbols", ())
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FamilyWarning)
                times = times_us(tiles, m, n, k, dtype=inputs.mat1mat2()[0].get_dtype(), layout=layout, gpu=gpu,
                                 batch=inputs.batch_hinted(), constant_k=constant_k)
            counters["tilecast"]["cannot_launch"] += times.count(math.inf)
            order = worth_measuring(tiles, times, m, n, k, self._factory.top_k, constant_k)
        except (ConfigError, FileError, Error) as error:
            if not self._warned:
                warnings.warn(f"tilecast.inductor: not ranked, and later ones without a warning: {error}", stacklevel=2)
            self._warned = True
            return None
        slowest = (1 + self._factory.within) * min(times)
        return [i for i in order if times[i] <= slowest] or None

    def _gpu(self, device: torch.device) -> Optional[str]:
        if self._factory.gpu is not None:
            return self._factory.gpu
        if device not in self._gpus:
            properties = torch.cuda.get_device_properties(device)
            try:
                self._gpus[device] = gpu_of(properties.name, properties.multi_processor_count)
            except (ConfigError, FileError, Error) as error:
                warnings.warn(f"tilecast.inductor: nothing is ranked: {error}", stacklevel=2)
                self._gpus[device] = None
        return self._gpus[device]


@dataclasses.dataclass(frozen=True)
class _Factory:
    """Makes Choices. Part of the keys of Inductor's caches, by itself or by uuid."""

    top_k: int
    matmul: bool
    gpu: Optional[str]
    within: float
    version: str

    def __call__(self) -> Choices:
        return Choices(self)


def _version(gpu: Optional[str] = None) -> str:
    """Returns a hash of everything that affects the choice: the package's code and families, the
    model and the GPU files."""
    package, configs = pathlib.Path(__file__).parent, pathlib.Path(config_folder())
    files = [pathlib.Path(_native.__file__), *package.glob("*.py"), *package.glob("*.json"),
             *configs.glob("*.*"), *configs.glob("gpus/*.*")]
    if gpu is not None and os.path.isfile(gpu):  # its calibration and the files that it is based on are next to it
        files += [*pathlib.Path(gpu).parent.glob("*.yaml"), *pathlib.Path(gpu).parent.glob("*.learned.csv")]
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.is_file():
            content = path.read_bytes()
            digest.update(f"{path.name} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]


def _tile(choice: Any) -> Optional[Tile]:
    """Returns None for a choice that is not predicted."""
    persistent = _TEMPLATES.get(choice.template.uid)
    if persistent is None:
        return None
    values = choice.params.to_kwargs()
    if values.get("hint_override") is not None:  # chosen at run time, by size
        return None
    try:
        return Tile.of(values, persistent, persistent)
    except ConfigError:
        return None


def _layout(inputs: Any) -> Optional[str]:
    strides = inputs.strides_hinted()
    a, b = strides[inputs._mat1_idx], strides[inputs._mat2_idx]
    if 1 not in a[-2:] or 1 not in b[-2:]:
        return None
    return _LAYOUTS[a[-1] != 1, b[-2] != 1]


def tilecast_mm(a: torch.Tensor, b: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    """`tilecast.matmul` as called by generated code."""
    return product(a, b, out)


def tilecast_addmm(bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    """`tilecast.matmul` with a bias broadcast to equal rows, as called by generated code."""
    return product(a, b, out, bias[0])


class _Extern(ExternKernelChoice):
    """A kernel of libtilecast. Its plan is made in a thread while Inductor compiles the templates."""

    def bind(self, input_nodes: Sequence[Any], *arguments: Any, **options: Any) -> Any:
        caller = super().bind(input_nodes, *arguments, **options)
        *bias, a, b = input_nodes
        sizes, strides = ([tuple(map(int, one)) for one in both] for both in
                          ((a.get_size(), b.get_size()), (a.get_stride(), b.get_stride())))
        caller.precompile = functools.partial(make_plan, a.get_device(), a.get_dtype(), sizes, strides, bool(bias))
        return caller


_externs: dict[str, ExternKernelChoice] = {}


def _register() -> None:
    for op, kernel in (("mm", tilecast_mm), ("addmm", tilecast_addmm)):
        if op not in _externs:
            _externs[op] = _Extern(kernel)


def _extern(inputs: Any, op_name: str) -> list:
    """Returns tilecast.matmul as a choice, if it supports the GEMM."""
    a, _ = inputs.mat1mat2()
    sizes = [size for shape in (*inputs.shapes_symbolic(), *inputs.strides_symbolic()) for size in shape]
    if (op_name not in _externs or any(getattr(size, "free_symbols", ()) for size in sizes) or config.cpp_wrapper or
            inputs.dtype() not in (torch.float16, torch.bfloat16) or inputs.out_dtype() != a.get_dtype() or
            _layout(inputs) is None or torch.cuda.get_device_capability(inputs.device()) != (9, 0)):
        return []
    if op_name == "addmm" and ((inputs.get_scalar("alpha"), inputs.get_scalar("beta")) != (1, 1) or
                               tuple(inputs.strides_hinted()[0]) != (0, 1)):
        return []
    strides = inputs.strides_hinted()
    try:
        _library.shape_of(*inputs.mnk_hinted(), _library.FP16, tuple(strides[inputs._mat1_idx]),
                          tuple(strides[inputs._mat2_idx]))
        _library.library()
    except (ConfigError, FileError, Error):
        return []
    counters["tilecast"]["matmul"] += 1
    return [KernelTemplateChoice(_externs[op_name], DictKernelTemplateParams({}), {}, inputs.output_layout(), inputs)]
