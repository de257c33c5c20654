"""Tests tilecast.attention and its operator: errors, plans for a named GPU and traced calls without
a GPU, and its results on a Hopper GPU against torch's in fp64."""

import concurrent.futures
import math
import random
import types

import pytest
import tilecast
from claimed_tensor import ClaimedTensor
from tilecast import _attention, _library, _matmul

try:
    _library.library()
    HAS_LIBRARY = True
except tilecast.FileError:
    HAS_LIBRARY = False
needs_library = pytest.mark.skipif(not HAS_LIBRARY, reason="no libtilecast; TILECAST_LIBRARY names one")
try:
    import torch

    import tilecast.torch
except ImportError:
    torch = None
needs_torch = pytest.mark.skipif(torch is None or torch.version.cuda is None, reason="no torch with CUDA")
on_gpu = pytest.mark.skipif(
    torch is None or not HAS_LIBRARY or not torch.cuda.is_available() or
    torch.cuda.get_device_capability() != (9, 0), reason="no torch, libtilecast or GPU of compute capability 9.0")

Q, KV = ClaimedTensor(2, 8, 96, 64), ClaimedTensor(2, 2, 160, 64)


@pytest.mark.parametrize("change, words", [
    ({"q": object()}, "q: expected a tensor"),
    ({"k": ClaimedTensor(2, 2, 160, 64, device=1)}, "k: expected a CUDA tensor"),
    ({"v": ClaimedTensor(2, 2, 160, 64, bits=32)}, "v: expected dtype fp16 or bf16"),
    ({"out": None}, "out: must be given"),
    ({"return_lse": True}, "return_lse: not supported"),
    ({"q": ClaimedTensor(8, 96, 64)}, "q: expected .batch, heads, rows, head_dim., got 3 dimensions; variable"),
    ({"k": ClaimedTensor(3, 2, 160, 64)}, "k: expected the batch 2 and head_dim 64 of q, got shape .3, 2, 160, 64."),
    ({"k": ClaimedTensor(2, 2, 160, 128)}, "k: expected the batch 2"),
    ({"v": ClaimedTensor(2, 2, 161, 64)}, "v: expected the shape of k"),
    ({"out": ClaimedTensor(2, 8, 95, 64)}, "out: expected the shape of q"),
    ({"v": ClaimedTensor(2, 2, 160, 64, code=4)}, "the same dtype"),
    ({"q": ClaimedTensor(2, 3, 96, 64), "out": ClaimedTensor(2, 3, 96, 64)},
     "q: expected a multiple of the 2 KV heads, got 3 heads"),
    ({"k": ClaimedTensor(2, 0, 160, 64), "v": ClaimedTensor(2, 0, 160, 64)}, "at least one head and one key"),
    ({"k": ClaimedTensor(2, 2, 160, 64, strides=(20480, 0, 64, 1))},
     "k: expanded tensors are not supported"),
    ({"q": ClaimedTensor(2, 8, 96, 64, strides=(49152, 6144, 1, 96))}, "q: expected a last stride of 1"),
    ({"q": ClaimedTensor(2, 8, 96, 64, strides=(52224, 6528, 68, 1))}, "q: expected strides in multiples of 8"),
    ({"scale": 0.0}, "scale: expected a number above 0, got 0.0"),
    ({"scale": -1}, "scale: expected"), ({"scale": math.nan}, "scale: expected"),
    ({"scale": math.inf}, "scale: expected"),
    ({"causal": "lower_right"}, "causal: expected True or False"),
    ({"dropout_p": 0.1}, "dropout_p: tilecast.attention does not support dropout"),
    ({"attn_mask": Q}, "attn_mask: tilecast.attention does not support masks other than causal"),
    ({"cu_seqlens_q": Q}, "cu_seqlens_q: tilecast.attention does not support variable lengths"),
    ({"block_table": Q}, "block_table: tilecast.attention does not support a paged KV cache"),
])
def test_what_no_kernel_computes_is_refused(change, words):
    given = {"q": Q, "k": KV, "v": KV, "out": ClaimedTensor(2, 8, 96, 64, data=1 << 20), "causal": False, **change}
    with pytest.raises(tilecast.ConfigError, match=words):
        tilecast.attention(given.pop("q"), given.pop("k"), given.pop("v"), **given)


@pytest.mark.parametrize("head_dim", [32, 96, 192, 512])
def test_other_head_dimensions_are_refused(head_dim):
    q = ClaimedTensor(1, 1, 8, head_dim)
    with pytest.raises(tilecast.ConfigError, match=f"head_dim: expected 64, 128 or 256, got {head_dim}"):
        tilecast.attention(q, q, q, out=q)


def test_keywords_that_ask_for_nothing_are_taken_and_unknown_ones_are_not():
    _attention._refuse({"attn_mask": None, "dropout_p": 0.0, "window_size": (-1, -1)})
    with pytest.raises(TypeError, match="unexpected keyword argument 'is_casual'"):
        tilecast.attention(Q, KV, KV, is_casual=True)


@pytest.fixture
def plans(monkeypatch):
    """Plans that run nothing, for a machine without a GPU."""
    made = []

    class FakePlan:
        workspace_bytes = 0

        def __init__(self, shape):
            self.shape, self.runs = shape, []
            made.append(self)

        def run(self, *arguments):
            self.runs.append(arguments)

    monkeypatch.setattr(_library, "AttentionPlan", FakePlan)
    monkeypatch.setattr(_library, "capture_of", lambda stream: None)
    monkeypatch.setattr(_library, "current_device", lambda: 0)
    _matmul._plan.cache_clear()
    yield types.SimpleNamespace(made=made, fake=FakePlan)
    _matmul._plan.cache_clear()


def test_calls_of_one_problem_share_a_plan(plans, monkeypatch):
    out = ClaimedTensor(2, 8, 96, 64, data=1 << 20, strides=(49152, 64, 512, 1))
    for scale in (None, 0.25):
        assert tilecast.attention(Q, KV, KV, causal=True, scale=scale, out=out, stream=16) is out
    (plan,) = plans.made
    assert plan.shape == _library.AttentionShape(2, 8, 2, 96, 160, 64, _library.FP16, True, False, (49152, 6144, 64),
                                                 (20480, 10240, 64), (20480, 10240, 64), (49152, 64, 512))
    assert plan.runs == [(4096, 4096, 4096, 1 << 20, 16, 0.0), (4096, 4096, 4096, 1 << 20, 16, 0.25)]
    monkeypatch.setattr(_library, "current_device", lambda: 1)
    with pytest.raises(tilecast.ConfigError, match="on device 0, but device 1 is current"):
        tilecast.attention(Q, KV, KV, out=out)
    monkeypatch.setattr(_library, "current_device", lambda: 0)
    monkeypatch.setattr(plans.fake, "workspace_bytes", 4)
    words = "expected torch tensors, since the kernel for this shape needs a workspace"
    with pytest.raises(tilecast.ConfigError, match=words):
        tilecast.attention(Q, KV, KV, causal=True, out=out)


def test_strides_of_one_element_do_not_make_another_plan(plans):
    for strides in (None, (7, 64, 512, 1), (0, 64, 512, 1)):
        one = ClaimedTensor(1, 8, 96, 64, strides=strides)
        tilecast.attention(one, one, one, out=ClaimedTensor(1, 8, 96, 64, data=1 << 20))
    assert [plan.shape.q for plan in plans.made] == [(0, 6144, 64), (0, 64, 512)]


@needs_library
def test_a_plan_for_a_named_gpu_has_the_models_forecast():
    shape = _library.AttentionShape(2, 8, 2, 512, 512, 64, _library.BF16, True, True, *[(0, 0, 0)] * 4)
    plan = _library.AttentionPlan(shape, gpu="h200_sxm")
    best = tilecast.predict(tilecast.Attention(batch=2, heads=8, kv_heads=2, queries=512, keys=512, head_dim=64,
                                               causal=True, dtype="bf16", lse=True), top=1)[0]
    assert plan.forecast() == (best.config, pytest.approx(best.time_us, rel=1e-5))
    with pytest.raises(tilecast.ConfigError, match="o.row is 64: expected at least 512"):
        _library.AttentionPlan(shape._replace(o=(8 * 512 * 64, 64, 64)), gpu="h200_sxm")


def fake(*sides, dtype=None, requires_grad=False):
    return torch.empty(sides, device="cuda", dtype=dtype or torch.bfloat16, requires_grad=requires_grad)


@needs_torch
def test_a_traced_call_has_the_shape_and_the_strides_of_q():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        q, k = fake(2, 96, 8, 64).transpose(1, 2), fake(2, 2, 160, 64)
        out, lse = torch.ops.tilecast.attention(q, k, k, True, 0.5, True)
        assert (out.shape, out.stride(), out.dtype) == (q.shape, q.stride(), torch.bfloat16)
        assert (lse.shape, lse.dtype) == ((2, 8, 96), torch.float32)
        assert torch.ops.tilecast.attention(q, k, k)[1].shape == (0,)
        assert tilecast.torch.attention(q, k, k, causal=True).shape == q.shape
        for bad, words in ((fake(2, 2, 160, 96), "k: expected the batch 2"),
                           (fake(2, 3, 160, 64), "q: expected a multiple of the 3 KV heads"),
                           (fake(2, 2, 160, 64, dtype=torch.float32), "k: expected fp16 or bf16"),
                           (fake(2, 1, 160, 64).expand(2, 8, 160, 64), "expanded tensors are not supported")):
            with pytest.raises(tilecast.ConfigError, match=words):
                torch.ops.tilecast.attention(q, bad, bad)


@needs_torch
def test_gradients_are_refused_in_one_sentence():
    from torch._subclasses.fake_tensor import FakeTensorMode

    words = "requires grad, but attention has no backward pass: call it under torch.no_grad()"
    with FakeTensorMode():
        q, k = fake(1, 2, 8, 64, requires_grad=True), fake(1, 2, 8, 64)
        for call in (tilecast.attention, tilecast.torch.attention, torch.ops.tilecast.attention):
            with pytest.raises(tilecast.ConfigError, match=words):
                call(q, k, k)
        with torch.no_grad():
            assert tilecast.torch.attention(q, k, k).shape == q.shape


@needs_torch
def test_torch_compile_traces_the_operator():
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    def layer(q, k, v):
        return tilecast.torch.attention(q * 2, k, v, causal=True) + 1

    with FakeTensorMode():
        q = fake(1, 2, 8, 64)
        traced = make_fx(layer)(q, q, q)
    assert "tilecast.attention" in traced.code


@needs_torch
def test_torchs_attention_is_taken_over_where_there_is_a_kernel():
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._python_dispatch import TorchDispatchMode

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            self.names.append(str(function))
            return function(*args, **(kwargs or {}))

    def takes(*arguments, **options):
        seen = Seen()
        seen.names = []
        with seen:
            found = tilecast.torch.scaled_dot_product_attention(*arguments, **options)
        assert found.shape == arguments[0].shape
        return "tilecast.attention.default" in seen.names

    with FakeTensorMode(), torch.no_grad():
        q, kv, one = fake(1, 8, 64, 128), fake(1, 2, 64, 128), fake(1, 8, 1, 128)
        if not torch.cuda.is_available() or torch.cuda.get_device_capability() == (9, 0):
            assert takes(q, q, q) and takes(q, q, q, is_causal=True, scale=0.1) and takes(one, q, q)
            assert takes(q, kv, kv, enable_gqa=True)
        assert not takes(one, q, q, is_causal=True)  # torch aligns this mask at the first key
        assert not takes(q, q, q, torch.zeros(64, 64, device="cuda", dtype=torch.bfloat16))
        assert not takes(q, q, q, dropout_p=0.5)
        assert not takes(fake(1, 8, 64, 96), fake(1, 8, 64, 96), fake(1, 8, 64, 96))
        assert not takes(*[fake(1, 8, 64, 128, dtype=torch.float32)] * 3)


# On a GPU:


def reference(q, k, v, causal, scale):
    """Returns output and log-sum-exp in fp64."""
    q, k, v = (one.double() for one in (q, k, v))
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    queries, keys = q.shape[2], k.shape[2]
    mask = torch.ones(queries, keys, dtype=torch.bool, device=q.device)
    if causal:
        mask = mask.tril(keys - queries)
    scores = (q @ k.mT * (scale or q.shape[3] ** -0.5)).masked_fill(~mask, -math.inf)
    lse = scores.logsumexp(-1)
    some = mask.any(-1)[:, None]
    # torch's own result, for the rows that attend to a key
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask | ~some, scale=scale)
    return torch.where(some, out, 0.0), lse


def drawn(draw):
    kv_heads = draw.choice([1, 1, 2, 3])
    batch, heads = draw.choice([1, 1, 2, 5]), kv_heads * draw.choice([1, 1, 2, 4, 7, 8])
    queries, keys = draw.choice([1, 1, 2, 63, 64, 77, 200, 385]), draw.choice([1, 2, 65, 128, 300, 517, 1999, 4096])
    head_dim, dtype = draw.choice([64, 128, 256]), draw.choice([torch.float16, torch.bfloat16])

    def tensor(heads, rows):
        if draw.random() < 0.5:
            return torch.randn(batch, heads, rows, head_dim, device="cuda", dtype=dtype)
        wide = torch.randn(batch, rows, heads, head_dim + draw.choice([0, 8]), device="cuda", dtype=dtype)
        return wide[..., :head_dim].transpose(1, 2)

    return (tensor(heads, queries), tensor(kv_heads, keys), tensor(kv_heads, keys), draw.random() < 0.5,
            draw.choice([None, None, 0.05, 0.4]))


def random_problem(seed):
    draw = random.Random(seed)
    torch.manual_seed(seed)
    return draw, *drawn(draw)


@pytest.fixture(scope="module")
def compiled():
    """All random problems' plans are created and run concurrently by several threads."""
    def run(seed):
        _, q, k, v, causal, scale = random_problem(seed)
        for return_lse in (False, True):
            tilecast.attention(q, k, v, causal=causal, scale=scale, return_lse=return_lse)

    with concurrent.futures.ThreadPoolExecutor(16) as threads:
        list(threads.map(run, range(60)))
    torch.cuda.synchronize()


@on_gpu
@pytest.mark.parametrize("seed", range(60))
def test_random_problems_are_torchs_in_fp64(seed, compiled):
    draw, q, k, v, causal, scale = random_problem(seed)
    expected, expected_lse = reference(q, k, v, causal, scale)
    out = torch.full_like(q, math.nan) if draw.random() < 0.5 else None
    found = tilecast.attention(q, k, v, causal=causal, scale=scale, out=out, return_lse=True)
    assert (out is None or found[0] is out) and found[0].dtype == q.dtype
    # Each of the two results (weights, which sum to 1; output) is rounded once. |V| is below 6, so
    # is |output|.
    rounding = 2**-11 if q.dtype == torch.float16 else 2**-8
    near = {"atol": 6 * rounding, "rtol": 2 * rounding}
    torch.testing.assert_close(found[0].double(), expected, **near)
    torch.testing.assert_close(found[1].double(), expected_lse, atol=2e-3, rtol=1e-4)
    # The kernel without a log-sum-exp may differ from the kernel with it.
    for call in (tilecast.attention, tilecast.torch.attention):
        torch.testing.assert_close(call(q, k, v, causal=causal, scale=scale).double(), expected, **near)


def halves(*sides):
    return torch.randn(*sides, device="cuda", dtype=torch.float16)


@on_gpu
def test_another_stream_and_device_memory_of_its_own():
    q, k, v = halves(2, 8, 256, 128), halves(2, 2, 1000, 128), halves(2, 2, 1000, 128)
    right = tilecast.attention(q, k, v)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    found = tilecast.attention(q, k, v, stream=stream.cuda_stream)
    with torch.cuda.stream(stream):
        again = tilecast.attention(q, k, v)
    stream.synchronize()
    assert torch.equal(found, right) and torch.equal(again, right)


@on_gpu
@pytest.mark.parametrize("sides", [(2, 8, 2, 256, 512), (1, 16, 1, 1, 8192)])  # the second problem splits its keys
def test_a_captured_call_is_replayed_on_new_values(sides):
    batch, heads, kv_heads, queries, keys = sides
    q, k, v = halves(batch, heads, queries, 128), halves(batch, kv_heads, keys, 128), halves(batch, kv_heads, keys, 128)
    out = torch.empty_like(q)
    tilecast.attention(q, k, v, out=out)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(3):
            tilecast.attention(q, k, v, out=out)
    for _ in range(3):
        q.normal_()
        graph.replay()
        expected, _ = reference(q, k, v, False, None)
        torch.testing.assert_close(out.double(), expected, atol=6 * 2**-11, rtol=2**-10)


@on_gpu
@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_the_operator_compiles(mode):
    torch._dynamo.reset()
    q, k = halves(1, 16, 1, 128), halves(1, 2, 4096, 128)

    def layer(q, k):
        return tilecast.torch.attention(q, k, k, causal=True) * 2

    compiled = torch.compile(layer, mode=mode, fullgraph=True)
    with torch.no_grad():
        for _ in range(5):
            torch.testing.assert_close(compiled(q, k).clone(), layer(q, k))
    torch.library.opcheck(torch.ops.tilecast.attention.default, (q, k, k, True, None, True),
                          test_utils=("test_schema", "test_faketensor"))
    sdpa = tilecast.torch.scaled_dot_product_attention
    with torch.no_grad():
        torch.testing.assert_close(
            sdpa(q, k, k, enable_gqa=True),
            torch.nn.functional.scaled_dot_product_attention(q, k, k, enable_gqa=True), atol=2e-3, rtol=2e-3)


@on_gpu
def test_tensors_that_overlap_or_are_not_aligned_are_refused():
    q = halves(1, 2, 64, 64)
    with pytest.raises(tilecast.ConfigError, match="the range of o overlaps or interleaves"):
        tilecast.attention(q, q, q, out=q)
    shifted = halves(1 * 2 * 64 * 64 + 1)[1:].view(1, 2, 64, 64)
    with pytest.raises(tilecast.ConfigError, match="q is not 16-byte aligned"):
        tilecast.attention(shifted, q, q)
    assert torch.equal(tilecast.torch.attention(shifted, q, q), tilecast.torch.attention(shifted.clone(), q, q))
    with pytest.raises(tilecast.ConfigError, match="requires grad"):
        tilecast.attention(q.requires_grad_(), q, q)


@on_gpu
def test_tensors_without_elements_and_dlpack():
    q, k = halves(0, 2, 8, 64), halves(0, 2, 8, 64)
    assert tilecast.attention(q, k, k).shape == (0, 2, 8, 64)

    class Foreign:
        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

        def __dlpack__(self, stream=None):
            return self.tensor.__dlpack__(stream=stream)

    # One block of keys is not split, and few tiles are not drawn dynamically, so there is no
    # workspace.
    q, k, out = halves(1, 8, 64, 64), halves(1, 8, 64, 64), torch.empty(1, 8, 64, 64, device="cuda").half()
    tilecast.attention(*map(Foreign, (q, k, k)), out=Foreign(out))
    torch.cuda.synchronize()
    torch.testing.assert_close(out, tilecast.attention(q, k, k))
