/* /proc/meminfo: used memory and reclaimable cache. */
#include "observe/resources/sources.h"

#include <string.h>

typedef struct wanted {
    const char *key;
    int64_t     bytes;
} wanted;

static int64_t kib_to_bytes(int64_t kib)
{
    return kib < 0 || kib > INT64_MAX / 1024 ? -1 : kib * 1024;
}

static int64_t difference(int64_t total, int64_t part)
{
    if (total < 0 || part < 0) return -1;
    return part < total ? total - part : 0;
}

void stk_memory_parse(stk_memory_bytes *out, const char *text)
{
    enum { TOTAL, AVAILABLE, BUFFERS, CACHED, SWAP, SWAP_FREE, COUNT };
    wanted rows[COUNT] = {{"MemTotal:", -1}, {"MemAvailable:", -1}, {"Buffers:", 0},
                          {"Cached:", -1},   {"SwapTotal:", -1},    {"SwapFree:", -1}};
    for (const char *line = text; line; line = stk_proc_line(line))
        for (int i = 0; i < COUNT; i++) {
            const size_t length = strlen(rows[i].key);
            if (strncmp(line, rows[i].key, length) != 0) continue;
            const char *at = line + length;
            rows[i].bytes = kib_to_bytes(stk_proc_number(&at));
        }
    out->total = rows[TOTAL].bytes;
    out->used = difference(rows[TOTAL].bytes, rows[AVAILABLE].bytes);
    out->page_cache = rows[CACHED].bytes;
    if (out->page_cache >= 0 && rows[BUFFERS].bytes > 0 &&
        __builtin_add_overflow(out->page_cache, rows[BUFFERS].bytes, &out->page_cache))
        out->page_cache = -1;
    out->swap_used = difference(rows[SWAP].bytes, rows[SWAP_FREE].bytes);
}
