/* Machine-wide counters from /proc, since boot. -1: not known. */
#ifndef STK_OBSERVE_RESOURCES_SOURCES_H
#define STK_OBSERVE_RESOURCES_SOURCES_H

#include "observe/resources/procfile.h"

#include <stoker/resources.h>

enum { STK_CORES_MAX = 1024, STK_DISKS_MAX = 64, STK_LINKS_MAX = 64 };

/* Ticks of one core, or of all. Steal time counts as busy: it was requested. */
typedef struct stk_core_ticks {
    int64_t busy, iowait, total;
} stk_core_ticks;

typedef struct stk_cpu_ticks {
    stk_core_ticks all, cores[STK_CORES_MAX];
    int            core_count;
    int64_t        forks; /* processes and threads ever started */
} stk_cpu_ticks;

/* Parses /proc/stat. */
void stk_cpu_parse(stk_cpu_ticks *out, const char *text);

typedef struct stk_memory_bytes {
    int64_t total, used, page_cache, swap_used;
} stk_memory_bytes;

/* Parses /proc/meminfo. */
void stk_memory_parse(stk_memory_bytes *out, const char *text);

typedef struct stk_disk_counters {
    char    name[32];
    int64_t reads, writes, read_bytes, write_bytes, busy_ms;
} stk_disk_counters;

/* Parses /proc/diskstats, without devices on top of others. Returns how many. */
size_t stk_disks_parse(stk_disk_counters *out, size_t capacity, const char *text);
/* Drops partitions: only entries of /sys/block are disks. */
size_t stk_disks_keep_complete(stk_disk_counters *disks, size_t count, stk_procfs *fs);

typedef struct stk_link_counters {
    char    name[32];
    int64_t in_bytes, out_bytes;
} stk_link_counters;

/* Parses /proc/net/dev without loopback. Returns how many. */
size_t stk_links_parse(stk_link_counters *out, size_t capacity, const char *text);
/* Drops bridges and tunnels if there are hardware links, which carry the same bytes. */
size_t stk_links_keep_real(stk_link_counters *links, size_t count, stk_procfs *fs);
/* Bytes per second of the fastest link; -1: not known. */
double stk_links_speed(const stk_link_counters *links, size_t count, stk_procfs *fs);

#endif
