"""Tests tilecast.triton with stand-ins for triton.Config and tensors, and with triton if it is
installed."""

import dataclasses
import math
import random

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
    # For 4096^3 a 64x64 tile loads each operand 64 times, so it cannot be among the first two.
    assert len(kept) == 2 and CONFIGS[0] not in kept and set(map(id, kept)) <= set(map(id, CONFIGS))
    ranked = tt.Tuner().rank(CONFIGS, CALL)
    assert kept[0] is ranked[0] and ranked[-1] is CONFIGS[0]
    assert len(tt.early_config_prune(top_k=9)(CONFIGS, CALL)) == 4


def test_what_is_tried_is_not_all_of_one_kind():
    # The second row takes 1 % longer than the first and has the same features, so only its
    # individual error is unknown. The third takes 2 % longer and has other features, so its whole
    # error is unknown.
    rows, times = [(0.0, 0.0), (0.0, 0.0), (3.0, 0.0)], [1.0, 1.01, 1.02]
    assert to_try(rows, times, 2) == [0, 2] and to_try(rows, times, 5) == [0, 2, 1]
    # A time twice as long cannot be the shortest.
    assert to_try(rows, [1.0, 1.01, 2.0], 2) == [0, 1]


def test_the_performance_model_takes_what_triton_hands_it():
    times = [tt.perf_model(**CALL, **one.kwargs, num_warps=one.num_warps, num_stages=one.num_stages,
                           num_ctas=1, maxnreg=None, ir_override=None) for one in CONFIGS]
    assert min(times) == times[1] or min(times) == times[3]
    assert times == tt.times_us([tt.Tile.of({**one.kwargs, **CALL, "num_warps": one.num_warps,
                                             "num_stages": one.num_stages}) for one in CONFIGS],
                                4096, 4096, 4096)


@pytest.mark.parametrize("tuner, call", [
    ({"dtype": "fp32"}, {}), ({}, {"M": 0}), ({"dtype": "e4m3", "layout": "nn"}, {})])
def test_a_problem_that_the_model_does_not_answer_is_not_pruned(tuner, call):
    with pytest.warns(UserWarning, match="not pruned"):
        assert tt.early_config_prune(top_k=2, **tuner)(CONFIGS, {**CALL, **call}) == CONFIGS
    with pytest.warns(UserWarning, match="not pruned"):
        assert tt.Tuner(**tuner).perf_model(**{**CALL, **call}, **CONFIGS[0].kwargs) == math.inf


def test_what_the_programmer_got_wrong_is_an_error():
    wrong = tt.Family({"turns": 1.0})
    for tuner in ({"gpu": "none"}, {"layout": "nk"}, {"family": wrong}, {"names": {"m": "rows"}}):
        with pytest.raises((tilecast.ConfigError, tilecast.FileError)):
            tt.early_config_prune(**tuner)(CONFIGS, {"N": 64, "K": 64} if "names" in tuner else CALL)
    with pytest.raises(tilecast.ConfigError, match="top_k"):
        tt.early_config_prune(top_k=0)
    for values, why in (({"BLOCK_M": 0}, "block_m"), ({"BLOCK_N": 96}, "block_n"), ({"BLOCK_K": 8}, "block_k"),
                        ({"num_warps": 3}, "num_warps"), ({"SPLIT_K": 0}, "split_k")):
        with pytest.raises(tilecast.ConfigError, match=why):
            tt.Tile.of({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64, **values})


TMA, POINTERS = tt.Tile(64, 64, 64, tma=True), tt.Tile(64, 64, 64, tma=False)


@pytest.mark.parametrize("m, n, k, layout, able", [
    (64, 4, 4096, "nn", False), (64, 64, 4095, "tn", False), (16, 64, 4095, "tn", False), (100, 64, 4096, "nt", False),
    (64, 8, 4096, "nn", True), (64, 64, 4096, "tn", True), (104, 64, 4096, "nt", True), (7, 9, 4096, "tn", True)])
def test_tma_loads_rows_of_whole_16_bytes_and_other_tiles_keep_their_times(m, n, k, layout, able):
    small = tt.Tile(16, 64, 64, tma=True)
    times = tt.times_us([TMA, POINTERS, small], m, n, k, layout=layout)
    assert [us < math.inf for us in times] == [able, True, able]
    assert times[1] == tt.times_us([POINTERS], m, n, k, layout=layout)[0]


@pytest.mark.parametrize("call, why", [
    ({"K": 100}, "rows of A have 200 bytes: TMA loads multiples of 16"), ({"K": 4100}, "rows of A have 8200 bytes"),
    ({"layout": "nn", "N": 129}, "rows of B have 258 bytes")])
def test_configurations_of_which_none_can_be_launched_are_kept_with_the_reason(call, why):
    tuner = {name: value for name, value in call.items() if name == "layout"}
    sides = {**CALL, **{name: value for name, value in call.items() if name in "MNK"}}
    with pytest.warns(UserWarning, match=f"not pruned: {why}"):
        assert tt.early_config_prune(top_k=2, **tuner)(CONFIGS, sides) == CONFIGS
    assert tt.Tuner(**tuner).perf_model(**sides, **CONFIGS[0].kwargs) == math.inf


def test_tiles_that_triton_cannot_launch_have_no_time():
    wide = tt.Tile(128, 128, 64, num_warps=32)
    for persistent in (False, True):
        tiles = [dataclasses.replace(wide, persistent=persistent, num_warps=warps) for warps in (32, 64, 1024, 2**20)]
        assert [us < math.inf for us in tt.times_us(tiles, 4096, 4096, 4096)] == [True, False, False, False]
    for tile, dtype in ((tt.Tile(2048, 1024, 16, 1), "bf16"), (tt.Tile(64, 64, 16), "e4m3"),
                        (tt.Tile(64, 4, 64, tma=True), "bf16")):
        assert tt.why_not_launched(tile, 4096, 4096, 4096, dtype, "nn")
    assert not tt.why_not_launched(tt.Tile(64, 64, 32), 4096, 4096, 4096, "e4m3", "tn")
    assert not tt.why_not_launched(tt.Tile(64, 8, 64, tma=True), 4096, 4096, 4096, "bf16", "nn")


def test_a_configuration_that_cannot_be_launched_is_pruned():
    wide = config(128, 128, warps=64)
    assert tt.early_config_prune(top_k=2)([wide, CONFIGS[0]], CALL) == [CONFIGS[0]]
    with pytest.warns(UserWarning, match="not pruned: 64 warps: a CTA has at most 1024 threads"):
        assert tt.early_config_prune(top_k=2)([wide], CALL) == [wide]


@pytest.mark.parametrize("value", [2**31, 2**80, 64.0, "64", -1, 0])
@pytest.mark.parametrize("name", ["block_m", "block_n", "block_k", "num_stages", "num_warps", "group_m", "split_k"])
def test_numbers_of_a_tile_are_whole_and_fit_32_bits(name, value):
    with pytest.raises(tilecast.ConfigError, match=name):
        tt.Tile(**{"block_m": 64, "block_n": 64, "block_k": 64, name: value})
    if value != 0:  # num_stages=0 and group_m=0 mean 1
        with pytest.raises(tilecast.ConfigError, match=name):
            tt.Tile.of({"block_m": 64, "block_n": 64, "block_k": 64, name: value})


def test_groups_and_parts_may_be_as_large_as_integers_are():
    tiles = [tt.Tile(64, 64, 64, group_m=group, split_k=parts, tma=tma)
             for group, parts in ((2**31 - 1, 1), (8, 2**31 - 1)) for tma in (False, True)]
    with pytest.warns(tt.FamilyWarning):
        assert max(tt.times_us(tiles, 512, 512, 512)) < math.inf


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
    """Like numpy's integers: not an int, but with __index__."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def test_integers_need_not_be_pythons():
    values = {"BLOCK_M": Index(64), "BLOCK_N": 128, "BLOCK_K": Index(32), "GROUP_M": None}
    assert tt.Tile.of(values) == tt.Tile(64, 128, 32)
    call = {**CALL, "M": Index(4096), "NUM_SMS": Index(132)}
    assert (tt.early_config_prune(top_k=2)(CONFIGS, call) == tt.early_config_prune(top_k=2)(CONFIGS, CALL))


def test_a_square_b_is_read_as_a_wider_one_and_a_descriptor_as_in_the_tutorials():
    a, b = Tensor((128, 256), (256, 1)), Tensor((256, 256), (256, 1))
    assert tt.Tuner()._problem({"a_ptr": a, "b_ptr": b})[4] == "nn"
    assert tt.Tuner()._problem({"a_ptr": a, "b_ptr": Tensor((256, 256), (1, 256))})[4] == "tn"
    b.block_shape = (64, 64)
    assert tt.Tuner()._problem({"a_desc": a, "b_desc": b})[4] == "tn"


def test_operands_are_found_by_their_names():
    a, b = (Tensor((128, 256), (256, 1), "torch.float8_e4m3fn"), Tensor((512, 256), (256, 1), "torch.float8_e4m3fn"))
    c = Tensor((128, 512), (512, 1))
    expected = (128, 512, 256, "float8_e4m3fn", "tn")
    assert tt.Tuner()._problem({"c_ptr": c, "b_ptr": b, "a_ptr": a}) == expected
    assert tt.Tuner(names={"a": "x", "b": "w"})._problem({"y": c, "x": a, "w": b}) == expected
    count = Tensor((), ())  # like numpy's integers, which have a shape
    assert tt.Tuner()._problem({"rows": count, "x_ptr": a, "w_ptr": b}) == expected


@pytest.mark.parametrize("b, layout", [
    (Tensor((512, 256), (256, 1)), "tn"),   # [N,K], K contiguous
    (Tensor((256, 512), (512, 1)), "nn"),   # [K,N], N contiguous
    (Tensor((256, 512), (1, 256)), "tn"),   # the first B, transposed
])
def test_the_problem_is_read_off_the_tensors(b, layout):
    a, c = Tensor((128, 256), (256, 1)), Tensor((128, 512), (512, 1))
    assert tt.Tuner()._problem({"a_ptr": a, "b_ptr": b, "c_ptr": c}) == (128, 512, 256, "bfloat16", layout)


def test_strides_of_the_call_say_the_layout():
    a = Tensor((128, 256), (256, 1), "torch.float16")
    call = {"a_ptr": a, "M": 128, "N": 512, "K": 256}
    assert tt.Tuner()._problem({**call, "stride_am": 1, "stride_ak": 128, "stride_bk": 512, "stride_bn": 1})[4] == "nt"
    assert tt.Tuner()._problem({**call, "stride_am": 1, "stride_ak": 128, "stride_bk": 1, "stride_bn": 256})[4] == "tt"
    transposed = {"a_ptr": Tensor((128, 256), (1, 128)), "b_ptr": Tensor((256, 512), (512, 1))}
    assert tt.Tuner()._problem(transposed)[4] == "nt"
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
    (tt.Tile(128, 128, 64, 3, 8, 8, True, warp_specialize=True),
     "warp_specialized:tile=128x128x64,stages=3,warpgroups=2x1"),
    (tt.Tile(128, 128, 64, 3, 8, 8, split_k=4), "split_k:tile=128x128x64,stages=3,warpgroups=2x1"),
    (tt.Tile(128, 128, 64, 1, 4, 8), "blocked:tile=128x128x64,warpgroups=1x1"),
])
def test_each_kind_of_kernel_has_its_schedule(tile, first):
    texts = tt.schedule_of(tile)
    assert texts[0].startswith(first)
    assert len(set(texts)) == len(texts)
    # tilecast's kernel can run it, so it has a time.
    assert tt.times_us([tile], 512, 512, 4096)[0] < math.inf


def test_what_ours_cannot_run_goes_to_the_nearest_one_that_it_can():
    # 128x256 accumulators in 128 threads need 256 registers each, more than a thread has; the tile
    # needs two warpgroups.
    four, eight = tt.Tile(128, 256, 64, 3, 4, 8, True), tt.Tile(128, 256, 64, 3, 8, 8, True)

    def times(tiles, **factors):
        return tt.times_us(tiles, 2048, 2048, 2048, family=tt.Family(factors=factors))

    one, two = times([four, eight])
    assert one == two
    # With the term for excess accumulators its time is e^(0.5 x (256 - 128) / 128) times as long.
    slow, as_before = times([four, eight], spilled=0.5)
    assert slow == pytest.approx(one * math.exp(0.5)) and as_before == two


def test_one_program_for_each_sm_although_more_would_fit():
    # Two stages of 64x64x64 are 32 KiB: tilecast's kernel would run four CTAs per SM, which hide
    # each other's waits.
    text = tt.schedule_of(tt.Tile(64, 64, 64, 2, 4, 8, True))[0]
    assert "stages=2" in text
    # (114 - 32) KiB in slots of 8 KiB are 10.25 slots, so 11.
    assert "c_slots=11," in text


def test_rows_out_of_bounds_take_time():
    # M = 16 in tiles of 128 rows: 112 out-of-bounds rows in each of 32 tiles and 64 K blocks,
    # 229376 in total.
    tile = tt.Tile(128, 128, 64, 4, 8, 8, True)
    assert tt._outside_rows(tile, 16, 4096, 4096) == 112 * 32 * 64
    assert tt._outside_rows(tile, 128, 4096, 4096) == 0
    # 3 us for out-of-bounds rows and 4 us for the rest give 5 us (the root of the sum of squares).
    family = tt.Family(outside=3e6 / 229376)
    assert family.times_us([tile], 16, 4096, 4096, [4.0])[0] == pytest.approx(5.0)


def test_a_tile_beyond_shared_memory_has_no_time_and_comes_last():
    # Even two stages of 256x256x256 are 512 KiB; a single buffer is 256 KiB.
    beyond = config(256, 256, 256, stages=2)
    assert tt.times_us([tt.Tile.of({**tt._said(beyond), "NUM_SMS": 132})], 1024, 1024, 1024) == [math.inf]
    assert tt.early_config_prune(top_k=2)([beyond, CONFIGS[2], CONFIGS[1]], CALL)[-1] is not beyond


def test_what_is_learned_of_a_kernel_holds_for_it_and_fades_with_distance():
    tile, shape = tt.Tile(128, 128, 64, 4, 8, 8, True), (2048, 2048, 2048)
    family = tt.Family(learned=Learned((seen(tile, *shape, 100.0),), (0.2,)))
    assert family.times_us([tile], *shape, [100.0])[0] == pytest.approx(100 * math.exp(0.2))
    # One program per tile is at distance 1 / 0.5, so e^(-2) of the correction remains.
    alone = dataclasses.replace(tile, persistent=False)
    assert family.times_us([alone], *shape, [100.0])[0] == pytest.approx(100 * math.exp(0.2 * math.exp(-2)))
    # 256 accumulators per thread spill, so corrections from kernels that do not spill do not apply.
    spilled = tt.Tile(128, 256, 64, 3, 4, 8, True)
    assert spilled.spills() and family.times_us([spilled], *shape, [100.0])[0] == pytest.approx(100.0)


def test_rows_that_begin_between_lines_load_more_of_them():
    tile = tt.Tile(128, 128, 64, 4, 8, 8, True)
    place = list(LENGTHS).index("loaded")
    loads = [LENGTHS["loaded"] * seen(tile, 1024, 1024, k, 100.0)[place] for k in (2048, 2048 + 32)]
    # 2080 x 2 bytes are 32.5 lines, so every other row of a K block lies on two lines; there are
    # 2080 / 2048 times as many K blocks.
    assert loads[1] - loads[0] == pytest.approx(math.log2(1.5 * 2080 / 2048), abs=1e-3)


def test_a_family_is_saved_and_loaded(tmp_path):
    terms = tt.Family({"turn": 90.0, "epilogue": -70.0}, {"all": -0.01}, 55.0)
    row = tuple(0.25 * i for i in range(len(LENGTHS)))
    fitted = dataclasses.replace(terms, fitted_to=("pointer_loads",), learned=Learned((row, row), (0.5, -0.125)),
                                 costs={**tt.default_family("pointer_loads").costs, "row": 2.5})
    for family in (terms, fitted):
        family.save(tmp_path / "family.json")
        assert tt.Family.load(tmp_path / "family.json") == family
    assert tt.Tuner(family=str(tmp_path / "family.json")).family == family
    # Format from before learned corrections.
    old = '{"schema": 1, "cycles": {"turn": 90.0, "epilogue": -70.0}, "factors": {"all": -0.01}, "outside": 55}'
    (tmp_path / "old.json").write_text(old)
    assert tt.Family.load(tmp_path / "old.json") == terms
    for bad in ("[]", "[" * 100000, old[:-1] + ', "learned": [[1.0, 2.0]]}'):
        (tmp_path / "bad.json").write_text(bad)
        with pytest.raises(tilecast.ConfigError, match="bad.json"):
            tt.Family.load(tmp_path / "bad.json")
    saved = (tmp_path / "family.json").read_text()
    for part, there, wrong in (("schema", '"schema": 3', '"schema": 4'), ("kernel_family", '"triton"', '"cutlass"'),
                               ("cycles", "90.0", "NaN"), ("outside", "55.0", "1e400"), ("costs", "2.5", "NaN"),
                               ("factors", "-0.01", "1e4"), ("outside", "55.0", "-1e300"),
                               ("learned", "-0.125", "Infinity"), ("factors", '"factors"', '"factor"')):
        (tmp_path / "bad.json").write_text(saved.replace(there, wrong))
        with pytest.raises(tilecast.ConfigError, match=f"bad.json: {part}"):
            tt.Family.load(tmp_path / "bad.json")
    with pytest.raises(tilecast.FileError):
        tt.Family.load(tmp_path / "none.json")
    for wrong in (tt.Family({"turns": 1.0}), tt.Family(factors={"turn": 1.0}), tt.Family(fitted_to=("other",)),
                  tt.Family(costs={**tt.default_family("pointer_loads").costs, "turn": 1.0})):
        with pytest.raises(tilecast.ConfigError, match="unknown"):
            tt.times_us([tt.Tile(128, 128, 64)], 512, 512, 512, family=wrong)
    for number in (math.nan, math.inf, 1e4):
        with pytest.raises(tilecast.ConfigError, match="factors: expected numbers of at most 10"):
            tt.times_us([tt.Tile(128, 128, 64)], 512, 512, 512, family=tt.Family(factors={"all": number}))
    # 2^17 accumulators of a thread are 1,023 times a thread's registers; the correction would be
    # e^5115, which no number represents.
    spilled = tt.Family(factors={"spilled": 5.0})
    assert spilled.times_us([tt.Tile(4096, 1024, 16, num_warps=1)], 64, 64, 64, [1.0])[0] > 1e300


def test_small_tiles_take_their_operands_in():
    # For 4096^3 in bf16 a tile of 16 x 128 loads 32 x 256 x 4096 x (16 + 128) x 2 bytes, 9.66 GB:
    # 577 us at 64 bytes per cycle of 132 SMs at 1.98 GHz. Measured on an H100: 711, 499, 257 and
    # 265 us.
    times = tt.times_us([tt.Tile(m, 128, 64, num_stages=4, num_warps=4) for m in (16, 32, 64, 128)], 4096, 4096, 4096,
                        dtype="bf16")
    assert times == pytest.approx([711, 499, 257, 265], rel=0.2) and times[0] > 577
    # Tiles of 128 x 16, 32 and 64 take 1008, 556 and 326 us; 8 columns take at least as long as 16.
    times = tt.times_us([tt.Tile(128, n, 64, num_stages=4, num_warps=4) for n in (8, 16, 32, 64)], 4096, 4096, 4096,
                        dtype="bf16")
    assert times[1:] == pytest.approx([1008, 556, 326], rel=0.15) and times[0] > times[1]


def test_rows_out_of_bounds_take_no_time_of_pointer_loads():
    # 16 x 7168 x 2048 in e4m3: 14.7 MB of weights take 3.2 us at an H200's DRAM bandwidth, plus
    # launch and latency of a tile. The 112 empty rows of 128 cost nothing: A has 0.5 MB even with
    # twice M = 128.
    few, full = (tt.times_us([tt.Tile(128, 32, 64, num_stages=4)], m, 7168, 2048, dtype="e4m3")[0] for m in (16, 128))
    assert 3.2 < few <= full < 20
    family = tt.Family(outside=55.0)
    assert family.times_us([tt.Tile(128, 32, 64)], 16, 7168, 2048, [5.0])[0] == 5.0


@pytest.mark.filterwarnings("ignore::tilecast.triton.FamilyWarning")
def test_no_tile_is_faster_than_what_it_takes_in():
    # Bounds: 64 bytes per cycle of 132 SMs at 1.98 GHz; 4.8 TB/s; 132 x 4096 16-bit FLOPs per
    # cycle.
    draw = random.Random(45)
    for _ in range(40):
        m, n, k = (16 * 2 ** draw.randint(0, 9) for _ in range(3))
        tiles = [tt.Tile(16 << draw.randint(0, 4), 8 << draw.randint(0, 5), 32 << draw.randint(0, 2),
                         draw.randint(1, 5), 1 << draw.randint(0, 3), 8, persistent, draw.random() < 0.5)
                 for persistent in (False, True) for _ in range(8)]
        for tile, us in zip(tiles, tt.times_us(tiles, m, n, k, dtype="bf16", layout=draw.choice(("tn", "nn")))):
            taken = 2 * k * (m * -(-n // tile.block_n) + n * -(-m // tile.block_m))
            assert us >= taken / (64 * 132 * 1.98e3), tile
            assert us >= 2 * (m * k + n * k + m * n) / 4.8e6 and us >= 2 * m * n * k / (132 * 4096 * 1.98e3), tile


@pytest.mark.parametrize("tile, dtype, fits", [
    # stages x block_k x (block_m + block_n) x element size, of 232448 bytes per CTA.
    (tt.Tile(128, 128, 128, 4, 4), "bf16", False),        # 262144
    (tt.Tile(128, 128, 128, 3, 4), "bf16", True),         # 196608
    (tt.Tile(128, 128, 128, 4, 4), "e4m3", True),         # one byte each: 131072
    (tt.Tile(128, 128, 128, 4, 8, 8, True), "bf16", False),
    (tt.Tile(128, 256, 64, 4, 8, 8, True), "bf16", True),  # 196608
    (tt.Tile(128, 256, 64, 5, 8, 8, True), "bf16", False),  # 245760
    (tt.Tile(32, 256, 128, 4, 4), "bf16", True),          # mma.sync uses one stage less: 221184
    (tt.Tile(32, 256, 128, 5, 4), "bf16", False),         # 294912
    (tt.Tile(128, 256, 64, 5, 2), "bf16", True),          # mma.sync below one warpgroup: 196608
])
@pytest.mark.filterwarnings("ignore::tilecast.triton.FamilyWarning")
def test_a_tile_has_a_time_where_its_buffers_fit(tile, dtype, fits):
    assert (tt.times_us([tile], 4096, 4096, 4096, dtype=dtype)[0] < math.inf) == fits


@pytest.mark.parametrize("dtype, layout, blocks_k", [
    ("bf16", "tn", (16, 32, 64)), ("bf16", "nn", (16, 32, 64)), ("bf16", "nt", (16, 32, 64)),
    ("bf16", "tt", (16, 32, 64)), ("e4m3", "tn", (32, 64))])
@pytest.mark.filterwarnings("ignore::tilecast.triton.FamilyWarning")
def test_whatever_triton_runs_has_a_time(dtype, layout, blocks_k):
    tiles = [tt.Tile(m, n, k, stages, warps, 8, persistent) for m in (16, 64, 128) for n in (8, 16, 32, 128)
             for k in blocks_k for stages in (1, 3) for warps in (1, 4, 8) for persistent in (False, True)]
    assert max(tt.times_us(tiles, 512, 1024, 2048, dtype=dtype, layout=layout)) < math.inf


def test_pointer_loads_need_no_whole_16_bytes():
    # An odd K is loaded two bytes at a time without prefetching, so it is slower than K = 4096.
    odd, even = (tt.times_us([tt.Tile(64, 64, 64, 4)], 512, 512, k)[0] for k in (4095, 4096))
    assert even < odd < math.inf


def test_a_call_says_how_its_operands_come():
    descriptor = Tensor((128, 256), (256, 1))
    descriptor.block_shape = [128, 64]
    kernel = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}
    for more, kind in (({}, "pointer_loads"), ({"NUM_SMS": 132}, "persistent_tma"),
                       ({"NUM_SMS": 132, "stride_am": 256}, "pointer_loads"), ({"a_desc": descriptor}, "tma"),
                       ({"NUM_SMS": 132, "stride_cm": 256, "a_desc": descriptor}, "persistent_tma")):
        assert tt.Tile.of({**kernel, **more}).kind() == kind
    assert tt.Tile.of(kernel, tma=True).kind() == "tma"


def test_a_family_is_not_applied_to_other_kernels_without_a_word(recwarn):
    tile, shape = tt.Tile(128, 128, 64, 4, 8), (4096, 4096, 4096)
    plain = tt.times_us([tile], *shape)
    assert not recwarn.list
    slow = tt.Family(factors={"all": 1.0}, fitted_to=("persistent_tma",))
    with pytest.warns(tt.FamilyWarning, match="pointer_loads: the family was fitted to other kernels"):
        assert tt.times_us([tile], *shape, family=slow) == plain
    # A family without fitted_to applies to any kind.
    assert tt.times_us([tile], *shape, family=tt.Family(factors={"all": 1.0})) == pytest.approx([math.e * plain[0]])
    for other, more, what in ((dataclasses.replace(tile, tma=True), {}, "one program for each tile with TMA"),
                              (tile, {"dtype": "e4m3"}, "fp8"), (dataclasses.replace(tile, split_k=2), {}, "split K")):
        with pytest.warns(tt.FamilyWarning, match=what):
            tt.times_us([other], *shape, **more)


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
