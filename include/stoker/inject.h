/* stoker/inject.h - faults on purpose: slow down one stage of a real run, to see that it is found
 * and to learn what it looks like. */
#ifndef STOKER_INJECT_H
#define STOKER_INJECT_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/filesystem.h>
#include <stoker/params.h>
#include <stoker/trace.h>

STK_BEGIN_DECLS

/* All zero: no fault. */
typedef struct stk_inject {
    double  read_bytes_per_s; /* S1: a token bucket in front of all reads */
    double  read_latency_s;   /* S1: before each read */
    double  preprocess_s;     /* S2: busy loop a sample */
    double  copy_times;       /* S3: the batch is copied so often more */
    double  op_times;         /* S4: an 11 x 11 convolution before the loss, so often */
    double  allreduce_s;      /* S5: gradients go through a socket to a peer that sleeps so long */
    double  allreduce_bytes_per_s; /* S5: ... or that passes on so many bytes a second */
    double  fetch_bytes;           /* S6: so many bytes more are read back a step */
    double  callback_s;            /* S7: a callback on the training thread works so long a step */
    bool    callback_sleeps;       /* S7: ... or waits instead */
    double  write_bytes;           /* S8: written and synced */
    int64_t write_every;           /* S8: ... every so many steps */
} stk_inject;

/* Adds what text says, "read=20MB/s", "callback=5ms", several separated by commas; what was said of
 * the same fault before is replaced. An unknown fault is STK_E_INVALID with the list. */
STK_API STK_NODISCARD stk_status stk_inject_parse(stk_inject *inject, const char *text,
                                                  stk_error *err);
/* The same from source, whose stage is "inject": its note is called for former names. */
STK_API STK_NODISCARD stk_status stk_inject_parse_from(stk_inject *inject, const char *text,
                                                       const stk_params_source *source,
                                                       stk_error               *err);
/* The same in words, for people and for --inject: "" without any. */
STK_API const char *stk_inject_text(const stk_inject *inject, char *text, size_t room);
/* One row a fault for help and docs: "read=RATE", "S1: ..."; NULL past the end. */
STK_API const char *stk_inject_help_at(size_t index, const char **meaning);

STK_END_DECLS
#endif
