/* What the files of /proc say of the whole machine: counters since it started. -1: not known. */
#ifndef STK_OBSERVE_RESOURCES_SOURCES_H
#define STK_OBSERVE_RESOURCES_SOURCES_H

#include "observe/resources/procfile.h"

#include <stoker/resources.h>

enum { STK_CORES_MAX = 1024, STK_DISKS_MAX = 64, STK_LINKS_MAX = 64 };

/* Ticks of one core, or of all. What the hypervisor took away counts as busy: it was wanted. */
typedef struct stk_core_ticks {
    int64_t busy, iowait, total;
} stk_core_ticks;

typedef struct stk_cpu_ticks {
    stk_core_ticks all, cores[STK_CORES_MAX];
    int            core_count;
    int64_t        forks; /* processes and threads ever started */
} stk_cpu_ticks;

/* Reads the text of /proc/stat. */
void stk_cpu_parse(stk_cpu_ticks *out, const char *text);

typedef struct stk_memory_bytes {
    int64_t total, used, page_cache, swap_used;
} stk_memory_bytes;

/* Reads the text of /proc/meminfo. */
void stk_memory_parse(stk_memory_bytes *out, const char *text);

typedef struct stk_disk_counters {
    char    name[32];
    int64_t reads, writes, read_bytes, write_bytes, busy_ms;
} stk_disk_counters;

/* Reads the text of /proc/diskstats: every disk with what is on it only once. Returns how many. */
size_t stk_disks_parse(stk_disk_counters *out, size_t capacity, const char *text);
/* Drops partitions: only what /sys/block has is a disk. */
size_t stk_disks_keep_complete(stk_disk_counters *disks, size_t count, stk_procfs *fs);

typedef struct stk_link_counters {
    char    name[32];
    int64_t in_bytes, out_bytes;
} stk_link_counters;

/* Reads the text of /proc/net/dev: without loopback. Returns how many. */
size_t stk_links_parse(stk_link_counters *out, size_t capacity, const char *text);
/* Drops bridges and tunnels where there are links of hardware, which carry the same bytes. */
size_t stk_links_keep_real(stk_link_counters *links, size_t count, stk_procfs *fs);
/* Bytes a second of the fastest one; -1: none says. */
double stk_links_speed(const stk_link_counters *links, size_t count, stk_procfs *fs);

#endif
