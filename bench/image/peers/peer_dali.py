"""NVIDIA DALI on the CPU alone, to uint8 batches: its decoder of random crops, resize, flip."""
import nvidia.dali
from nvidia.dali import fn, pipeline_def, types

import peer


def crop_photo(encoded, antialias):
    image = fn.decoders.image_random_crop(
        encoded, device="cpu", output_type=types.RGB, random_area=peer.AREA,
        random_aspect_ratio=peer.ASPECT, num_attempts=peer.TRIES)
    image = fn.resize(image, size=[peer.PHOTO, peer.PHOTO], interp_type=types.INTERP_LINEAR,
                      antialias=antialias)
    return fn.flip(image, horizontal=fn.random.coin_flip())


def crop_small(encoded):
    image = fn.decoders.image(encoded, device="cpu", output_type=types.RGB)
    places = [float(place) for place in range(-peer.PADDING, peer.PADDING + 1)]
    start = fn.cast(fn.random.uniform(values=places, shape=[2]), dtype=types.INT32)
    image = fn.slice(image, start=start, shape=[peer.SMALL] * 2, axes=(0, 1),
                     out_of_bounds_policy="pad")
    return fn.flip(image, horizontal=fn.random.coin_flip())


def batches(given, antialias):
    @pipeline_def(batch_size=peer.BATCH, num_threads=given.threads, device_id=None)
    def build():
        encoded, label = fn.readers.file(file_root=given.data, random_shuffle=True)
        if given.task == "small":
            return crop_small(encoded), label
        return crop_photo(encoded, antialias), label

    pipe = build()
    pipe.build()
    while True:
        images, _labels = pipe.run()
        yield len(images)


def main():
    given = peer.arguments(__doc__)
    candidates = {"plain": lambda: batches(given, False)}
    if given.task == "crop":
        candidates = {"antialias": lambda: batches(given, True),
                      "no antialias": lambda: batches(given, False)}
    peer.serve({"DALI": nvidia.dali.__version__}, candidates, given.seconds)


if __name__ == "__main__":
    main()
