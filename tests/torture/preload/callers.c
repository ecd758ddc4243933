/* Which library a memory call is made for. oneDNN goes on with address 0 where some of its
 * allocations fail, and OpenMP ends the process: such cases are told apart by this. */
#include "faults.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

enum { FRAMES = 48 };

/* The first call loads a library, and takes memory for it. */
__attribute__((constructor)) static void prepare(void)
{
    void *frame;
    (void)backtrace(&frame, 1);
}

const char *stk_caller(void)
{
    void     *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (!dladdr(frames[i], &info) || !info.dli_fname) continue;
        if (strstr(info.dli_fname, "libdnnl")) return "in oneDNN";
        if (strstr(info.dli_fname, "libgomp")) return "in OpenMP";
    }
    return "";
}
