/* GPU readings on a thread of their own, through NVML or else nvidia-smi. */
#ifndef STK_OBSERVE_RESOURCES_GPU_H
#define STK_OBSERVE_RESOURCES_GPU_H

#include <stoker/resources.h>

enum { STK_GPU_PIDS = 256, STK_GPU_NOTE = 256 };

typedef struct stk_gpu_readings {
    int            count;
    stk_gpu_sample gpus[STK_RESOURCES_GPUS];
} stk_gpu_readings;

/* Processes whose GPU memory is read. */
typedef struct stk_gpu_pids {
    size_t count;
    int    ids[STK_GPU_PIDS];
} stk_gpu_pids;

/* A source of readings; used by one thread. */
typedef struct stk_gpu_source {
    const char *name;
    double      period_s; /* minimum interval */
    /* Fills the GPUs of machine and gpu_source. False: unavailable; note has the reason ("" if
     * there is simply no driver). */
    bool (*open)(void **state, const char *path, stk_machine_info *machine, char *note);
    /* False: the source failed; note has the reason. Single missing values are negative. */
    bool (*read)(void *state, const stk_gpu_pids *pids, stk_gpu_readings *out, char *note);
    void (*close)(void *state); /* NULL is fine */
} stk_gpu_source;

extern const stk_gpu_source stk_gpu_nvml;       /* path: the library */
extern const stk_gpu_source stk_gpu_nvidia_smi; /* path: the program, searched for in PATH */

typedef struct stk_gpu_reader stk_gpu_reader;

/* Paths; tests use others. */
typedef struct stk_gpu_paths {
    const char *nvml, *nvidia_smi;
    double      period_s, retry_s; /* 0: default */
} stk_gpu_paths;

/* Finds GPUs and starts reading them; *out is NULL if there are none. */
STK_NODISCARD stk_status stk_gpu_reader_start(stk_gpu_reader **out, const stk_gpu_paths *paths,
                                              stk_machine_info *machine, stk_error *err);
void                     stk_gpu_reader_stop(stk_gpu_reader *reader); /* NULL is fine */
/* The latest readings; sets the pids to read from now on. Never waits for the driver. */
void stk_gpu_reader_latest(stk_gpu_reader *reader, const stk_gpu_pids *pids, stk_gpu_readings *out);
/* Why reading fails now, or failed before; "" if it never did. */
void stk_gpu_reader_note(stk_gpu_reader *reader, char *text, size_t capacity);

/* All values of one GPU are unknown. */
stk_gpu_sample stk_gpu_unknown(void);
/* Whether the clock is reduced, by NVML's reason bits: power, heat, brake; not idling. */
double stk_gpu_throttled(uint64_t reasons);

/* Parses the output of stk_gpu_nvidia_smi's query; machine may be NULL. False if it is something
 * else. */
bool stk_nvidia_smi_parse(const char *text, stk_machine_info *machine, stk_gpu_readings *out);

#endif
