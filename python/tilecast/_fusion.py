"""A pass of torch.compile's Inductor that fuses consumers into our GEMMs: an activation, SwiGLU
or GeGLU of a `gate_up` GEMM, and an addition of equal size. A result with other consumers is not
fused: sums that a backward pass needs are kept. Their consumers read gate and up as the two 16-bit
parts of a 32-bit word, since kernels that address every other element are slower. `_recorded.fused`
forecasts the pass by the same rule. Checked by: python/tests/test_accelerate.py with torch's CPU build,
python/tests/accelerate_gpu.py on a GPU.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Iterable
from typing import Any, Optional

import torch
from torch._inductor import config, decomposition
from torch._inductor.codegen.triton import TritonKernel
from torch._inductor.custom_graph_pass import CustomGraphPass, get_hash_for_files
from torch._inductor.decomposition import register_decomposition
from torch._inductor.pattern_matcher import PatternExpr, fwd_only, fx_to_pattern
from torch.fx import Graph, Node
from torch.nn import functional

from . import _gate_up, _library

aten, prims, ours = torch.ops.aten, torch.ops.prims, torch.ops.tilecast
# Views that keep the order of elements.
_VIEWS = {aten.view.default, aten._unsafe_view.default, aten.reshape.default, aten.split.Tensor,
          aten.split_with_sizes.default, aten.slice.Tensor, operator.getitem}
_ACTIVATIONS = {"relu": functional.relu, "gelu": functional.gelu, "silu": functional.silu,
                "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh")}
_GATES = {"swiglu": functional.silu, "geglu": functional.gelu}


# Decomposed, so that autograd saves the GEMM's result instead of its halves, which a kernel would
# have to copy. A process that has compiled before keeps a copy of the table.
register_decomposition(ours.halves.default)(_gate_up._halves)
decomposition.fast_random_decomps.cache_clear()


_STARTS_EARLY = hasattr(TritonKernel, "_handle_pdl_before_access")  # since torch 2.9


def enable() -> None:
    """Enables the pass for all later compilations in this process, after a pass that is already set, and programmatic
    dependent launch of the kernels of graphs with tilecast's GEMMs."""
    if not isinstance(config.post_grad_custom_pre_pass, FusedProducts):
        config.post_grad_custom_pre_pass = FusedProducts(config.post_grad_custom_pre_pass)
    if _STARTS_EARLY:
        TritonKernel._handle_pdl_before_access = _wait_before_access
        _library.programmatic = True


def _wait_before_access(kernel: TritonKernel, buffer: Any, *_: Any, **__: Any) -> None:
    """Makes each of Inductor's kernels wait for the kernel ahead before its first access. Inductor lets them wait only if
    the operator ahead wrote an input of theirs: a kernel without inputs could then end before the kernel ahead of it,
    and the next kernel would read results too early."""
    if kernel._enable_pdl_codegen():
        loops = kernel.inside_reduction and kernel.range_trees[-1].is_loop
        (kernel.body if loops else buffer).writeline(kernel.GDC_WAIT)  # Inductor keeps the first of a kernel


class FusedProducts(CustomGraphPass):
    def __init__(self, earlier: Optional[Callable] = None):
        self._earlier = earlier
        self._starts_early = _STARTS_EARLY and config.triton.enable_pdl  # as set by the user

    def __call__(self, graph: Graph) -> None:
        if self._earlier is not None:
            self._earlier(graph)
        own = any(_is_ours(node) or node.target is ours.interleave.default for node in graph.nodes)
        if _STARTS_EARLY:
            config.triton.enable_pdl = self._starts_early or own
        if not own:
            return
        with torch.no_grad():
            _merge_gate_ups(graph)
            for word, pattern in _patterns():
                for node in reversed(list(graph.nodes)):
                    if not node._erased and (match := pattern.match(node)):
                        (_fuse_gate if word in _GATES else _fuse_activation)(graph, word, match)
            for node in list(graph.nodes):
                if node.target is aten.add.Tensor and not node.kwargs:
                    any(_fuse_residual(graph, node, product, other)
                        for product, other in (node.args, reversed(node.args)))
            for node in list(graph.nodes):
                if node.target is ours.gate_up.default:
                    _separate(graph, node)
                elif node.target is ours.interleave.default:
                    _interleave(graph, node)
                elif node.target is aten.clone.default:
                    _read_words(graph, node)
        graph.eliminate_dead_code()

    def uuid(self) -> Any:
        """Returns a part of the key of Inductor's caches."""
        if self._earlier is None:
            return get_hash_for_files((__file__,))
        earlier = self._earlier.uuid() if isinstance(self._earlier, CustomGraphPass) else None
        return earlier and (get_hash_for_files((__file__,)), earlier)


@functools.cache
def _patterns() -> list[tuple[str, PatternExpr]]:
    """Returns the patterns, gates first, since a gate contains an activation."""
    def traced(search: Callable, names: str) -> list[PatternExpr]:
        return [fx_to_pattern(fwd_only(search, [torch.empty(2, 4, dtype=dtype, device="meta") for _ in names]),
                              argnames=list(names)) for dtype in (torch.bfloat16, torch.float16)]

    gates = [(word, pattern) for word, activated in _GATES.items()
             for search in (lambda x, y: activated(x) * y, lambda x, y: y * activated(x))
             for pattern in traced(search, "xy")]
    return gates + [(word, pattern) for word, activated in _ACTIVATIONS.items()
                    for pattern in traced(lambda x: activated(x), "x")]


def _is_ours(node: Any) -> bool:
    return isinstance(node, Node) and node.target in (ours.matmul.default, ours.gate_up.default)


def _merge_gate_ups(graph: Graph) -> None:
    """Merges the gate_up GEMMs of two halves of one weight, which is then multiplied once."""
    seen: dict[tuple, Node] = {}
    for node in list(graph.nodes):
        if node.target in (aten.view.default, ours.gate_up.default):
            first = seen.setdefault((node.target, str(node.args)), node)
            if first is not node:
                node.replace_all_uses_with(first)
                graph.erase_node(node)


def _product(ends: Iterable[Node], readers: Iterable[Node]) -> Optional[Node]:
    """Returns our GEMM that all these nodes are views of, if only `readers` read it."""
    seen, found = set(), set()
    for node in ends:
        while isinstance(node, Node) and node.target in _VIEWS:
            seen.add(node)
            node = node.args[0]
        found.add(node)
    product = found.pop()
    if found or not _is_ours(product):
        return None
    return product if all(user in seen or user in readers for one in (*seen, product) for user in one.users) else None


def _numel(node: Node) -> Any:
    return node.meta["val"].numel()


def _add(graph: Graph, target: Callable, *args: Any, **options: Any) -> Node:
    node = graph.call_function(target, args, options)
    node.meta["val"] = target(*torch.fx.map_arg(args, lambda one: one.meta["val"]), **options)
    return node


def _replace(graph: Graph, old: Node, a: Node, b: Node, bias: Optional[Node], activation: Optional[str],
             residual: Optional[Node] = None) -> bool:
    sides = old.meta["val"].shape
    with graph.inserting_before(old):
        product = _add(graph, ours.matmul.default, a, b, bias, activation, residual)
        old.replace_all_uses_with(_add(graph, aten.view.default, product, list(sides)))
    graph.erase_node(old)
    return True


def _arguments(product: Node) -> list:
    """Returns a, b, bias, activation and residual of a matmul; a, weight, bias and gate_first of a
    gate_up."""
    return [*product.args, *[argument.default_value for argument in
                             product.target._schema.arguments[len(product.args):]]]


def _transposed(graph: Graph, weight: Node) -> Node:
    """Returns B of a gate_up GEMM."""
    rows, columns = weight.meta["val"].shape
    if weight.meta["val"].stride(0) != columns:
        weight = _add(graph, aten.as_strided.default, weight, [2 * rows, columns], [columns, 1])
    return _add(graph, aten.permute.default, weight, [1, 0])


def _fuse_gate(graph: Graph, word: str, match: Any) -> None:
    gate, up = match.kwargs["x"], match.kwargs["y"]
    product = _product((gate, up), match.nodes)
    if product is None or product.target is not ours.gate_up.default:
        return
    a, weight, bias, gate_first = _arguments(product)
    half = product.meta["val"].shape[-1] // 2
    places = [node.meta["val"].storage_offset() for node in (gate, up)]
    if places != ([0, half] if gate_first else [half, 0]) or any(node.meta["val"].shape[-1] != half
                                                                 for node in (gate, up)):
        return
    old = match.output_node()
    with graph.inserting_before(old):
        b = _transposed(graph, weight)
    _replace(graph, old, a, b, bias, word)


def _fuse_activation(graph: Graph, word: str, match: Any) -> None:
    x = match.kwargs["x"]
    product = _product((x,), match.nodes)
    if product is None or product.target is not ours.matmul.default or _numel(x) != _numel(product):
        return
    a, b, bias, activation, residual = _arguments(product)
    if activation is None and residual is None:
        _replace(graph, match.output_node(), a, b, bias, word)


def _fuse_residual(graph: Graph, old: Node, end: Any, other: Any) -> bool:
    product = _product((end,), (old,)) if isinstance(other, Node) else None
    if product is None or product.target is not ours.matmul.default or "val" not in other.meta:
        return False
    a, b, bias, activation, residual = _arguments(product)
    value, sides = other.meta["val"], end.meta["val"].shape
    if (residual is not None or activation in _GATES or end is other or _numel(end) != _numel(product) or
            value.shape != sides or value.dtype != product.meta["val"].dtype or not value.is_contiguous()):
        return False
    with graph.inserting_before(old):
        residual = _add(graph, aten.view.default, other, list(product.meta["val"].shape))
    return _replace(graph, old, a, b, bias, activation, residual)


def _separate(graph: Graph, node: Node) -> None:
    """Replaces a gate_up without fused consumers by our GEMM with its columns permuted, and
    restores their order for its consumers."""
    a, weight, bias, gate_first = _arguments(node)
    with graph.inserting_before(node):
        product = _add(graph, ours.matmul.default, a, _transposed(graph, weight), bias)
        halves = [_add(graph, aten.slice.Tensor, product, 1, first, sys.maxsize, 2)
                  for first in ((0, 1) if gate_first else (1, 0))]
        node.replace_all_uses_with(_add(graph, aten.cat.default, halves, 1))


def _read_words(graph: Graph, node: Node) -> None:
    """Replaces the copy of `halves`, [rows,2,columns], by shifts of words of two elements."""
    permuted, = node.args
    pairs = permuted.args[0] if permuted.target is aten.permute.default else permuted
    source = pairs.args[0] if pairs.target is aten.view.default else pairs
    value = source.meta["val"]
    if (list(permuted.args[1:]) != [[0, 2, 1]] or source is pairs or value.dim() != 2 or value.dtype.itemsize != 2 or
            pairs.meta["val"].shape != (value.shape[0], value.shape[1] // 2, 2) or not value.is_contiguous() or
            value.storage_offset() % 2):
        return
    with graph.inserting_before(node), value.fake_mode:
        words = _add(graph, aten.unsqueeze.default, _add(graph, aten.view.dtype, source, torch.int32), 1)
        shifts = _add(graph, prims.iota.default, 2, start=0, step=16, dtype=torch.int32, device=value.device,
                      requires_grad=False)
        shifted = _add(graph, aten.__rshift__.Tensor, words, _add(graph, aten.unsqueeze.default, shifts, 1))
        halves = _add(graph, prims.convert_element_type.default, shifted, torch.int16)
        node.replace_all_uses_with(_add(graph, aten.view.dtype, halves, value.dtype))


def _interleave(graph: Graph, node: Node) -> None:
    """Replaces an interleave by words of two elements, read where the columns of its halves were
    computed."""
    halves, gate_first = node.args
    (rows, columns), dtype = node.meta["val"].shape, node.meta["val"].dtype
    parts = halves.args[0] if halves.target is aten.cat.default else ()
    with graph.inserting_before(node):
        if [one.meta["val"].shape[-1] for one in parts] != [columns // 2] * 2:
            parts = [_add(graph, aten.slice.Tensor, halves, -1, first, first + columns // 2)
                     for first in (0, columns // 2)]
        parts = [_add(graph, aten.reshape.default, one, [rows, columns // 2]) for one in parts]
        low, high = [_add(graph, prims.convert_element_type.default,
                          _add(graph, aten.view.dtype, one, torch.int16), torch.int32)
                     for one in (parts if gate_first else reversed(parts))]
        words = _add(graph, aten.bitwise_or.Tensor, _add(graph, aten.bitwise_and.Scalar, low, 0xFFFF),
                     _add(graph, aten.__lshift__.Scalar, high, 16))
        node.replace_all_uses_with(_add(graph, aten.view.dtype, words, dtype))
