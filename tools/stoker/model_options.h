/* Flags that select a model. */
#ifndef CLI_TOOLS_MODEL_OPTIONS_H
#define CLI_TOOLS_MODEL_OPTIONS_H

#include "choices.h"
#include "model_images.h"

#include <stoker/model_file.h>

typedef struct cli_model_values {
    const char *which, *backend, *model, *preset, *classes;
    int64_t     size;
} cli_model_values;

#define CLI_MODEL_OPTIONS(type, member)                                                            \
    {CLI_OPTION(type, member.which, "which", TEXT, "best|last|PATH"), .group = "The model",        \
     .help = "the weights: the best of the run, its last checkpoint, or a file (default best)"},   \
        {CLI_OPTION(type, member.backend, "backend", TEXT, "B"), .choice = cli_choice_backend,     \
         .group = "The model",                                                                     \
         .help = "what computes: cuda, cpu or ref (default: the fastest there is)"},               \
        {CLI_OPTION(type, member.model, "model", CHOICE, "NAME"), .choice = cli_choice_model,      \
         .group = "Weights that do not say what they are",                                         \
         .help = "the model, as 'stoker models' lists it"},                                        \
        {CLI_OPTION(type, member.preset, "preset", CHOICE, "PRESET"), .choice = cli_preset_choice, \
         .group = "Weights that do not say what they are",                                         \
         .help = "how its images were prepared"},                                                  \
        {CLI_OPTION(type, member.size, "size", INTEGER, "N"), .least = 0, .most = 8192,            \
         .group = "Weights that do not say what they are",                                         \
         .help = "the side of its images (default 0: the preset's)"},                              \
    {                                                                                              \
        CLI_OPTION(type, member.classes, "classes", FILE, "FILE|N"),                               \
            .group = "Weights that do not say what they are",                                      \
            .help = "its classes: a file with a name a line, or how many there are"                \
    }

/* The caller fills the other options. */
stk_predictor_options cli_model_options_of(const cli_model_values *values, int threads);
/* Advice for a failure to open a model; NULL: none. */
const char *cli_model_options_advice(const stk_error *err);
/* Warns on stderr if the weights are not the expected ones. */
void cli_model_options_warn(const stk_predictor *predictor);

#endif
