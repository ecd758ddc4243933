/* Metadata of a trace: clock, host, rank, losses. */
#ifndef STK_OBSERVE_TIMELINE_TRACE_METADATA_H
#define STK_OBSERVE_TIMELINE_TRACE_METADATA_H

#include "observe/timeline/json_scan.h"
#include "observe/timeline/timeline_internal.h"

void stk_trace_metadata_init(stk_trace_metadata *metadata);
/* Adds one member of the trace's object, or of an object in it. */
void stk_trace_metadata_add(stk_trace_metadata *metadata, stk_bytes key, stk_bytes value);

#endif
