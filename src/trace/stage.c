/* The names of the stages. */
#include <stoker/trace.h>

const char *stk_stage_name(stk_stage stage)
{
    static const char *const names[STK_STAGE_COUNT] = {
        [STK_STAGE_NONE] = "no stage",
        [STK_STAGE_READ] = "S1 read",
        [STK_STAGE_PREPROCESS] = "S2 preprocess",
        [STK_STAGE_HOST_TO_DEVICE] = "S3 host to device",
        [STK_STAGE_COMPUTE] = "S4 compute",
        [STK_STAGE_ALLREDUCE] = "S5 all-reduce",
        [STK_STAGE_DEVICE_TO_HOST] = "S6 device to host",
        [STK_STAGE_OUTPUT] = "S7 output",
        [STK_STAGE_WRITE] = "S8 write",
    };
    return (unsigned)stage < STK_STAGE_COUNT ? names[stage] : "unknown stage";
}
