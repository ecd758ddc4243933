/* The built-in presets. Results are uint8 unless normalised values are requested: a quarter of the
 * bytes to transfer, and the device casts for free. */
#include <stddef.h>
#include <stoker/presets.h>
#include <string.h>

static const stk_preset_op imagenet_train[] = {
    {"random_resized_crop", "size={size} filter=bilinear area={1-0.92*strength},1", 1},
    {"flip", "axis=horizontal", 0.5},
    {NULL, NULL, 0},
};
/* Resized to 256 for a crop of 224, and in that proportion for others. */
static const stk_preset_op imagenet_evaluate[] = {
    {"resize", "size={size*256/224} filter=bilinear", 1},
    {"centre_crop", "size={size}", 1},
    {NULL, NULL, 0},
};

static const stk_preset_op cifar_train[] = {
    {"random_crop", "size={size} padding={4*strength} pad_if_needed=true", 1},
    {"flip", "axis=horizontal", 0.5},
    {NULL, NULL, 0},
};
static const stk_preset_op cifar_evaluate[] = {
    {"centre_crop", "size={size}", 1},
    {NULL, NULL, 0},
};

static const stk_preset_op cifar_shift_train[] = {
    {"random_crop", "size={size} padding={2*strength} border=reflect pad_if_needed=true", 1},
    {"flip", "axis=horizontal", 0.5},
    {NULL, NULL, 0},
};

static const stk_preset_op fashion_train[] = {
    {"random_crop", "size={size} padding={2*strength} pad_if_needed=true", 1},
    {"flip", "axis=horizontal", 0.5},
    {NULL, NULL, 0},
};

/* Small images are shifted by some pixels, which means something in one size only; crops of
 * photos have a size of their own, but a banner's would show next to nothing of it. */
static const char one_size[] = "size={size} max_ratio=2 filter=bilinear";
static const char any_shape[] = "max_ratio=3 filter=bilinear";

static const stk_preset presets[] = {
    {"imagenet", "photos: random resized crop and flip; to evaluate, resize and centre crop", 224,
     3, imagenet_train, imagenet_evaluate, "mean=0.485,0.456,0.406 std=0.229,0.224,0.225",
     any_shape},
    {"cifar", "small colour images: shifted by up to 4 pixels, and flipped", 32, 3, cifar_train,
     cifar_evaluate, "mean=0.4914,0.4822,0.4465 std=0.2470,0.2435,0.2616", one_size},
    {"cifar-shift",
     "small colour images: shifted by up to 2 pixels, with a reflected border, and flipped", 32, 3,
     cifar_shift_train, cifar_evaluate, "mean=0.4914,0.4822,0.4465 std=0.2470,0.2435,0.2616",
     one_size},
    {"fashion", "small grey images: shifted by up to 2 pixels, and flipped", 28, 1, fashion_train,
     cifar_evaluate, "mean=0.2860 std=0.3530", one_size},
};

enum { PRESETS = sizeof presets / sizeof presets[0] };

const stk_preset *stk_preset_at(size_t index)
{
    return index < PRESETS ? &presets[index] : NULL;
}

bool stk_preset_has(const stk_preset *preset, bool evaluate, const char *operation)
{
    const stk_preset_op *steps = evaluate ? preset->evaluate : preset->train;
    for (const stk_preset_op *s = steps; s->operation; s++)
        if (strcmp(s->operation, operation) == 0) return true;
    return strcmp(operation, "normalize") == 0 || strcmp(operation, "layout") == 0 ||
           (preset->fit && strcmp(operation, "fit") == 0);
}

const stk_preset *stk_preset_find(const char *name)
{
    for (size_t i = 0; i < PRESETS; i++)
        if (strcmp(presets[i].name, name) == 0) return &presets[i];
    return NULL;
}
