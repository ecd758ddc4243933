/* Members of a trace that tell where it comes from. */
#include "observe/timeline/trace_metadata.h"

void stk_trace_metadata_init(stk_trace_metadata *origin)
{
    *origin = (stk_trace_metadata){.rank = -1};
}

/* A host's name needs no unescaping to be compared. */
static void keep_host(stk_trace_metadata *origin, stk_bytes value)
{
    if (!stk_scan_is_string(value)) return;
    size_t size = value.size - 2;
    if (size >= sizeof origin->host) size = sizeof origin->host - 1;
    memcpy(origin->host, value.data + 1, size);
    origin->host[size] = 0;
}

/* These may hold anything; what is known is one level down. */
static bool holds_more(stk_bytes key)
{
    return stk_scan_is(key, "otherData") || stk_scan_is(key, "metadata") ||
           stk_scan_is(key, "distributedInfo") || stk_scan_is(key, "clock") ||
           stk_scan_is(key, "roofs");
}

static void add_number(stk_trace_metadata *origin, stk_bytes key, stk_bytes value)
{
    int64_t number;
    if (!stk_scan_integer(value, &number)) return;
    if (stk_scan_is(key, "baseTimeNanoseconds")) {
        origin->base_ns = number;
        origin->has_base = true;
    } else if (stk_scan_is(key, "offset_ns")) {
        origin->offset_ns = number;
        origin->has_offset = number != 0; /* 0 is what is written when it is not known */
    } else if (stk_scan_is(key, "rank")) {
        origin->rank = number;
    } else if (stk_scan_is(key, "ranks")) {
        origin->is_merged = number > 1;
    } else if (stk_scan_is(key, "dropped") && number > 0) {
        origin->dropped = (double)number;
    }
}

static void add_roof(stk_trace_metadata *origin, stk_bytes key, stk_bytes value)
{
    double number;
    if (!stk_scan_number(value, &number) || !(number > 0)) return;
    if (stk_scan_is(key, "flops_per_s")) origin->roof_flops = number;
    if (stk_scan_is(key, "bytes_per_s")) origin->roof_bytes = number;
    if (stk_scan_is(key, "launch_ns")) origin->launch_ns = number;
}

void stk_trace_metadata_add(stk_trace_metadata *origin, stk_bytes key, stk_bytes value)
{
    stk_members m;
    stk_bytes   inner_key, inner_value;
    if (stk_scan_is(key, "traceName") || stk_scan_is(key, "trace_id") ||
        stk_scan_is(key, "schemaVersion"))
        origin->is_kineto = true;
    if (stk_scan_is(key, "tool") && stk_scan_is(value, "\"stoker\"")) origin->is_stoker = true;
    if (stk_scan_is(key, "host") || stk_scan_is(key, "host_name")) keep_host(origin, value);
    add_number(origin, key, value);
    add_roof(origin, key, value);
    if (!holds_more(key) || !stk_scan_is_object(value)) return;
    stk_members_begin(&m, value);
    while (stk_members_next(&m, &inner_key, &inner_value))
        stk_trace_metadata_add(origin, inner_key, inner_value);
}
