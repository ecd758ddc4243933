/* Static properties of the machine. */
#include "observe/resources/machine_info.h"

#include "base/limits.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

static void copy_line(char *out, const char *text)
{
    snprintf(out, STK_RESOURCES_NAME, "%.*s", (int)strcspn(text, "\n"), text);
}

static void describe_cpu(stk_machine_info *machine, stk_procfs *fs)
{
    const char *text = stk_procfs_read(fs, "proc/cpuinfo");
    for (; text; text = stk_proc_line(text)) {
        if (strncmp(text, "model name", 10) != 0) continue;
        const char *value = text + strcspn(text, ":\n");
        if (*value == ':') copy_line(machine->cpu, value + 1 + strspn(value + 1, " "));
        return;
    }
}

void stk_machine_describe(stk_machine_info *machine, stk_procfs *fs, const char *root)
{
    struct utsname    name;
    stk_link_counters links[STK_LINKS_MAX];
    const char       *below = strcmp(root, "/") ? root : "";
    *machine = (stk_machine_info){.link_bytes = -1};
    if (uname(&name) == 0) {
        copy_line(machine->host, name.nodename);
        copy_line(machine->kernel, name.release);
    }
    describe_cpu(machine, fs);
    machine->cores = stk_limits_cores_below(below);
    machine->memory = stk_limits_memory_bytes_below(below);
    const char *text = stk_procfs_read(fs, "proc/net/dev");
    if (!text) return;
    size_t count = stk_links_parse(links, STK_LINKS_MAX, text);
    count = stk_links_keep_real(links, count, fs);
    machine->link_bytes = stk_links_speed(links, count, fs);
}
