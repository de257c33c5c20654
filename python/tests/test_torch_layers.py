"""Tests tilecast.torch without a GPU: which calls of a Linear use tilecast's GEMM, and what a
traced call checks."""

import types

import pytest
import tilecast

torch = pytest.importorskip("torch")
import tilecast.torch  # noqa: E402: it defines an operator

Linear = tilecast.torch.Linear


def test_a_layer_keeps_its_activation_and_its_mode():
    layer = Linear(16, 8, activation="gelu").eval()
    same, other = Linear.of(layer), Linear.of(layer, "relu")
    assert (same.activation, other.activation, same.training) == ("gelu", "relu", False)
    assert same.weight is layer.weight and "activation=gelu" in repr(same)
    plain = Linear.of(torch.nn.Linear(16, 8, bias=False))
    assert plain.training and plain.bias is None and "activation" not in repr(plain)


class Twice(torch.nn.Linear):
    def forward(self, input):
        return 2 * super().forward(input)


def hooked():
    layer = torch.nn.Linear(16, 8)
    layer.register_forward_hook(lambda *_: None)
    return layer


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make, why", [
    (lambda: Twice(16, 8), "Twice overrides forward"), (hooked, "forward hooks"),
    (lambda: torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(16, 8)), "weight is parametrized"),
    (lambda: torch.nn.utils.weight_norm(torch.nn.Linear(16, 8)), "weight_norm"),
    (lambda: torch.nn.LazyLinear(8), "LazyLinear")])
def test_a_layer_that_does_more_is_refused(make, why):
    with pytest.raises(tilecast.ConfigError, match=why):
        Linear.of(make())


def half(*sides, dtype=torch.float16):
    return torch.empty(*sides, device="meta", dtype=dtype)


@pytest.mark.parametrize("arguments, why", [
    ((half(4, 8, 16), half(16, 8)), "a: expected a matrix"),
    ((half(8, 16), half(24, 8)), "a has 16 columns, but b has 24 rows"),
    ((half(8, 16), half(16, 8, dtype=torch.bfloat16)), "the same dtype"),
    ((half(8, 16, dtype=torch.float32), half(16, 8)), "a: expected fp16 or bf16"),
    ((half(8, 16), half(16, 8), half(9)), "bias: expected a contiguous"),
    ((half(8, 16), half(16, 8), None, "tanh"), "activation: expected one of"),
    ((half(8, 16), half(16, 7), None, "geglu"), "geglu: a gated activation requires an even N, got 7"),
    ((half(1, 1).expand(1, 16), half(16, 8)), "a: expanded tensors are not supported"),
    ((half(8, 16), half(1, 8).expand(16, 8)), "b: expanded tensors are not supported")])
def test_a_traced_call_is_checked_as_one_that_runs(arguments, why):
    with pytest.raises(tilecast.ConfigError, match=why):
        torch.ops.tilecast.matmul(*arguments)
    assert torch.ops.tilecast.matmul(half(8, 16), half(16, 24), half(24), "gelu").shape == (8, 24)
    assert torch.ops.tilecast.matmul(half(8, 16), half(16, 24), half(24), "swiglu").shape == (8, 12)


def gated(word, x):
    """Returns column 2j of x, activated, times column 2j + 1."""
    of = {"swiglu": torch.nn.functional.silu, "geglu": torch.nn.functional.gelu}[word]
    return torch.stack([of(x[..., 2 * j]) * x[..., 2 * j + 1] for j in range(x.shape[-1] // 2)], -1)


def test_every_activation_has_a_product_of_torchs():
    assert tilecast.torch._ACTIVATED.keys() == tilecast._library.ACTIVATIONS.keys()


@pytest.mark.parametrize("word", ["swiglu", "geglu"])
def test_a_gated_layer_has_half_of_the_columns(word):
    layer, input = Linear(16, 8, activation=word), torch.randn(2, 3, 16)
    sums = torch.nn.functional.linear(input, layer.weight, layer.bias)
    assert torch.allclose(layer(input), gated(word, sums)) and layer(input).shape == (2, 3, 4)
    assert Linear.of(torch.nn.Linear(16, 8), word)(input).shape == (2, 3, 4)
    for make in (lambda: Linear(16, 7, activation=word), lambda: Linear.of(torch.nn.Linear(16, 7), word)):
        with pytest.raises(tilecast.ConfigError, match=f"{word}: a gated activation requires an even N, got 7"):
            make()


@pytest.mark.parametrize("word", ["swiglu", "geglu"])
def test_gradients_of_a_gated_product_are_torchs(word):
    a, b, bias = (torch.randn(*sides, dtype=torch.float64, requires_grad=True) for sides in ((6, 16), (16, 8), (8,)))
    of_output = torch.randn(6, 4, dtype=torch.float64)
    context = types.SimpleNamespace(saved_tensors=(a, b, bias), activation=word, needs_input_grad=[True] * 3)
    found = tilecast.torch._gradients(context, of_output)
    expected = torch.autograd.grad(gated(word, a @ b + bias), (a, b, bias), of_output)
    assert all(map(torch.allclose, found, expected)) and found[3] is None


@pytest.mark.skipif(torch.version.cuda is None, reason="torch is built without CUDA")
def test_fake_tensors_take_the_operator():
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._python_dispatch import TorchDispatchMode

    class Seen(TorchDispatchMode):
        names: list = []

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            self.names.append(str(function))
            return function(*args, **(kwargs or {}))

    if torch.cuda.is_available() and torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("a GPU without a kernel")
    with FakeTensorMode(), Seen() as seen:
        for word, columns in ("relu", 8), ("swiglu", 4):
            layer = Linear(16, 8, activation=word, device="cuda", dtype=torch.float16)
            assert layer(torch.empty(2, 4, 16, device="cuda", dtype=torch.float16)).shape == (2, 4, columns)
    assert "tilecast.matmul.default" in seen.names
