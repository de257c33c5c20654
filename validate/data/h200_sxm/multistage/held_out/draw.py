"""Draws held-out problems and kernels with mma.sync and forecasts them before they are measured.

python3 draw.py SEED TILECAST: writes points.csv (tilecast-gpu measure --points) and forecast.csv.
"""
import csv
import io
import random
import subprocess
import sys

SCHEDULES = ["multistage", "multistage_split_k"]
LAYERS = [(4096, 4096), (6144, 4096), (4096, 14336), (28672, 4096), (5120, 5120), (13824, 5120), (2560, 9728),
          (3072, 768), (768, 3072), (1536, 8960), (8192, 1024), (2048, 7168), (7168, 2048), (1280, 5120)]


def problems(draw):
    def eights(low, high):
        return 8 * draw.randint(low // 8, high // 8)

    for kind, count in (("layer", 13), ("hundreds", 8), ("decode", 6), ("short_k", 4), ("any", 6), ("odd", 2), ("long_k", 1)):
        for _ in range(count):
            while True:
                n, k = draw.choice(LAYERS)
                layout = draw.choices(["tn", "nn", "nt", "tt"], [6, 2, 1, 1])[0]
                if kind == "layer":
                    m = draw.choice([256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096])
                elif kind == "hundreds":
                    m = eights(72, 640)
                elif kind == "decode":
                    m, layout = draw.choice([1, 4, 8, 16, 24, 32, 48, 64]), draw.choice(["tn", "nn"])
                elif kind == "short_k":
                    m, n, k = eights(512, 8000), eights(64, 3000), eights(32, 400)
                elif kind == "any":
                    m, n, k = eights(64, 5000), eights(64, 5000), eights(64, 5000)
                elif kind == "odd":
                    m, n, k, layout = draw.randint(100, 3000), draw.randint(100, 3000), eights(64, 4000), "tn"
                else:
                    m, n, k = eights(64, 400), eights(64, 600), eights(8000, 20000)
                if m * n * k < 1.1e11:
                    break
            yield kind, {"m": m, "n": n, "k": k, "dtype": draw.choice(["bf16", "fp16"]), "layout": layout}


def predict(tilecast, problem, *options):
    text = subprocess.run(
        [tilecast, "predict", "{m}x{n}x{k}".format(**problem), "--dtype", problem["dtype"], "--layout", problem["layout"],
         "--gpu", "h200_sxm", "--no-calibration", "--format", "csv", *options], check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def without_order(config):
    return config[:config.index(",raster")]


def main():
    draw, tilecast = random.Random(int(sys.argv[1])), sys.argv[2]
    points = csv.writer(open("points.csv", "w", newline=""), lineterminator="\n")
    points.writerow("op,m,n,k,dtype,layout,config,regime,inputs,l2_state,drawn".split(","))
    forecast = csv.writer(open("forecast.csv", "w", newline=""), lineterminator="\n")
    forecast.writerow("kind,m,n,k,dtype,layout,config,choice,analytic_cycles,analytic_us,simulated_cycles,simulated_us".split(","))
    for kind, problem in problems(draw):
        menu = predict(tilecast, problem, "--schedule", *SCHEDULES, "--all", "--top", "1000000", "--method", "analytic")
        shown = [row["config"] for row in predict(tilecast, problem, "--schedule", *SCHEDULES, "--top", "2")]
        chosen = {config: "listed" for config in shown}
        seen = {without_order(config) for config in shown}
        best = min(float(row["time_us"]) for row in menu)
        for name, limit, until in (("near", 1.25, 6), ("far", 3.0, 10)):
            rows = [row["config"] for row in menu if float(row["time_us"]) <= limit * best]
            draw.shuffle(rows)
            for config in rows:
                if len(chosen) < until and without_order(config) not in seen:
                    seen.add(without_order(config))
                    chosen[config] = name
        by = {}
        for method in ("analytic", "simulated"):
            for config in chosen:
                by.setdefault(config, {})[method] = predict(tilecast, problem, "--config", config, "--method", method)[0]
        for config, choice in chosen.items():
            key = [problem[name] for name in ("m", "n", "k", "dtype", "layout")]
            a, s = by[config]["analytic"], by[config]["simulated"]
            points.writerow(["gemm", *key, config, "burst", "normal", "rotating", kind])
            simulated = [s["cycles"], s["time_us"]] if s["method"] == "simulated" else ["", ""]
            forecast.writerow([kind, *key, config, choice, a["cycles"], a["time_us"], *simulated])
        print(kind, problem, len(menu), len(chosen), flush=True)


main()
