#!/usr/bin/env python3
"""make_traces.py OUT pytorch|tensorflow|planes|xprof: small traces of real training loops, each bound by one
thing on purpose. Run with a Python that has the tool; see tests/data/trace/README.md."""
import gzip
import json
import os
import pathlib
import sys
import time

STEPS = 12


def write(path, text):
    """Without a time in the header, so that the same text gives the same bytes."""
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(text.encode())
    print(path, os.path.getsize(path), "bytes")


def shorten(text):
    """Leaves out what no reader needs (the shapes of inputs, call stacks), so that the file is small."""
    trace = json.loads(text)
    for event in trace["traceEvents"]:
        for key in list(event.get("args", {})):
            if key not in ("name", "sort_index", "labels", "External id", "step_num", "long_name"):
                del event["args"][key]
    return json.dumps(trace, indent=1)


def pytorch(out):
    import torch
    from torch.profiler import ProfilerActivity, profile, schedule

    torch.set_num_threads(1)

    class Rows(torch.utils.data.Dataset):
        def __init__(self, seconds):
            self.seconds = seconds

        def __len__(self):
            return 16 * (STEPS + 8)

        def __getitem__(self, index):
            if self.seconds:
                time.sleep(self.seconds)
            return torch.full((64,), float(index)), index % 10

    def run(name, seconds, width):
        model = torch.nn.Sequential(torch.nn.Linear(64, width), torch.nn.ReLU(), torch.nn.Linear(width, 10))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        loader = torch.utils.data.DataLoader(Rows(seconds), batch_size=16)
        path = str(out / "torch.json")
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=2, active=STEPS),
                     on_trace_ready=lambda p: p.export_chrome_trace(path)) as profiler:
            for index, (rows, labels) in enumerate(loader):
                if index == STEPS + 4:
                    break
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(model(rows), labels).backward()
                optimizer.step()
                profiler.step()
        write(out / f"pytorch_{name}.json.gz", shorten(open(path).read()))
        os.remove(path)

    run("input_bound", 0.001, 64)
    run("compute_bound", 0, 32768)


def tensorflow(out):
    import numpy
    import tensorflow as tf
    from tensorflow.python.client import timeline

    tf1 = tf.compat.v1
    tf1.disable_eager_execution()

    def run(name, seconds, width):
        def load(index):
            time.sleep(seconds)
            return numpy.full(64, float(index))

        rows = tf1.py_func(load, [tf.constant(1.0)], tf.float64)
        rows = tf.cast(tf.reshape(rows, [1, 64]), tf.float32) + tf.zeros([256, 64])
        weights = tf1.get_variable(f"w_{name}", [64, width])
        back = tf1.get_variable(f"b_{name}", [width, 64])
        loss = tf.reduce_mean(tf.square(tf.matmul(tf.nn.relu(tf.matmul(rows, weights)), back)))
        train = tf1.train.GradientDescentOptimizer(1e-9).minimize(loss)
        with tf1.Session(config=tf1.ConfigProto(intra_op_parallelism_threads=1)) as session:
            session.run(tf1.global_variables_initializer())
            metadata = tf1.RunMetadata()
            for _ in range(3):
                session.run(train, options=tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE),
                            run_metadata=metadata)
        write(out / f"tensorflow_{name}.json.gz", timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())

    run("input_bound", 0.02, 16)
    run("compute_bound", 0, 4096)


def planes(out):
    """What TensorFlow's profiler writes; `xprof` makes traces of it."""
    import tempfile

    import tensorflow as tf

    def run(name, seconds, width):
        def load(index):
            time.sleep(seconds)
            return tf.ones([256, 64])

        data = tf.data.Dataset.range(1000).map(
            lambda i: tf.ensure_shape(tf.py_function(load, [i], tf.float32), [256, 64]))
        first, second = tf.Variable(tf.ones([64, width])), tf.Variable(tf.ones([width, 64]))

        @tf.function
        def train(rows):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.nn.relu(rows @ first) @ second) ** 2)
            for variable, gradient in zip((first, second), tape.gradient(loss, (first, second))):
                variable.assign_sub(1e-9 * gradient)

        rows = iter(data)
        for _ in range(3):
            train(next(rows))
        with tempfile.TemporaryDirectory() as folder:
            tf.profiler.experimental.start(folder, tf.profiler.experimental.ProfilerOptions(
                host_tracer_level=2, python_tracer_level=0, device_tracer_level=0))
            for step in range(STEPS):
                with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
                    train(next(rows))
            tf.profiler.experimental.stop()
            made, = pathlib.Path(folder).rglob("*.xplane.pb")
            (out / f"xprof_{name}.xplane.pb").write_bytes(made.read_bytes())

    run("input_bound", 0.02, 16)
    run("compute_bound", 0, 4096)


def xprof(out):
    """The trace viewer's own form: `trace.json.gz` of versions that still wrote one."""
    from xprof.convert import raw_to_tool_data

    for made in sorted(out.glob("xprof_*.xplane.pb")):
        text, _ = raw_to_tool_data.xspace_to_tool_data([str(made)], "trace_viewer", {})
        text = text.decode() if isinstance(text, bytes) else text
        write(out / f"{made.name.split('.')[0]}.json.gz", shorten(text))
        made.unlink()


if __name__ == "__main__":
    maker = {"pytorch": pytorch, "tensorflow": tensorflow, "planes": planes, "xprof": xprof}[sys.argv[2]]
    maker(pathlib.Path(sys.argv[1]))
