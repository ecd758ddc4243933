/* /proc/net/dev: network traffic. */
#include "observe/resources/sources.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "  eth0: IN packets errs drop fifo frame compressed multicast OUT ..." */
static bool parse_line(stk_link_counters *link, const char *line)
{
    enum { COLUMNS_IN = 8 };
    const char *name = line + strspn(line, " "), *at = strpbrk(name, ":\n|");
    if (!at || *at != ':' || at == name || (size_t)(at - name) >= sizeof link->name) return false;
    snprintf(link->name, sizeof link->name, "%.*s", (int)(at - name), name);
    at++;
    link->in_bytes = stk_proc_number(&at);
    stk_proc_skip(&at, COLUMNS_IN - 1);
    link->out_bytes = stk_proc_number(&at);
    return link->in_bytes >= 0 && link->out_bytes >= 0;
}

size_t stk_links_parse(stk_link_counters *out, size_t capacity, const char *text)
{
    size_t count = 0;
    for (const char *line = text; line && count < capacity; line = stk_proc_line(line))
        if (parse_line(&out[count], line) && strcmp(out[count].name, "lo") != 0) count++;
    return count;
}

/* A hardware link has a device folder. */
static bool is_hardware(const stk_link_counters *link, stk_procfs *fs)
{
    char path[96];
    snprintf(path, sizeof path, "sys/class/net/%s/device", link->name);
    return faccessat(fs->root, path, F_OK, 0) == 0;
}

/* In a container no link is hardware; these names are still virtual. */
static bool leads_nowhere(const char *name)
{
    static const char *const prefixes[] = {"ifb", "dummy", "docker", "br-", "virbr", "veth"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) return true;
    return false;
}

size_t stk_links_keep_real(stk_link_counters *links, size_t count, stk_procfs *fs)
{
    size_t hardware = 0, kept = 0;
    for (size_t i = 0; i < count; i++)
        hardware += is_hardware(&links[i], fs);
    for (size_t i = 0; i < count; i++)
        if (hardware ? is_hardware(&links[i], fs) : !leads_nowhere(links[i].name))
            links[kept++] = links[i];
    return kept;
}

double stk_links_speed(const stk_link_counters *links, size_t count, stk_procfs *fs)
{
    double fastest = -1;
    for (size_t i = 0; i < count; i++) {
        const char *text = stk_procfs_read(fs, "sys/class/net/%s/speed", links[i].name);
        if (!text) continue;
        const int64_t megabits = stk_proc_number(&text); /* "-1": not known by the driver */
        if (megabits > 0 && (double)megabits * 125e3 > fastest) fastest = (double)megabits * 125e3;
    }
    return fastest;
}
