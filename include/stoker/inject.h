/* stoker/inject.h - fault injection: slows down one stage of a real run, to test the diagnosis and
 * to see the effect. */
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
    double  preprocess_s;     /* S2: busy loop per sample */
    double  copy_times;       /* S3: additional copies of the batch */
    double  op_times;         /* S4: an 11 x 11 convolution before the loss, so many times */
    double  allreduce_s;      /* S5: gradients pass through a socket to a peer with this latency */
    double  allreduce_bytes_per_s; /* S5: ... or with this bandwidth, bytes per second */
    double  fetch_bytes;           /* S6: additional bytes read back per step */
    double  callback_s;            /* S7: time of a callback on the training thread per step */
    bool    callback_sleeps;       /* S7: ... sleeps instead of computing */
    double  write_bytes;           /* S8: bytes written and synced */
    int64_t write_every;           /* S8: ... every so many steps */
} stk_inject;

/* Parses "read=20MB/s", "callback=5ms", several separated by commas; replaces earlier values of the
 * same fault. An unknown fault is STK_E_INVALID with the list. */
STK_API STK_NODISCARD stk_status stk_inject_parse(stk_inject *inject, const char *text,
                                                  stk_error *err);
/* The same from source, whose component is "inject": its note is called for former names. */
STK_API STK_NODISCARD stk_status stk_inject_parse_from(stk_inject *inject, const char *text,
                                                       const stk_params_source *source,
                                                       stk_error               *err);
/* Writes the form that --inject parses; "" without faults. Returns text. */
STK_API const char *stk_inject_text(const stk_inject *inject, char *text, size_t capacity);
/* One row per fault for help and docs: "read=RATE", "S1: ..."; NULL past the end. */
STK_API const char *stk_inject_help_at(size_t index, const char **meaning);

STK_END_DECLS
#endif
