/* --save and --against: a base of rates on disk, and whether a new measurement shows a loss. */
#ifndef CLI_TOOLS_BENCH_GATE_H
#define CLI_TOOLS_BENCH_GATE_H

#include "command.h"
#include "terminal.h"

#include <stoker/json.h>
#include <stoker/rate_comparison.h>

typedef struct cli_gate_values {
    const char *save, *against;
    double      fail_below; /* 0: never */
} cli_gate_values;

#define CLI_GATE_OPTIONS(type, member)                                                             \
    {CLI_OPTION(type, member.save, "save", FILE, "FILE"), .group = "Against a base",               \
     .help = "measure in 8 rounds, and write their rates to FILE (JSON): a base"},                 \
        {CLI_OPTION(type, member.against, "against", FILE, "FILE"), .group = "Against a base",     \
         .help = "measure the same as this base, and tell the ratio of rates with its 95 % "       \
                 "interval"},                                                                      \
    {                                                                                              \
        CLI_OPTION(type, member.fail_below, "fail-below", NUMBER, "RATIO"),                        \
            .least = 0.01, .most = 100, .group = "Against a base",                                 \
            .help = "with --against: exit code 1 if the ratio is shown to be below, such as 0.97"  \
    }

enum {
    CLI_GATE_ROUNDS = 8,
    CLI_GATE_ROUNDS_MAX = 64, /* of a file */
    CLI_GATE_FACTS = 32,
    CLI_GATE_TEXT = 256
};

/* What was measured: "batch", "64". Comparisons need the same. */
typedef struct cli_gate_fact {
    char name[32], value[CLI_GATE_TEXT];
} cli_gate_fact;

/* A measurement: what is in a file. */
typedef struct cli_gate_record {
    char           bench[16], unit[16]; /* "train", "img/s" */
    char           version[32], time[32];
    char           host[64], processor[64], device[64]; /* device "": the host computes */
    int            cores;
    size_t         fact_count;
    cli_gate_fact  facts[CLI_GATE_FACTS];
    size_t         round_count;
    stk_rate_round rounds[CLI_GATE_ROUNDS_MAX];
} cli_gate_record;

/* What is measured, in rounds that open it anew. */
typedef struct cli_gate_subject {
    cli_gate_record *record;  /* bench, unit and facts are filled in */
    int              threads; /* that work on the host, for the yardstick */
    bool             on_gpu;
    double           seconds; /* of all rounds together, without opening */
    void            *context;
    stk_status (*open)(void *context, stk_error *err);
    /* Works for warm_up seconds, and then for so many that count. */
    stk_status (*measure)(void *context, double warm_up, double seconds, double *rate,
                          stk_error *err);
    void (*close)(void *context); /* also after a failed open */
} cli_gate_subject;

/* "none" for a value of NULL or "". */
void cli_gate_fact_text(cli_gate_record *record, const char *name, const char *value);
void cli_gate_fact_number(cli_gate_record *record, const char *name, double value);
/* The last part of a path: bases of the same data in another folder are comparable. */
void cli_gate_fact_path(cli_gate_record *record, const char *name, const char *path);

/* Whether any of the flags is given; conflict is what of the command does not go with them, or
 * NULL. *code is an exit code when that, or the flags among themselves, are wrong. */
bool cli_gate_wanted(const cli_invocation *call, const cli_gate_values *values,
                     const char *conflict, int *code);

/* Reads the base, measures, saves, compares and prints. Returns an exit code; errors are
 * reported. */
int cli_gate_run(const cli_invocation *call, const cli_gate_values *values,
                 const cli_gate_subject *subject, bool json, const char *color, bool quiet);

/* bench_gate_file.c */
STK_NODISCARD stk_status cli_gate_save(const cli_gate_record *record, const char *path,
                                       stk_error *err);
STK_NODISCARD stk_status cli_gate_load(cli_gate_record *record, const char *path, stk_error *err);
/* The pairs of a record, into an open object. */
void cli_gate_write(stk_json_writer *json, const cli_gate_record *record);

/* A comparison as it is told. */
typedef struct cli_gate_result {
    const cli_gate_record *base, *now;
    const char            *path; /* of base; NULL: nothing is compared */
    stk_rate_comparison    comparison;
    double                 fail_below;             /* 0: never */
    const char            *saved;                  /* NULL: not */
    char                   why[3 * CLI_GATE_TEXT]; /* it is inconclusive */
} cli_gate_result;

/* bench_gate_report.c */
void cli_gate_print(const cli_gate_result *result, const cli_style *style);
void cli_gate_json(stk_json_writer *json, const cli_gate_result *result);

#endif
