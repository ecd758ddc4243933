"""torchvision under torch's DataLoader, to uint8 batches: through Pillow, and through its own JPEG
decoder with the transforms on tensors; with 0 to 2 workers, or with one per core of more."""
import functools

import torch
import torchvision
from torch.utils.data import DataLoader, RandomSampler
from torchvision import io
from torchvision.datasets import ImageFolder
from torchvision.transforms import v2

import peer


def through_pillow(task):
    if task == "small":
        cut = torchvision.transforms.RandomCrop(peer.SMALL, padding=peer.PADDING)
    else:
        cut = torchvision.transforms.RandomResizedCrop(peer.PHOTO, peer.AREA, peer.ASPECT)
    return torchvision.transforms.Compose([
        cut, torchvision.transforms.RandomHorizontalFlip(), torchvision.transforms.PILToTensor()])


def through_tensors(task):
    if task == "small":
        cut = v2.RandomCrop(peer.SMALL, padding=peer.PADDING)
    else:
        cut = v2.RandomResizedCrop(peer.PHOTO, peer.AREA, peer.ASPECT, antialias=True)
    return v2.Compose([cut, v2.RandomHorizontalFlip()])


def read_tensor(path):
    return io.decode_jpeg(io.read_file(path), mode=io.ImageReadMode.RGB)


def one_thread(_worker):
    torch.set_num_threads(1)


def batches(data, workers):
    """Endless: the sampler goes over the data so often that nobody sees its end."""
    order = RandomSampler(data, num_samples=1 << 30, replacement=True)
    loader = DataLoader(data, peer.BATCH, sampler=order, num_workers=workers,
                        worker_init_fn=one_thread)
    for images, labels in loader:
        assert images.dtype == torch.uint8
        yield len(labels)


def main():
    given = peer.arguments(__doc__)
    torch.set_num_threads(1)
    pillow = ImageFolder(given.data, through_pillow(given.task))
    tensors = ImageFolder(given.data, through_tensors(given.task), loader=read_tensor)
    candidates = {}
    for workers in (0, 1, 2) if given.threads <= 2 else (given.threads,):
        for name, data in (("Pillow", pillow), ("torchvision.io, v2", tensors)):
            candidates[f"{name}, {workers} workers"] = functools.partial(batches, data, workers)
    peer.serve({"torch": torch.__version__, "torchvision": torchvision.__version__}, candidates,
               given.seconds)


if __name__ == "__main__":
    main()
