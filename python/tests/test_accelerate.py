"""Tests tilecast.torch.accelerate and its pass of torch.compile without a GPU: torch computes our
operator."""

import copy
import subprocess
import sys
import types

import pytest

torch = pytest.importorskip("torch")

import tilecast  # noqa: E402
import tilecast.torch  # noqa: E402
from tilecast import _fusion, _gate_up, _library, layer  # noqa: E402
from torch._dynamo.backends.common import aot_autograd  # noqa: E402
from torch._inductor import config  # noqa: E402
from torch._inductor.codegen.triton import TritonKernel  # noqa: E402
from torch._inductor.utils import IndentedBuffer  # noqa: E402
from torch._functorch.partitioners import min_cut_rematerialization_partition  # noqa: E402
from torch._inductor.decomposition import select_decomp_table  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

META = {"device": "meta", "dtype": torch.bfloat16}


def empty(*shape, **options):
    return torch.empty(*shape, **{**META, **options})


@pytest.fixture
def kernels(monkeypatch):
    """Computes our GEMMs with torch on a CPU, with fp32 sums."""
    operators = torch.library.Library("tilecast", "IMPL")

    def matmul(a, b, bias=None, activation=None, residual=None):
        sums = a.float() @ b.float() + (0 if bias is None else bias.float())
        return (tilecast.torch._ACTIVATED[activation](sums) + (0 if residual is None else residual.float())).to(a.dtype)

    operators.impl("matmul", matmul, "CPU")
    for module in (tilecast.torch, _gate_up):
        monkeypatch.setattr(module, "_has_kernel", lambda *_: True)
    yield
    operators._destroy()


@pytest.fixture
def compiled(kernels):
    """Runs torch.compile with the pass and without Inductor's code; returns the graphs of each
    call."""
    graphs = []
    config.triton.enable_pdl = False
    fuse = _fusion.FusedProducts()

    def compiler(gm, inputs):
        fuse(gm.graph)
        gm.graph.lint()
        gm.recompile()
        graphs.append(gm.graph)
        return gm.forward

    torch._dynamo.reset()

    def call(model, *inputs):
        graphs.clear()
        backend = aot_autograd(fw_compiler=compiler, decompositions=select_decomp_table(),
                               partition_fn=min_cut_rematerialization_partition)
        return torch.compile(model, backend=backend)(*inputs), graphs

    return call


def products(graph):
    """Returns the activation of each of our GEMMs, and whether it has a residual."""
    return [(*(*node.args, None, None, None)[3:4], len(node.args) > 4 and node.args[4] is not None)
            for node in graph.nodes if node.target is torch.ops.tilecast.matmul.default]


def names(graph):
    return {str(node.target) for node in graph.nodes}


class Mlp(torch.nn.Module):
    """A gated MLP with a residual."""

    def __init__(self, activated=functional.silu, gate_first=True, bias=False):
        super().__init__()
        options = {"bias": bias, "dtype": torch.bfloat16}
        self.both, self.down = torch.nn.Linear(64, 256, **options), torch.nn.Linear(128, 64, **options)
        self.activated, self.gate_first = activated, gate_first

    def forward(self, x):
        gate, up = self.both(x).chunk(2, -1)
        if not self.gate_first:
            gate, up = up, gate
        return x + self.down(self.activated(gate) * up)


def error(model, found, x):
    with torch.no_grad():
        exact = copy.deepcopy(model).float()(x.float())
    return ((found.float() - exact).norm() / exact.norm()).item()


def test_a_decoder_layer_takes_in_its_gate_and_residuals(compiled):
    config = layer.LayerConfig.of({"hidden_size": 256, "intermediate_size": 512, "num_attention_heads": 4,
                                   "num_key_value_heads": 2, "num_hidden_layers": 1}, "test")
    torch.manual_seed(1)
    model = layer.decoder_layer(config).to_empty(device="cpu").requires_grad_(False)
    for weight in model.parameters():
        weight.normal_(0, weight.shape[-1] ** -0.5) if weight.dim() > 1 else weight.fill_(1)
    kept, x = copy.deepcopy(model), torch.randn(2, 32, 256, dtype=torch.bfloat16)
    rest = [torch.randn(32, 64, dtype=torch.bfloat16) for _ in range(2)]
    done = tilecast.torch.accelerate(model, x, *rest, least=0)
    assert [(row.name, row.fused) for row in done] == [("qkv", ""), ("out", "residual"), ("gate_up", "swiglu"),
                                                       ("down", "residual")]
    with torch.no_grad():
        found, (graph,) = compiled(model, x, *rest)
        expected = kept(x, *rest)
        exact = kept.float()(x.float(), *map(torch.Tensor.float, rest))
    assert products(graph) == [(None, False), (None, True), ("swiglu", False), (None, True)]
    assert not any(word in name for name in names(graph) for word in ("aten.mm", "exp", "gate_up"))
    assert (found - exact).norm() <= 1.25 * (expected - exact).norm()


@pytest.mark.parametrize("activated, word", [(functional.silu, "swiglu"), (functional.gelu, "geglu")])
@pytest.mark.parametrize("gate_first, bias", [(True, False), (False, True)])
def test_both_orders_of_a_gate_are_fused(compiled, activated, word, gate_first, bias):
    model, x = Mlp(activated, gate_first, bias), torch.randn(3, 8, 64, dtype=torch.bfloat16)
    kept = copy.deepcopy(model)
    done = tilecast.torch.accelerate(model, x, least=0)
    assert [row.fused for row in done] == [word, "residual"]
    with torch.no_grad():
        found, (graph,) = compiled(model, x)
        assert products(graph) == [(word, False), (None, True)]
        assert error(kept, found, x) <= 1.25 * error(kept, kept(x), x)
        eager = model(x)  # without torch.compile
    assert error(kept, eager, x) <= 1.25 * error(kept, kept(x), x)


class TwoLinears(torch.nn.Module):
    """An MLP as in Hugging Face's Llama."""

    def __init__(self):
        super().__init__()
        options = {"bias": False, "dtype": torch.bfloat16}
        self.gate_proj, self.up_proj = (torch.nn.Linear(64, 128, **options) for _ in range(2))
        self.down_proj = torch.nn.Linear(128, 64, **options)

    def forward(self, x):
        return x + self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


def test_gate_and_up_of_two_linears_are_one_product(compiled):
    model, x = TwoLinears(), torch.randn(3, 8, 64, dtype=torch.bfloat16)
    kept = copy.deepcopy(model)
    before = tilecast.torch.forecast(model, x, mode="compile", regime="sustained")
    done = tilecast.torch.accelerate(model, x, least=0)
    assert [row.fused for row in done] == ["swiglu", "into gate_proj", "residual"]
    assert model.gate_proj.weight.untyped_storage().nbytes() == 2 * 128 * 64 * 2
    expected, found = kept.state_dict(), model.state_dict()
    assert list(found) == list(expected) and all(torch.equal(found[name], expected[name]) for name in expected)
    assert len({one.untyped_storage().data_ptr() for one in found.values()}) == 3  # as safetensors requires
    with torch.no_grad():
        found, (graph,) = compiled(model, x)
        assert products(graph) == [("swiglu", False), (None, True)]
        assert error(kept, found, x) <= 1.25 * error(kept, kept(x), x)
        assert error(kept, model(x), x) <= 1.25 * error(kept, kept(x), x)  # without torch.compile
        after = tilecast.torch.forecast(model, x, mode="compile", regime="sustained")
        assert before.total_us - after.total_us == pytest.approx(done.saved_us, rel=1e-3)
        moved, (graph,) = compiled(copy.deepcopy(model), x)  # each weight has separate memory
        assert products(graph) == [("silu", False), (None, False), (None, True)]
        assert error(kept, moved, x) <= 1.25 * error(kept, kept(x), x)
    found, (graph,) = compiled(model, x)  # with gradients recorded
    found.float().sum().backward()
    kept(x).float().sum().backward()
    for one, other in zip(model.parameters(), kept.parameters()):
        assert (one.grad - other.grad).norm() < 0.02 * other.grad.norm()


@pytest.mark.parametrize("model", [TwoLinears, Mlp])
def test_a_model_of_inference_mode_is_accelerated_in_it(compiled, model):
    with torch.inference_mode():
        model, x = model(), torch.randn(8, 64, dtype=torch.bfloat16)
        kept = copy.deepcopy(model)
        assert "swiglu" in [row.fused for row in tilecast.torch.accelerate(model, x, least=0)]
        assert all(torch.equal(one, kept.state_dict()[name]) for name, one in model.state_dict().items())


def test_gate_and_up_on_two_devices_stay_apart():
    model = TwoLinears()
    model.up_proj.to("meta")
    done = tilecast.torch.accelerate(model, empty(8, 64), least=0)
    assert [row.fused for row in done] == ["silu", "", "residual"]
    assert {name: one.device.type for name, one in model.named_parameters()} == {
        "gate_proj.weight": "cpu", "up_proj.weight": "meta", "down_proj.weight": "cpu"}


def test_state_dict_and_its_loading_know_nothing_of_the_layout(compiled):
    model, x = Mlp(bias=True), torch.randn(8, 64, dtype=torch.bfloat16)
    kept, other = copy.deepcopy(model), Mlp(bias=True)
    addresses = [one.data_ptr() for one in model.parameters()]
    tilecast.torch.accelerate(model, x, least=0)
    assert type(model.both) is _gate_up.GateUp and [one.data_ptr() for one in model.parameters()] == addresses
    expected, found = kept.state_dict(), model.state_dict()
    assert list(found) == list(expected) and all(torch.equal(found[name], expected[name]) for name in expected)
    assert not torch.equal(model.both.weight, expected["both.weight"])
    model.load_state_dict(other.state_dict())
    with torch.no_grad():
        found, _ = compiled(model, x)
        assert error(other, found, x) <= 1.25 * error(other, other(x), x)


def test_a_training_step_has_the_gradients_of_torch(compiled):
    torch.manual_seed(1)
    model, x = Mlp(bias=True), torch.randn(16, 64, dtype=torch.bfloat16)
    kept, inputs = copy.deepcopy(model), [x.clone().requires_grad_() for _ in range(3)]
    tilecast.torch.accelerate(model, x, least=0)
    out, graphs = compiled(model, inputs[0])
    out.float().square().sum().backward()
    forward, backward = graphs
    # The gate's sums are saved for the backward pass, so they are not fused.
    assert products(forward) == [(None, False), (None, True)]
    # They are saved as tilecast's kernel writes them: no kernel copies them, or their gradients,
    # into another order.
    saved = forward.output_node().args[0]
    assert any(getattr(one, "target", None) is torch.ops.tilecast.matmul.default for one in saved)
    assert not any(word in name for name in names(forward) | names(backward)
                   for word in ("cat", "clone", "halves", "interleave"))
    kept(inputs[1]).float().square().sum().backward()
    exact = copy.deepcopy(kept).float()
    exact.zero_grad()
    precise = inputs[2].detach().float().requires_grad_()
    exact(precise).square().sum().backward()
    gradients = {name: one.grad for name, one in model.named_parameters()}
    for name in ("both.weight", "both.bias"):
        gradients[name] = _gate_up.halved(gradients[name], True)
    for found, theirs, right in [(inputs[0].grad, inputs[1].grad, precise.grad),
                                 *((gradients[name], theirs.grad, right.grad) for (name, theirs), right in
                                   zip(kept.named_parameters(), exact.parameters()))]:
        assert (found - right).norm() <= 1.25 * (theirs - right).norm() + 1e-3 * right.norm()


@pytest.mark.parametrize("gate_first", [True, False])
def test_halves_of_interleaved_columns_and_back(gate_first):
    halves = torch.arange(24.0).view(2, 2, 6)
    found = torch.ops.tilecast.interleave(halves.requires_grad_(), gate_first)
    assert found[0].tolist() == ([0, 3, 1, 4, 2, 5] if gate_first else [3, 0, 4, 1, 5, 2])
    back = torch.ops.tilecast.halves(found, halves.shape, gate_first)
    assert torch.equal(back, halves)
    back.square().sum().backward()
    assert torch.equal(halves.grad, 2 * halves)


@pytest.mark.parametrize("gains", [True, False])
def test_gradients_use_our_kernel_only_where_it_is_forecast_to_gain(monkeypatch, gains):
    asked, called = [], []
    monkeypatch.setattr(tilecast.torch, "_gains", lambda gemm, *_: asked.append(str(gemm)) or gains)

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            called.append(function.overloadpacket.__name__)
            return function(*args, **(kwargs or {}))

    with FakeTensorMode():
        a, b = (torch.empty(*shape, device="cuda", dtype=torch.bfloat16) for shape in ((64, 128), (128, 96)))
        with Seen():
            tilecast.torch._product(a, b)
    assert asked == ["64x96x128"] and called[-1] == ("matmul" if gains else "mm")


def test_what_is_read_elsewhere_is_not_fused(compiled):
    class Read(Mlp):
        def forward(self, x):
            both = self.both(x)
            gate, up = both.chunk(2, -1)
            out = self.down(functional.silu(gate) * up)
            return x + out, out, both

    model, x = Read(), torch.randn(8, 64, dtype=torch.bfloat16)
    kept = copy.deepcopy(model)
    done = tilecast.torch.accelerate(model, x, least=0)
    assert [row.fused for row in done] == ["", ""] and type(model.both) is tilecast.torch.Linear
    with torch.no_grad():
        found, (graph,) = compiled(model, x)
        assert products(graph) == [(None, False), (None, False)]
        assert all(torch.allclose(one, other, atol=0.05) for one, other in zip(found, kept(x)))


def test_kernels_start_early_in_graphs_with_tilecasts_gemms_alone(compiled):
    model, x = Mlp(), torch.randn(8, 64, dtype=torch.bfloat16)
    with torch.no_grad():
        compiled(torch.nn.ReLU(), x)
        assert not config.triton.enable_pdl
        tilecast.torch.accelerate(model, x, least=0)
        compiled(model, x)
        assert config.triton.enable_pdl and _library.programmatic
        compiled(torch.nn.ReLU(), x)
        assert not config.triton.enable_pdl


@pytest.mark.parametrize("loops", [False, True])
def test_each_of_inductors_kernels_waits_before_any_access(loops):
    _fusion.enable()
    kernel = types.SimpleNamespace(inside_reduction=True, range_trees=[types.SimpleNamespace(is_loop=loops)], GDC_WAIT="wait",
                                   body=IndentedBuffer(), _enable_pdl_codegen=lambda: True)
    stores = IndentedBuffer()
    TritonKernel._handle_pdl_before_access(kernel, stores, "buf0", consider_reads=True)
    assert (kernel.body.getvalue(), stores.getvalue()) == (("wait\n", "") if loops else ("", "wait\n"))


def test_a_process_that_has_compiled_before_decomposes_our_operators():
    subprocess.run([sys.executable, "-c", """
import torch
from torch._inductor.decomposition import select_decomp_table
select_decomp_table()
from tilecast import _fusion
assert torch.ops.tilecast.halves.default in select_decomp_table()
"""], check=True, timeout=300)


@pytest.mark.parametrize("activated, word", [
    (functional.relu, "relu"), (functional.gelu, "gelu"), (functional.silu, "silu"),
    (lambda x: functional.gelu(x, approximate="tanh"), "gelu_tanh")])
def test_bias_and_activation_are_fused(compiled, activated, word):
    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.up = torch.nn.Linear(64, 128, dtype=torch.bfloat16)

        def forward(self, x, y):
            return y + activated(self.up(x))

    model, x, y = Plain(), torch.randn(8, 64, dtype=torch.bfloat16), torch.randn(8, 128, dtype=torch.bfloat16)
    kept = copy.deepcopy(model)
    done = tilecast.torch.accelerate(model, x, y, least=0)
    assert [row.fused for row in done] == [f"{word}, residual"]
    with torch.no_grad():
        found, (graph,) = compiled(model, x, y)
        assert products(graph) == [(word, True)] and torch.allclose(found, kept(x, y), atol=0.05)


def test_an_accelerated_model_is_forecast_as_it_runs(kernels):
    model, x = Mlp().to("meta"), empty(4096, 64)
    before = tilecast.torch.forecast(model, x, mode="compile", regime="sustained")
    done = tilecast.torch.accelerate(model, x, least=0)
    after = tilecast.torch.forecast(model, x, mode="compile", regime="sustained")
    assert {row.source for row in after if row.kind == "gemm"} == {"our kernel"} and not after.unknown
    assert before.total_us - after.total_us == pytest.approx(done.saved_us, rel=1e-3)
    assert not any("silu" in row.operation or row.operation == "add" for row in after)


def test_shared_weights_keep_their_layout():
    model = Mlp()
    model.tied = torch.nn.Linear(64, 256, bias=False, dtype=torch.bfloat16)
    model.tied.weight = model.both.weight
    kept = model.both.weight.detach().clone()
    tilecast.torch.accelerate(model, empty(8, 64), least=0)
    assert type(model.both) is tilecast.torch.Linear and torch.equal(model.both.weight, kept)


def test_without_torch_compile_nothing_is_fused():
    model = Mlp()
    done = tilecast.torch.accelerate(model, empty(8, 64), mode="eager", least=0)
    assert [row.fused for row in done] == ["", ""] and type(model.both) is tilecast.torch.Linear


def test_accelerate_replaces_what_gains_and_keeps_results_and_keys():
    def made():
        torch.manual_seed(1)
        return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 64, bias=False),
                                   torch.nn.Linear(64, 64)).bfloat16()

    model, kept = made(), made()
    model[3].register_forward_hook(lambda *_: None)
    done = tilecast.torch.accelerate(model, empty(32, 64), least=0)
    assert [type(one).__name__ for one in model] == ["Linear", "GELU", "Linear", "Linear"]
    assert [row.why_not for row in done] == ["", "", "it has forward hooks"]
    assert done[0].fused == "gelu" and isinstance(model[0], tilecast.torch.Linear)
    assert model.state_dict().keys() == kept.state_dict().keys()
    x = torch.randn(32, 64, dtype=torch.bfloat16)
    assert torch.equal(model(x), kept(x))  # torch's own kernels run on a CPU
    assert "2 of 3 Linears replaced" in str(done)


def test_accelerate_leaves_what_does_not_gain():
    model = torch.nn.Sequential(torch.nn.Linear(4096, 4096, **META), torch.nn.Linear(4096, 4096, device="meta"))
    done = tilecast.torch.accelerate(model[:1], empty(4096, 4096), least=100)
    assert done.saved_us == 0 and type(model[0]) is torch.nn.Linear and done[0].why_not.endswith("x")
    done = tilecast.torch.accelerate(model[1:], empty(64, 4096, dtype=torch.float32), least=0)
    assert done[0].why_not == "float32 weights"


def test_a_subclass_of_linear_is_kept_and_named():
    class Own(torch.nn.Linear):
        pass

    done = tilecast.torch.accelerate(torch.nn.Sequential(Own(64, 64, **META)), empty(8, 64), least=0)
    assert [row.why_not for row in done] == ["Own is a subclass of Linear"]


def test_accelerate_refuses_a_linear_itself():
    with pytest.raises(tilecast.ConfigError, match="Linear.of"):
        tilecast.torch.accelerate(torch.nn.Linear(64, 64, **META), empty(32, 64))


def test_accelerate_sees_inputs_by_name():
    class Named(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.up = torch.nn.Linear(64, 64, **META)

        def forward(self, x):
            return self.up(input=x)

    model = Named()
    done = tilecast.torch.accelerate(model, empty(32, 64), least=0)
    assert [row.why_not for row in done] == [""] and not model.up._forward_pre_hooks
