"""python -m tilecast layer: predicts the cost of a decoder layer of a language model, from a
Hugging Face config.json."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import os
import pathlib
from typing import Any, Optional

from . import _native
from ._files import read_json
from ._model import ConfigError, _machine

_DEFAULT_TOKENS = 4096
_ACTIVATIONS = ("silu", "gelu", "gelu_pytorch_tanh")
# model_type of config.json: layers with two RMS norms, rotary embedding and a gated MLP
_MODEL_TYPES = ("llama", "mistral", "qwen2", "gemma", "granite", "phi3", "internlm2")


def known_models() -> dict[str, dict[str, Any]]:
    return json.loads((pathlib.Path(__file__).parent / "models.json").read_text())


@dataclasses.dataclass(frozen=True)
class LayerConfig:
    """A decoder layer with grouped-query attention, rotary embedding, RMS norms and a gated MLP. If
    several GPUs share the layer, one GPU's part: heads and MLP columns are divided."""

    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_dim: int
    layers: int
    activation: str
    bias: bool
    assumed: tuple[str, ...] = ()  # assumptions, and keys of the configuration that are ignored

    @classmethod
    def of(cls, config: dict[str, Any], name: str, parts: int = 1) -> LayerConfig:
        def count(key: str, default: Optional[int] = None) -> int:
            value = default if config.get(key) is None else config[key]  # null is as absent
            if value is None:
                raise ConfigError(f"{name}: {key}: missing")
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1 << 24:
                raise ConfigError(f"{name}: {key}: expected an integer from 1 to {1 << 24}, got {value!r}")
            return value

        if "hidden_size" not in config and isinstance(config.get("text_config"), dict):
            raise ConfigError(f"{name}: the language model is nested in text_config; pass a file of that object alone")
        for key in ("num_local_experts", "num_experts", "n_routed_experts", "kv_lora_rank"):
            if config.get(key):
                raise ConfigError(f"{name}: {key}: mixtures of experts and latent attention are not supported here; "
                                  "tilecast predict --experts forecasts the products of experts, and "
                                  "tilecast.torch.forecast a model whose experts call torch._grouped_mm")
        kind = config.get("model_type")
        if kind is not None and kind not in _MODEL_TYPES:
            raise ConfigError(f"{name}: model_type: expected one of {', '.join(_MODEL_TYPES)}, which have RMS norms and "
                              f"a gated MLP, got {kind!r}; tilecast.torch.forecast takes any module")
        hidden, heads = count("hidden_size"), count("num_attention_heads")
        bias = config.get("attention_bias")
        made = cls(hidden, count("intermediate_size"), heads, count("num_key_value_heads", heads),
                   count("head_dim", max(1, hidden // heads)), count("num_hidden_layers"),
                   config.get("hidden_act") or "silu", kind == "qwen2" if bias is None else bool(bias),
                   _assumed(config, kind))
        if made.activation not in _ACTIVATIONS:
            raise ConfigError(f"{name}: hidden_act: expected one of {', '.join(_ACTIVATIONS)}, got {made.activation!r}")
        if made.head_dim % 2:
            raise ConfigError(f"{name}: head_dim: expected an even number, for rotary embedding, got {made.head_dim}")
        if heads % made.kv_heads:
            raise ConfigError(f"{name}: num_attention_heads: expected a multiple of num_key_value_heads")
        for key, side in (("num_attention_heads", heads), ("intermediate_size", made.intermediate)):
            if side % parts:
                raise ConfigError(f"{name}: {key}: {side} cannot be divided among {parts} GPUs")
        if made.kv_heads % parts and parts % made.kv_heads:  # each head is on one GPU, or on equally many
            raise ConfigError(f"{name}: num_key_value_heads: {made.kv_heads} cannot be divided among {parts} GPUs")
        return dataclasses.replace(made, heads=heads // parts, kv_heads=max(1, made.kv_heads // parts),
                                   intermediate=made.intermediate // parts)


def _assumed(config: dict[str, Any], kind: Any) -> tuple[str, ...]:
    found = [] if kind else ["no model_type: causal, RMS norms, rotary embedding and a gated MLP"]
    quantized = config.get("quantization_config")
    if quantized:
        method = quantized.get("quant_method") if isinstance(quantized, dict) else quantized
        found.append(f"bf16 instead of quantization_config {method}")
    dtype = config.get("torch_dtype") or config.get("dtype") or "bfloat16"
    if dtype not in ("bfloat16", "float16") and not quantized:
        found.append(f"bf16 instead of {dtype}")
    if config.get("sliding_window") and config.get("use_sliding_window", True):
        found.append(f"attention to all keys instead of a sliding window of {config['sliding_window']}")
    return tuple(found)


def read_config(model: str, parts: int = 1) -> LayerConfig:
    """Reads the configuration of a known model, or a config.json or its folder."""
    known = known_models()
    if model.lower() in known:
        return LayerConfig.of({"model_type": "llama", **known[model.lower()]}, model, parts)
    path = os.path.join(model, "config.json") if os.path.isdir(model) else model
    if path != model and not os.path.exists(path):
        raise ConfigError(f"--model: no config.json in {model}")
    if not os.path.exists(path):
        raise ConfigError(f"--model: expected one of {', '.join(known)}, or the path of a config.json, got '{model}'")
    config = read_json(path)
    if not isinstance(config, dict):
        raise ConfigError(f"{path}: expected a JSON object")
    return LayerConfig.of(config, path, parts)


@functools.cache
def _layer_class() -> type:
    import torch
    from torch.nn import functional

    class DecoderLayer(torch.nn.Module):
        def __init__(self, config: LayerConfig):
            super().__init__()
            options = {"device": "meta", "dtype": torch.bfloat16}
            self.config = config
            self.norm = torch.nn.RMSNorm(config.hidden, **options)
            self.mlp_norm = torch.nn.RMSNorm(config.hidden, **options)
            self.qkv = torch.nn.Linear(config.hidden, (config.heads + 2 * config.kv_heads) * config.head_dim,
                                       bias=config.bias, **options)
            self.out = torch.nn.Linear(config.heads * config.head_dim, config.hidden, bias=False, **options)
            self.gate_up = torch.nn.Linear(config.hidden, 2 * config.intermediate, bias=False, **options)
            self.down = torch.nn.Linear(config.intermediate, config.hidden, bias=False, **options)

        def forward(self, x, cos, sin, keys=None, values=None):
            heads, kv_heads, d = self.config.heads, self.config.kv_heads, self.config.head_dim
            batch, tokens, _ = x.shape
            parts = self.qkv(self.norm(x)).split([heads * d, kv_heads * d, kv_heads * d], -1)
            q, k, v = (part.view(batch, tokens, -1, d).transpose(1, 2) for part in parts)

            def rotated(one):
                left, right = one.chunk(2, -1)
                return one * cos + torch.cat((-right, left), -1) * sin

            q, k = rotated(q), rotated(k)
            if keys is not None:  # decode: attend to the KV cache, which is updated outside this layer
                k, v = keys, values
            attention = functional.scaled_dot_product_attention(q, k, v, is_causal=keys is None,
                                                                enable_gqa=heads != kv_heads)
            x = x + self.out(attention.transpose(1, 2).reshape(batch, tokens, heads * d))
            gate, up = self.gate_up(self.mlp_norm(x)).chunk(2, -1)
            gated = (functional.silu(gate) if self.config.activation == "silu" else
                     functional.gelu(gate, approximate="none" if self.config.activation == "gelu" else "tanh"))
            return x + self.down(gated * up)

    return DecoderLayer


def decoder_layer(config: LayerConfig):
    """Returns the layer as a torch module on the meta device; forward(x, cos, sin, keys,
    values)."""
    return _layer_class()(config)


def forecast_layer(config: LayerConfig, *, batch: int, tokens: int, phase: str, context: int = 0, **options: Any):
    """Runs `tilecast.torch.forecast` for one layer. prefill: `tokens` of each of `batch` sequences;
    decode: one token of each, with `context` keys."""
    import torch

    from .torch import forecast

    def empty(*shape: int):
        return torch.empty(*shape, device="meta", dtype=torch.bfloat16)

    rows = 1 if phase == "decode" else tokens
    cache = [empty(batch, config.kv_heads, context, config.head_dim) for _ in range(2)] if phase == "decode" else []
    return forecast(decoder_layer(config), empty(batch, rows, config.hidden), empty(rows, config.head_dim),
                    empty(rows, config.head_dim), *cache, **options)


def memory_bytes(config: LayerConfig, layers: int, batch: int, context: int) -> float:
    """Returns the bytes of weights, and of keys and values, of `layers` layers on one GPU."""
    qkv = (config.heads + 2 * config.kv_heads) * config.head_dim
    weights = config.hidden * (qkv + config.heads * config.head_dim + 3 * config.intermediate)
    return 2.0 * layers * (weights + 2 * batch * context * config.kv_heads * config.head_dim)


def add_options(parser: argparse.ArgumentParser) -> None:
    number = {"type": int, "metavar": "N"}
    parser.add_argument("--model", required=True,
                        help=f"one of {', '.join(known_models())}, or the path of a config.json")
    parser.add_argument("--phase", choices=("prefill", "decode"), default="prefill",
                        help="prefill of whole sequences (default), or decode of one token of each")
    parser.add_argument("--tokens", help=f"tokens per sequence in prefill (default {_DEFAULT_TOKENS})", **number)
    parser.add_argument("--batch", default=1, help="number of sequences (default %(default)s)", **number)
    parser.add_argument("--context", help=f"keys per sequence in decode (default {_DEFAULT_TOKENS})", **number)
    parser.add_argument("--tensor-parallel", default=1, help="number of GPUs that share a layer, 1 to 8", **number)
    parser.add_argument("--layers", default=0, **number,
                        help="number of layers in one CUDA graph (default: all layers of the model)")
    parser.add_argument("--mode", choices=("eager", "compile"), default="compile",
                        help="torch's eager kernels, or Inductor's (default %(default)s)")
    parser.add_argument("--regime", choices=("burst", "sustained"), default="sustained",
                        help="clock of an idle GPU, or of continuous load (default %(default)s)")
    parser.add_argument("--gpu", default="h200_sxm", help="name of a GPU, or path of a GPU file (default %(default)s)")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="default %(default)s")
    parser.add_argument("--trace", help="file to write a trace of the launches to, for chrome://tracing or Perfetto")


def run(options: argparse.Namespace) -> str:
    for phase, name in (("prefill", "context"), ("decode", "tokens")):
        if options.phase == phase and getattr(options, name) is not None:
            raise ConfigError(f"--{name}: does not apply to --phase {phase}")
        if getattr(options, name) is None:
            setattr(options, name, _DEFAULT_TOKENS)
    if options.trace == "-":
        raise ConfigError("--trace: expected the path of a file, got -")
    for name, least, most in (("tokens", 1, 1 << 24), ("batch", 1, 1 << 16), ("context", 1, 1 << 24),
                              ("tensor_parallel", 1, 8), ("layers", 0, 10000)):
        if not least <= getattr(options, name) <= most:
            raise ConfigError(f"--{name.replace('_', '-')}: expected {least} to {most}")
    try:
        import torch  # noqa: F401
    except ImportError:
        raise ConfigError("layer needs torch, with or without CUDA: pip install torch") from None
    parts = options.tensor_parallel
    config = read_config(options.model, parts)
    layers = options.layers or config.layers
    answer = forecast_layer(config, batch=options.batch, tokens=options.tokens, phase=options.phase,
                            context=options.context, gpu=options.gpu, mode=options.mode, regime=options.regime,
                            repeats=layers)
    if options.trace:
        answer.write_trace(options.trace)
    rows = options.batch * (1 if options.phase == "decode" else options.tokens)
    reduced = 2 * rows * config.hidden * 2 if parts > 1 else 0
    if options.format == "json":
        return json.dumps({**answer.to_dict(), "model": options.model, "layers": layers,
                           "all_layers_us": answer.total_us * layers, "tensor_parallel": parts,
                           "all_reduce_bytes": reduced, "assumed": config.assumed,
                           **{name: getattr(options, name) for name in ("phase", "batch", "tokens", "context")}}, indent=1)
    text = (f"One layer of {options.model}\n{answer}\n\n{layers} layers: {'at least ' if answer.unknown else ''}"
            f"{answer.total_us * layers / 1000:.2f} ms, without embedding and head.")
    needed = memory_bytes(config, layers, options.batch, options.context if options.phase == "decode" else options.tokens)
    capacity = _native.constants(_machine(options.gpu, True))["dram.capacity"]
    if needed > capacity:
        text += (f"\nWeights, keys and values of {layers} layers need {needed / 2**30:.0f} GiB, this GPU has "
                 f"{capacity / 2**30:.0f} GiB.")
    if config.assumed:
        text += f"\nAssumed: {'; '.join(config.assumed)}."
    if reduced:
        text += (f"\nNot included: two all-reduces of {reduced / 2e6:.1f} MB per layer among {parts} GPUs.")
    return text
