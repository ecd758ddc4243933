/* stoker/resources.h - samples resource usage of a machine and a process: cores, memory, disks,
 * network, GPUs. Reads /proc and /sys through open files, and NVML if the driver has it. */
#ifndef STOKER_RESOURCES_H
#define STOKER_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/error.h>

STK_BEGIN_DECLS

enum { STK_RESOURCES_GPUS = 16, STK_RESOURCES_NAME = 64 };

/* Unknown values are negative. */
typedef struct stk_gpu_sample {
    double utilisation;          /* 0 to 1: fraction of the last period with a running kernel */
    double memory_used;          /* bytes, of all processes */
    double memory_utilisation;   /* 0 to 1: fraction of the last period with memory traffic */
    double watts, celsius;       /* power and temperature */
    double clock_mhz, throttled; /* throttled: 1 while the clock is reduced */
    double pcie_in, pcie_out;    /* bytes a second */
    double own_memory;           /* bytes, of the watched processes */
} stk_gpu_sample;

typedef struct stk_resource_sample {
    double         seconds;     /* since the monitor began */
    double         cpu, iowait; /* of the whole machine, 0 to 1 */
    double         own_cores;   /* cores used by the process and its children: 1.5 */
    double         own_memory;  /* their resident bytes */
    double         memory_used, page_cache, swap_used; /* of the machine, bytes */
    double         disk_read, disk_write;              /* bytes a second, of all disks */
    double         disk_reads, disk_writes;            /* requests a second */
    double         disk_busy;                          /* of the busiest disk, 0 to 1 */
    double         own_read, own_write;                /* bytes a second that reached storage */
    double         net_in, net_out;                    /* bytes a second, without loopback */
    double         switches;    /* context switches of own threads per second */
    double         own_waiting; /* mean number of own threads waiting for a core */
    double         rate;        /* training samples per second; -1: not known */
    int            gpu_count;
    stk_gpu_sample gpus[STK_RESOURCES_GPUS];
} stk_resource_sample;

/* Properties that do not change. */
typedef struct stk_gpu_info {
    char     name[STK_RESOURCES_NAME];
    uint64_t memory;
    int      persistence; /* 1, 0, or -1: not known */
} stk_gpu_info;

typedef struct stk_machine_info {
    char         host[STK_RESOURCES_NAME], cpu[STK_RESOURCES_NAME], kernel[STK_RESOURCES_NAME];
    int          cores;      /* available to this process */
    uint64_t     memory;     /* available to this process, bytes */
    double       link_bytes; /* of the fastest network link, bytes a second; -1: not known */
    int          gpu_count;
    stk_gpu_info gpus[STK_RESOURCES_GPUS];
    char gpu_source[STK_RESOURCES_NAME]; /* "NVML 580.65", "nvidia-smi", or the reason for none */
} stk_machine_info;

typedef struct stk_resources stk_resources;

/* One thread of the watched processes. */
typedef struct stk_thread_sample {
    int    id;
    char   name[16];
    double cpu;                     /* since the previous sample, 0 to 1 */
    double cpu_s, runnable_s, io_s; /* since its start: on a core, waiting for a core, for a disk */
} stk_thread_sample;

/* Watches process and all its children; 0: this process, -1: the machine only. A sampler belongs to
 * one thread. GPUs are read on another thread, since a driver call may block. */
STK_API STK_NODISCARD stk_status stk_resources_open(stk_resources **out, int process,
                                                    stk_error *err);
/* NULL is fine. */
STK_API void                    stk_resources_close(stk_resources *resources);
STK_API const stk_machine_info *stk_resources_machine(const stk_resources *resources);
/* Usage since the previous sample; the first one has no rates. Never fails: unreadable values are
 * negative. */
STK_API void stk_resources_sample(stk_resources *resources, stk_resource_sample *out);
/* Writes the watched processes' current threads, busiest first; returns how many. */
STK_API size_t stk_resources_threads(stk_resources *resources, stk_thread_sample *out,
                                     size_t capacity);
/* Writes the load of each core, 0 to 1, at the last sample; returns how many. */
STK_API size_t stk_resources_cores(const stk_resources *resources, double *out, size_t capacity);
/* Writes which source became unreadable and why, such as a missing driver; "" if none. */
STK_API void stk_resources_note(stk_resources *resources, char *text, size_t capacity);

STK_END_DECLS
#endif
