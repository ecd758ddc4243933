"""tf.data, to uint8 batches: decode_and_crop_jpeg of the window and resize with everything AUTOTUNE;
from files, or from TFRecords where the data is a pattern of them."""
import functools
import glob
import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import tensorflow as tf

import peer

SHUFFLE = 10000


def sources(data):
    """Bytes and label. Files are listed once and shuffled as paths; records within a buffer."""
    if any(letter in data for letter in "*?"):
        features = {"image": tf.io.FixedLenFeature([], tf.string),
                    "label": tf.io.FixedLenFeature([], tf.int64)}

        def parse(record):
            example = tf.io.parse_single_example(record, features)
            return example["image"], example["label"]

        records = tf.data.TFRecordDataset(sorted(glob.glob(data)), num_parallel_reads=tf.data.AUTOTUNE)
        return records.shuffle(SHUFFLE).repeat(), parse
    paths = sorted(path for path in pathlib.Path(data).rglob("*")
                   if path.suffix.lower() in (".jpg", ".jpeg"))
    classes = sorted({path.parent for path in paths})
    labels = [classes.index(path.parent) for path in paths]
    files = tf.data.Dataset.from_tensor_slices(([str(path) for path in paths], labels))
    return (files.shuffle(len(paths)).repeat(),
            lambda path, label: (tf.io.read_file(path), label))


def crop_photo(encoded, antialias):
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        tf.io.extract_jpeg_shape(encoded), tf.zeros([1, 0, 4]), min_object_covered=0.0,
        aspect_ratio_range=peer.ASPECT, area_range=peer.AREA, max_attempts=peer.TRIES,
        use_image_if_no_bounding_boxes=True)
    window = tf.stack([begin[0], begin[1], size[0], size[1]])
    image = tf.io.decode_and_crop_jpeg(encoded, window, channels=3)
    image = tf.image.resize(image, [peer.PHOTO, peer.PHOTO], antialias=antialias)
    return tf.cast(tf.image.random_flip_left_right(image), tf.uint8)


def crop_small(encoded):
    image = tf.io.decode_jpeg(encoded, channels=3)
    image = tf.pad(image, [[peer.PADDING] * 2, [peer.PADDING] * 2, [0, 0]])
    image = tf.image.random_crop(image, [peer.SMALL, peer.SMALL, 3])
    return tf.image.random_flip_left_right(image)


def batches(data, cut, threads):
    elements, read = sources(data)

    def prepare(*element):
        encoded, label = read(*element)
        return cut(encoded), label

    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    options.deterministic = False
    elements = elements.map(prepare, num_parallel_calls=tf.data.AUTOTUNE)
    elements = elements.batch(peer.BATCH, drop_remainder=True).prefetch(tf.data.AUTOTUNE)
    for _images, labels in elements.with_options(options):
        yield int(labels.shape[0])


def main():
    given = peer.arguments(__doc__)
    tf.config.threading.set_inter_op_parallelism_threads(given.threads)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    cuts = {"plain": crop_small}
    if given.task == "crop":
        cuts = {name: functools.partial(crop_photo, antialias=antialias)
                for name, antialias in (("antialias", True), ("no antialias", False))}
    candidates = {name: functools.partial(batches, given.data, cut, given.threads)
                  for name, cut in cuts.items()}
    peer.serve({"tensorflow": tf.__version__}, candidates, given.seconds)


if __name__ == "__main__":
    main()
