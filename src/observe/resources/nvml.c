/* NVML, loaded at run time, so neither library nor header is required. The few calls are declared
 * here as NVIDIA documents them. */
#include "observe/resources/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUCCESS = 0,
    NOT_SUPPORTED = 3,
    SENSOR_GPU = 0,
    CLOCK_SM = 1,
    PCIE_TX = 0, /* as seen from the GPU */
    PCIE_RX = 1,
    PROCESSES = 128,
    TEXT = 96
};

typedef void *device;
typedef struct utilisation {
    unsigned gpu, memory; /* percent */
} utilisation;
typedef struct memory_v1 {
    unsigned long long total, free, used;
} memory_v1;
typedef struct memory_v2 { /* without the driver's reserved part, as nvidia-smi shows it */
    unsigned           version;
    unsigned long long total, reserved, free, used;
} memory_v2;
typedef struct process_info {
    unsigned           pid;
    unsigned long long memory;
    unsigned           gpu_instance, compute_instance;
} process_info;

typedef struct calls {
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error_text)(int);
    int (*driver_version)(char *, unsigned);
    int (*count)(unsigned *);
    int (*handle)(unsigned, device *);
    int (*name)(device, char *, unsigned);
    int (*utilisation)(device, utilisation *);
    int (*memory)(device, memory_v1 *);
    int (*memory_v2)(device, memory_v2 *);
    int (*power)(device, unsigned *);
    int (*temperature)(device, int, unsigned *);
    int (*clock)(device, int, unsigned *);
    int (*reasons)(device, unsigned long long *);
    int (*persistence)(device, unsigned *);
    int (*pcie)(device, int, unsigned *);
    int (*processes)(device, unsigned *, process_info *);
} calls;

typedef struct nvml {
    void  *library;
    bool   initialized;
    calls  call;
    int    count;
    device devices[STK_RESOURCES_GPUS];
} nvml;

/* Old drivers lack some symbols; of two names the first one found is used. */
typedef struct symbol {
    const char *name, *other;
    size_t      offset;
    bool        needed;
} symbol;

static const symbol symbols[] = {
    {"nvmlInit_v2", NULL, offsetof(calls, init), true},
    {"nvmlShutdown", NULL, offsetof(calls, shutdown), true},
    {"nvmlErrorString", NULL, offsetof(calls, error_text), true},
    {"nvmlDeviceGetCount_v2", NULL, offsetof(calls, count), true},
    {"nvmlDeviceGetHandleByIndex_v2", NULL, offsetof(calls, handle), true},
    {"nvmlDeviceGetUtilizationRates", NULL, offsetof(calls, utilisation), true},
    {"nvmlDeviceGetMemoryInfo", NULL, offsetof(calls, memory), true},
    {"nvmlSystemGetDriverVersion", NULL, offsetof(calls, driver_version), false},
    {"nvmlDeviceGetName", NULL, offsetof(calls, name), false},
    {"nvmlDeviceGetMemoryInfo_v2", NULL, offsetof(calls, memory_v2), false},
    {"nvmlDeviceGetPowerUsage", NULL, offsetof(calls, power), false},
    {"nvmlDeviceGetTemperature", NULL, offsetof(calls, temperature), false},
    {"nvmlDeviceGetClockInfo", NULL, offsetof(calls, clock), false},
    {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",
     offsetof(calls, reasons), false},
    {"nvmlDeviceGetPersistenceMode", NULL, offsetof(calls, persistence), false},
    {"nvmlDeviceGetPcieThroughput", NULL, offsetof(calls, pcie), false},
    {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
     offsetof(calls, processes), false},
};

static bool find_symbols(nvml *n, char *note)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(n->library, symbols[i].name);
        if (!found && symbols[i].other) found = dlsym(n->library, symbols[i].other);
        if (!found && symbols[i].needed) {
            snprintf(note, STK_GPU_NOTE, "NVML has no %s", symbols[i].name);
            return false;
        }
        memcpy((char *)&n->call + symbols[i].offset, &found, sizeof found);
    }
    return true;
}

static bool explain(const nvml *n, char *note, const char *tried, int result)
{
    snprintf(note, STK_GPU_NOTE, "NVML: %s: %s", tried, n->call.error_text(result));
    return false;
}

static void describe(nvml *n, int index, stk_gpu_info *info)
{
    memory_v1    memory;
    unsigned     mode;
    const device d = n->devices[index];
    *info = (stk_gpu_info){.persistence = -1};
    if (!n->call.name || n->call.name(d, info->name, sizeof info->name))
        snprintf(info->name, sizeof info->name, "GPU %d", index);
    if (n->call.memory(d, &memory) == SUCCESS) info->memory = memory.total;
    if (n->call.persistence && n->call.persistence(d, &mode) == SUCCESS)
        info->persistence = mode != 0;
}

static bool find_devices(nvml *n, stk_machine_info *machine, char *note)
{
    unsigned  count = 0;
    const int result = n->call.count(&count);
    if (result) return explain(n, note, "counting GPUs", result);
    for (unsigned i = 0; i < count && n->count < STK_RESOURCES_GPUS; i++) {
        if (n->call.handle(i, &n->devices[n->count])) continue; /* lost, or not visible to us */
        describe(n, n->count, &machine->gpus[n->count]);
        n->count++;
    }
    if (!n->count) snprintf(note, STK_GPU_NOTE, "NVML: the driver shows no GPU");
    return n->count > 0;
}

static void close_nvml(void *state)
{
    nvml *n = state;
    if (!n) return;
    if (n->initialized) n->call.shutdown();
    if (n->library) dlclose(n->library);
    free(n);
}

/* A statically linked program has no reliable loader. */
static void *load(const char *path)
{
#ifdef STOKER_STATIC
    (void)path;
    return NULL;
#else
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
#endif
}

static bool begin(nvml *n, stk_machine_info *machine, char *note)
{
    char version[TEXT] = "";
    if (!find_symbols(n, note)) return false;
    const int result = n->call.init();
    if (result) return explain(n, note, "init", result);
    n->initialized = true;
    if (!find_devices(n, machine, note)) return false;
    machine->gpu_count = n->count;
    if (n->call.driver_version) n->call.driver_version(version, sizeof version);
    snprintf(machine->gpu_source, sizeof machine->gpu_source, "NVML %s", version);
    return true;
}

static bool open_nvml(void **state, const char *path, stk_machine_info *machine, char *note)
{
    void *library = load(path);
    *state = NULL;
    if (!library) return false;
    nvml *n = calloc(1, sizeof *n);
    if (!n) {
        snprintf(note, STK_GPU_NOTE, "NVML: no memory");
        dlclose(library);
        return false;
    }
    n->library = library;
    if (!begin(n, machine, note)) {
        close_nvml(n);
        return false;
    }
    *state = n;
    return true;
}

static double used_memory(const nvml *n, device d)
{
    memory_v2 second = {.version = (unsigned)sizeof second | 2u << 24};
    memory_v1 first;
    if (n->call.memory_v2 && n->call.memory_v2(d, &second) == SUCCESS) return (double)second.used;
    return n->call.memory(d, &first) == SUCCESS ? (double)first.used : -1;
}

static bool is_asked_for(const stk_gpu_pids *pids, unsigned pid)
{
    for (size_t i = 0; i < pids->count; i++)
        if ((unsigned)pids->ids[i] == pid) return true;
    return false;
}

static double own_memory(const nvml *n, device d, const stk_gpu_pids *pids)
{
    process_info list[PROCESSES];
    unsigned     count = PROCESSES;
    double       bytes = 0;
    if (!n->call.processes || !pids->count) return -1;
    if (n->call.processes(d, &count, list)) return -1;
    for (unsigned i = 0; i < count && i < PROCESSES; i++)
        if (is_asked_for(pids, list[i].pid) && list[i].memory != ~0ull)
            bytes += (double)list[i].memory;
    return bytes;
}

static double read_pcie(const nvml *n, device d, int direction)
{
    enum { KIB = 1024 };
    unsigned number;
    return n->call.pcie && !n->call.pcie(d, direction, &number) ? (double)number * KIB : -1;
}

static stk_gpu_sample read_device(const nvml *n, device d, const stk_gpu_pids *pids)
{
    stk_gpu_sample     s = stk_gpu_unknown();
    utilisation        use;
    unsigned           number;
    unsigned long long reasons;
    if (n->call.utilisation(d, &use) == SUCCESS) {
        s.utilisation = use.gpu / 100.0;
        s.memory_utilisation = use.memory / 100.0;
    }
    s.memory_used = used_memory(n, d);
    s.own_memory = own_memory(n, d, pids);
    if (n->call.power && !n->call.power(d, &number)) s.watts = number / 1000.0;
    if (n->call.temperature && !n->call.temperature(d, SENSOR_GPU, &number)) s.celsius = number;
    if (n->call.clock && !n->call.clock(d, CLOCK_SM, &number)) s.clock_mhz = number;
    if (n->call.reasons && !n->call.reasons(d, &reasons)) s.throttled = stk_gpu_throttled(reasons);
    s.pcie_in = read_pcie(n, d, PCIE_RX);
    s.pcie_out = read_pcie(n, d, PCIE_TX);
    return s;
}

/* Fails if no GPU answers: the driver is gone or all GPUs fell off the bus. */
static bool read_nvml(void *state, const stk_gpu_pids *pids, stk_gpu_readings *out, char *note)
{
    nvml *n = state;
    int   answers = 0, failure = SUCCESS;
    out->count = n->count;
    for (int i = 0; i < n->count; i++) {
        utilisation use;
        const int   result = n->call.utilisation(n->devices[i], &use);
        const bool  is_there = result == SUCCESS || result == NOT_SUPPORTED;
        out->gpus[i] = is_there ? read_device(n, n->devices[i], pids) : stk_gpu_unknown();
        answers += is_there;
        if (!is_there) failure = result;
    }
    if (failure) explain(n, note, "reading a GPU", failure);
    return answers > 0;
}

const stk_gpu_source stk_gpu_nvml = {
    .name = "NVML", .period_s = 0.5, .open = open_nvml, .read = read_nvml, .close = close_nvml};
