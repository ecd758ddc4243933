/* What a command prints: kept in a file, and looked at line by line. */
#ifndef STK_TUNE_PROGRAM_OUTPUT_H
#define STK_TUNE_PROGRAM_OUTPUT_H

#include <stoker/tune.h>

enum { STK_TUNE_OUTPUT_LINE = 4096, STK_TUNE_OUTPUT_KEPT = 4 << 20 };

typedef struct stk_tune_stream {
    int    fd; /* -1: ended */
    char   line[STK_TUNE_OUTPUT_LINE];
    size_t used;
} stk_tune_stream;

typedef struct stk_tune_output {
    stk_tune_stream streams[2];
    int             log; /* -1: none */
    size_t          kept;
    int             log_error;           /* errno of a write that failed; 0: none did */
    char            last[STK_TUNE_LINE]; /* the last line that is not blank, for display */
    void (*line)(void *context, const char *line);
    void *context;
} stk_tune_output;

/* Takes the descriptors; log gets a copy of the first 4 MiB. line is called for each line. */
void stk_tune_output_init(stk_tune_output *output, const int streams[2], int log,
                          void (*line)(void *context, const char *line), void *context);
/* Waits for output at most so long, and takes what there is; false: nothing came. */
bool stk_tune_output_wait(stk_tune_output *output, double seconds);
/* Closes all of it; a line without an end counts as one. */
void stk_tune_output_close(stk_tune_output *output);

#endif
