/* Flags for keys of a training recipe. Values are passed on as text, so that flags and recipes are
 * validated alike. */
#ifndef CLI_TOOLS_TRAIN_FLAGS_H
#define CLI_TOOLS_TRAIN_FLAGS_H

#include "choices.h"
#include "command.h"
#include "model_images.h"

#include <stoker/train.h>

typedef struct cli_train_values {
    const char *recipe;
    const char *split, *validation, *preset, *size, *batch, *mixup, *cutmix, *resident, *cache;
    const char *balance, *on_bad, *model, *width, *weights, *freeze;
    const char *epochs, *steps, *optimizer, *learning_rate, *schedule, *momentum, *weight_decay;
    const char *label_smoothing, *ema, *lookahead, *precision, *accumulate, *clip_norm, *early_stop,
        *seed, *tta, *loss, *class_weights;
    const char     *backend, *threads, *input_threads, *memory_mb;
    const char     *folder, *log_every, *checkpoint_every;
    bool            trivial, eager, no_fuse, no_callbacks, json, quiet, follow_outside;
    cli_option_list set, inject;
} cli_train_values;

#define CLI_TRAIN_TEXT_OPTION(type, field, flag, value, heading, text)                             \
    {                                                                                              \
        CLI_OPTION(type, field, flag, TEXT, value), .group = heading, .help = text                 \
    }

/* The same for a flag with choices, for completion. The recipe's parser decides what else is valid,
 * such as "auto". */
#define CLI_TRAIN_WORD_OPTION(type, field, flag, value, words, heading, text)                      \
    {                                                                                              \
        CLI_OPTION(type, field, flag, TEXT, value), .choice = words, .group = heading,             \
                                                    .help = text                                   \
    }

/* Flags of all these commands. */
#define CLI_TRAIN_OPTIONS(type, member)                                                            \
    {CLI_OPTION(type, member.recipe, "recipe", FILE, "FILE"), .letter = 'r', .group = "Recipe",    \
     .help = "a training recipe (YAML); flags come after it"},                                     \
        {CLI_OPTION(type, member.set, "set", LIST, "SECTION.KEY=VALUE"), .group = "Recipe",        \
         .help = "any key of a recipe, such as train.gamma=0.2; may be given several times"},      \
        CLI_TRAIN_WORD_OPTION(type, member.split, "split", "SPLIT", cli_choice_split, "Data",      \
                              "the split to train on (default: train where there is one)"),        \
        CLI_TRAIN_WORD_OPTION(type, member.validation, "validation", "SPLIT|SHARE|none",           \
                              cli_choice_validation, "Data",                                       \
                              "what to evaluate on: a split, a share such as 0.1 that is held "    \
                              "back, or none"),                                                    \
        CLI_TRAIN_WORD_OPTION(type, member.preset, "preset", "PRESET", cli_preset_choice, "Data",  \
                              "how images are prepared: imagenet, cifar, cifar-shift, fashion "    \
                              "(default: by their size)"),                                         \
        CLI_TRAIN_TEXT_OPTION(type, member.size, "size", "N", "Data",                              \
                              "pixels of a side (default: the preset's)"),                         \
        CLI_TRAIN_TEXT_OPTION(type, member.batch, "batch", "N", "Data", "images of a step"),       \
        CLI_TRAIN_TEXT_OPTION(type, member.mixup, "mixup", "ALPHA", "Data",                        \
                              "MixUp with this alpha (default 0: off)"),                           \
        CLI_TRAIN_TEXT_OPTION(type, member.cutmix, "cutmix", "ALPHA", "Data",                      \
                              "CutMix with this alpha (default 0: off)"),                          \
        CLI_TRAIN_TEXT_OPTION(type, member.resident, "resident", "auto|on|off", "Data",            \
                              "keep all images on the device and prepare them there (default: "    \
                              "on a GPU, where they fit)"),                                        \
        CLI_TRAIN_TEXT_OPTION(type, member.cache, "cache", "auto|memory|disk|none", "Data",        \
                              "keep what was read for later epochs (default: in memory, where it " \
                              "fits)"),                                                            \
        CLI_TRAIN_TEXT_OPTION(type, member.balance, "balance", "none|classes", "Data",             \
                              "draw images so that every class comes equally often (default "      \
                              "none)"),                                                            \
        CLI_TRAIN_TEXT_OPTION(type, member.on_bad, "on-bad", "stop|skip", "Data",                  \
                              "images that cannot be read: stop, or leave them out and tell "      \
                              "which (default stop)"),                                             \
        CLI_FOLLOW_OUTSIDE_OPTION(type, member.follow_outside, "Data"),                            \
        CLI_TRAIN_WORD_OPTION(type, member.model, "model", "NAME", cli_choice_model, "Model",      \
                              "the network, of those below (default: by the size of images)"),     \
        CLI_TRAIN_TEXT_OPTION(type, member.width, "width", "X", "Model",                           \
                              "times its channels (default 1)"),                                   \
        CLI_TRAIN_TEXT_OPTION(type, member.weights, "weights", "FILE|RUN", "Model",                \
                              "safetensors or a run to begin with: fine-tunes, at smaller rates "  \
                              "and in fewer epochs; classes of other names begin anew"),           \
        {CLI_OPTION(type, member.freeze, "freeze", TEXT, "LAYERS"), .usual = "backbone",           \
         .group = "Model",                                                                         \
         .help = "what of --weights stays as it is: alone, all but the last layer; or layers by "  \
                 "name, as in --freeze=conv1,layer1"},                                             \
        {CLI_OPTION(type, member.trivial, "trivial-model", FLAG, NULL), .group = "Model",          \
         .help = "one dense layer on the mean colour: no compute, to measure the rest"},           \
        CLI_TRAIN_WORD_OPTION(type, member.optimizer, "optimizer", "NAME", cli_choice_optimizer,   \
                              "Training",                                                          \
                              "sgd, nesterov, adamw, lars or lamb (default: nesterov; adamw for "  \
                              "transformers)"),                                                    \
        CLI_TRAIN_TEXT_OPTION(type, member.learning_rate, "learning-rate", "X", "Training",        \
                              "the largest of the schedule (default: by optimizer and batch; "     \
                              "'stoker lr-find' measures it)"),                                    \
        CLI_TRAIN_TEXT_OPTION(type, member.learning_rate, "lr", "X", "Training",                   \
                              "the same as --learning-rate"),                                      \
        CLI_TRAIN_TEXT_OPTION(type, member.momentum, "momentum", "X", "Training",                  \
                              "of sgd, nesterov, lars; beta1 of the others (default 0.9)"),        \
        CLI_TRAIN_TEXT_OPTION(type, member.weight_decay, "weight-decay", "X", "Training",          \
                              "default 5e-4; 0.05 for adamw and lamb"),                            \
        CLI_TRAIN_TEXT_OPTION(type, member.loss, "loss", "NAME", "Training",                       \
                              "cross_entropy or focal (default cross_entropy)"),                   \
        CLI_TRAIN_TEXT_OPTION(type, member.class_weights, "class-weights", "WEIGHTS", "Training",  \
                              "what classes count in the loss: none, balanced, 1,2,0.5 or "        \
                              "cat=2,dog=0.5 (default none)"),                                     \
        CLI_TRAIN_TEXT_OPTION(type, member.label_smoothing, "label-smoothing", "X", "Training",    \
                              "the share of a label that is spread over all classes (default 0)"), \
        CLI_TRAIN_TEXT_OPTION(type, member.ema, "ema", "DECAY", "Training",                        \
                              "evaluate an average of the weights (default 0: off)"),              \
        CLI_TRAIN_TEXT_OPTION(type, member.lookahead, "lookahead", "N", "Training",                \
                              "updates between two at which the weights go back to a slow "        \
                              "average of theirs (default 0: never; 5 for airbench)"),             \
        CLI_TRAIN_WORD_OPTION(                                                                     \
            type, member.precision, "precision", "P", cli_choice_precision, "Training",            \
            "of convolutions and matrix products: fp32, tf32, bf16 or fp16 (default: "             \
            "fp16 on a GPU, else fp32)"),                                                          \
        CLI_TRAIN_TEXT_OPTION(type, member.accumulate, "accumulate", "N", "Training",              \
                              "steps whose gradients are added up before an update (default 1)"),  \
        CLI_TRAIN_TEXT_OPTION(type, member.clip_norm, "clip-norm", "X", "Training",                \
                              "gradients are shortened to this length (default 0: not)"),          \
        CLI_TRAIN_TEXT_OPTION(type, member.tta, "tta", "none|mirror|mirror-shift", "Training",     \
                              "evaluate several views of an image and average (default none)"),    \
        CLI_TRAIN_TEXT_OPTION(type, member.seed, "seed", "N", "Training",                          \
                              "of weights, order and augmentation (default 1)"),                   \
        CLI_TRAIN_WORD_OPTION(type, member.backend, "backend", "B", cli_choice_backend, "Machine", \
                              "what computes: cuda, cpu or ref (default: the fastest there is)"),  \
        CLI_TRAIN_TEXT_OPTION(type, member.threads, "threads", "N", "Machine",                     \
                              "that compute (default: one per core, less those for input)"),       \
        CLI_TRAIN_TEXT_OPTION(type, member.input_threads, "input-threads", "N", "Machine",         \
                              "that prepare input, the training thread included"),                 \
        CLI_TRAIN_TEXT_OPTION(type, member.memory_mb, "memory-mb", "N", "Machine",                 \
                              "most memory for input, in MB (default: a quarter of the "           \
                              "machine's)"),                                                       \
        {CLI_OPTION(type, member.eager, "eager", FLAG, NULL), .group = "Machine",                  \
         .help =                                                                                   \
             "operation by operation, unoptimised; stops at the first result that is not finite"}, \
        {CLI_OPTION(type, member.inject, "inject", LIST, "FAULT=HOW"), .group = "Machine",         \
         .help = "slow one stage down on purpose, such as read=20MB/s or callback=5ms; may be "    \
                 "given several times"},                                                           \
        {CLI_OPTION(type, member.no_fuse, "no-fuse", FLAG, NULL), .group = "Machine",              \
         .help = "every operation by itself, slower: for traces whose names are the layers'"},     \
        {CLI_OPTION(type, member.no_callbacks, "no-callbacks", FLAG, NULL), .group = "Machine",    \
         .help = "no TensorBoard events, no progress, no injected callback: to see what "          \
                 "callbacks cost"},                                                                \
        {CLI_OPTION(type, member.json, "json", FLAG, NULL), .group = "Common",                     \
         .help = "print the result as JSON"},                                                      \
    {                                                                                              \
        CLI_OPTION(type, member.quiet, "quiet", FLAG, NULL),                                       \
            .letter = 'q', .group = "Common",                                                      \
            .help = "show no progress and no hints; results and errors only"                       \
    }

/* Sets recipe from --recipe, then the flags, then data.path from data (may be NULL). Returns an
 * exit code; errors are reported. */
int cli_train_flags_apply(const cli_invocation *call, const cli_train_values *values,
                          const char *data, stk_train_recipe *recipe);
/* Whether a flag or --set sets this key. */
bool cli_train_flags_name(const cli_train_values *values, const char *key);
/* Parses --inject, which is no part of a recipe. Returns an exit code, as above. */
int cli_train_flags_inject(const cli_invocation *call, const cli_train_values *values,
                           stk_inject *inject);

/* Prints the given flags for a shell, each with a leading space: " --recipe FILE DATA --model mlp".
 * Omits key and injected faults. */
void cli_train_flags_print(FILE *out, const cli_train_values *values, const char *data,
                           const char *key);

/* Prints the networks for --help. */
void cli_train_print_models(FILE *out, int width);
/* Prints the networks, the faults of --inject, and all recipe keys. */
void cli_train_print_keys(FILE *out, int width);

#endif
