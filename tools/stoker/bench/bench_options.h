/* Flags shared by commands that measure a step: the machine, and the output. */
#ifndef CLI_TOOLS_BENCH_OPTIONS_H
#define CLI_TOOLS_BENCH_OPTIONS_H

#include "choices.h"
#include "terminal.h"
#include "train_flags.h"

/* member is a cli_train_values. */
#define CLI_BENCH_MACHINE_OPTIONS(type, member)                                                    \
    CLI_TRAIN_WORD_OPTION(type, member.backend, "backend", "B", cli_choice_backend, "Machine",     \
                          "what computes: cuda, cpu or ref (default: the fastest there is)"),      \
        CLI_TRAIN_TEXT_OPTION(type, member.threads, "threads", "N", "Machine",                     \
                              "that compute (default: one per core)")

/* color_field is a const char *. */
#define CLI_BENCH_SHOW_OPTIONS(type, color_field, member)                                          \
    {CLI_OPTION(type, color_field, "color", CHOICE, "WHEN"), .choice = cli_color_choice,           \
     .group = "What to show", .help = "colours: auto (on a terminal), always, never"},             \
        {CLI_OPTION(type, member.json, "json", FLAG, NULL), .group = "Common",                     \
         .help = "print the result as JSON"},                                                      \
    {                                                                                              \
        CLI_OPTION(type, member.quiet, "quiet", FLAG, NULL),                                       \
            .letter = 'q', .group = "Common",                                                      \
            .help = "show no progress and no hints; results and errors only"                       \
    }

#endif
