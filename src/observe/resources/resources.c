/* One sample: differences of counters over monotonic time, so that clock changes have no effect. */
#include "observe/resources/resources_internal.h"

#include "base/clock.h"
#include "observe/resources/machine_info.h"
#include "observe/resources/process_tree.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHORTEST_NS = 1000000 }; /* rates over shorter times are noise */

/* Machine counters at one moment. */
typedef struct counters {
    stk_cpu_ticks     cpu;
    stk_disk_counters disks[STK_DISKS_MAX];
    size_t            disk_count;
    stk_link_counters links[STK_LINKS_MAX];
    size_t            link_count;
    int64_t           own_cpu_ns, own_read, own_write, own_switches, own_waiting_ns;
} counters;

struct stk_resources {
    stk_procfs          fs;
    stk_procfile        stat, meminfo, diskstats, net;
    stk_machine_info    machine;
    stk_gpu_reader     *gpus;
    stk_process_tree    tree;
    bool                has_tree, has_sample;
    uint64_t            start_ns, before_ns;
    counters            now, before;
    double              cores[STK_CORES_MAX];
    stk_resource_sample last;
};

static const stk_resource_sample unknown = {.cpu = -1,
                                            .iowait = -1,
                                            .own_cores = -1,
                                            .own_memory = -1,
                                            .memory_used = -1,
                                            .page_cache = -1,
                                            .swap_used = -1,
                                            .disk_read = -1,
                                            .disk_write = -1,
                                            .disk_reads = -1,
                                            .disk_writes = -1,
                                            .disk_busy = -1,
                                            .own_read = -1,
                                            .own_write = -1,
                                            .net_in = -1,
                                            .net_out = -1,
                                            .switches = -1,
                                            .own_waiting = -1,
                                            .rate = -1};

static stk_status open_sources(stk_resources *r, int process, const stk_resources_paths *paths,
                               stk_error *err)
{
    STK_TRY(stk_procfs_open(&r->fs, paths->root, err));
    stk_procfile_init(&r->stat, "proc/stat");
    stk_procfile_init(&r->meminfo, "proc/meminfo");
    stk_procfile_init(&r->diskstats, "proc/diskstats");
    stk_procfile_init(&r->net, "proc/net/dev");
    stk_machine_describe(&r->machine, &r->fs, paths->root);
    if (process >= 0) {
        const bool is_real = !strcmp(paths->root, "/");
        STK_TRY(
            stk_process_tree_open(&r->tree, &r->fs, process ? process : getpid(), is_real, err));
        r->has_tree = true;
    }
    return stk_gpu_reader_start(&r->gpus, &paths->gpu, &r->machine, err);
}

stk_status stk_resources_open_at(stk_resources **out, int process, const stk_resources_paths *paths,
                                 stk_error *err)
{
    *out = NULL;
    stk_resources *r = calloc(1, sizeof *r);
    if (!r) return stk_fail(err, STK_E_NOMEM, "resources", NULL, "no memory for a sampler");
    r->fs.root = r->stat.fd = r->meminfo.fd = r->diskstats.fd = r->net.fd = -1;
    r->start_ns = stk_clock_ns();
    const stk_status st = open_sources(r, process, paths, err);
    if (st) {
        stk_resources_close(r);
        return st;
    }
    *out = r;
    return STK_OK;
}

stk_status stk_resources_open(stk_resources **out, int process, stk_error *err)
{
    const stk_resources_paths defaults = {
        .root = "/", .gpu = {.nvml = "libnvidia-ml.so.1", .nvidia_smi = "nvidia-smi"}};
    return stk_resources_open_at(out, process, &defaults, err);
}

void stk_resources_close(stk_resources *resources)
{
    if (!resources) return;
    stk_gpu_reader_stop(resources->gpus);
    if (resources->has_tree) stk_process_tree_close(&resources->tree);
    stk_procfile_close(&resources->stat, &resources->fs);
    stk_procfile_close(&resources->meminfo, &resources->fs);
    stk_procfile_close(&resources->diskstats, &resources->fs);
    stk_procfile_close(&resources->net, &resources->fs);
    stk_procfs_close(&resources->fs);
    free(resources);
}

const stk_machine_info *stk_resources_machine(const stk_resources *resources)
{
    return &resources->machine;
}

/* Disks and links may change during a run. */
static void read_counters(stk_resources *r, uint64_t now_ns)
{
    counters   *c = &r->now;
    const char *text = stk_procfile_read(&r->stat, &r->fs);
    stk_cpu_parse(&c->cpu, text ? text : "");
    text = stk_procfile_read(&r->diskstats, &r->fs);
    c->disk_count = text ? stk_disks_parse(c->disks, STK_DISKS_MAX, text) : 0;
    c->disk_count = stk_disks_keep_complete(c->disks, c->disk_count, &r->fs);
    text = stk_procfile_read(&r->net, &r->fs);
    c->link_count = text ? stk_links_parse(c->links, STK_LINKS_MAX, text) : 0;
    c->link_count = stk_links_keep_real(c->links, c->link_count, &r->fs);
    c->own_cpu_ns = c->own_read = c->own_write = c->own_switches = c->own_waiting_ns = -1;
    if (!r->has_tree) return;
    const double elapsed_s = r->has_sample ? (double)(now_ns - r->before_ns) * 1e-9 : 0;
    stk_process_tree_update(&r->tree, c->cpu.forks, now_ns, elapsed_s);
    c->own_cpu_ns = r->tree.cpu_ns;
    c->own_read = r->tree.read;
    c->own_write = r->tree.write;
    c->own_switches = r->tree.switches;
    c->own_waiting_ns = r->tree.waiting_ns;
}

/* A counter that decreased was reset: its device was replaced. */
static double rate(int64_t now, int64_t before, double seconds)
{
    if (now < 0 || before < 0) return -1;
    return now > before ? (double)(now - before) / seconds : 0;
}

static void add(double *sum, double more)
{
    if (more >= 0) *sum = (*sum < 0 ? 0 : *sum) + more;
}

static double fraction_of(int64_t now, int64_t before, int64_t total, int64_t total_before)
{
    if (now < 0 || before < 0 || total <= total_before) return -1;
    const double part = (double)(now - before) / (double)(total - total_before);
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

static void fill_cpu(stk_resources *r, stk_resource_sample *s)
{
    const stk_core_ticks *now = &r->now.cpu.all, *before = &r->before.cpu.all;
    s->cpu = fraction_of(now->busy, before->busy, now->total, before->total);
    s->iowait = fraction_of(now->iowait, before->iowait, now->total, before->total);
    for (int i = 0; i < r->now.cpu.core_count; i++) {
        now = &r->now.cpu.cores[i];
        before = &r->before.cpu.cores[i];
        r->cores[i] = i < r->before.cpu.core_count
                          ? fraction_of(now->busy, before->busy, now->total, before->total)
                          : -1;
    }
}

static void fill_disks(const stk_resources *r, double seconds, stk_resource_sample *s)
{
    for (size_t i = 0; i < r->now.disk_count; i++)
        for (size_t j = 0; j < r->before.disk_count; j++) {
            const stk_disk_counters *now = &r->now.disks[i], *before = &r->before.disks[j];
            if (strcmp(now->name, before->name) != 0) continue;
            add(&s->disk_read, rate(now->read_bytes, before->read_bytes, seconds));
            add(&s->disk_write, rate(now->write_bytes, before->write_bytes, seconds));
            add(&s->disk_reads, rate(now->reads, before->reads, seconds));
            add(&s->disk_writes, rate(now->writes, before->writes, seconds));
            double busy = rate(now->busy_ms, before->busy_ms, seconds) / 1000;
            if (busy > 1) busy = 1;
            if (busy > s->disk_busy) s->disk_busy = busy;
        }
}

static void fill_network(const stk_resources *r, double seconds, stk_resource_sample *s)
{
    for (size_t i = 0; i < r->now.link_count; i++)
        for (size_t j = 0; j < r->before.link_count; j++) {
            const stk_link_counters *now = &r->now.links[i], *before = &r->before.links[j];
            if (strcmp(now->name, before->name) != 0) continue;
            add(&s->net_in, rate(now->in_bytes, before->in_bytes, seconds));
            add(&s->net_out, rate(now->out_bytes, before->out_bytes, seconds));
        }
}

static void fill_rates(stk_resources *r, double seconds, stk_resource_sample *s)
{
    fill_cpu(r, s);
    fill_disks(r, seconds, s);
    fill_network(r, seconds, s);
    s->own_cores = rate(r->now.own_cpu_ns, r->before.own_cpu_ns, seconds);
    if (s->own_cores > 0) s->own_cores *= 1e-9;
    s->own_read = rate(r->now.own_read, r->before.own_read, seconds);
    s->own_write = rate(r->now.own_write, r->before.own_write, seconds);
    s->switches = rate(r->now.own_switches, r->before.own_switches, seconds);
    s->own_waiting = rate(r->now.own_waiting_ns, r->before.own_waiting_ns, seconds);
    if (s->own_waiting > 0) s->own_waiting *= 1e-9;
}

static void fill_memory(stk_resources *r, stk_resource_sample *s)
{
    stk_memory_bytes memory;
    const char      *text = stk_procfile_read(&r->meminfo, &r->fs);
    stk_memory_parse(&memory, text ? text : "");
    s->memory_used = (double)memory.used;
    s->page_cache = (double)memory.page_cache;
    s->swap_used = (double)memory.swap_used;
    s->own_memory = r->has_tree ? (double)r->tree.resident : -1;
}

static void fill_gpus(stk_resources *r, stk_resource_sample *s)
{
    stk_gpu_readings readings;
    stk_gpu_pids     pids = {0};
    for (size_t i = 0; i < r->tree.process_count && pids.count < STK_GPU_PIDS; i++)
        pids.ids[pids.count++] = r->tree.processes[i].id;
    stk_gpu_reader_latest(r->gpus, &pids, &readings);
    s->gpu_count = readings.count;
    memcpy(s->gpus, readings.gpus, (size_t)readings.count * sizeof *s->gpus);
}

void stk_resources_sample_at(stk_resources *resources, uint64_t now_ns, stk_resource_sample *out)
{
    stk_resources *r = resources;
    if (r->has_sample && now_ns - r->before_ns < SHORTEST_NS) {
        *out = r->last;
        return;
    }
    *out = unknown;
    out->seconds = (double)(now_ns - r->start_ns) * 1e-9;
    read_counters(r, now_ns);
    if (r->has_sample) fill_rates(r, (double)(now_ns - r->before_ns) * 1e-9, out);
    fill_memory(r, out);
    fill_gpus(r, out);
    r->before = r->now;
    r->before_ns = now_ns;
    r->has_sample = true;
    r->last = *out;
}

void stk_resources_sample(stk_resources *resources, stk_resource_sample *out)
{
    stk_resources_sample_at(resources, stk_clock_ns(), out);
}

size_t stk_resources_threads(stk_resources *resources, stk_thread_sample *out, size_t capacity)
{
    return resources->has_tree ? stk_process_tree_busiest(&resources->tree, out, capacity) : 0;
}

size_t stk_resources_cores(const stk_resources *resources, double *out, size_t capacity)
{
    const size_t all = (size_t)resources->now.cpu.core_count;
    const size_t count = all < capacity ? all : capacity;
    memcpy(out, resources->cores, count * sizeof *out);
    return count;
}

void stk_resources_note(stk_resources *resources, char *text, size_t capacity)
{
    stk_gpu_reader_note(resources->gpus, text, capacity);
}
