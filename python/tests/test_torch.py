"""Tests tilecast.matmul and tilecast.torch on a Hopper GPU against torch's own GEMMs."""

import pytest
import tilecast
from tilecast import _library

torch = pytest.importorskip("torch")
if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
    pytest.skip("no CUDA device of compute capability 9.0", allow_module_level=True)
try:
    _library.library()
except tilecast.FileError:
    pytest.skip("no libtilecast; TILECAST_LIBRARY names one", allow_module_level=True)

import tilecast.torch  # noqa: E402: it defines an operator


def small_integers(*sides, requires_grad=False):
    """Draws integers from -2 to 2: up to K = 512 sums are at most 2048 and exact in fp16."""
    return torch.randint(-2, 3, sides, device="cuda").half().requires_grad_(requires_grad)


@pytest.mark.parametrize("n, k", [(256, 512), (255, 512), (256, 511)])  # copies neither operand, B, or both
def test_the_product_is_torchs(n, k):
    a, b, w = small_integers(192, k), small_integers(k, n), small_integers(n, k)
    assert torch.equal(tilecast.matmul(a, b), a @ b)
    out = torch.empty(192, n, device="cuda", dtype=torch.float16)
    assert tilecast.matmul(a, w.t(), out) is out and torch.equal(out, a @ w.t())


@pytest.mark.parametrize("transposed", [False, True])
def test_groups_are_products_of_their_own(transposed):
    a, b = small_integers(300, 128), small_integers(4, 64, 128) if transposed else small_integers(4, 128, 64)
    b = b.mT if transposed else b
    ends = [0, 200, 201, 300]
    offs = torch.tensor(ends, dtype=torch.int32, device="cuda")
    expected = torch.cat([a[first:last] @ b[i] for i, (first, last) in enumerate(zip([0] + ends, ends))])
    assert torch.equal(tilecast.torch.grouped_mm(a, b, offs), expected)
    masked, out = small_integers(4, 96, 128), torch.full((4, 96, 64), 7.0, device="cuda").half()
    counts = [0, 96, 1, 50]
    tilecast.torch.grouped_mm(masked, b, torch.tensor(counts, dtype=torch.int32, device="cuda"), out)
    for i, count in enumerate(counts):
        assert torch.equal(out[i, :count], masked[i, :count] @ b[i]) and (out[i, count:] == 7).all()
    with pytest.raises(tilecast.ConfigError, match="rows: expected a contiguous int32 tensor of 4 elements"):
        tilecast.torch.grouped_mm(a, b, offs.long())


def test_groups_of_k_have_a_product_each(monkeypatch):
    x, dy = small_integers(300, 96), small_integers(300, 64)
    ends = [0, 200, 201, 300]
    offs = torch.tensor(ends, dtype=torch.int32, device="cuda")
    found = tilecast.torch.grouped_mm(x.mT, dy, offs)
    for i, (first, last) in enumerate(zip([0] + ends, ends)):
        assert torch.equal(found[i], x[first:last].mT @ dy[first:last])
    with pytest.raises(tilecast.ConfigError, match="a.mT and b must be contiguous"):
        tilecast.torch.grouped_mm(x.mT.contiguous(), dy, offs)
    monkeypatch.setenv("TILECAST_CHECK_GROUPS", "1")  # read when a plan is made
    offs[1] = 202
    x, dy = small_integers(300, 104), small_integers(300, 64)
    with pytest.raises(tilecast.ConfigError, match="group_rows: group 2 ends at K 201: expected 202 to 300"):
        tilecast.torch.grouped_mm(x.mT, dy, offs)


ACTIVATIONS = {None: lambda x: x, "relu": torch.relu, "gelu": torch.nn.functional.gelu,
               "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
               "silu": torch.nn.functional.silu,
               "swiglu": lambda x: torch.nn.functional.silu(x[:, ::2]) * x[:, 1::2],
               "geglu": lambda x: torch.nn.functional.gelu(x[:, ::2]) * x[:, 1::2]}


@pytest.mark.parametrize("activation", list(ACTIVATIONS))
@pytest.mark.parametrize("sides", [None, (256,), (1, 256), (192, 1)])
def test_bias_and_activation_are_torchs(sides, activation):
    a, b = torch.randn(192, 512, device="cuda").half() / 16, torch.randn(512, 256, device="cuda").half()
    bias = None if sides is None else torch.randn(*sides, device="cuda").half()
    sums = a.double() @ b.double() + (0 if bias is None else bias.double())
    found = tilecast.matmul(a, b, bias=bias, activation=activation).double()
    # Tolerance: the rounding of C, and the activation's stated error bound multiplied by the gate,
    # and fp32 sums.
    x, gate = (sums, 1) if found.shape == sums.shape else (sums[:, ::2], sums[:, 1::2].abs())
    bound = found.abs() / 2048 + gate * (x.abs() / 4096 + 1 / 32768 if activation else 0) + 1e-4
    assert ((found - ACTIVATIONS[activation](sums)).abs() <= bound).all()


@pytest.mark.parametrize("activation", list(ACTIVATIONS))
def test_gradients_with_a_bias_are_torchs(activation):
    a, b = small_integers(64, 128, requires_grad=True), small_integers(128, 64, requires_grad=True)
    bias = small_integers(64, requires_grad=True)
    tilecast.torch.matmul(a, b, bias, activation).sum().backward()
    found = [one.grad for one in (a, b, bias)]
    for one in (a, b, bias):
        one.grad = None
    ACTIVATIONS[activation](a @ b + bias).sum().backward()
    for ours, theirs in zip(found, (a.grad, b.grad, bias.grad)):
        assert torch.allclose(ours, theirs, rtol=2e-3, atol=2e-3)


def test_a_residual_is_added_and_has_a_gradient():
    a, b = small_integers(64, 128, requires_grad=True), small_integers(96, 128).t()
    residual = small_integers(64, 96, requires_grad=True)
    found = tilecast.torch.matmul(a, b, residual=residual)
    assert torch.equal(found, a @ b + residual)
    found.sum().backward()
    assert torch.equal(residual.grad, torch.ones_like(residual)) and torch.equal(a.grad, b.sum(1).expand(64, 128))


@pytest.mark.parametrize("gate_first", [True, False])
def test_a_gated_mlp_is_fused_under_torch_compile(gate_first):
    from torch._inductor.utils import run_and_get_code

    class Mlp(torch.nn.Module):
        def __init__(self):
            super().__init__()
            options = {"bias": False, "device": "cuda", "dtype": torch.bfloat16}
            self.both, self.down = torch.nn.Linear(256, 1024, **options), torch.nn.Linear(512, 256, **options)

        def forward(self, x):
            gate, up = self.both(x).chunk(2, -1)
            if not gate_first:
                gate, up = up, gate
            return x + self.down(torch.nn.functional.silu(gate) * up)

    model, x = Mlp(), torch.randn(4, 64, 256, device="cuda", dtype=torch.bfloat16)
    inputs = [x.clone().requires_grad_() for _ in range(2)]
    expected = model(inputs[0])
    expected.sum().backward()
    gradients = {name: weight.grad for name, weight in model.named_parameters()}
    model.zero_grad()
    done = tilecast.torch.accelerate(model, x, least=0)
    assert [row.fused for row in done] == ["swiglu", "residual"]
    with torch.no_grad():
        found, (code,) = run_and_get_code(torch.compile(model), x)
        assert code.count("tilecast.matmul.default(") == 2 and "swiglu" in code
        assert torch.allclose(found, expected, atol=0.05) and torch.allclose(model(x), expected, atol=0.05)
    torch.compile(model)(inputs[1]).sum().backward()
    gradients["both.weight"] = tilecast._gate_up.interleaved(gradients["both.weight"], gate_first)
    assert torch.allclose(inputs[1].grad, inputs[0].grad, rtol=0.02, atol=0.1)
    for name, weight in model.named_parameters():
        off = (weight.grad.float() - gradients[name].float()).norm() / gradients[name].float().norm()
        assert off < 0.02, name


def test_an_operator_with_an_epilogue_is_traced():
    layer = tilecast.torch.Linear(128, 64, activation="gelu", device="cuda", dtype=torch.float16)
    input = torch.randn(32, 128, device="cuda", dtype=torch.float16)
    assert torch.equal(torch.compile(layer, fullgraph=True)(input), layer(input))
    # The tensor starts 2 bytes past a 16-byte boundary, so it is copied.
    shifted = torch.randn(32 * 128 + 1, device="cuda", dtype=torch.float16)[1:].view(32, 128)
    assert torch.allclose(torch.compile(layer, fullgraph=True)(shifted), layer(shifted), atol=2e-3)
    plain = tilecast.torch.Linear.of(torch.nn.Linear(128, 64, device="cuda", dtype=torch.float16), "silu")
    assert plain.activation == "silu" and plain(input).shape == (32, 64)


def test_another_stream():
    a, b = small_integers(128, 512), small_integers(512, 256)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    c = tilecast.matmul(a, b, stream=stream.cuda_stream)
    stream.synchronize()
    assert torch.equal(c, a @ b)


def test_a_captured_call():
    a, b = small_integers(128, 512), small_integers(512, 256)
    out = tilecast.matmul(a, b)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        tilecast.matmul(a, b, out)
    out.zero_()
    graph.replay()
    assert torch.equal(out, a @ b)


def test_calls_like_one_before_take_their_own_matrices_and_stream():
    for turn in range(6):
        a, b = small_integers(64, 512), small_integers(96, 512).t()
        with torch.cuda.stream(torch.cuda.Stream() if turn > 3 else torch.cuda.current_stream()):
            out = torch.empty(64, 96, device="cuda", dtype=torch.float16) if turn % 2 else None
            found, right = tilecast.matmul(a, b, out), a @ b
            assert torch.equal(found, right) and (out is None or found is out)
    with pytest.raises(tilecast.ConfigError, match="expected a multiple of 16 bytes"):
        tilecast.matmul(small_integers(64 * 512 + 1)[1:].view(64, 512), b)
    with pytest.raises(tilecast.ConfigError, match="requires grad"):
        tilecast.matmul(a.requires_grad_(), b)


def test_calls_of_a_graph_share_a_workspace_that_each_replay_clears():
    a, b = small_integers(64, 7168).clamp(-1, 1), small_integers(2048, 7168).clamp(-1, 1).t()
    right, outs = tilecast.matmul(a, b), [torch.empty(64, 2048, device="cuda").half() for _ in range(4)]
    assert torch.equal(right, a @ b)
    graphs = [torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()]
    for graph, two in zip(graphs, (outs[:2], outs[2:])):
        with torch.cuda.graph(graph):
            for out in two:
                tilecast.matmul(a, b, out)
    for _ in range(2):
        for out in outs:
            out.zero_()
        for graph in graphs:
            graph.replay()
            assert torch.equal(tilecast.matmul(a, b), right)
        assert all(torch.equal(out, right) for out in outs)


@pytest.mark.parametrize("m, n, k", [(64, 2048, 7168), (128, 512, 512)])  # the first problem splits K
@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_the_operator_compiles_in_every_mode(mode, m, n, k):
    torch._dynamo.reset()
    a, b = small_integers(m, k).clamp(-1, 1), small_integers(n, k).clamp(-1, 1).t()
    twice = torch.compile(lambda a, b: tilecast.torch.matmul(a, b) * 2, mode=mode)
    with torch.no_grad():
        for _ in range(5):
            assert torch.equal(twice(a, b).clone(), (a @ b) * 2)


def test_a_mode_or_a_transform_meets_the_operator():
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.utils._python_dispatch import TorchDispatchMode

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            self.names.append(str(function))
            return function(*args, **(kwargs or {}))

    a, b = small_integers(64, 128), small_integers(128, 64)
    right = tilecast.torch.matmul(a, b)
    with Seen() as seen:
        seen.names = []
        assert torch.equal(tilecast.torch.matmul(a, b), right)
    assert "tilecast.matmul.default" in seen.names
    assert "tilecast.matmul" in make_fx(lambda a, b: tilecast.torch.matmul(a, b))(a, b).code
    # torch can vectorize an operator without a batching rule.
    both = torch.vmap(tilecast.torch.matmul, in_dims=(0, None))(torch.stack([a, -a]), b)
    assert torch.equal(both, torch.stack([right, -right]))


def test_eager_calls_are_known_and_right():
    layer = tilecast.torch.Linear(128, 64, activation="relu", device="cuda", dtype=torch.float16)
    for sides in [(32,), (32,), (4, 8), (4, 8), (2, 2, 8)]:
        input = torch.randn(*sides, 128, device="cuda", dtype=torch.float16)
        with torch.no_grad():
            found = layer(input)
        assert torch.allclose(found, torch.relu(torch.nn.functional.linear(input, layer.weight, layer.bias)),
                              atol=2e-3)
        layer(input).sum().backward()  # gradients come from the operator
        assert layer.weight.grad is not None


def test_gradients_are_torchs_and_only_those_asked_for():
    a, b = small_integers(64, 128, requires_grad=True), small_integers(128, 64)
    with pytest.raises(tilecast.ConfigError, match="tilecast.torch.matmul"):
        tilecast.matmul(a, b)
    tilecast.torch.matmul(a, b).sum().backward()
    found, a.grad = a.grad, None
    (a @ b).sum().backward()
    assert torch.equal(found, a.grad) and b.grad is None


@pytest.mark.parametrize("offset", [0, 1])
def test_linear_is_torchs_whether_or_not_there_is_a_kernel(offset):
    theirs = torch.nn.Linear(128, 64, device="cuda", dtype=torch.float16)
    with torch.no_grad():
        theirs.weight.copy_(small_integers(64, 128))
        theirs.bias.copy_(small_integers(64))
    # The input starts 2 bytes past a 16-byte boundary, so torch computes it.
    input = small_integers(1024 * 128 + 1)[offset:offset + 1024 * 128].view(2, 512, 128)
    assert tilecast.torch._has_kernel(input, theirs.weight, theirs.bias) == (offset == 0)
    # exact for small integers
    assert torch.equal(tilecast.torch.Linear.of(theirs)(input), theirs(input))
    assert not tilecast.torch._has_kernel(input.cpu(), theirs.weight, theirs.bias)
