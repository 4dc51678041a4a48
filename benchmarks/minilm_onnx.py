#!/usr/bin/env python3
"""MiniLM of examples/minilm.py on Treadle and on onnxruntime, in turns: the same weights, the network rebuilt with onnx.

Needs two packages that nothing else here does:   .venv/bin/pip install onnx onnxruntime

    .venv/bin/python benchmarks/minilm_onnx.py [--rounds 15] [--threads 2]
"""
import argparse
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
import minilm
import numpy as np
from safetensors.numpy import load_file

try:
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    sys.exit(f"{missing}; install the packages named in this file's help")


class Network:
    """An ONNX graph in the making. Methods return names of values."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], {}

    def constant(self, name, value):
        self.constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def op(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def linear(self, name, x):
        weight = self.constant(name + ".weight", np.ascontiguousarray(self.weights[name + ".weight"].T))
        return self.op("Add", self.op("MatMul", x, weight), self.constant(name + ".bias", self.weights[name + ".bias"]))

    def layer_norm(self, name, x):
        scale, bias = (self.constant(f"{name}.{part}", self.weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)

    def attention(self, name, x, bias, length, width):
        split = self.constant("split", np.array([0, 0, minilm.HEADS, width // minilm.HEADS], np.int64))
        joined = self.constant("joined", np.array([0, 0, width], np.int64))
        heads = lambda t, order: self.op("Transpose", self.op("Reshape", t, split), perm=order)
        q = heads(self.linear(name + ".self.query", x), [0, 2, 1, 3])
        k = heads(self.linear(name + ".self.key", x), [0, 2, 3, 1])
        v = heads(self.linear(name + ".self.value", x), [0, 2, 1, 3])
        scale = self.constant("scale", np.float32(1 / np.sqrt(width // minilm.HEADS)))
        scores = self.op("Add", self.op("Mul", self.op("MatMul", q, k), scale), bias)
        mixed = self.op("Transpose", self.op("MatMul", self.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.layer_norm(name + ".output.LayerNorm", self.op("Add", self.linear(name + ".output.dense", self.op("Reshape", mixed, joined)), x))

    def build(self, sentences, length):
        w, e = self.weights, "embeddings"
        words = self.constant("words", w[e + ".word_embeddings.weight"])
        places = self.constant("places", w[e + ".position_embeddings.weight"][:length] + w[e + ".token_type_embeddings.weight"][0])
        width = w[e + ".LayerNorm.bias"].size
        x = self.layer_norm(e + ".LayerNorm", self.op("Add", self.op("Gather", words, "ids"), places))
        present = self.op("Cast", "mask", to=TensorProto.FLOAT)
        absent = self.op("Mul", self.op("Sub", self.constant("one", np.float32(1)), present), self.constant("far", np.float32(-1e9)))
        bias = self.op("Unsqueeze", absent, self.constant("axes", np.array([1, 2], np.int64)))
        for layer in range(minilm.LAYERS):
            name = f"encoder.layer.{layer}"
            x = self.attention(name + ".attention", x, bias, length, width)
            inner = self.op("Gelu", self.linear(name + ".intermediate.dense", x))
            x = self.layer_norm(name + ".output.LayerNorm", self.op("Add", self.linear(name + ".output.dense", inner), x))
        share = self.op("Unsqueeze", present, self.constant("last", np.array([2], np.int64)))
        tokens = self.constant("tokens", np.array([1], np.int64))
        pooled = self.op("Div", self.op("ReduceSum", self.op("Mul", x, share), tokens, keepdims=0), self.op("ReduceSum", share, tokens, keepdims=0))
        unit = self.op("Div", pooled, self.op("ReduceL2", pooled, tokens, keepdims=1))
        graph = helper.make_graph(self.nodes, "minilm", [helper.make_tensor_value_info(n, TensorProto.INT32, [sentences, length]) for n in ("ids", "mask")],
                                  [helper.make_tensor_value_info(unit, TensorProto.FLOAT, [sentences, width])], list(self.constants.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    folder = minilm.model_folder()
    ids, mask = minilm.inputs(folder)
    weights = {name: value for name, value in load_file(folder / "model.safetensors").items() if value.dtype == np.float32}
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = args.threads
    start = time.perf_counter()
    model = Network(weights).build(*ids.shape).SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    print(f"onnxruntime {onnxruntime.__version__}: model built and loaded in {time.perf_counter() - start:.2f} s")
    run = minilm.Run("treadle", weights, ids, mask)
    run.first_call()
    theirs, seconds = None, []
    for _ in range(args.rounds):
        run.again()
        start = time.perf_counter()
        theirs = session.run(None, {"ids": ids, "mask": mask})[0]
        seconds.append(time.perf_counter() - start)
    print(f"largest difference of the embeddings: {np.abs(theirs - run.embeddings).max():.1e}")
    for title, pick in (("best", min), ("median", lambda s: float(np.median(s)))):
        print(f"{title:7} Treadle {pick(run.seconds) * 1e3:8.1f} ms   onnxruntime {pick(seconds) * 1e3:8.1f} ms   ratio {pick(run.seconds) / pick(seconds):.2f}")


if __name__ == "__main__":
    main()
