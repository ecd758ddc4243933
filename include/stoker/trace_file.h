/* stoker/trace_file.h - writes a trace to a file, atomically by rename. A name that ends in .gz is
 * compressed. */
#ifndef STOKER_TRACE_FILE_H
#define STOKER_TRACE_FILE_H

#include <stoker/filesystem.h>
#include <stoker/resources.h>
#include <stoker/trace.h>

STK_BEGIN_DECLS

typedef struct stk_trace_file_options {
    stk_trace_format           format;    /* its series are written first */
    const stk_resource_sample *resources; /* machine and process counters; NULL: none */
    size_t                     resource_count;
    double                     resource_begin_s; /* their start, in the trace's seconds */
} stk_trace_file_options;

/* fs NULL: local. options and written may be NULL. On failure (disk full, no folder) an existing
 * file stays unchanged. */
STK_API STK_NODISCARD stk_status stk_trace_write(const stk_trace *trace, const stk_filesystem *fs,
                                                 const char                   *path,
                                                 const stk_trace_file_options *options,
                                                 stk_trace_written *written, stk_error *err);

STK_END_DECLS
#endif
