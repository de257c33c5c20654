"""Tests tilecast.predict and related functions. The model's results are tested with the model;
these tests check that Python returns the same results in the expected form."""

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import tilecast
import tilecast.triton
from tilecast.triton import Tile, times_us

PROBLEM = (512, 512, 512)
KNOWN = "pipelined:tile=64x48x128,stages=6,warpgroups=1x1,ctas=1,inflight=1,c_slots=0,raster=grouped_m,group=8"


def test_rows_are_ordered_and_carry_their_units():
    ranking = tilecast.predict(1024, 1024, 1024, top=5)
    times = [row.time_us for row in ranking]
    assert len(ranking) == 5 and times == sorted(times)
    best = ranking[0]
    # 2 x 1024^3 FLOPs divided by the time.
    assert best.tflops == pytest.approx(2 * 1024**3 / best.time_us * 1e-6, rel=1e-4)
    # Cycles are time x clock.
    assert best.cycles == pytest.approx(best.time_us * best.sm_clock_mhz, rel=1e-4)
    assert best.interval_us[0] < best.time_us < best.interval_us[1]
    assert set(best.shares) == {"tensor", "shared_memory", "sm_intake", "l2", "dram"}


def table_times(text):
    lines = text.splitlines()
    assert lines[0].startswith("GEMM 1024 x 1024 x 1024, fp16, tn") and lines[3].startswith("Best: ")
    assert max(map(len, lines)) <= 80
    first = next(i for i, line in enumerate(lines) if line.split()[:1] == ["#"]) + 1
    return [float(line.split()[1].rstrip("~")) for line in lines[first:lines.index("", first)]]


def test_row_i_of_a_printed_ranking_is_its_element_i():
    ranking = tilecast.predict(1024, 1024, 1024, top=12)
    assert table_times(str(ranking)) == pytest.approx([row.time_us for row in ranking], abs=0.006)
    by_tile = ranking.by_tile
    tiles = {row.config.split(",")[0] for row in by_tile}  # "schedule:tile=MxNxK"
    assert len(tiles) == len(by_tile) >= 12 and by_tile[0] == ranking[0]
    shown = table_times(str(by_tile))
    assert shown[:5] == pytest.approx([row.time_us for row in by_tile[:5]], abs=0.006)
    assert shown[:5] != pytest.approx([row.time_us for row in ranking[:5]], abs=0.006)


@pytest.mark.parametrize("method", ["analytic", "simulated"])
def test_table_text_and_fields_name_the_same_bottleneck(method):
    # One row of C occupies 20 CTAs of 128 rows that mostly wait: the tensor cores are busy for 0.1
    # % of the time.
    waits = ("warp_specialized:tile=128x208x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
             "producer=40,grid=resident,raster=grouped_m,group=16,walk=strided")
    ranking = tilecast.predict(1, 4096, 4096, config=waits, method=method)
    assert ranking[0].shares["tensor"] < 0.15 and ranking[0].limiter == ranking.by_tile[0].limiter == "latency"
    assert "bound by load latency" in str(ranking) and " latency   ws 128x208x64" in str(ranking)


@pytest.mark.parametrize("question", [
    lambda: tilecast.predict(tilecast.Gemm(tilecast.routed_rows(32768, 256, 2, "zipf:1.1"), 7168, 4096), simulate=200,
                             threads=1),
    lambda: tilecast.predict_many(range(512, 51200, 512), 4096, 4096, threads=2),
    lambda: tilecast.rank([(64 * i, 4096, 4096) for i in range(1, 1000)], [KNOWN] * 500, threads=2),
    lambda: tilecast.explain(8192, 14336, 4096, ["ws:tile=128x256x64"] * 50, threads=2)])
def test_ctrl_c_ends_a_long_question(question):
    tilecast.predict(PROBLEM, top=1)  # reads the GPU files
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        question()
    assert time.monotonic() - begin < 8  # a simulation that has begun is finished first
    assert tilecast.predict(PROBLEM, top=1)[0].time_us > 0


def test_an_error_says_which_problem_or_configuration_it_is():
    for wrong in ((64, -1, 64), (64, 64), (64, 64, 6.5)):
        with pytest.raises((TypeError, ValueError), match=r"problems\[1\]: "):
            tilecast.rank([PROBLEM, wrong], KNOWN)
    with pytest.raises(tilecast.ConfigError, match=r"configs\[2\]: unknown schedule 'foo'"):
        tilecast.rank(PROBLEM, [KNOWN, KNOWN, "foo"])


def test_the_type_of_c_may_differ():
    def problem(**given):
        return tilecast.predict(PROBLEM, dtype="fp8", top=1, method="analytic", **given).data["problem"]

    assert problem() == problem(out_dtype="torch.bfloat16") != problem(out_dtype="fp16")
    wide = tilecast.rank(PROBLEM, KNOWN, dtype="bf16", out_dtype="fp32")[0][0]
    assert wide != tilecast.rank(PROBLEM, KNOWN, dtype="bf16")[0][0]


def test_hooks_and_attention_are_checked_where_they_are_made():
    for arguments, sentence in (({"gpu": "v100"}, "unknown GPU 'v100'"), ({"regime": "cold"}, "unknown regime"),
                                ({"top_k": 0}, "top_k: expected at least 1"), ({"layout": "xx"}, "unknown layout")):
        with pytest.raises(tilecast.ConfigError, match=sentence):
            tilecast.triton.early_config_prune(**arguments)
    with pytest.raises(tilecast.ConfigError, match="heads: expected at least 1, got 0"):
        tilecast.Attention(batch=1, heads=0, queries=8, keys=8, head_dim=64)
    with pytest.raises(tilecast.ConfigError, match="block_m: expected an integer"):
        Tile(True, 128, 64)


@pytest.mark.skipif("TILECAST" not in os.environ, reason="TILECAST does not name the program")
def test_the_program_gives_the_same_answer():
    told = json.loads(subprocess.run(
        [os.environ["TILECAST"], "predict", "512x768x1024", "--dtype", "bf16", "--layout", "nn",
         "--regime", "sustained", "--top", "3", "--format", "json"],
        check=True, capture_output=True).stdout)
    ours = tilecast.predict(512, 768, 1024, dtype="bf16", layout="nn", regime="sustained", top=3).data
    told.pop("elapsed_ms"), ours.pop("elapsed_ms")
    assert ours == told


def test_one_configuration_alone():
    best = tilecast.predict(1024, 1024, 1024, top=1)[0]
    alone = tilecast.predict(1024, 1024, 1024, config=best.config)
    assert len(alone) == 1 and alone[0].time_us == best.time_us


def test_types_of_other_libraries_are_known_by_their_names():
    class Numpy:  # numpy.float16 is a class, not an instance
        __name__ = "float16"

    class Torch:
        def __str__(self):
            return "torch.bfloat16"

    def dtype(one):
        return tilecast.predict(256, 256, 256, dtype=one, top=1).data["problem"]["dtype"]

    assert dtype(Numpy()) == "fp16" and dtype(Torch()) == "bf16" and dtype("torch.bfloat16") == "bf16"


@pytest.mark.parametrize("call", [
    lambda: tilecast.predict_many(64, 64, 64, threads=1025), lambda: tilecast.explain(64, 64, 64, "ws", threads=1025),
    lambda: tilecast.rank([(64, 64, 64)], ["ws"], threads=1025),
    lambda: tilecast.triton.times_us([], 64, 64, 64, threads=1025)])
def test_every_question_has_at_most_the_threads_of_the_program(call):
    with pytest.raises(tilecast.ConfigError, match="threads: expected 0 to 1024, got 1025"):
        call()


@pytest.mark.parametrize("arguments, words", [
    (dict(m=0, n=8, k=8), "expected MxNxK"),
    (dict(m=64, n=64, k=64, dtype="e4m3", layout="nn"), "K-major"),
    (dict(m=64, n=64, k=64, dtype="fp6"), "dtype"),
    (dict(m=64, n=64, k=64, gpu="h300"), "h300"),
    (dict(m=64, n=64, k=64, gpu="hipparchus_h10"), "fictional"),
    (dict(m=64, n=64, k=64, config="nonsense"), "nonsense"),
    (dict(m=64, n=64, k=64, dtype="int8.fp16"), "int8.fp16"),
    (dict(m=64, n=64, k=64, top=0), "top: expected 1 to 1048576, got 0"),
    (dict(m=64, n=64, k=64, simulate=0), "simulate: expected 1 to 4096, got 0"),
    (dict(m=64, n=64, k=64, threads=10**6), "threads: expected 0 to 1024, got 1000000"),
    (dict(m=64, n=64, k=64, threads=-1), "threads: expected 0 to 1024, got -1"),
    (dict(m=64, n=64, k=64, schedules=["fast"]), "fast"),
])
def test_what_cannot_be_predicted_is_a_value_error_of_one_line(arguments, words):
    with pytest.raises(ValueError, match=words) as raised:
        tilecast.predict(**arguments)
    assert isinstance(raised.value, tilecast.ConfigError) and "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(OSError) as raised:
        tilecast.predict(64, 64, 64, gpu=tmp_path / "none.yaml")
    assert isinstance(raised.value, tilecast.FileError) and "none.yaml" in str(raised.value)


@pytest.mark.parametrize("call, sentence", [
    (lambda: tilecast.predict(64.5, 64, 64), "m: expected an integer, got 64.5"),
    (lambda: tilecast.predict(True, 64, 64), "m: expected an integer, got True"),
    (lambda: tilecast.predict("64", 64, 64), "m: expected an integer, got '64'"),
    (lambda: tilecast.predict(64), "m, n and k of a GEMM, .* got 64"),
    (lambda: tilecast.predict((64, 64)), r"m, n and k of a GEMM, .* got \(64, 64\)"),
    (lambda: tilecast.predict(64, None, 64), "m, n and k of a GEMM"),
    (lambda: tilecast.predict(PROBLEM, config=3), "configs: expected a sequence, got 3"),
    (lambda: tilecast.predict(PROBLEM, config=[KNOWN, 3]),
     r"configs\[1\]: config: expected a configuration as a string"),
    (lambda: tilecast.Config(64), "tile: expected 2 or 3 integers, got 64"),
    (lambda: tilecast.Config((64, 64), stages=2.5), "stages: expected an integer, got 2.5"),
    (lambda: tilecast.predict(PROBLEM, schedules=[1]), "schedules: expected a string, got 1"),
    (lambda: tilecast.predict(PROBLEM, epilogue=["gelu"]), r"epilogue: expected a string, got \['gelu'\]"),
    (lambda: tilecast.predict(PROBLEM, regime=None), "regime: expected a string"),
    (lambda: tilecast.predict(PROBLEM, gpu=None), "gpu: expected a name from tilecast.gpus"),
    (lambda: tilecast.predict(PROBLEM, top=1.5), "top: expected an integer, got 1.5"),
    (lambda: tilecast.predict_many([None], 64, 64), "m, n and k of a GEMM"),
    (lambda: tilecast.explain(PROBLEM, [3]), "config: expected a configuration as a string, .* got 3"),
    (lambda: tilecast.rank(3, KNOWN), "problems: expected a sequence, got 3"),
    (lambda: tilecast.rank(["512x512x"], KNOWN), "m, n and k of a GEMM, .* got '512x512x'"),
    (lambda: tilecast.rank([(512, 512, 512, 1)], KNOWN), "m, n and k of a GEMM"),
    (lambda: tilecast.rank(PROBLEM, [None]), "config: expected a configuration as a string, .* got None"),
    (lambda: tilecast.rank(PROBLEM, KNOWN, top=3), r"rank\(\) got an unexpected keyword argument 'top'"),
    (lambda: times_us(["ws"], *PROBLEM), "tiles: expected instances of tilecast.triton.Tile"),
    (lambda: tilecast.triton.early_config_prune(top_k="8"), "top_k: expected an integer, got '8'"),
])
def test_an_argument_of_a_wrong_type_is_a_type_error_of_one_sentence(call, sentence):
    with pytest.raises(TypeError, match=sentence) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_problems_and_configurations_come_in_any_iterable_or_alone():
    tiles = [Tile(128, 128, 64), Tile(64, 64, 64)]
    ranking = tilecast.predict("512x512x512", method="analytic", top=2)
    expected = tilecast.rank([PROBLEM, PROBLEM], [row.config for row in ranking], method="analytic")
    assert expected[0] == pytest.approx([row.time_us for row in ranking], rel=1e-5)
    for configs in (ranking, iter(ranking), (row.config for row in ranking), ranking[:]):
        assert tilecast.rank((one for one in (PROBLEM, "512x512x512")), configs, method="analytic") == expected
    assert tilecast.rank(PROBLEM, ranking[0], method="analytic") == [expected[0][:1]]
    of_tiles = tilecast.rank(PROBLEM, tiles)
    assert of_tiles == tilecast.rank([PROBLEM], iter(tiles)) == [times_us(iter(tiles), *PROBLEM)]
    assert len(of_tiles[0]) == 2
    alone = tilecast.predict(*PROBLEM, config=ranking[0], method="analytic")
    assert [row.config for row in alone] == [ranking[0].config]
    many = tilecast.predict_many(iter([PROBLEM, "512x512x512"]), method="analytic")
    assert [row.config for row in many] == [ranking[0].config] * 2
    story = tilecast.explain(PROBLEM, ranking)
    assert [kernel["config"] for kernel in story.kernels] == [row.config for row in ranking]
    assert tilecast.explain(PROBLEM).best["config"] == story.best["config"]


def test_partial_configurations_stand_for_their_fastest_match():
    shape = (1024, 1024, 1024)
    forms = ["128x128x64 stages=4", tilecast.Config((128, 128, 64), 4), (128, 128, 64, 4), ((128, 128, 64), 4),
             {"tile": (128, 128, 64), "stages": 4}, {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "num_stages": 4}]
    for method in ("simulated", "analytic"):
        times = tilecast.rank([shape, PROBLEM], forms, method=method)
        assert [len(set(row)) for row in times] == [1, 1]
        alone = tilecast.predict(shape, config=forms[1], method=method, top=1)
        assert "tile=128x128x64,stages=4," in alone[0].config
        assert times[0][0] == pytest.approx(alone[0].time_us, rel=1e-5)
        given, free, few = tilecast.rank(shape, [forms[0], (128, 128, 64), (128, 128, 64, 2)], method=method)[0]
        assert free <= given < few  # the fewer parts are given, the faster the best match
        assert tilecast.rank(shape, (128, 128, 64), method=method)[0][0] >= free  # one alone
    assert tilecast.rank(shape, forms) == tilecast.rank(shape, forms, method="simulated")
    assert tilecast.rank(shape, forms * 9) == tilecast.rank(shape, forms * 9, method="analytic")  # 54 pairs
    ranking = tilecast.predict(shape, config=[{"schedule": "pp", "tile": (128, 128)}, "ws 128x256x64"], top=5)
    assert sorted(row.config.partition(",")[0] for row in ranking) == [
        "ping_pong:tile=128x128x64", "warp_specialized:tile=128x256x64"]


def test_a_part_that_no_candidate_has_is_set_if_the_kernel_can_run():
    stages = tilecast.rank((4096, 4096, 4096), [((128, 256, 64), count) for count in (1, 2, 3, 4, 9)])[0]
    assert stages[0] > stages[3] or math.isinf(stages[0])
    assert stages[1] > stages[2] > stages[3]  # two stages hide less of a load
    assert math.isinf(stages[4])  # nine do not fit into shared memory


@pytest.mark.parametrize("configs, sentence", [
    (["ws", "128x128 stagse=4"],
     r"configs\[1\]: configuration '128x128 stagse=4': no schedule has a key 'stagse'; did you"),
    ([{"tile": (64, 64, 64), "stagse": 4}], "no schedule has a key 'stagse'; did you mean stages"),
    ([(64, 64, 64), (1, 2, 3, 4, 5, 6)], r"configs\[1\]: expected \(M, N, K\), perhaps with stages and warps"),
    ([((64,), 3)], r"configs\[0\]: tile: expected 2 or 3 integers, got \[64\]"),
    ([(64, 64, 64, 3, 6)], "warps: expected a multiple of 4, got 6"),
    ([{"warps": 8}], "warps: give the tile too"),
    ([{}], "expected at least one part"),
])
def test_a_wrong_part_is_one_error(configs, sentence):
    with pytest.raises(tilecast.ConfigError, match=sentence) as raised:
        tilecast.rank(PROBLEM, configs)
    assert "\n" not in str(raised.value)


def test_warps_are_warpgroups_that_share_the_tile():
    config = tilecast.Config.of((128, 256, 64, 4, 8))
    assert str(config) == "tile=128x256x64 stages=4 warpgroups=2x1"
    assert str(tilecast.Config((64, 256), warps=8, schedule="ws")) == "ws tile=64x256 warpgroups=1x2"
    assert repr(tilecast.Config.of({"BM": 64, "BN": 32, "GROUP_M": 8})) == (
        "tilecast.Config('tile=64x32 raster=grouped_m group=8')")


def test_a_gpu_is_named_by_its_object_too():
    a100 = next(gpu for gpu in tilecast.gpus() if gpu.name == "a100_sxm80")
    assert tilecast.predict(PROBLEM, gpu=a100, top=1)[0] == tilecast.predict(PROBLEM, gpu="a100_sxm80", top=1)[0]


def test_many_problems_in_their_order_and_a_failure_in_its_place():
    answers = tilecast.predict_many([512, 64, 1024], 512, [512, 0, 512])
    assert [type(answer) for answer in answers] == [
        tilecast.Prediction, tilecast.Failure, tilecast.Prediction]
    assert answers[0].time_us == tilecast.predict(512, 512, 512, top=1)[0].time_us
    assert "expected MxNxK" in answers[1].error
    assert [line.split()[0] for line in str(answers).splitlines()] == [
        "512x512x512", "64x512x0", "1024x512x512"]
    with pytest.raises(tilecast.ConfigError, match="equal length"):
        tilecast.predict_many([1, 2], [1, 2, 3], 8)


def test_given_configurations_get_a_row_of_times_for_each_problem():
    known = tilecast.predict(1024, 1024, 1024, method="analytic", top=2)
    # 33 stages of 128x128x64 need 33 x 32 KB of shared memory; an SM has 227 KB.
    beyond = known[0].config.replace("stages=", "stages=3")
    times = tilecast.rank([(1024, 1024, 1024), (1024, 1024, 4095)], [row.config for row in known] + [beyond],
                          method="analytic")
    assert times[0][:2] == pytest.approx([row.time_us for row in known], rel=1e-5)
    assert len(times[1]) == 3 and times[0][2] == times[1][2] == math.inf
    # Rows of 4095 elements are copied first, which `predict` includes in its time.
    odd = tilecast.predict(1024, 1024, 4095, method="analytic", config=known[0].config)[0]
    assert times[1][0] == pytest.approx(odd.time_us, rel=1e-5)


def test_triton_tiles_are_ranked_by_their_own_family():
    tiles = [Tile(128, 128, 64, 4, 8), Tile(16, 16, 64, 4, 4)]
    times = tilecast.rank([(4096, 4096, 4096), (16, 4096, 4096)], tiles, dtype="bf16")
    assert times[0][0] < times[0][1] and times[1] == times_us(tiles, 16, 4096, 4096, dtype="bf16")
    with pytest.raises(tilecast.ConfigError, match="configs: cannot mix"):
        tilecast.rank([(64, 64, 64)], ["pp:", tiles[0]])


def test_many_problems_leave_other_threads_running():
    counted, done = 0, threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    tilecast.predict(256, 256, 256)  # reads the GPU files
    thread.start()
    try:
        before, begin = counted, time.monotonic()
        tilecast.predict_many(range(512, 1536, 128), 1024, 1024, threads=1)
        took, counts = time.monotonic() - begin, counted - before
    finally:
        done.set()
        thread.join()
    # At least one count per millisecond. If the GIL were held, there would be one or two in total.
    assert took < 0.05 or counts > 10


def test_pandas_gets_a_row_each():
    pandas = pytest.importorskip("pandas")
    frame = tilecast.predict(512, 512, 512, top=3).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 3
    assert {"config", "time_us", "interval_low_us", "tensor_share"} <= set(frame.columns)
    many = tilecast.predict_many([512, 512], 512, [512, 0]).to_pandas()
    assert list(many["k"]) == [512, 0] and pandas.isna(many["time_us"][1])


def test_explain_lays_kernels_beside_the_best():
    best, second = tilecast.predict(1024, 1024, 1024, top=2)
    story = tilecast.explain(1024, 1024, 1024, [best.config, second.config])
    assert [kernel["config"] for kernel in story.kernels] == [best.config, second.config]
    assert story.best["config"] == best.config and "against_best" in story.kernels[1]
    assert "bound by" in str(story)
    assert tilecast.explain(1024, 1024, 1024, best.config, best=False).best is None


def test_gpus_are_those_of_the_configuration_files():
    by_name = {gpu.name: gpu for gpu in tilecast.gpus()}
    assert by_name["h200_sxm"].sms == 132 and by_name["h200_sxm"].why_not == ""
    assert by_name["a100_sxm80"].why_not == "" and "fictional" in by_name["hipparchus_h10"].why_not


def test_commands_of_the_program_say_what_is_missing(monkeypatch):
    monkeypatch.setenv("TILECAST_PROGRAM", "/nonexistent/tilecast")
    with pytest.raises(tilecast.FileError, match="TILECAST_PROGRAM"):
        tilecast.calibrate("rows.csv", "out.yaml")
    monkeypatch.setenv("TILECAST_PROGRAM", "false")
    with pytest.raises(tilecast.Error, match="exit code 1"):
        tilecast.report("rows.csv", "out")


def test_importing_takes_no_other_library():
    seen = subprocess.run([sys.executable, "-c",
                           "import sys, tilecast; print(*{'numpy', 'pandas', 'torch', 'triton'} & set(sys.modules))"],
                          check=True, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}).stdout
    assert seen.strip() == ""


def test_without_torch_the_import_names_the_package(tmp_path):
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')")
    told = subprocess.run([sys.executable, "-c", "import tilecast.torch"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}).stderr
    assert told.splitlines()[-1].startswith(
        "ImportError: tilecast.torch needs torch, with or without CUDA: pip install")


def test_one_schedule_may_stand_alone():
    one = tilecast.predict(512, 512, 512, schedules="ping_pong", top=1)
    assert one[0].config == tilecast.predict(512, 512, 512, schedules=["ping_pong"], top=1)[0].config


def test_groups_and_leading_dimensions_are_those_of_the_program():
    rows = tilecast.routed_rows(4096, 64, 2, "zipf:1.1")
    assert len(rows) == 64 and sum(rows) == 8192 and rows == tilecast.routed_rows(4096, 64, 2, "zipf:1.1", seed=1)
    assert rows != tilecast.routed_rows(4096, 64, 2, "zipf:1.1", seed=2)
    grouped = tilecast.Gemm([256, 0, 17], 1024, 512, dtype="bf16")
    assert tilecast.predict(grouped).data["problem"]["groups"] == [256, 0, 17]
    along_k = tilecast.predict(tilecast.Gemm(256, 128, [64, 512], dtype="bf16", layout="nt")).data["problem"]
    assert along_k["groups"] == [64, 512] and along_k["groups_along"] == "k"
    padded, dense = (tilecast.Gemm(512, 512, 500, lda=lda, ldb=lda) for lda in (512, None))
    assert tilecast.predict(padded)[0].time_us < tilecast.predict(dense)[0].time_us  # rows of 1,000 bytes need a copy
    times = tilecast.rank([grouped, padded], ["ws 128x128x64", "pp 64x128x64"])
    assert all(0 < time < 1e3 for row in times for time in row)
    assert len(tilecast.predict_many([grouped, padded, (64, 64, 64)])) == 3
    assert str(tilecast.explain(padded)).startswith("GEMM 512 x 512 x 500, fp16, tn: A [M,K] (512,1)")


@pytest.mark.parametrize("words, call", [
    ("lda", lambda: tilecast.predict(tilecast.Gemm(64, 64, 64, lda=8))),
    ("top-k 9: there are only 8 experts", lambda: tilecast.routed_rows(64, 8, 9)),
    ("tokens: expected 1 to 4194304, got 0", lambda: tilecast.routed_rows(0, 8)),
    ("rows", lambda: tilecast.routed_rows(1 << 22, 8, 2)),
    ("dtype: apply only to m, n and k", lambda: tilecast.predict(tilecast.Gemm(64, 64, 64), dtype="bf16")),
    ("batch: cannot be combined", lambda: tilecast.Gemm([64, 64], 64, 64, batch=2)),
    ("expected both BLOCK_M and BLOCK_N", lambda: tilecast.rank([(64, 64, 64)], [{"BLOCK_M": 64, "BLOCK_K": 64}])),
    ("block_m and bm: expected one of them",
     lambda: tilecast.rank([(64, 64, 64)], [{"BLOCK_M": 64, "BM": 64, "BN": 64}])),
    ("tile: given twice", lambda: tilecast.rank([(64, 64, 64)], [{"BM": 64, "BN": 64, "tile": (64, 64)}]))])
def test_mistakes_in_groups_and_leading_dimensions_are_refused(words, call):
    with pytest.raises(tilecast.ConfigError, match=words):
        call()


DECODE = tilecast.Attention(batch=16, heads=32, kv_heads=8, queries=1, keys=8192, head_dim=128, dtype="bf16")


def test_the_energy_objective_saves_energy_and_lists_millijoules():
    fastest = tilecast.predict(4096, 4096, 4096, top=1)[0]
    saving = tilecast.predict(4096, 4096, 4096, top=1, objective="energy")[0]
    assert saving.energy_mj <= fastest.energy_mj
    assert saving.time_us >= fastest.time_us
    assert fastest.energy_mj == pytest.approx(fastest.power_w * fastest.time_us * 1e-3, rel=1e-4)
    with pytest.raises(tilecast.ConfigError, match="unknown objective"):
        tilecast.predict(64, 64, 64, objective="power")


@pytest.mark.skipif("TILECAST" not in os.environ, reason="TILECAST does not name the program")
def test_attention_has_the_programs_answer():
    told = json.loads(subprocess.run(
        [os.environ["TILECAST"], "predict", "--op", "attention", "2x8:2x512x1024x64", "--causal", "--dtype", "bf16",
         "--layout", "bshd", "--lse", "--top", "3", "--format", "json"], check=True, capture_output=True).stdout)
    problem = tilecast.Attention(batch=2, heads=8, kv_heads=2, queries=512, keys=1024, head_dim=64, causal=True,
                                 dtype="torch.bfloat16", layout="bshd", lse=True)
    ours = tilecast.predict(problem, top=3).data
    told.pop("elapsed_ms"), ours.pop("elapsed_ms")
    assert ours == told


def test_attention_in_every_question():
    best, second = tilecast.predict(DECODE, top=2)
    assert best.config.startswith("attention_") and best.time_us <= second.time_us
    prefill = tilecast.Attention(batch=1, heads=32, queries=4096, keys=4096, head_dim=128, causal=True)
    assert prefill.kv_heads == 32 and str(prefill) == "1x32x4096x4096x128"
    impossible = tilecast.Attention(batch=1, heads=1, queries=1, keys=1, head_dim=96)
    many = tilecast.predict_many([DECODE, prefill, impossible])
    assert many[0] == best and "expected a head dimension of 64" in many[2].error
    assert str(many).splitlines()[0].split()[0] == "16x32:8x1x8192x128"
    # 200 splits exceed the limit of 128 per tile.
    beyond = best.config.replace("splits=", "splits=200")
    times = tilecast.rank([DECODE, prefill], [best.config, second.config, beyond])
    assert times[0] == pytest.approx([best.time_us, second.time_us, math.inf], rel=1e-5)
    assert tilecast.explain(DECODE, config=best.config, best=False).kernels[0]["config"] == best.config
    story = tilecast.explain(DECODE, [best.config, second.config])
    assert len(story.kernels) == 2 and story.best["config"] == best.config


def test_attention_has_fields_of_its_own():
    def refused(text, call):
        with pytest.raises(tilecast.ConfigError, match=text):
            call()

    refused("dtype: apply only to m, n and k", lambda: tilecast.predict(DECODE, dtype="bf16"))
    refused("n, k, batch: apply only to m, n and k", lambda: tilecast.predict(DECODE, 1, 2, batch=3))
    refused("layout: apply only to m, n and k", lambda: tilecast.rank([DECODE], ["ao"], layout="tn"))
    refused("applies only to GEMMs", lambda: tilecast.rank([DECODE], [Tile(128, 128, 64)]))
    refused("accumulate, out_dtype, calibrated, method: apply only to",
            lambda: tilecast.rank(PROBLEM, Tile(128, 128, 64), calibrated=False))
    refused("family: applies only to Triton's", lambda: tilecast.rank(PROBLEM, KNOWN, family=tilecast.triton.Family()))
    refused("attention", lambda: tilecast.rank([DECODE], [tilecast.predict(64, 64, 64, top=1)[0].config]))
    sides = {"batch": 1, "heads": 4, "queries": 8, "keys": 8, "head_dim": 64}
    refused("causal: expected True or False, got 'full'",
            lambda: tilecast.predict(tilecast.Attention(**sides, causal="full")))
    refused("the number of heads is not a multiple of the number of KV heads",
            lambda: tilecast.predict(tilecast.Attention(**sides, kv_heads=3)))
    refused("unknown layout|bhsd", lambda: tilecast.predict(tilecast.Attention(**sides, layout="tn")))
    refused("expected fp16 or bf16 for attention", lambda: tilecast.predict(tilecast.Attention(**sides, dtype="fp32")))
    with pytest.raises(TypeError):
        tilecast.predict(tilecast.Attention(**{**sides, "heads": 4.5}))
    assert not tilecast.explain(DECODE).kernels
