/* A driver for tests: two GPUs, the second of which lacks what old ones lack. The file that
 * FAKE_NVML names says how it is: "lost" makes every call fail, "one" the first GPU's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_SUPPORTED = 3, LOST = 15 };

int         nvmlInit_v2(void);
int         nvmlShutdown(void);
const char *nvmlErrorString(int result);
int         nvmlSystemGetDriverVersion(char *text, unsigned length);
int         nvmlDeviceGetCount_v2(unsigned *count);
int         nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int         nvmlDeviceGetName(void *device, char *text, unsigned length);
int         nvmlDeviceGetUtilizationRates(void *device, unsigned *rates);
int         nvmlDeviceGetMemoryInfo(void *device, unsigned long long *bytes);
int         nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
int         nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
int         nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz);
int         nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);
int         nvmlDeviceGetPersistenceMode(void *device, unsigned *mode);
int         nvmlDeviceGetPcieThroughput(void *device, int direction, unsigned *kib);
int nvmlDeviceGetComputeRunningProcesses_v2(void *device, unsigned *count, unsigned char *infos);

static char devices[2];

static int state_of(const void *device)
{
    char        text[16] = "";
    const char *path = getenv("FAKE_NVML");
    FILE       *file = path ? fopen(path, "r") : NULL;
    if (!file) return 0;
    if (!fgets(text, sizeof text, file)) text[0] = '\0';
    fclose(file);
    if (!strncmp(text, "one", 3)) return device == &devices[0] ? LOST : 0;
    return strncmp(text, "lost", 4) ? 0 : LOST;
}

static int give(const void *device, unsigned *out, unsigned first, unsigned second)
{
    *out = device == &devices[0] ? first : second;
    return state_of(device);
}

int nvmlInit_v2(void)
{
    return state_of(NULL);
}

int nvmlShutdown(void)
{
    return 0;
}

const char *nvmlErrorString(int result)
{
    return result == LOST ? "GPU is lost" : "something";
}

int nvmlSystemGetDriverVersion(char *text, unsigned length)
{
    snprintf(text, length, "580.65");
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 2;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = &devices[index];
    return 0;
}

int nvmlDeviceGetName(void *device, char *text, unsigned length)
{
    snprintf(text, length, "Fake %c", device == &devices[0] ? 'A' : 'B');
    return 0;
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned *rates)
{
    rates[1] = 25;
    return give(device, rates, 90, 10);
}

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *bytes)
{
    bytes[0] = 16ull << 30;
    bytes[1] = 12ull << 30;
    bytes[2] = 4ull << 30;
    return state_of(device);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    return device == &devices[1] ? NOT_SUPPORTED : give(device, milliwatts, 250500, 0);
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    return sensor ? NOT_SUPPORTED : give(device, celsius, 71, 35);
}

int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz)
{
    return kind != 1 ? NOT_SUPPORTED : give(device, mhz, 1410, 210);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    *reasons = device == &devices[0] ? 0x40 : 0x1; /* heat; idle, which is no fault */
    return state_of(device);
}

int nvmlDeviceGetPersistenceMode(void *device, unsigned *mode)
{
    return give(device, mode, 1, 0);
}

int nvmlDeviceGetPcieThroughput(void *device, int direction, unsigned *kib)
{
    return give(device, kib, direction ? 2000 : 1000, 0);
}

/* pid, bytes, two instances: 24 bytes with what aligns them. */
int nvmlDeviceGetComputeRunningProcesses_v2(void *device, unsigned *count, unsigned char *infos)
{
    const unsigned           pids[] = {4242, 7};
    const unsigned long long bytes = 1ull << 30;
    *count = 2;
    for (int i = 0; i < 2; i++) {
        memcpy(infos + i * 24, &pids[i], sizeof pids[i]);
        memcpy(infos + i * 24 + 8, &bytes, sizeof bytes);
    }
    return state_of(device);
}
