"""tilecast.torch without a GPU: what a Linear takes over, and what a traced call checks."""

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
    (lambda: Twice(16, 8), "Twice has a forward"), (hooked, "forward hooks"),
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
    ((half(8, 16), half(24, 8)), "a has 16 columns, b 24 rows"),
    ((half(8, 16), half(16, 8, dtype=torch.bfloat16)), "one type"),
    ((half(8, 16, dtype=torch.float32), half(16, 8)), "a: expected fp16 or bf16"),
    ((half(8, 16), half(16, 8), half(9)), "bias: expected a contiguous"),
    ((half(8, 16), half(16, 8), None, "tanh"), "activation: expected one of")])
def test_a_traced_call_is_checked_as_one_that_runs(arguments, why):
    with pytest.raises(tilecast.ConfigError, match=why):
        torch.ops.tilecast.matmul(*arguments)
    assert torch.ops.tilecast.matmul(half(8, 16), half(16, 24), half(24), "gelu").shape == (8, 24)


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
        layer = Linear(16, 8, activation="relu", device="cuda", dtype=torch.float16)
        assert layer(torch.empty(2, 4, 16, device="cuda", dtype=torch.float16)).shape == (2, 4, 8)
    assert "tilecast.matmul.default" in seen.names
