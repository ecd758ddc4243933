/* Machine properties for rules. */
#include "base/limits.h"
#include "lint/lint_internal.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* Typical float32 rate of a vectorised core, and memory bandwidth: enough to find the long
 * operations of a step. */
static const double core_flops = 5e10, memory_bytes = 2e10;

/* Whether cpu is the first thread of its core: the sibling list, "0,4" or "0-1", begins with it. */
static bool is_first(int cpu, bool *known)
{
    char path[96];
    int  first = -1;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    if (fscanf(file, "%d", &first) == 1) *known = true;
    fclose(file);
    return first == cpu;
}

static int count_physical(void)
{
    cpu_set_t allowed;
    bool      known = false;
    int       count = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed)) return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && is_first(cpu, &known)) count++;
    return known ? count : 0;
}

static bool has_bf16(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512bf16");
#else
    return false;
#endif
}

void stk_lint_machine_read(stk_lint_machine *out)
{
    const int cores = stk_limits_cores();
    *out = (stk_lint_machine){.cores = cores,
                              .physical = count_physical(),
                              .memory = stk_limits_memory_bytes(),
                              .bf16 = has_bf16(),
                              .flops = core_flops * cores,
                              .memory_bytes = memory_bytes};
    if (out->physical > cores) out->physical = cores;
}
