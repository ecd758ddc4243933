/* /proc/diskstats: disk traffic. */
#include "observe/resources/sources.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Devices on top of other disks or in memory: their bytes would count twice, or are no disk
 * traffic. */
static bool lies_on_another(const char *name)
{
    static const char *const prefixes[] = {"loop", "ram", "zram", "dm-", "md", "sr", "fd"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) return true;
    return false;
}

static int64_t sectors_to_bytes(int64_t sectors)
{
    enum { SECTOR = 512 }; /* fixed in this file, whatever the disk's is */
    return sectors < 0 || sectors > INT64_MAX / SECTOR ? -1 : sectors * SECTOR;
}

/* major minor name | reads merged sectors ms | writes merged sectors ms | at work, ms of work */
static bool parse_line(stk_disk_counters *disk, const char *at)
{
    stk_proc_skip(&at, 2);
    at += strspn(at, " ");
    const size_t length = strcspn(at, " \n");
    if (!length || length >= sizeof disk->name) return false;
    snprintf(disk->name, sizeof disk->name, "%.*s", (int)length, at);
    at += length;
    disk->reads = stk_proc_number(&at);
    stk_proc_skip(&at, 1);
    disk->read_bytes = sectors_to_bytes(stk_proc_number(&at));
    stk_proc_skip(&at, 1);
    disk->writes = stk_proc_number(&at);
    stk_proc_skip(&at, 1);
    disk->write_bytes = sectors_to_bytes(stk_proc_number(&at));
    stk_proc_skip(&at, 2);
    disk->busy_ms = stk_proc_number(&at);
    return disk->reads >= 0 && disk->read_bytes >= 0 && disk->writes >= 0 && disk->write_bytes >= 0;
}

size_t stk_disks_parse(stk_disk_counters *out, size_t capacity, const char *text)
{
    size_t count = 0;
    for (const char *line = text; line && count < capacity; line = stk_proc_line(line))
        if (parse_line(&out[count], line) && !lies_on_another(out[count].name)) count++;
    return count;
}

size_t stk_disks_keep_complete(stk_disk_counters *disks, size_t count, stk_procfs *fs)
{
    size_t kept = 0;
    char   path[64];
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "sys/block/%s", disks[i].name);
        if (faccessat(fs->root, path, F_OK, 0) == 0) disks[kept++] = disks[i];
    }
    return kept ? kept : count; /* no /sys: partitions count with their disk */
}
