"""Tests tilecast.inductor against torch's own choices, on the CPU with a fake GPU, without
compilation."""

import contextlib
import math
import pickle
import shutil
import types

import pytest

torch = pytest.importorskip("torch")
inductor = pytest.importorskip("torch._inductor")
import sympy  # noqa: E402
import tilecast.inductor as ti  # noqa: E402
import tilecast  # noqa: E402
from tilecast import ConfigError, FileError, _library, _matmul, config_folder  # noqa: E402
from torch._dynamo.utils import counters  # noqa: E402
from torch._inductor import config, ir  # noqa: E402
from torch._inductor.graph import GraphLowering  # noqa: E402
from torch._inductor.kernel.bmm import bmm_template  # noqa: E402
from torch._inductor.kernel.mm import aten_mm, mm_template, persistent_tma_mm_template  # noqa: E402
from torch._inductor.kernel_inputs import MMKernelInputs  # noqa: E402
from torch._inductor.virtualized import V  # noqa: E402

H100 = types.SimpleNamespace(name="NVIDIA H100 80GB HBM3", multi_processor_count=132, gcnArchName="",
                             warp_size=32, major=9, minor=0)


@pytest.fixture(autouse=True)
def an_h100(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device=None: H100)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (9, 0))
    monkeypatch.setattr("torch._inductor.template_heuristics.triton.get_num_sms", lambda: 132)
    counters.clear()
    with V.set_graph_handler(GraphLowering(torch.fx.symbolic_trace(torch.nn.Identity()))):
        with config.patch(max_autotune=True):
            yield
    ti.disable()


def node(name, *size, stride=None, dtype=torch.bfloat16):
    stride = stride or [*[size[-2] * size[-1]] * (len(size) - 2), size[-1], 1]
    layout = ir.FixedLayout(torch.device("cuda:0"), dtype, list(size), list(stride))
    return ir.TensorBox.create(ir.InputBuffer(name=name, layout=layout))


def inputs(m, n, k, dtype=torch.bfloat16, **options):
    return MMKernelInputs([node("a", m, k, dtype=dtype), node("b", k, n, dtype=dtype)], **options)


def choices(of, templates=(aten_mm, mm_template), op="mm"):
    generators = {one.uid: V.choices.get_ktc(of, one, op) for one in templates}
    return V.choices._finalize_template_configs(generators, of, list(templates), op)


def tile(choice):
    values = choice.params.to_kwargs()
    return tuple(values[f"BLOCK_{side}"] for side in "MNK") + (values["num_stages"], values["num_warps"])


def test_a_few_templates_are_left_beside_aten():
    everything = choices(inputs(4096, 4096, 4096))
    ti.enable(top_k=4, matmul=False, within=math.inf)
    kept = choices(inputs(4096, 4096, 4096))
    assert [one.template.uid for one in kept] == ["aten::mm"] + ["triton::mm"] * 4
    assert {tile(one) for one in kept[1:]} <= {tile(one) for one in everything[1:]}
    assert counters["tilecast"]["kept"] == 4 and counters["tilecast"]["pruned"] == len(everything) - 5
    # Keeps large tiles for a large problem, and does so deterministically.
    assert min(tile(one)[0] * tile(one)[1] for one in kept[1:]) >= 128 * 64
    assert [tile(one) for one in choices(inputs(4096, 4096, 4096))[1:]] == [tile(one) for one in kept[1:]]
    ti.disable()
    assert len(choices(inputs(4096, 4096, 4096))) == len(everything)


def test_templates_that_are_predicted_to_be_far_behind_are_not_compiled():
    kept = {}
    for within in (0, 0.15, math.inf):
        ti.enable(top_k=4, matmul=False, gpu="h200_sxm", within=within)
        kept[within] = choices(inputs(8192, 8192, 8192))[1:]
    tiles = [ti._tile(one) for one in kept[math.inf]]
    times = ti.times_us(tiles, 8192, 8192, 8192, dtype="bf16", layout="nn", gpu="h200_sxm")
    assert len(kept[math.inf]) == 4 and len(kept[0]) == 1 and 1 < len(kept[0.15]) < 4
    assert len(kept[0.15]) == sum(us <= 1.15 * min(times) for us in times)
    with pytest.raises(ConfigError, match="within: expected at least 0, got -0.1"):
        ti.enable(within=-0.1)


def test_our_own_product_is_planned_while_templates_compile(monkeypatch):
    monkeypatch.setattr(_library, "library", lambda: None)
    made = []
    monkeypatch.setattr(_matmul, "_plan", lambda shape, device, keeps_memory: made.append(shape))
    monkeypatch.setattr(torch.cuda, "device", lambda index: contextlib.nullcontext())
    _matmul._torch_plan.cache_clear()
    ti.enable(top_k=1)
    a, b = node("a", 384, 512), node("b", 512, 256, stride=(1, 512))
    layout = ir.FixedLayout(torch.device("cuda:0"), torch.bfloat16, [384, 256], [256, 1])
    bias = ir.TensorBox.create(ir.InputBuffer(name="bias", layout=ir.FixedLayout(
        torch.device("cuda:0"), torch.bfloat16, [384, 256], [0, 1])))
    for op, nodes in ("mm", [a, b]), ("addmm", [bias, a, b]):
        ti._externs[op].bind(nodes, layout).precompile()
    assert [one[:5] for one in made] == [(384, 256, 512, _library.BF16, _library.TN)] * 2
    assert [one.bias for one in made] == [_library.NO_BIAS, _library.BIAS_N]
    _matmul._torch_plan.cache_clear()


def test_the_exhaustive_space_is_ranked_and_what_cannot_launch_is_dropped():
    ti.enable(top_k=8, exhaustive=True, matmul=False, within=math.inf)
    assert config.max_autotune_gemm_search_space == "EXHAUSTIVE"
    kept = choices(inputs(8192, 8192, 8192))
    assert len(kept) == 9 and counters["tilecast"]["cannot_launch"] > 100
    # A larger ring does not fit 227 KB of shared memory.
    assert all((bm + bn) * bk * 2 * stages <= 227 * 1024 for bm, bn, bk, stages, _ in map(tile, kept[1:]))
    ti.disable()
    assert config.max_autotune_gemm_search_space == "DEFAULT"


def test_templates_that_load_by_tma_are_ranked_with_the_others():
    ti.enable(top_k=3, matmul=False, within=math.inf)
    kept = choices(inputs(4096, 4096, 4096), (aten_mm, mm_template, persistent_tma_mm_template))
    assert len(kept) == 4 and kept[0].template.uid == "aten::mm"


def test_batches_are_ranked():
    ti.enable(top_k=2, matmul=False, within=math.inf)
    of = MMKernelInputs([node("a", 64, 128, 512), node("b", 64, 512, 128)])
    kept = choices(of, (bmm_template,), "bmm")
    assert len(kept) == 2


@pytest.mark.parametrize("of", [lambda: inputs(64, 64, 64, dtype=torch.float32),
                                lambda: MMKernelInputs([node("a", 64, 64, stride=(128, 2)), node("b", 64, 64)])])
def test_problems_that_are_not_predicted_keep_their_choices(of):
    everything = [tile(one) for one in choices(of())[1:]]
    ti.enable(matmul=False)
    assert [tile(one) for one in choices(of())[1:]] == everything
    assert counters["tilecast"]["not_ranked"] == len(everything)


def test_fp8_operands_are_ranked():
    of = MMKernelInputs([node("a", 4096, 4096, dtype=torch.float8_e4m3fn),
                         node("b", 4096, 4096, stride=(1, 4096), dtype=torch.float8_e4m3fn)], mat1_idx=0, mat2_idx=1)
    tiles = [ti.Tile(16, 16, 128, 2, 2, tma=False), ti.Tile(128, 128, 128, 3, 8, tma=False)]
    assert ti.Choices(ti._Factory(1, False, None, math.inf, ""))._picked(tiles, of) == [1]


def test_kernels_compiled_for_one_block_of_k_are_compiled_once(monkeypatch):
    ti.enable(top_k=4, matmul=False, within=math.inf)
    stages = [ti.Tile(128, 128, 64, num_stages, 4, tma=False) for num_stages in (3, 2, 5)]
    assert V.choices._picked(stages, inputs(8192, 8192, 64)) == [0]
    assert sorted(V.choices._picked(stages, inputs(8192, 8192, 65))) == [0, 1, 2]
    # A symbolic K is an argument of the compiled kernel.
    of = inputs(8192, 8192, 64)
    monkeypatch.setattr(of, "mnk_symbolic", lambda: (8192, 8192, sympy.Symbol("s0")))
    assert len(V.choices._picked(stages, of)) == 3


def test_sides_without_a_hint_are_not_ranked():
    unbacked = V.graph.sizevars.shape_env.create_unbacked_symint().node.expr
    ti.enable(matmul=False)
    of = MMKernelInputs([node("a", unbacked, 512), node("b", 512, 512)])
    assert len(choices(of)) > 5 and counters["tilecast"]["kept"] == 0


def test_a_gpu_without_a_file_is_left_alone(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_properties",
                        lambda device=None: types.SimpleNamespace(**{**vars(H100), "name": "NVIDIA X1"}))
    ti.enable(matmul=False)
    with pytest.warns(UserWarning, match="NVIDIA X1 .132 SMs.: no GPU file matches"):
        assert len(choices(inputs(512, 512, 512))) > 5


def test_our_own_product_is_offered_where_it_can_run(monkeypatch):
    monkeypatch.setattr(_library, "library", lambda: None)
    ti.enable(top_k=1)
    kept = choices(inputs(512, 512, 512))
    assert [one.template.uid for one in kept] == ["aten::mm", "triton::mm", "aten::tilecast_mm"]
    assert kept[-1].choice.name and counters["tilecast"]["matmul"] == 1
    bias = ir.TensorBox.create(ir.InputBuffer(name="bias", layout=ir.FixedLayout(
        torch.device("cuda:0"), torch.bfloat16, [512, 512], [0, 1])))
    of = [bias, node("a", 512, 512), node("b", 512, 512)]
    for alpha, offered in ((1, ["aten::tilecast_addmm"]), (2, [])):
        found = choices(MMKernelInputs(of, scalars={"alpha": alpha, "beta": 1}), (mm_template,), "addmm")
        assert [one.template.uid for one in found[1:]] == offered
    # A matrix is not a bias.
    found = choices(MMKernelInputs([node("c", 512, 512), *of[1:]], scalars={"alpha": 1, "beta": 1}), (mm_template,),
                    "addmm")
    assert len(found) == 1
    assert len(choices(inputs(512, 512, 512, out_dtype=torch.float32))) == 2

    def missing():
        raise FileError("no libtilecast")
    monkeypatch.setattr(_library, "library", missing)
    assert len(choices(inputs(512, 512, 512))) == 2


def test_caches_keep_what_decides_in_their_keys():
    keys = set()
    for options in ({"top_k": 4}, {"top_k": 2}, {"matmul": False}, {"gpu": "h100_sxm"}, {"within": 0.3}):
        ti.enable(**options)
        keys.add(V.choices.uuid())
        factory = ti._Factory(*V.choices.uuid()[1:])
        assert pickle.loads(pickle.dumps(factory))().uuid() == V.choices.uuid()
    assert len(keys) == 5


@pytest.mark.parametrize("options, kind, words", [
    ({"top_k": 0}, ConfigError, "top_k: expected at least 1, got 0"),
    ({"top_k": 2.5}, TypeError, "top_k: expected an integer, got 2.5"),
    ({"within": "0.1"}, TypeError, "within: expected a number, got '0.1'"),
    ({"matmul": "no"}, ConfigError, "matmul: expected True or False, got 'no'"),
    ({"exhaustive": "no"}, ConfigError, "exhaustive: expected True or False, got 'no'")])
def test_impossible_arguments_are_refused_and_change_nothing(options, kind, words):
    ti.enable(top_k=3)
    with pytest.raises(kind, match=words):
        ti.enable(**options)
    assert V.choices.uuid()[1] == 3


def test_a_gpu_is_checked_before_anything_is_enabled(tmp_path):
    for gpu, kind, words in (("h2oo", ConfigError, "h2oo"),
                             ("b200", ConfigError, "only for GPUs with wgmma or mma.sync"),
                             (str(tmp_path / "none.yaml"), FileError, "none.yaml")):
        with pytest.raises(kind, match=words):
            ti.enable(gpu=gpu)
    assert not ti._before


@pytest.mark.parametrize("kind", [ConfigError, FileError, tilecast.Error])
def test_choices_stay_if_the_model_fails_and_one_warning_says_why(monkeypatch, kind):
    everything = [tile(one) for one in choices(inputs(512, 512, 512))[1:]]
    ti.enable(matmul=False)

    def fail(*arguments, **options):
        raise kind("no more GPU files")
    monkeypatch.setattr(ti, "times_us", fail)
    with pytest.warns(UserWarning, match="not ranked, and later ones without a warning: no more GPU files") as told:
        for _ in range(2):
            assert [tile(one) for one in choices(inputs(512, 512, 512))[1:]] == everything
    assert len(told) == 1 and counters["tilecast"]["not_ranked"] == 2 * len(everything)


def test_a_folder_of_gpu_files_that_is_gone_does_not_end_a_compilation(monkeypatch, tmp_path):
    ti.enable(matmul=False)
    monkeypatch.setenv("TILECAST_CONFIG_DIR", str(tmp_path / "none"))
    with pytest.warns(UserWarning, match="nothing is ranked: "):
        assert len(choices(inputs(512, 512, 512))) > 5


def test_choices_of_which_none_can_be_launched_stay():
    ti.enable(matmul=False)
    of = inputs(512, 512, 512)
    tiles = [ti.Tile(128, 128, 64, num_warps=64), ti.Tile(256, 256, 256, 5)]
    assert V.choices._picked(tiles, of) is None and V.choices._picked([*tiles, ti.Tile(64, 64, 64)], of) == [2]


def test_the_key_of_caches_follows_the_gpu_files_and_the_model(monkeypatch, tmp_path):
    configs, own = tmp_path / "configs", tmp_path / "own"
    shutil.copytree(config_folder(), configs)
    shutil.copytree(configs / "gpus", own)
    monkeypatch.setenv("TILECAST_CONFIG_DIR", str(configs))
    gpu = str(own / "h200_sxm.yaml")
    keys = [ti._version(gpu)]
    assert ti._version(gpu) == keys[0]
    for changed in (configs / "gpus" / "h200_sxm.calibrated.yaml", own / "h200_sxm.calibrated.yaml",
                    own / "h200_sxm.learned.csv"):
        with open(changed, "a", encoding="utf-8") as file:
            file.write("\n")
        keys.append(ti._version(gpu))
    (tmp_path / "_native.so").write_bytes(b"another model")
    monkeypatch.setattr(ti, "_native", types.SimpleNamespace(__file__=str(tmp_path / "_native.so")))
    assert len({*keys, ti._version(gpu)}) == 5


def test_our_own_product_is_not_offered_for_expanded_operands(monkeypatch):
    monkeypatch.setattr(_library, "library", lambda: None)
    ti.enable(top_k=1)
    for stride, offered in (((512, 1), True), ((0, 1), False)):
        of = MMKernelInputs([node("a", 512, 512, stride=stride), node("b", 512, 512)])
        assert ("aten::tilecast_mm" in [one.template.uid for one in choices(of)]) == offered
