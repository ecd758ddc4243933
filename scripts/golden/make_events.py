#!/usr/bin/env python3
"""Writes an event file with TensorBoard's own messages and record writer, as the reference for ours.

    python make_events.py tests/data/events
"""
import pathlib
import struct
import sys
import zlib

import tensorboard
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2
from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2
from tensorboard.summary.writer.record_writer import RecordWriter

TEXT = summary_pb2.SummaryMetadata(
    plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name="text"),
    data_class=summary_pb2.DATA_CLASS_TENSOR)


def png():
    """A grey image of 2 by 1 pixels."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(b"\x00\x10\xf0")) + chunk(b"IEND", b""))


def summary(**value):
    return summary_pb2.Summary(value=[summary_pb2.Summary.Value(**value)])


def events():
    """Those that tests/train/test_events.c writes, half a second apart."""
    Event = event_pb2.Event
    yield Event(file_version="brain.Event:2",
                source_metadata=event_pb2.SourceMetadata(writer="stoker"))
    yield Event(step=7, session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.START))
    yield Event(step=0, summary=summary(tag="loss/train", simple_value=2.5))
    yield Event(step=300, summary=summary(tag="gr\u00f6\u00dfe", simple_value=0.0))
    yield Event(step=1 << 40, summary=summary(tag="loss/train", simple_value=float("inf")))
    tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=["# a\n**b**".encode()],
                                    tensor_shape=tensor_shape_pb2.TensorShapeProto())
    yield Event(step=301, summary=summary(tag="recipe", tensor=tensor, metadata=TEXT))
    image = summary_pb2.Summary.Image(height=1, width=2, colorspace=1, encoded_image_string=png())
    yield Event(step=302, summary=summary(tag="samples", image=image))


def hparams():
    """Settings of a run, as the plugin's messages; all of one moment, as TensorBoard's own writer gives them but for the
    empty tensor, which it adds itself when it loads them."""
    now = 1700000000
    infos = [api_pb2.HParamInfo(name=name, type=kind) for name, kind in (
        ("model.name", api_pb2.DATA_TYPE_STRING), ("train.deterministic", api_pb2.DATA_TYPE_BOOL),
        ("train.learning_rate", api_pb2.DATA_TYPE_FLOAT64))]
    metrics = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag="validation/accuracy"))]
    start = plugin_data_pb2.SessionStartInfo(start_time_secs=now)
    start.hparams["model.name"].string_value = "l\u00e9net"
    start.hparams["train.deterministic"].bool_value = True
    start.hparams["train.learning_rate"].number_value = 0.1
    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.STATUS_SUCCESS, end_time_secs=now)
    experiment = api_pb2.Experiment(time_created_secs=now, hparam_infos=infos, metric_infos=metrics)
    for tag, data in ((metadata.EXPERIMENT_TAG, plugin_data_pb2.HParamsPluginData(experiment=experiment)),
                      (metadata.SESSION_START_INFO_TAG, plugin_data_pb2.HParamsPluginData(session_start_info=start)),
                      (metadata.SESSION_END_INFO_TAG, plugin_data_pb2.HParamsPluginData(session_end_info=end))):
        plugin = summary_pb2.SummaryMetadata.PluginData(
            plugin_name="hparams", content=data.SerializeToString(deterministic=True))
        about = summary_pb2.SummaryMetadata(plugin_data=plugin)
        yield event_pb2.Event(wall_time=now, summary=summary(tag=tag, metadata=about))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "grey.png").write_bytes(png())
    with open(folder / "reference.tfevents", "wb") as file:
        writer = RecordWriter(file)
        for i, event in enumerate(events()):
            event.wall_time = 1700000000 + i / 2
            writer.write(event.SerializeToString(deterministic=True))
    with open(folder / "hparams.tfevents", "wb") as file:
        writer = RecordWriter(file)
        for event in hparams():
            writer.write(event.SerializeToString(deterministic=True))
    print("tensorboard", tensorboard.__version__)


if __name__ == "__main__":
    main()
