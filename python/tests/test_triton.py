"""tilecast.triton with stand-ins for triton.Config and tensors; and with triton where it is there."""

import dataclasses
import math

import pytest
import tilecast
from tilecast import triton as tt
from tilecast.triton_learned import LENGTHS, Learned, seen, to_try


@dataclasses.dataclass(eq=False)
class Config:
    kwargs: dict
    num_warps: int = 4
    num_stages: int = 3


def config(m, n, k=64, warps=8, stages=3, **more):
    return Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8, **more}, warps, stages)


@dataclasses.dataclass
class Tensor:
    shape: tuple
    strides: tuple
    dtype: str = "torch.bfloat16"


CONFIGS = [config(64, 64, warps=4), config(128, 256), config(128, 128), config(256, 128)]
CALL = {"M": 4096, "N": 4096, "K": 4096, "NUM_SMS": 132}


def test_the_shortest_predicted_times_are_kept():
    kept = tt.early_config_prune(top_k=2)(CONFIGS, CALL)
    # Of 4096^3 a 64x64 tile loads each operand 64 times: no one expects it under the first two.
    assert len(kept) == 2 and CONFIGS[0] not in kept and set(map(id, kept)) <= set(map(id, CONFIGS))
    ranked = tt.Tuner().rank(CONFIGS, CALL)
    assert kept[0] is ranked[0] and ranked[-1] is CONFIGS[0]
    assert len(tt.early_config_prune(top_k=9)(CONFIGS, CALL)) == 4


def test_what_is_tried_is_not_all_of_one_kind():
    # The second is a hundredth slower than the first and its twin: what the first leaves open of it is its own
    # error. Of the third, two hundredths slower and unlike both, the whole is open.
    rows, times = [(0.0, 0.0), (0.0, 0.0), (3.0, 0.0)], [1.0, 1.01, 1.02]
    assert to_try(rows, times, 2) == [0, 2] and to_try(rows, times, 5) == [0, 2, 1]
    # Twice as slow is beyond doubt.
    assert to_try(rows, [1.0, 1.01, 2.0], 2) == [0, 1]


def test_the_performance_model_takes_what_triton_hands_it():
    times = [tt.perf_model(**CALL, **one.kwargs, num_warps=one.num_warps, num_stages=one.num_stages,
                           num_ctas=1, maxnreg=None, ir_override=None) for one in CONFIGS]
    assert min(times) == times[1] or min(times) == times[3]
    assert times == tt.times_us([tt.Tile.of({**one.kwargs, **CALL, "num_warps": one.num_warps,
                                             "num_stages": one.num_stages}) for one in CONFIGS],
                                4096, 4096, 4096)


@pytest.mark.parametrize("tuner, call", [
    ({}, {"K": 100}), ({}, {"K": 4100}), ({"layout": "nn"}, {"N": 129}), ({"dtype": "fp32"}, {}), ({}, {"M": 0}),
    ({"dtype": "e4m3", "layout": "nn"}, {})])
def test_a_problem_that_the_model_does_not_answer_is_not_pruned(tuner, call):
    with pytest.warns(UserWarning, match="not pruned"):
        assert tt.early_config_prune(top_k=2, **tuner)(CONFIGS, {**CALL, **call}) == CONFIGS
    with pytest.warns(UserWarning, match="not pruned"):
        assert tt.Tuner(**tuner).perf_model(**{**CALL, **call}, **CONFIGS[0].kwargs) == math.inf


def test_what_the_programmer_got_wrong_is_an_error():
    wrong = tt.Family({"turns": 1.0})
    for tuner in ({"gpu": "none"}, {"layout": "nt"}, {"family": wrong}, {"names": {"m": "rows"}}):
        with pytest.raises((tilecast.ConfigError, tilecast.FileError)):
            tt.early_config_prune(**tuner)(CONFIGS, {"N": 64, "K": 64} if "names" in tuner else CALL)
    with pytest.raises(tilecast.ConfigError, match="top_k"):
        tt.early_config_prune(top_k=0)
    for values, why in (({"BLOCK_M": 0}, "block_m"), ({"BLOCK_N": 96}, "block_n"), ({"BLOCK_K": 8}, "block_k"),
                        ({"num_warps": 3}, "num_warps"), ({"SPLIT_K": 0}, "split_k")):
        with pytest.raises(tilecast.ConfigError, match=why):
            tt.Tile.of({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64, **values})


def test_parts_beyond_the_blocks_of_k_are_no_faster():
    times = tt.times_us([tt.Tile(128, 128, 64, split_k=parts) for parts in (64, 65, 1024)], 512, 512, 4096)
    assert times[0] == times[1] == times[2] < math.inf


def test_names_of_the_tutorials_and_ones_own():
    theirs = Config({"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 4}, 4, 5)
    assert tt.Tile.of(tt._said(theirs)) == tt.Tile(128, 64, 32, 5, 4, 4)
    own = tt.Tuner(names={"block_m": "XB", "block_n": "YB", "block_k": "RB", "m": "rows"})
    ours = own._ours({"XB": 128, "YB": 64, "RB": 32, "rows": 7})
    assert tt.Tile.of(ours) == tt.Tile(128, 64, 32) and ours["m"] == 7
    with pytest.raises(tilecast.ConfigError, match="block_m"):
        tt.Tile.of({"SIZE": 128})
    with pytest.raises(tilecast.ConfigError, match="warps"):
        tt.Tuner(names={"warps": "W"})


class Index:
    """As numpy's integers: no int, but one by __index__."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def test_integers_need_not_be_pythons():
    values = {"BLOCK_M": Index(64), "BLOCK_N": 128, "BLOCK_K": Index(32), "GROUP_M": None}
    assert tt.Tile.of(values) == tt.Tile(64, 128, 32)
    call = {**CALL, "M": Index(4096), "NUM_SMS": Index(132)}
    assert (tt.early_config_prune(top_k=2)(CONFIGS, call) == tt.early_config_prune(top_k=2)(CONFIGS, CALL))


@pytest.mark.parametrize("b, layout", [
    (Tensor((512, 256), (256, 1)), "tn"),   # [N,K], K contiguous
    (Tensor((256, 512), (512, 1)), "nn"),   # [K,N], N contiguous
    (Tensor((256, 512), (1, 256)), "tn"),   # the first one, transposed
])
def test_the_problem_is_read_off_the_tensors(b, layout):
    a, c = Tensor((128, 256), (256, 1)), Tensor((128, 512), (512, 1))
    assert tt.Tuner()._problem({"a_ptr": a, "b_ptr": b, "c_ptr": c}) == (128, 512, 256, "bfloat16", layout)


def test_strides_of_the_call_say_the_layout():
    a = Tensor((128, 256), (256, 1), "torch.float16")
    call = {"a_ptr": a, "M": 128, "N": 512, "K": 256}
    assert tt.Tuner()._problem({**call, "stride_bk": 1, "stride_bn": 256})[3:] == ("float16", "tn")
    assert tt.Tuner()._problem({**call, "stride_bk": 512, "stride_bn": 1})[3:] == ("float16", "nn")
    with pytest.raises(tilecast.ConfigError, match="M, N, K"):
        tt.Tuner()._problem({"a_ptr": a})
    for shape in ((2, 128, 256), (256,)):
        with pytest.raises(tilecast.ConfigError, match="M, N, K"):
            tt.Tuner()._problem({"a_ptr": Tensor(shape, (1,)), "b_ptr": a})


@pytest.mark.parametrize("tile, first", [
    (tt.Tile(128, 256, 64, 3, 8, 8, True, True), "persistent_overlap:tile=128x256x64,stages=3,warpgroups=2x1"),
    (tt.Tile(128, 256, 64, 3, 8, 8, True, False), "persistent:tile=128x256x64,stages=3,warpgroups=2x1"),
    (tt.Tile(128, 128, 64, 3, 4, 8), "pipelined:tile=128x128x64,stages=3,warpgroups=1x1"),
    (tt.Tile(64, 256, 64, 4, 8, 8), "pipelined:tile=64x256x64,stages=4,warpgroups=1x2"),
    (tt.Tile(128, 128, 64, 3, 8, 8, True, warp_specialize=True), "warp_specialized:tile=128x128x64,stages=3,warpgroups=2x1"),
    (tt.Tile(128, 128, 64, 3, 8, 8, split_k=4), "split_k:tile=128x128x64,stages=3,warpgroups=2x1"),
    (tt.Tile(128, 128, 64, 1, 4, 8), "blocked:tile=128x128x64,warpgroups=1x1"),
    (tt.Tile(16, 128, 64, 3, 4, 8), "pipelined:tile=64x128x64"),  # a wgmma has 64 rows
])
def test_each_kind_of_kernel_has_its_schedule(tile, first):
    texts = tt.schedule_of(tile)
    assert texts[0].startswith(first)
    assert len(set(texts)) == len(texts)
    # And ours can run it, so it has a time.
    assert tt.times_us([tile], 512, 512, 4096)[0] < math.inf


def test_what_ours_cannot_run_goes_to_the_nearest_one_that_it_can():
    # 128x256 sums in 128 threads are 256 registers of each, more than there are: two warpgroups.
    four, eight = tt.Tile(128, 256, 64, 3, 4, 8, True), tt.Tile(128, 256, 64, 3, 8, 8, True)

    def times(tiles, **factors):
        return tt.times_us(tiles, 2048, 2048, 2048, family=tt.Family(factors=factors))

    one, two = times([four, eight])
    assert one == two
    # With the term for what such threads hold too much, it takes longer: e^(0.5 x (256 - 128) / 128).
    slow, as_before = times([four, eight], spilled=0.5)
    assert slow == pytest.approx(one * math.exp(0.5)) and as_before == two


def test_one_program_for_each_sm_although_more_would_fit():
    # Two stages of 64x64x64 are 32 KiB: ours alone would put four CTAs there and hide each other's waits.
    text = tt.schedule_of(tt.Tile(64, 64, 64, 2, 4, 8, True))[0]
    assert "stages=2" in text
    # (114 - 32) KiB of slots of 8 KiB: 10.25, so 11.
    assert "c_slots=11," in text


def test_rows_out_of_bounds_take_time():
    # M = 16 in tiles of 128 rows: 112 rows of each of 32 tiles, 64 K blocks: 229376 rows.
    tile = tt.Tile(128, 128, 64, 4, 8, 8, True)
    assert tt._outside_rows(tile, 16, 4096, 4096) == 112 * 32 * 64
    assert tt._outside_rows(tile, 128, 4096, 4096) == 0
    # 3 us of them and 4 us of the rest: 5 us.
    family = tt.Family(outside=3e6 / 229376)
    assert family.time_us(tile, 16, 4096, 4096, 4.0) == pytest.approx(5.0)


def test_a_tile_beyond_shared_memory_has_no_time_and_comes_last():
    # Even two stages of 256x256x256 are 512 KiB; one buffer of it is 256 KiB.
    beyond = config(256, 256, 256, stages=2)
    assert tt.times_us([tt.Tile.of({**tt._said(beyond), "NUM_SMS": 132})], 1024, 1024, 1024) == [math.inf]
    assert tt.early_config_prune(top_k=2)([beyond, CONFIGS[2], CONFIGS[1]], CALL)[-1] is not beyond


def test_what_is_learned_of_a_kernel_holds_for_it_and_fades_with_distance():
    tile, shape = tt.Tile(128, 128, 64, 4, 8, 8, True), (2048, 2048, 2048)
    family = tt.Family(learned=Learned((seen(tile, *shape, 100.0),), (0.2,)))
    assert family.time_us(tile, *shape, 100.0) == pytest.approx(100 * math.exp(0.2))
    # One program per tile is 1 / 0.5 away: e^(-2) of it is left.
    alone = dataclasses.replace(tile, persistent=False)
    assert family.time_us(alone, *shape, 100.0) == pytest.approx(100 * math.exp(0.2 * math.exp(-2)))
    # 256 sums of a thread: nothing learned of kernels that do not spill holds for it.
    spilled = tt.Tile(128, 256, 64, 3, 4, 8, True)
    assert spilled.spills() and family.time_us(spilled, *shape, 100.0) == pytest.approx(100.0)


def test_rows_that_begin_between_lines_load_more_of_them():
    tile = tt.Tile(128, 128, 64, 4, 8, 8, True)
    place = list(LENGTHS).index("loaded")
    loads = [LENGTHS["loaded"] * seen(tile, 1024, 1024, k, 100.0)[place] for k in (2048, 2048 + 32)]
    # 2080 x 2 bytes are 32.5 lines: every other row lies on two for each of its K blocks. 2080 / 2048 as many.
    assert loads[1] - loads[0] == pytest.approx(math.log2(1.5 * 2080 / 2048), abs=1e-3)


def test_a_family_is_saved_and_loaded(tmp_path):
    terms = tt.Family({"turn": 90.0, "epilogue": -70.0}, {"all": -0.01}, 55.0)
    row = tuple(0.25 * i for i in range(len(LENGTHS)))
    for family in (terms, dataclasses.replace(terms, learned=Learned((row, row), (0.5, -0.125)))):
        family.save(tmp_path / "family.json")
        assert tt.Family.load(tmp_path / "family.json") == family
    assert tt.Tuner(family=str(tmp_path / "family.json")).family == family
    # Of the time before anything was learned.
    old = '{"schema": 1, "cycles": {"turn": 90.0, "epilogue": -70.0}, "factors": {"all": -0.01}, "outside": 55}'
    (tmp_path / "old.json").write_text(old)
    assert tt.Family.load(tmp_path / "old.json") == terms
    for bad in ("[]", old[:-1] + ', "learned": [[1.0, 2.0]]}'):
        (tmp_path / "bad.json").write_text(bad)
        with pytest.raises(tilecast.ConfigError, match="bad.json"):
            tt.Family.load(tmp_path / "bad.json")
    saved = (tmp_path / "family.json").read_text()
    for part, there, wrong in (("schema", '"schema": 2', '"schema": 3'), ("kernel_family", '"triton"', '"cutlass"'),
                               ("cycles", "90.0", "NaN"), ("outside", "55.0", "1e400"),
                               ("learned", "-0.125", "Infinity"), ("factors", '"factors"', '"factor"')):
        (tmp_path / "bad.json").write_text(saved.replace(there, wrong))
        with pytest.raises(tilecast.ConfigError, match=f"bad.json: {part}"):
            tt.Family.load(tmp_path / "bad.json")
    with pytest.raises(tilecast.FileError):
        tt.Family.load(tmp_path / "none.json")
    for wrong in (tt.Family({"turns": 1.0}), tt.Family(factors={"turn": 1.0})):
        with pytest.raises(tilecast.ConfigError, match="unknown"):
            tt.times_us([tt.Tile(128, 128, 64)], 512, 512, 512, family=wrong)


def test_triton_itself_calls_the_hooks():
    triton = pytest.importorskip("triton")
    from triton.runtime.autotuner import Autotuner

    configs = [triton.Config(c.kwargs, num_warps=c.num_warps, num_stages=c.num_stages) for c in CONFIGS]

    def kernel(a, b, M, N, K, NUM_SMS):
        pass

    for hooks in ({"early_config_prune": tt.early_config_prune(top_k=2)},
                  {"perf_model": tt.perf_model, "top_k": 2}):
        tuner = Autotuner(kernel, list(CALL), configs, ["M", "N", "K"], None, None,
                          prune_configs_by=hooks)
        tuner.nargs = {"M": 4096, "N": 4096, "K": 4096}
        pruned = tuner.prune_configs({"NUM_SMS": 132})
        assert len(pruned) == 2 and configs[0] not in pruned
