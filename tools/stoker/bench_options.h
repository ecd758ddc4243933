/* Flags that what measures a step has alike: what it runs on, and how its result is shown. */
#ifndef STK_TOOLS_BENCH_OPTIONS_H
#define STK_TOOLS_BENCH_OPTIONS_H

#include "choices.h"
#include "terminal.h"
#include "train_flags.h"

/* member is a stk_train_values. */
#define STK_BENCH_MACHINE_OPTIONS(type, member)                                                    \
    STK_TRAIN_WORD_OPTION(type, member.backend, "backend", "B", stk_choice_backend, "Machine",     \
                          "what computes: cuda, cpu or ref (default: the fastest there is)"),      \
        STK_TRAIN_TEXT_OPTION(type, member.threads, "threads", "N", "Machine",                     \
                              "that compute (default: one per core)")

/* color_field is a const char *. */
#define STK_BENCH_SHOW_OPTIONS(type, color_field, member)                                          \
    {.name = "color",                                                                              \
     .metavar = "WHEN",                                                                            \
     .kind = STK_OPTION_CHOICE,                                                                    \
     .target = offsetof(type, color_field),                                                        \
     .choice = stk_color_choice,                                                                   \
     .group = "What to show",                                                                      \
     .help = "colours: auto (on a terminal), always, never"},                                      \
        {.name = "json",                                                                           \
         .kind = STK_OPTION_FLAG,                                                                  \
         .target = offsetof(type, member.json),                                                    \
         .group = "Common",                                                                        \
         .help = "print the result as JSON"},                                                      \
    {                                                                                              \
        .name = "quiet", .letter = 'q', .kind = STK_OPTION_FLAG,                                   \
        .target = offsetof(type, member.quiet), .group = "Common",                                 \
        .help = "show no progress and no hints; results and errors only"                           \
    }

#endif
