/* Parses a trace's metadata. */
#include "observe/timeline/trace_metadata.h"

void stk_trace_metadata_init(stk_trace_metadata *metadata)
{
    *metadata = (stk_trace_metadata){.rank = -1};
}

/* Host names are only compared, so escapes are kept. */
static void keep_host(stk_trace_metadata *metadata, stk_bytes value)
{
    if (!stk_scan_is_string(value)) return;
    size_t size = value.size - 2;
    if (size >= sizeof metadata->host) size = sizeof metadata->host - 1;
    memcpy(metadata->host, value.data + 1, size);
    metadata->host[size] = 0;
}

/* Members with nested metadata. */
static bool holds_more(stk_bytes key)
{
    return stk_scan_is(key, "otherData") || stk_scan_is(key, "metadata") ||
           stk_scan_is(key, "distributedInfo") || stk_scan_is(key, "clock") ||
           stk_scan_is(key, "roofs");
}

static void add_number(stk_trace_metadata *metadata, stk_bytes key, stk_bytes value)
{
    int64_t number;
    if (!stk_scan_integer(value, &number)) return;
    if (stk_scan_is(key, "baseTimeNanoseconds")) {
        metadata->base_ns = number;
        metadata->has_base = true;
    } else if (stk_scan_is(key, "offset_ns")) {
        metadata->offset_ns = number;
        metadata->has_offset = number != 0; /* 0 is written if it is not known */
    } else if (stk_scan_is(key, "rank")) {
        metadata->rank = number;
    } else if (stk_scan_is(key, "ranks")) {
        metadata->is_merged = number > 1;
    } else if (stk_scan_is(key, "dropped") && number > 0) {
        metadata->dropped = (double)number;
    }
}

static void add_peak(stk_trace_metadata *metadata, stk_bytes key, stk_bytes value)
{
    double number;
    if (!stk_scan_number(value, &number) || !(number > 0)) return;
    if (stk_scan_is(key, "flops_per_s")) metadata->peak_flops = number;
    if (stk_scan_is(key, "bytes_per_s")) metadata->peak_bytes = number;
    if (stk_scan_is(key, "launch_ns")) metadata->launch_ns = number;
}

void stk_trace_metadata_add(stk_trace_metadata *metadata, stk_bytes key, stk_bytes value)
{
    stk_members m;
    stk_bytes   inner_key, inner_value;
    if (stk_scan_is(key, "traceName") || stk_scan_is(key, "trace_id") ||
        stk_scan_is(key, "schemaVersion"))
        metadata->is_kineto = true;
    if (stk_scan_is(key, "tool") && stk_scan_is(value, "\"stoker\"")) metadata->is_stoker = true;
    if (stk_scan_is(key, "host") || stk_scan_is(key, "host_name")) keep_host(metadata, value);
    add_number(metadata, key, value);
    add_peak(metadata, key, value);
    if (!holds_more(key) || !stk_scan_is_object(value)) return;
    stk_members_begin(&m, value);
    while (stk_members_next(&m, &inner_key, &inner_value))
        stk_trace_metadata_add(metadata, inner_key, inner_value);
}
