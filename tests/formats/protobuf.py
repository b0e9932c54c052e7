"""Reads the protobuf exposition with Google's own code, made by protoc of metrics.proto."""

import importlib
import subprocess
import sys
import tempfile
from pathlib import Path

PROTO = Path(__file__).with_name("metrics.proto")


def load():
    with tempfile.TemporaryDirectory(prefix="slurmscope-proto-") as folder:
        subprocess.run(["protoc", f"--python_out={folder}", f"-I{PROTO.parent}", PROTO.name], check=True)
        sys.path.insert(0, folder)
        try:
            return importlib.import_module("metrics_pb2")
        finally:
            sys.path.remove(folder)


def varint(page, at):
    value = shift = 0
    while True:
        byte = page[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def read(page, messages):
    """[MetricFamily]; each is all that its bytes say, in the fewest bytes there can be."""
    families, at = [], 0
    while at < len(page):
        length, at = varint(page, at)
        family = messages.MetricFamily()
        family.ParseFromString(page[at:at + length])
        family.DiscardUnknownFields()
        assert family.ByteSize() == length, f"{family.name}: {family.ByteSize()} bytes of {length} are known"
        families.append(family)
        at += length
    assert at == len(page)
    return families


def labels(pairs):
    return tuple((pair.name, pair.value) for pair in pairs)


def natives(histogram):
    """{index: count} of the exponential buckets, None: zero."""
    found, index, count, deltas = {}, 0, 0, iter(histogram.positive_delta)
    if histogram.zero_count:
        found[None] = histogram.zero_count
    for span in histogram.positive_span:
        index += span.offset
        for _ in range(span.length):
            count += next(deltas)
            found[index] = count
            index += 1
    assert next(deltas, None) is None
    return found
