/* Ways to know the rate of a program:
 *   REGEX        a number in its output that is a rate: the mean of those after the warm-up
 *   count:REGEX  a number in its output that grows, such as a step: its increase by our clock,
 * which is more robust than what a program makes of its own file:PATH    the last number of a file,
 * a rate, whenever the file changes watch        bytes that its processes read per second; the
 * program tells nothing */
#ifndef STK_TUNE_PROGRAM_RATE_SOURCE_H
#define STK_TUNE_PROGRAM_RATE_SOURCE_H

#include "tune/program/family.h"
#include "tune/program/pattern.h"
#include "tune/program/rate_window.h"

#include <stdint.h>

typedef struct stk_tune_rate_kind stk_tune_rate_kind;

/* Immutable once initialised. */
typedef struct stk_tune_rate_source {
    const stk_tune_rate_kind *kind;
    const char               *text; /* behind the prefix; borrowed */
    stk_tune_pattern          pattern;
} stk_tune_rate_source;

/* What identifies one state of a file. */
typedef struct stk_tune_file_state {
    uint64_t inode;
    int64_t  modified_ns;
    uint64_t bytes;
} stk_tune_file_state;

/* One run. */
typedef struct stk_tune_rate_reader {
    const stk_tune_rate_source *source;
    stk_tune_rate_window        window;
    stk_tune_file_state         file;   /* as last seen */
    stk_tune_family            *family; /* of the program; borrowed */
    double                      every_s, looked_s;
} stk_tune_rate_reader;

struct stk_tune_rate_kind {
    const char *prefix;    /* of the text; "": any */
    const char *objective; /* for the report */
    bool        counter;
    stk_status (*init)(stk_tune_rate_source *source, stk_error *err);         /* NULL: nothing */
    void (*begin)(stk_tune_rate_reader *reader);                              /* NULL: nothing */
    void (*line)(stk_tune_rate_reader *reader, const char *line, double now); /* NULL: nothing */
    void (*look)(stk_tune_rate_reader *reader,
                 double                now); /* a few times a second; NULL: nothing */
};

/* text NULL: watch. It must outlive source. On failure there is nothing to release. */
STK_NODISCARD stk_status stk_tune_rate_source_init(stk_tune_rate_source *source, const char *text,
                                                   stk_error *err);
void                     stk_tune_rate_source_release(stk_tune_rate_source *source);
/* Whether the program itself tells its rate. */
bool stk_tune_rate_source_is_told(const stk_tune_rate_source *source);
/* "samples", "steps" or "bytes": a guess from the words of its pattern. */
const char *stk_tune_rate_source_unit(const stk_tune_rate_source *source);

void stk_tune_rate_reader_begin(stk_tune_rate_reader *reader, const stk_tune_rate_source *source,
                                stk_tune_family *family, double warm_up_s, double measure_s);
void stk_tune_rate_reader_line(stk_tune_rate_reader *reader, const char *line, double now_s);
void stk_tune_rate_reader_look(stk_tune_rate_reader *reader, double now_s);

#endif
