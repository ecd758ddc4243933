/* Every key of a training recipe: the one table that YAML, flags, the resolved recipe and the
 * documentation come from. */
#include "train/recipe/train_recipe_internal.h"

#define KEY(section, member, kind_, default_)                                                      \
    .group = #section, .name = #member, .kind = STK_PARAM_##kind_,                                 \
    .offset = offsetof(stk_train_recipe, section.member),                                          \
    .size = sizeof(((stk_train_recipe *)0)->section.member), .default_value = (default_)
#define AUTO(section, member, kind_) KEY(section, member, kind_, "auto"), .flags = STK_PARAM_AUTO

static const stk_param keys[] = {
    {KEY(data, path, TEXT, ""), .help = "the folder, pack or files to learn from"},
    {AUTO(data, kind, TEXT),
     .help = "what the data is, when it cannot be told: folder, csv, tfrecord..."},
    {AUTO(data, split, TEXT),
     .help = "the split to train on; auto: train or training where there is one, else all"},
    {AUTO(data, validation, TEXT),
     .help = "what the best model is chosen by: a split, a share such as 0.1 of the training split "
             "that is held back, or none; auto: val, validation, valid, dev or eval where there is "
             "one, else 0.1"},
    {AUTO(data, test, TEXT), .help = "what the best model is tried on once, at the end: a split, "
                                     "or none; auto: test or testing where there is one"},
    {AUTO(data, preset, TEXT), .help = "how images are prepared: imagenet, cifar, cifar-shift, "
                                       "fashion; auto: by their size, or the model's own"},
    {KEY(data, pipeline, TEXT, ""),
     .help =
         "a recipe whose data: is a list of stages that give image and label, instead of a preset"},
    {KEY(data, on_bad_sample, ENUM, "stop"), .choices = STK_PARAM_WORDS("stop", "skip"),
     .help = "what an image that cannot be read does, and a link to nothing or back up, or a "
             "folder that may not be read"},
    {KEY(data, follow_outside, BOOL, "false"),
     .help = "take what links in the data's folder and rows of a table name outside of it"},
    {AUTO(data, size, INT64), .min = 1, .max = 4096,
     .help = "pixels of a side; auto: about as the images are, but the preset's at most"},
    {AUTO(data, batch, INT64), .min = 1, .max = 1000000, .help = "images of a step"},
    {AUTO(data, eval_batch, INT64), .min = 1, .max = 1000000,
     .help = "images of a step of evaluation; auto: as batch"},
    {AUTO(data, shuffle, INT64), .max = 1000000000,
     .help = "images to draw from; auto: all files, or as many records as 256 MB hold"},
    {KEY(data, cache, ENUM, "auto"), .choices = STK_PARAM_WORDS("auto", "memory", "disk", "none"),
     .help = "keep what was read for later epochs; auto: in memory, where it fits into half of "
             "knobs.memory_mb and is read again"},
    {KEY(data, cache_folder, TEXT, ""), .help = "of data.cache: disk; it stays for other runs. "
                                                "Empty: the run's folder, and it goes at the end"},
    {KEY(data, resident, ENUM, "auto"), .choices = STK_PARAM_WORDS("auto", "on", "off"),
     .help = "keep all images on the device and prepare them there; auto: on a GPU, where the "
             "preset allows it and they fit"},
    {KEY(data, flip, ENUM, "auto"), .choices = STK_PARAM_WORDS("auto", "random", "alternate"),
     .help = "which way round images are: by chance, or turned each epoch (with data.resident); "
             "auto: by chance, or the model's own where that can be"},
    {KEY(data, balance, ENUM, "none"), .choices = STK_PARAM_WORDS("none", "classes"),
     .help = "classes: images are drawn so that every class comes equally often"},
    {KEY(data, mixup, DOUBLE, "0"), .max = 100, .help = "alpha of MixUp; 0: off"},
    {KEY(data, cutmix, DOUBLE, "0"), .max = 100, .help = "alpha of CutMix; 0: off"},
    {AUTO(model, name, TEXT), .help = "see `stoker models`; auto: by the size of images"},
    {KEY(model, weights, TEXT, ""),
     .help = "safetensors or the folder of a run to begin with: what is learnt is fine-tuned, and "
             "rows of the last layer are found by the names of classes"},
    {AUTO(model, classes, INT64), .min = 1, .max = 100000000, .help = "auto: as the data has"},
    {KEY(model, width, DOUBLE, "1"), .min = 0.01, .max = 100, .help = "channels are times this"},
    {KEY(model, dropout, DOUBLE, "0"), .max = 0.99, .help = "before the last layer"},
    {KEY(model, trivial, BOOL, "false"),
     .help = "a model that computes nothing, to measure everything else"},
    {AUTO(train, epochs, DOUBLE), .min = 1e-6, .max = 1000000,
     .help = "times that the data is seen; auto: by its size"},
    {AUTO(train, steps, INT64), .max = 1000000000000,
     .help = "stop after so many steps; auto: as epochs say"},
    {KEY(train, optimizer, ENUM, "auto"),
     .choices = STK_PARAM_WORDS("auto", "sgd", "nesterov", "adamw", "lars", "lamb"),
     .help = "auto: nesterov, or adamw for cnn and transformers"},
    {AUTO(train, learning_rate, DOUBLE), .max = 1e6,
     .help =
         "the largest of the schedule; auto: by optimizer, model and batch (see `stoker lr-find`)"},
    {AUTO(train, backbone_rate, DOUBLE), .min = 1e-6, .max = 1000,
     .help = "times the rate, for what comes from model.weights: all but the last layer; auto: "
             "0.1, or 0.3 for images up to 64 pixels, where the rate is auto; else 1"},
    {KEY(train, freeze, TEXT, ""),
     .help = "what of model.weights stays as it is: backbone (all but the last layer), or names of "
             "layers such as conv1,layer1 or *.bn1"},
    {AUTO(train, momentum, DOUBLE), .max = 1,
     .help = "of sgd, nesterov, lars; beta1 of the others; auto: 0.9, or the model's own"},
    {AUTO(train, weight_decay, DOUBLE), .max = 1000,
     .help = "auto: 5e-4, or 0.05 for adamw and lamb"},
    {KEY(train, decay, ENUM, "auto"), .choices = STK_PARAM_WORDS("auto", "weights", "even"),
     .help = "what weight decay moves: weights (not biases and norms; by the rate of each), or "
             "even: all by the same share; auto: weights, or the model's own"},
    {KEY(train, schedule, ENUM, "auto"),
     .choices = STK_PARAM_WORDS("auto", "constant", "step", "multistep", "cosine", "poly",
                                "one-cycle", "triangle", "plateau"),
     .help = "how the rate goes; auto: one-cycle, or the model's own"},
    {AUTO(train, warmup_epochs, DOUBLE), .max = 1000000,
     .help = "linear at the start; auto: none for one-cycle, triangle and constant, else 5 % of "
             "the epochs"},
    {AUTO(train, rise_fraction, DOUBLE), .renamed_from = "rise", .max = 1,
     .help = "the fraction of the steps in which one-cycle and triangle rise; auto: 0.3 and 0.23"},
    {AUTO(train, start_factor, DOUBLE), .renamed_from = "start_share", .max = 1,
     .help = "the fraction of the rate that triangle begins with; auto: 0.2"},
    {AUTO(train, end_factor, DOUBLE), .renamed_from = "end_share", .max = 1,
     .help = "the fraction of the rate that triangle ends with; auto: 0.07"},
    {KEY(train, final_rate, DOUBLE, "0"), .max = 1000000,
     .help = "the rate at the end of cosine and poly"},
    {KEY(train, gamma, DOUBLE, "0.1"), .max = 1,
     .help = "what step, multistep and plateau multiply with"},
    {KEY(train, milestones, TEXT, ""),
     .help = "epochs at which multistep does: 30,60,80; one number for step: every so many"},
    {KEY(train, loss, ENUM, "cross_entropy"), .choices = STK_PARAM_WORDS("cross_entropy", "focal"),
     .help = "what is made small; focal: images that are right already count less"},
    {KEY(train, focal_gamma, DOUBLE, "2"), .max = 10,
     .help = "how much less, with loss focal: times (1 - probability) to this power"},
    {KEY(train, class_weights, TEXT, "none"),
     .help = "what a class counts in the loss: none, balanced (by one over its images), a list in "
             "the order of classes, or some by name such as cat=2,dog=0.5"},
    {AUTO(train, label_smoothing, DOUBLE), .max = 0.99,
     .help = "the share of a label that is spread over all classes; auto: 0, or the model's own"},
    {KEY(train, ema, DOUBLE, "0"), .max = 0.999999,
     .help = "decay of the average of weights that is evaluated; 0: off"},
    {AUTO(train, lookahead, INT64), .max = 1000000,
     .help = "updates between two at which the weights go back to a slow average of theirs; 0: "
             "never; auto: 0, or the model's own"},
    {KEY(train, clip_norm, DOUBLE, "0"), .max = 1e12,
     .help = "gradients are shortened to this length; 0: not"},
    {KEY(train, accumulate, INT64, "1"), .min = 1, .max = 100000,
     .help = "steps whose gradients are added up before an update"},
    {KEY(train, precision, ENUM, "auto"),
     .choices = STK_PARAM_WORDS("auto", "fp32", "tf32", "bf16", "fp16"),
     .help = "of convolutions and matrix products; auto: fp16 on a GPU, else fp32; tf32 (GPUs): "
             "float32 with shorter fractions in them"},
    {AUTO(train, loss_scale, DOUBLE), .max = 1e12,
     .help = "first loss scale; auto: 65536 for fp16, or the model's own, else none"},
    {KEY(train, seed, INT64, "1"), .max = 9007199254740992,
     .help = "of weights, order and augmentation"},
    {KEY(train, deterministic, BOOL, "false"),
     .help = "the same bits on any number of threads; convolutions and products then run on one "
             "thread each. Without it the bits are the same on the same number of threads"},
    {KEY(train, early_stop, INT64, "0"), .max = 1000000,
     .help = "evaluations without a better one until training stops; 0: never"},
    {KEY(train, early_stop_delta, DOUBLE, "0"), .max = 1, .help = "how much better counts"},
    {AUTO(train, eval_every, INT64), .max = 1000000,
     .help = "epochs between evaluations; 0: only at the end; auto: 1, or the model's own"},
    {KEY(train, tta, ENUM, "auto"),
     .choices = STK_PARAM_WORDS("auto", "none", "mirror", "mirror-shift"),
     .help = "evaluate views of an image and average: itself and its mirror image; also both "
             "shifted by a pixel, up-left and down-right; auto: none, or the model's own"},
    {KEY(progressive, size_from, DOUBLE, "1"), .min = 0.05, .max = 1,
     .help = "images begin at this share of size and grow"},
    {KEY(progressive, size_until, DOUBLE, "0.7"), .max = 1,
     .help = "the share of training at which they have their full size"},
    {KEY(progressive, size_step, INT64, "4"), .min = 1, .max = 1024,
     .help = "sizes are multiples of this"},
    {KEY(progressive, sample_from, DOUBLE, "1"), .min = 0.001, .max = 1,
     .help = "the first epochs see this share of the data"},
    {KEY(progressive, sample_until, DOUBLE, "0.5"), .max = 1,
     .help = "the share of training from which on all is seen"},
    {KEY(progressive, augment_from, DOUBLE, "1"), .max = 1,
     .help = "random operations begin with this probability"},
    {KEY(progressive, augment_until, DOUBLE, "0.5"), .max = 1,
     .help = "the share of training from which on all are done"},
    {AUTO(knobs, backend, TEXT), .help = "cuda, cpu or ref; auto: the fastest there is"},
    {AUTO(knobs, threads, INT64), .min = 1, .max = 4096,
     .help = "that compute; auto: one per core, less those for input"},
    {AUTO(knobs, input_threads, INT64), .min = 1, .max = 4096,
     .help = "that prepare input, the training thread included; auto: see docs/training.md"},
    {AUTO(knobs, memory_mb, INT64), .min = 1, .max = 1000000000,
     .help =
         "ceiling of the input's memory, in MB of 10^6 bytes; auto: a quarter of the machine's"},
    {AUTO(knobs, steps_in_flight, INT64), .renamed_from = "ahead", .max = 2,
     .help = "steps that a GPU may be behind; 0: each is waited for; auto: 2"},
    {KEY(knobs, decode, ENUM, "cpu"), .choices = STK_PARAM_WORDS("cpu", "shared", "gpu"),
     .help = "who decodes JPEGs; shared: the GPU's decoder beside the CPU; gpu: only what it "
             "refuses is the CPU's. Results then depend on who did it, by a few levels"},
    {KEY(knobs, augment, ENUM, "auto"), .choices = STK_PARAM_WORDS("auto", "host", "device"),
     .help = "where MixUp, CutMix and the last changes of a data.pipeline are done; auto: on a GPU "
             "where one computes"},
    {KEY(knobs, passes_off, TEXT, ""),
     .help = "passes to leave out, by name: simplify,fuse,layout,schedule,reuse,capture"},
    {KEY(knobs, eager, BOOL, "false"), .help = "run operation by operation, unoptimised, and stop "
                                               "at the first result that is not finite"},
    {AUTO(output, folder, TEXT), .help = "the run folder; auto: runs/ and a name of its own"},
    {AUTO(output, checkpoint_every, INT64), .max = 1000000000000,
     .help = "steps between checkpoints; 0: at the ends of epochs only; auto: an epoch, or a "
             "minute if that is shorter, but 10 seconds at least"},
    {KEY(output, keep, INT64, "2"), .min = 1, .max = 1000, .help = "checkpoints that stay"},
    {AUTO(output, log_every, INT64), .min = 1, .max = 1000000000,
     .help = "steps between rows of metrics; auto: 50 rows an epoch"},
    {KEY(output, tensorboard, BOOL, "true"), .help = "write event files"},
};

const stk_params stk_train_keys = {STK_PARAM_TABLE(keys, stk_train_recipe), .name = "a recipe"};

const stk_params *stk_train_recipe_table(void)
{
    return &stk_train_keys;
}

const stk_param *stk_train_key_at(size_t index)
{
    return stk_params_at(&stk_train_keys, index);
}
