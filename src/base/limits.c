/* Memory and cores from the kernel: affinity, cgroup v2, cgroup v1, the machine. */
#include "base/limits.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t memory_min = 64u << 20;

static bool read_line(const char *path, char *text, int capacity)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    const bool got = fgets(text, capacity, file) != NULL;
    fclose(file);
    return got;
}

/* Whether names, "cpu,cpuacct", has controller; the empty list is v2's. */
static bool has_controller(const char *names, const char *controller)
{
    const size_t length = strlen(controller);
    if (!length) return !*names;
    for (;; names++) {
        const size_t next = strcspn(names, ",");
        if (next == length && !memcmp(names, controller, length)) return true;
        names += next;
        if (!*names) return false;
    }
}

/* The process's cgroup below the mount: "/user.slice/..." for v2, or v1's path for controller. */
static bool cgroup_path(const char *root, const char *controller, char *path, size_t capacity)
{
    char line[4096];
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *file = fopen(line, "re");
    if (!file) return false;
    bool found = false;
    while (!found && fgets(line, sizeof line, file)) {
        char *names = strchr(line, ':');
        char *position = names ? strchr(names + 1, ':') : NULL;
        if (!position) continue;
        *position++ = '\0';
        position[strcspn(position, "\n")] = '\0';
        found = has_controller(names + 1, controller);
        if (found) snprintf(path, capacity, "%s", position);
    }
    fclose(file);
    return found;
}

/* One folder after the other, from the process's cgroup up to the mount: a limit anywhere on the
 * way binds. Inside a container the path may be the host's, of which only the mount is there. */
typedef struct climb {
    const char *mount; /* below root */
    char        position[2048];
    bool        done;
} climb;

static climb begin_climb(const char *root, const char *mount, const char *controller)
{
    climb c = {.mount = mount};
    c.done = !cgroup_path(root, controller, c.position, sizeof c.position);
    return c;
}

static void step_up(climb *c)
{
    char *slash = strrchr(c->position, '/');
    c->done = !slash || !c->position[1];
    if (!c->done) slash[slash == c->position] = '\0';
}

static bool read_here(const climb *c, const char *root, const char *file, char *text, int capacity)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s/%s", root, c->mount,
             strcmp(c->position, "/") ? c->position : "", file);
    return read_line(path, text, capacity);
}

static void lower_bytes(const char *root, const char *mount, const char *controller,
                        const char *file, uint64_t *smallest)
{
    char text[128];
    for (climb c = begin_climb(root, mount, controller); !c.done; step_up(&c)) {
        if (!read_here(&c, root, file, text, sizeof text)) continue;
        char *end;
        errno = 0;
        const unsigned long long bytes = strtoull(text, &end, 10); /* "max" is no number */
        if (end != text && !errno && bytes < *smallest) *smallest = bytes;
    }
}

uint64_t stk_limits_memory_bytes_below(const char *root)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    uint64_t   bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : memory_min;
    lower_bytes(root, "/sys/fs/cgroup", "", "memory.max", &bytes);
    lower_bytes(root, "/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes", &bytes);
    return bytes < memory_min ? memory_min : bytes;
}

uint64_t stk_limits_memory_bytes(void)
{
    return stk_limits_memory_bytes_below("");
}

/* Microseconds of all cores together in a period; v1 says -1 for no limit, v2 "max". */
static void lower_cores(const char *quota_text, const char *period_text, int *cores)
{
    char           *end;
    const long long quota = strtoll(quota_text, &end, 10);
    if (end == quota_text || quota <= 0) return;
    const long long period = strtoll(period_text, &end, 10);
    if (end == period_text || period <= 0) return;
    const long long rounded_up = quota / period + (quota % period != 0);
    if (rounded_up < *cores) *cores = (int)rounded_up;
}

int stk_limits_cores_below(const char *root)
{
    char quota[128], period[128];
    /* Space for 65536 cores: the call refuses a set smaller than the kernel's. */
    cpu_set_t allowed[64];
    int       cores = 1;
    if (sched_getaffinity(0, sizeof allowed, allowed) == 0)
        cores = CPU_COUNT_S(sizeof allowed, allowed);
    for (climb c = begin_climb(root, "/sys/fs/cgroup", ""); !c.done; step_up(&c))
        if (read_here(&c, root, "cpu.max", quota, sizeof quota)) /* "QUOTA PERIOD" */
            lower_cores(quota, quota + strcspn(quota, " "), &cores);
    for (climb c = begin_climb(root, "/sys/fs/cgroup/cpu", "cpu"); !c.done; step_up(&c))
        if (read_here(&c, root, "cpu.cfs_quota_us", quota, sizeof quota) &&
            read_here(&c, root, "cpu.cfs_period_us", period, sizeof period))
            lower_cores(quota, period, &cores);
    return cores < 1 ? 1 : cores;
}

int stk_limits_cores(void)
{
    return stk_limits_cores_below("");
}
