/* CUPTI for tests: reports every tagged region as two kernels and a copy. FAKE_CUPTI=denied permits
 * nothing, FAKE_CUPTI=old is an old version. */
#include <cupti.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 64 };

typedef struct region {
    uint64_t tag, begin, end;
} region;

/* The records of a region in a buffer, in sequence. */
typedef struct told {
    CUpti_ActivityExternalCorrelation external;
    CUpti_ActivityKernel10            kernels[2];
    CUpti_ActivityMemcpy6             copy;
} told;

static region                            regions[REGIONS];
static int                               count, enabled;
static CUpti_BuffersCallbackRequestFunc  request;
static CUpti_BuffersCallbackCompleteFunc complete;
static CUpti_TimestampCallbackFunc       now;

static int is(const char *how)
{
    const char *set = getenv("FAKE_CUPTI");
    return set && strcmp(set, how) == 0;
}

CUptiResult cuptiGetVersion(uint32_t *version)
{
    *version = is("old") ? 12 : CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                                                          : "some error";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc  requested,
                                           CUpti_BuffersCallbackCompleteFunc completed)
{
    request = requested;
    complete = completed;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function)
{
    now = function;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    (void)kind;
    enabled++;
    return is("denied") ? CUPTI_ERROR_INSUFFICIENT_PRIVILEGES : CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    (void)kind;
    enabled--;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id)
{
    (void)kind;
    regions[count % REGIONS] = (region){id, now(), 0};
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *id)
{
    (void)kind;
    *id = regions[count % REGIONS].tag;
    regions[count % REGIONS].end = now();
    count++;
    return CUPTI_SUCCESS;
}

static void fill(told *t, const region *r)
{
    const uint64_t half = r->begin + (r->end - r->begin) / 2;
    const uint32_t number = (uint32_t)r->tag + 1000;
    memset(t, 0, sizeof *t);
    t->external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    t->external.externalId = r->tag;
    t->external.correlationId = number;
    for (int i = 0; i < 2; i++) {
        t->kernels[i].kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
        t->kernels[i].start = i ? half : r->begin;
        t->kernels[i].end = i ? r->end : half;
        t->kernels[i].correlationId = number;
        t->kernels[i].streamId = 13;
        t->kernels[i].name = i ? "_ZN3stk5applyIfEEvPKT_i" : "sm90_gemm";
    }
    t->copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    t->copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    t->copy.start = r->begin;
    t->copy.end = half;
    t->copy.bytes = 4096;
    t->copy.streamId = 14;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    uint8_t *buffer;
    size_t   size, most, used = 0;
    (void)flag;
    if (!count) return CUPTI_SUCCESS;
    request(&buffer, &size, &most);
    for (int i = 0; i < count && used + sizeof(told) <= size; i++, used += sizeof(told))
        fill((told *)(void *)(buffer + used), &regions[i]);
    count = 0;
    complete(NULL, 0, buffer, size, used);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t size, CUpti_Activity **record)
{
    static const size_t places[] = {offsetof(told, external), offsetof(told, kernels),
                                    offsetof(told, kernels) + sizeof(CUpti_ActivityKernel10),
                                    offsetof(told, copy)};
    for (size_t at = 0; at < size; at += sizeof(told))
        for (int i = 0; i < 4; i++) {
            uint8_t *one = buffer + at + places[i];
            if (*record && one <= (uint8_t *)*record) continue;
            *record = (CUpti_Activity *)(void *)one;
            return CUPTI_SUCCESS;
        }
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
}
