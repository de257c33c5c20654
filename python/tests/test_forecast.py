"""Tests tilecast.torch.forecast and the command layer without a GPU; skipped without torch."""

import json
import pathlib
import runpy
import time

import pytest

torch = pytest.importorskip("torch")

import tilecast  # noqa: E402
import tilecast.torch  # noqa: E402
from tilecast import __main__, _recorded, layer  # noqa: E402
from tilecast._kernels import Kernel, Timer  # noqa: E402

META = {"device": "meta", "dtype": torch.bfloat16}
SMALL = {"hidden_size": 1024, "intermediate_size": 2048, "num_attention_heads": 8, "num_key_value_heads": 2,
         "head_dim": 128, "num_hidden_layers": 3}


def empty(*shape, **options):
    return torch.empty(*shape, **{**META, **options})


def kernels(model, *inputs, mode="eager", **options):
    return _recorded.kernels_of(_recorded.record(model, inputs, options), mode)


def small_layer(**more):
    return layer.forecast_layer(layer.LayerConfig.of({**SMALL, **more}, "test"), batch=1, tokens=512, phase="prefill")


def recorded_layer(mode):
    config = layer.LayerConfig.of(SMALL, "test")
    return kernels(layer.decoder_layer(config), empty(1, 512, 1024), empty(512, 128), empty(512, 128), mode=mode)


def test_a_layer_runs_as_torch_launches_it():
    names = [kernel.op for kernel in recorded_layer("eager")]
    # Two norms, four products, rotary embedding of q and of k (2 products, neg, cat, sum each),
    # attention, silu and its product, two residuals, as in a profile of torch 2.11.
    assert sorted(names) == sorted(["fused_rms_norm"] * 2 + ["mm"] * 4 + ["mul", "neg", "cat", "mul", "add"] * 2 +
                                   ["attention", "silu", "mul"] + ["add"] * 2)


def test_inductor_computes_pointwise_operations_where_they_are_read():
    names = [kernel.op for kernel in recorded_layer("compile")]
    assert names.count("mm") == 4 and names.count("attention") == 1
    assert "silu+mul" in names
    assert "add+fused_rms_norm" in names  # the residual is computed in the norm's kernel, and again at the end
    assert len(names) == 11
    last = recorded_layer("compile")[-1]
    assert last.bytes == 4 * 512 * 1024 * 2  # x, both products, and the result


def test_strided_operands_take_torchs_slower_kernel():
    def model(x):
        left, right = x.chunk(2, -1)
        return torch.nn.functional.silu(left) * right + x[..., :64]

    found = {kernel.op: kernel.strided for kernel in kernels(model, empty(256, 128))}
    assert found == {"silu": "strided", "mul": "strided", "add": "strided"}
    assert [kernel.strided for kernel in kernels(lambda x: x + x, empty(256, 128))] == [""]
    assert [kernel.strided for kernel in kernels(lambda x, y: x + y, empty(64, 96), empty(96, 64).t())] == ["permuted"]


def test_repeated_layers_are_run_once_and_counted_each():
    ran = []

    class Block(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.up, self.down = torch.nn.Linear(256, width, **META), torch.nn.Linear(width, 256, **META)

        def forward(self, x):
            ran.append(self)
            return x + self.down(torch.relu(self.up(x)))

    class Model(torch.nn.Module):
        def __init__(self, widths):
            super().__init__()
            self.layers = torch.nn.ModuleList(map(Block, widths))

        def forward(self, x):
            for one in self.layers:
                x = one(x)
            return x

    model = Model([512] * 6 + [1024])
    found = kernels(model, empty(64, 256))
    assert len(ran) == 2  # one of each width ran
    assert len(found) == 4 * 7
    assert found[-1].at == "layers.6"
    assert all("forward" not in vars(one) for one in model.layers)
    compiled = kernels(model, empty(64, 256), mode="compile")
    assert sum(kernel.kind == "gemm" for kernel in compiled) == 14


class Scaled(torch.nn.Module):
    """A member of a module list whose work depends on an attribute."""

    def __init__(self, how):
        super().__init__()
        self.how, self.inner = how, torch.nn.Linear(8, 8, **META)

    def forward(self, x):
        if callable(self.how):
            return self.how(x)
        return x if self.how in ((1, 1), None, [1]) else x + x


@pytest.mark.parametrize("one, other", [((1, 1), (2, 2)), (None, torch.float32), (torch.relu, torch.square),
                                        ([1], [2])])
def test_layers_with_unequal_attributes_share_no_record(one, other):
    expected = [kernel.op for how in (one, other) for kernel in kernels(Scaled(how), empty(4, 8))]
    assert [kernel.op for kernel in kernels(torch.nn.Sequential(Scaled(one), Scaled(other)), empty(4, 8))] == expected


def test_layers_share_a_record_only_if_all_attributes_can_be_compared():
    ran = []

    class Counted(Scaled):
        def forward(self, x):
            ran.append(self)
            return super().forward(x)

    class Config:
        def __init__(self, width):
            self.width, self.scaling = width, {"factor": [8.0, None]}

    class Stream(list):
        pass

    for how, runs in ((2, 2), 1), (torch.relu, 1), (Config(3), 1), (object(), 2), (Stream(), 2):
        ran.clear()
        kernels(torch.nn.Sequential(Counted(how), Counted(how)), empty(4, 8))
        assert len(ran) == runs


def test_eighty_layers_with_ten_operations_take_three_seconds_of_two_cores():
    config = layer.read_config("llama-3-70b")

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(layer.decoder_layer(config) for _ in range(80))

        def forward(self, x, *angles):
            for one in self.layers:
                x = one(x, *angles)
            return x

    model, begin = Model(), time.process_time()
    answer = tilecast.torch.forecast(model, empty(1, 4096, 8192), empty(4096, 128), empty(4096, 128), mode="compile")
    assert time.process_time() - begin < 2 * 3
    assert sum(row.count for row in answer) > 80 * 9 and len(answer) <= 14


def test_what_forward_keeps_is_put_back():
    class Caching(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("last", torch.zeros(4))
            self.cache, self.mask = {"rows": []}, None

        def forward(self, x):
            self.cache["rows"].append(x)
            self.cache[len(x)] = self.mask = self.last = x + 1
            self.more = x
            return x

    model = Caching()
    before = dict(vars(model)), dict(model._buffers)
    tilecast.torch.forecast(torch.nn.Sequential(model), torch.zeros(4))
    assert (dict(vars(model)), dict(model._buffers)) == before
    assert model.cache == {"rows": []} and model.mask is None and type(model.last) is torch.Tensor


def attention_kernel(queries, keys, rank=4, **options):
    sides = lambda rows: (2, 8, rows, 128)[4 - rank:]
    found, = kernels(torch.nn.functional.scaled_dot_product_attention, empty(*sides(queries)), empty(*sides(keys)),
                     empty(*sides(keys)), **options)
    return found


def test_a_causal_mask_is_aligned_at_the_first_key_as_torchs():
    one = attention_kernel(1, 4096, is_causal=True)
    assert (one.attention.queries, one.attention.keys, one.attention.causal) == (1, 1, True)
    assert one.bytes == 4 * 2 * 8 * 128 * 2  # bytes of q, of the key and value that it attends to, and of the result
    assert attention_kernel(64, 64, is_causal=True).attention.keys == 64
    assert attention_kernel(1, 4096).attention.keys == 4096
    more = attention_kernel(128, 64, is_causal=True)
    assert more.kind == "unknown" and more.bytes == 2 * 2 * 8 * (128 + 64) * 128 * 2


@pytest.mark.parametrize("rank", [2, 3])
def test_attention_of_other_ranks_is_unknown(rank):
    found = attention_kernel(64, 64, rank)
    assert found.kind == "unknown" and found.bytes > 0


@pytest.mark.parametrize("queries", [128, 4096])
def test_causal_attention_of_more_queries_than_keys_takes_time(queries):
    problem = tilecast.Attention(batch=16, heads=32, queries=queries, keys=128, head_dim=128, causal=True)
    kernel = Kernel("attention", "attention", str(problem), attention=problem)
    assert 2 < Timer("h200_sxm", "burst").times([kernel])[kernel].us < 2000


def test_products_have_their_layout_bias_and_batch():
    x, w = empty(64, 256), empty(512, 256)
    shapes = [(k.gemm.m, k.gemm.n, k.gemm.k, k.gemm.layout, k.gemm.epilogue, k.gemm.batch) for k in (
        *kernels(lambda a, b: a @ b.t(), x, w), *kernels(lambda a, b: a @ b, x, empty(256, 512)),
        *kernels(torch.nn.functional.linear, x, w, empty(512)),
        *kernels(torch.bmm, empty(8, 64, 256), empty(8, 256, 32)))]
    assert shapes == [(64, 512, 256, "tn", "none", 1), (64, 512, 256, "nn", "none", 1),
                      (64, 512, 256, "tn", "bias_n", 1), (64, 32, 256, "nn", "none", 8)]


def test_modules_of_torch_call_fused_attention():
    class SelfAttention(torch.nn.MultiheadAttention):
        def forward(self, x):
            return super().forward(x, x, x, need_weights=False)[0]

    found = kernels(SelfAttention(1024, 16, **META).eval(), empty(512, 8, 1024))
    attention, = [kernel for kernel in found if kernel.kind == "attention"]
    assert str(attention.attention) == "8x16x512x512x64"
    assert not any("softmax" in kernel.op or kernel.kind == "unknown" for kernel in found)
    encoder = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, **META).eval()
    assert [kernel.kind for kernel in kernels(encoder, empty(8, 512, 1024))].count("attention") == 1


def test_a_linear_of_a_transposed_input_is_one_product_unless_its_weight_is_frozen():
    x, linear = empty(8, 512, 1024).transpose(0, 1), torch.nn.Linear(1024, 3072, **META)
    product, = [kernel for kernel in kernels(linear, x) if kernel.gemm]
    assert (product.gemm.m, product.gemm.batch) == (4096, 1)
    # torch then multiplies a batch, whose matrices share the weight.
    product, = [kernel for kernel in kernels(linear.requires_grad_(False), x) if kernel.gemm]
    assert product.gemm.batch == "512:b"


def test_expanded_operands_of_a_batch_are_shared():
    forecast = tilecast.torch.forecast(lambda a, b: torch.bmm(a, b.expand(512, 1024, 3072)), empty(512, 8, 1024),
                                       empty(1, 1024, 3072))
    best = tilecast.predict(8, 3072, 1024, dtype="bf16", layout="nn", batch="512:b")[0]
    assert forecast[0].tilecast_us == pytest.approx(best.time_us, rel=1e-3)


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("k", empty(32, 8, 4096, 128))


class Copied(Cache):
    def forward(self, row, rows):
        self.k.copy_(rows)
        return row * 2


class Sliced(Cache):
    def forward(self, row, rows):
        self.k[:, :, 7:8] = row
        self.k[:, :, 9:10] = row
        return row * 2


def written(model, mode, *inputs):
    return sum(kernel.bytes for kernel in kernels(model, *inputs, mode=mode))


@pytest.mark.parametrize("mode", ["eager", "compile"])
def test_in_place_writes_to_given_tensors_are_charged(mode):
    row, rows = empty(32, 8, 1, 128), empty(32, 8, 4096, 128)
    size, whole = 2 * 32 * 8 * 128, 2 * 32 * 8 * 4096 * 128
    assert written(Copied(), mode, row, rows) == 2 * size + 2 * whole

    def add(x, y):
        x.add_(y)

    assert written(add, mode, row, row.clone()) == 3 * size
    # Compiled, kernels that read the same row are one.
    assert written(Sliced(), mode, row, rows) == (6 if mode == "eager" else 5) * size


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Copied()

    def forward(self, rows):
        return self.inner(rows, rows)


def test_each_of_equal_layers_writes_its_cache():
    rows = empty(32, 8, 4096, 128)
    one, two = (written(torch.nn.Sequential(*(Layer() for _ in range(count))), "compile", rows) for count in (1, 2))
    assert two == one + 2 * rows.numel()  # one kernel reads the rows once


@pytest.mark.parametrize("more", [{"attn_mask": True}, {"dropout_p": 0.1}])
def test_masked_attention_gains_nothing(more):
    def attend(q, mask):
        return torch.nn.functional.scaled_dot_product_attention(
            q, q, q, **{key: mask if value is True else value for key, value in more.items()})

    row, = tilecast.torch.forecast(attend, empty(1, 8, 1024, 128), empty(1024, 1024))
    assert row.kind == "attention" and row.tilecast_us == row.time_us


def test_sums_into_rows_are_timed_by_their_bytes():
    def add(x, rows, values):
        return x.index_add_(0, rows, values)

    found, = kernels(add, empty(64, 128), empty(32, dtype=torch.long), empty(32, 128))
    assert found.kind == "pointwise" and found.bytes == 3 * 32 * 128 * 2


def test_gpus_without_library_times_are_named_and_their_errors_add_up():
    found = tilecast.torch.forecast(torch.nn.Sequential(
        torch.nn.Linear(4096, 8192, bias=False, **META), torch.nn.Linear(8192, 4096, bias=False, **META)),
        empty(4096, 4096), gpu="b200", repeats=100)
    row = found[0]
    relative = lambda one, us: (one[1] - one[0]) / us
    assert relative(found.interval_us, found.total_us) > 0.9 * relative(row.interval_us, row.time_us)
    assert "2 GEMM launches take the time of tilecast's kernel" in str(found)
    assert "GEMM launches" not in str(tilecast.torch.forecast(torch.nn.Linear(4096, 4096, **META), empty(512, 4096)))


def test_gpus_that_layers_are_not_forecast_on_are_refused():
    with pytest.raises(tilecast.ConfigError, match="Hopper and on Blackwell data-centre GPUs alone"):
        tilecast.torch.forecast(torch.relu, empty(4), gpu="a100_sxm80")
    model = torch.nn.Sequential(torch.nn.Linear(4096, 4096, **META))
    with pytest.raises(tilecast.ConfigError, match="for Hopper alone"):
        tilecast.torch.accelerate(model, empty(512, 4096), gpu="b200")
    for arguments, error in (((torch.relu, empty(4)), "model"), ((model, empty(512, 4096)), "least")):
        with pytest.raises(tilecast.ConfigError, match=f"{error}: expected"):
            tilecast.torch.accelerate(*arguments, least=float("nan"))


def test_layer_names_the_memory_that_is_missing(capsys):
    arguments = ["layer", "--model", "llama-3-70b", "--phase", "decode", "--batch", "128", "--context", "8192"]
    assert __main__.main(arguments) == 0
    assert "need 448 GiB, this GPU has 141 GiB" in capsys.readouterr().out
    assert __main__.main(["layer", "--model", "llama-3-8b", "--tokens", "256"]) == 0
    assert "GiB" not in capsys.readouterr().out


def test_experts_take_their_rows_by_the_routing():
    def experts(x, w, ends):
        return torch._grouped_mm(x, w.mT, ends)

    inputs = empty(512, 1024), empty(8, 2048, 1024), empty(8, dtype=torch.int32)
    assert kernels(experts, *inputs)[0].gemm.m == (64,) * 8
    skewed = _recorded.group_rows(512, 8, "zipf:1")
    assert sum(skewed) == 512 and skewed[0] > 3 * skewed[-1]
    answer = tilecast.torch.forecast(experts, *inputs, routing="zipf:1")
    assert answer[0].kind == "gemm" and answer[0].source == "our kernel"
    with pytest.raises(tilecast.ConfigError, match="routing"):
        tilecast.torch.forecast(experts, *inputs, routing="even")


def test_what_is_unknown_is_listed_with_its_bytes():
    answer = tilecast.torch.forecast(lambda x: torch.relu(torch.fft.fft(x).real), empty(64, 4096, dtype=torch.float32))
    assert [row.operation for row in answer.unknown] == ["fft_r2c"]
    assert answer.unknown[0].bytes > 64 * 4096 * 4
    assert answer.unknown[0].time_us > 0
    assert "1 unknown operations" in str(answer)


@pytest.mark.parametrize("precision, rate", [("highest", 67e12), ("high", 535e12)])
def test_an_fp32_product_takes_at_least_its_flops(precision, rate):
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(precision)
    try:
        linear = torch.nn.Linear(4096, 14336, device="meta")
        forecast = tilecast.torch.forecast(linear, empty(4096, 4096, dtype=torch.float32))
    finally:
        torch.set_float32_matmul_precision(before)
    flops = 2 * 4096 * 4096 * 14336
    row, = forecast.unknown
    assert row.flops == flops and row.time_us * 1e-6 == pytest.approx(flops / rate, rel=0.01)
    assert forecast.interval_us[1] == row.interval_us[1] == float("inf")
    assert "at least" in str(forecast).splitlines()[0] and "481.0 GFLOP" in str(forecast)
    assert json.loads(forecast.to_json())["interval_us"][1] is None and "Infinity" not in forecast.to_json()


@pytest.mark.parametrize("model, inputs, flops, rate", [
    (torch.nn.Linear(4096, 2**25, bias=False, **META), [(4096, 4096)], 2**50, 1.1e15),
    (torch.nn.Conv2d(512, 512, 3, **META), [(8, 512, 66, 66)], 2 * 8 * 64**2 * 512**2 * 9, 1.1e15),
    (torch.nn.functional.scaled_dot_product_attention, [(64, 4096, 128)] * 3, 4 * 64 * 4096**2 * 128, 1.1e15)])
def test_unknown_operations_take_at_least_their_flops(model, inputs, flops, rate):
    row, = tilecast.torch.forecast(model, *(empty(*one) for one in inputs)).unknown
    assert row.flops == pytest.approx(flops) and row.time_us * 1e-6 > flops / rate


def test_autocast_without_cuda_is_refused():
    class Casting(torch.nn.Linear):
        def forward(self, x):
            with torch.autocast("cuda", torch.bfloat16):
                return super().forward(x)

    if not torch.cuda.is_available():
        with pytest.raises(tilecast.ConfigError, match="torch disables autocast"):
            tilecast.torch.forecast(Casting(8, 8, device="meta"), empty(4, 8, dtype=torch.float32))


def test_inference_mode_changes_no_operation():
    linear = torch.nn.Linear(64, 64, **META)
    with torch.inference_mode():
        assert [row.kind for row in tilecast.torch.forecast(linear, empty(8, 64))] == ["gemm"]


def test_flex_attention_is_listed_as_unknown():
    from torch.nn.attention.flex_attention import flex_attention

    q = empty(2, 4, 128, 64)
    answer = tilecast.torch.forecast(lambda q: flex_attention(q, q, q), q)
    assert [row.operation for row in answer.unknown] == ["flex_attention"]


@pytest.mark.parametrize("model, why", [
    (lambda x: x + torch.ones(64, dtype=x.dtype), r"device=x\.device"),
    (lambda x: x @ torch.ones(64, 64, dtype=torch.float16, device=x.device), "mm: torch multiplies no bfloat16 by float16")])
def test_tensors_that_do_not_fit_together_are_refused(model, why):
    with pytest.raises(tilecast.ConfigError, match=why):
        tilecast.torch.forecast(model, empty(8, 64))


def test_a_model_that_needs_values_is_refused():
    for model in (lambda x: x * x.sum().item(), lambda x: x[x > 0], torch.nonzero):
        with pytest.raises(tilecast.ConfigError, match="depend on the values"):
            tilecast.torch.forecast(model, empty(4))


def test_a_model_of_views_alone_takes_no_time():
    answer = tilecast.torch.forecast(lambda x: x.view(2, 2), empty(4), launch="stream")
    assert answer.total_us == 0 and len(answer) == 0
    assert "launches" in str(answer)


@pytest.mark.parametrize("repeats", [0, -1, 1.5, True])
def test_repeats_are_counted_from_one(repeats):
    with pytest.raises(tilecast.ConfigError, match="repeats: expected an integer of at least 1"):
        tilecast.torch.forecast(torch.relu, empty(4), repeats=repeats)


def test_the_answer_adds_up_and_has_other_forms(tmp_path):
    answer = small_layer()
    assert answer.total_us == pytest.approx(sum(row.time_us for row in answer) + answer.launch_us)
    assert answer.interval_us[0] < answer.total_us < answer.interval_us[1]
    assert answer.tilecast_us <= answer.total_us
    assert answer[0].time_us == max(row.time_us for row in answer)
    data = json.loads(answer.to_json())
    assert data["total_us"] == answer.total_us and len(data["operations"]) == len(answer)
    answer.write_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert len(events) == sum(row.count for row in answer)
    assert all(len(line) < 120 for line in str(answer).splitlines())
    assert f"{answer.tilecast_us:.1f} us, {answer.total_us / answer.tilecast_us:.2f} times as fast" in str(answer)
    pandas = pytest.importorskip("pandas")
    assert isinstance(answer.to_pandas(), pandas.DataFrame)


def gpu_file(folder, name, numbers):
    """Writes an H200 file with other numbers and without its calibration."""
    text = (pathlib.Path(tilecast.config_folder()) / "gpus" / "h200_sxm.yaml").read_text()
    for key, value in {"name: h200_sxm": f"name: {name}", **numbers}.items():
        assert text.count(key) == 1
        text = text.replace(key, value)
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return str(path)


def test_half_the_dram_rate_slows_what_reads_weights_and_half_the_sms_what_multiplies(tmp_path):
    slow = gpu_file(tmp_path, "slow", {"read_rate: {value: 4.584": "read_rate: {value: 2.292",
                                       "write_rate: {value: 4.01": "write_rate: {value: 2.005"})
    few = gpu_file(tmp_path, "few", {" count: {value: 132": " count: {value: 66",
                                     "of_2: {value: 66": "of_2: {value: 33",
                                     "of_4: {value: 30": "of_4: {value: 15", "of_8: {value: 15": "of_8: {value: 7"})
    config = layer.LayerConfig.of({**SMALL, "hidden_size": 4096, "intermediate_size": 8192}, "test")

    def total(gpu, phase, tokens):
        return layer.forecast_layer(config, batch=1 if phase == "prefill" else 32, tokens=tokens, phase=phase,
                                    context=8192, gpu=gpu, mode="compile").total_us

    assert total(slow, "decode", 1) > 1.4 * total("h200_sxm", "decode", 1)  # includes the start of the graph
    assert total(few, "prefill", 2048) > 1.5 * total("h200_sxm", "prefill", 2048)


@pytest.mark.parametrize("hidden", [4100, 5000])
def test_odd_hidden_sizes_cost_the_copies_of_their_operands(hidden):
    """Rows of 8,200 bytes do not start on 16-byte boundaries, rows of 10,000 do. cuBLASLt cannot
    use wide loads for the first, and our kernel copies both operands."""
    def product(width):
        model = torch.nn.Linear(width, 4096, bias=False, **META)
        return tilecast.torch.forecast(model, empty(4096, width), mode="compile")[0]

    row, even = product(hidden), product(hidden // 128 * 128)
    more = row.time_us / even.time_us / (hidden / (hidden // 128 * 128))
    assert more > 1.1 if hidden % 8 else more < 1.1


@pytest.mark.parametrize("regime", ["burst", "sustained"])
def test_our_attention_takes_the_cycles_that_predict_gives(regime):
    problem = tilecast.Attention(batch=1, heads=32, kv_heads=8, queries=4096, keys=4096, head_dim=128, causal=True,
                                 dtype="bf16", layout="bshd")
    kernel = Kernel("attention", "attention", str(problem), attention=problem)
    time = Timer("h200_sxm", regime).times([kernel])[kernel]
    best = tilecast.predict(problem, regime=regime, top=1)[0]
    # Under continuous load all kernels have the same clock: 1.1 GHz takes 10 % longer than 1.21
    # GHz.
    clock = time.clock if regime == "sustained" else best.sm_clock_mhz
    assert time.ours_us < time.us and time.ours_us * clock == pytest.approx(best.cycles, rel=1e-3)


def test_under_continuous_load_power_holds_the_clock_of_all_kernels():
    timer = Timer("h200_sxm", "sustained")
    big = kernels(lambda x, w: x @ w.t(), empty(4096, 4096), empty(8192, 4096))
    small = kernels(lambda x: x + 1, empty(4096, 4096))
    alone = timer.times(big)[big[0]].clock
    beside = Timer("h200_sxm", "sustained").times(big + small * 20)[big[0]].clock
    assert alone < beside <= timer.plateau  # copies draw less power


@pytest.mark.parametrize("phase, batch, mode", [("prefill", 1, "compile"), ("decode", 32, "eager")])
def test_measured_layers_are_forecast_within_the_bar(phase, batch, mode):
    # validate/data/h200_sxm/decoder_layers/layers.csv, 1b; validate/decoder_layers.py compares all rows.
    measured = {"prefill": {"burst": 934.9, "sustained": 1011.6}, "decode": {"burst": 188.0, "sustained": 153.0}}[phase]
    for regime, us in measured.items():
        answer = layer.forecast_layer(layer.read_config("llama-3.2-1b"), batch=batch, tokens=4096, phase=phase,
                                      context=4096, mode=mode, regime=regime, repeats=4)
        assert answer.total_us == pytest.approx(us, rel=0.08)
        assert answer[0].kind == ("gemm" if phase == "prefill" else "attention")


def test_layer_reads_a_config_file_and_divides_it_among_gpus(tmp_path, capsys):
    (tmp_path / "config.json").write_text(json.dumps(SMALL))
    arguments = ["layer", "--model", str(tmp_path), "--tokens", "256"]
    assert __main__.main(arguments) == 0
    whole = capsys.readouterr().out
    assert "256x4096x1024" in whole and "3 layers: " in whole
    assert __main__.main([*arguments, "--tensor-parallel", "2"]) == 0
    part = capsys.readouterr().out
    assert "256x2048x1024" in part and "Not included: two all-reduces" in part


def test_layer_says_what_is_wrong(tmp_path, capsys):
    (tmp_path / "config.json").write_text(json.dumps({**SMALL, "num_local_experts": 8}))
    for arguments, error in ((["--model", "none"], "expected one of llama-3.2-1b"),
                             (["--model", str(tmp_path)], "num_local_experts"),
                             (["--model", "llama-3-8b", "--tensor-parallel", "9"], "expected 1 to 8"),
                             (["--model", "llama-3-8b", "--tensor-parallel", "3"], "cannot be divided"),
                             (["--model", "llama-3-8b", "--phase", "decode", "--tokens", "7"],
                              "--tokens: does not apply"),
                             (["--model", "llama-3-8b", "--context", "7"], "--context: does not apply"),
                             (["--model", "llama-3-8b", "--tokens", "0"], "--tokens: expected 1"),
                             (["--model", "llama-3-8b", "--trace", "-"], "--trace: expected the path")):
        assert __main__.main(["layer", *arguments]) == 2
        assert error in capsys.readouterr().err


def test_layer_refuses_configurations_of_other_architectures():
    def error(**more):
        with pytest.raises(tilecast.ConfigError) as caught:
            layer.LayerConfig.of({**SMALL, **more}, "test", more.pop("parts", 1))
        return str(caught.value)

    for kind in ("starcoder2", "gpt_neox", "bert"):
        assert "model_type: expected one of llama" in error(model_type=kind, hidden_act="gelu")
    assert "hidden_size: missing" in error(hidden_size=None)
    assert "head_dim: expected an even number" in error(head_dim=81)
    assert "expected an integer from 1" in error(hidden_size=10**30)
    assert "torch._grouped_mm" in error(model_type="mixtral", num_local_experts=8)
    with pytest.raises(tilecast.ConfigError, match="nested in text_config"):
        layer.LayerConfig.of({"model_type": "gemma3", "text_config": SMALL}, "test")


def test_layer_takes_null_as_absent():
    made = layer.LayerConfig.of({**SMALL, "head_dim": None, "num_key_value_heads": None, "hidden_act": None}, "test")
    assert (made.head_dim, made.kv_heads, made.activation) == (128, 8, "silu")


def test_key_value_heads_are_on_one_gpu_or_on_equally_many():
    def kv_heads(heads, kv_heads, parts):
        sizes = {**SMALL, "num_attention_heads": heads, "num_key_value_heads": kv_heads}
        return layer.LayerConfig.of(sizes, "test", parts).kv_heads

    assert kv_heads(24, 12, 4) == 3 and kv_heads(64, 8, 8) == 1 and kv_heads(32, 4, 8) == 1
    for sizes in ((24, 6, 4), (24, 12, 8)):
        with pytest.raises(tilecast.ConfigError, match="num_key_value_heads: .* cannot be divided"):
            kv_heads(*sizes)


def test_layer_names_ignored_parts_of_a_configuration(tmp_path, capsys):
    (tmp_path / "config.json").write_text(json.dumps({
        **SMALL, "quantization_config": {"quant_method": "fp8"}, "sliding_window": 1024}))
    assert __main__.main(["layer", "--model", str(tmp_path), "--tokens", "256"]) == 0
    line, = [one for one in capsys.readouterr().out.splitlines() if one.startswith("Assumed: ")]
    assert "gated MLP" in line and "quantization_config fp8" in line and "sliding window of 1024" in line
    assert not layer.read_config("llama-3-8b").assumed
    assert layer.LayerConfig.of({**SMALL, "model_type": "llama", "torch_dtype": "float32"}, "test").assumed == (
        "bf16 instead of float32",)


def test_the_example_of_a_layer_runs(tmp_path, capsys, monkeypatch):
    (tmp_path / "config.json").write_text(json.dumps(SMALL))
    monkeypatch.setattr("sys.argv", ["layer.py", "--model", str(tmp_path), "--tokens", "256", "--trace",
                                     str(tmp_path / "trace.json")])
    runpy.run_path(str(pathlib.Path(__file__).resolve().parents[2] / "examples/layer.py"))
    out = capsys.readouterr().out
    assert "swiglu" in out and "accelerated" in out and json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
