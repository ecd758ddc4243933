/* NVTX 3 is headers only: its calls look for the tool that watches, and do nothing without one. */
#include "trace/nvtx.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

bool stk_nvtx3_has(stk_nvtx *nvtx)
{
    *nvtx = (stk_nvtx){.push = nvtxRangePushA, .pop = nvtxRangePop};
    return true;
}

#else

bool stk_nvtx3_has(stk_nvtx *nvtx)
{
    (void)nvtx;
    return false;
}

#endif
