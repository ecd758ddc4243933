/* What /proc and nvidia-smi might say, in arbitrary bytes. The first byte chooses the file. */
#include "observe/resources/gpu.h"
#include "observe/resources/process_tree.h"
#include "observe/resources/sources.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) abort();
}

static void read_cpu(const char *text)
{
    static stk_cpu_ticks cpu;
    stk_cpu_parse(&cpu, text);
    check(cpu.core_count >= 0 && cpu.core_count <= STK_CORES_MAX);
    check(cpu.all.busy <= cpu.all.total);
}

static void read_memory(const char *text)
{
    stk_memory_bytes memory;
    stk_memory_parse(&memory, text);
    check(memory.used <= memory.total || memory.total < 0);
}

static void read_disks(const char *text)
{
    stk_disk_counters disks[4];
    const size_t      count = stk_disks_parse(disks, 4, text);
    check(count <= 4);
    for (size_t i = 0; i < count; i++)
        check(disks[i].name[0] && disks[i].reads >= 0 && disks[i].write_bytes >= 0);
}

static void read_links(const char *text)
{
    stk_link_counters links[4];
    const size_t      count = stk_links_parse(links, 4, text);
    check(count <= 4);
    for (size_t i = 0; i < count; i++)
        check(links[i].name[0] && links[i].in_bytes >= 0 && links[i].out_bytes >= 0);
}

static void read_process(const char *text)
{
    stk_process_stat stat;
    stk_thread_times times;
    if (stk_process_stat_parse(&stat, text)) check(stat.cpu_ticks >= 0 && stat.child_ticks >= 0);
    if (stk_thread_times_parse(&times, text)) check(times.cpu_ns >= 0 && times.switches >= 0);
}

static void read_gpus(const char *text)
{
    static stk_machine_info machine;
    stk_gpu_readings        out;
    if (stk_nvidia_smi_parse(text, &machine, &out))
        check(out.count > 0 && out.count <= STK_RESOURCES_GPUS && machine.gpu_count == out.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(const char *) = {read_cpu,   read_memory,  read_disks,
                                                    read_links, read_process, read_gpus};
    if (!size) return 0;
    char *text = malloc(size);
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    readers[data[0] % 6](text);
    free(text);
    return 0;
}
