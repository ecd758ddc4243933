/* The GPU as a decode device: lanes that any thread takes for a call. The decoder is busy with one
 * while others are on their way through the host. */
#include "compute/cuda/cuda.h"
#include "compute/cuda/decode_stream.h"
#include <pthread.h>
#include <stdlib.h>

enum { LANES = 3, MOST = 64 };

struct stk_cuda_images {
    stk_decode_device  device;
    int                ordinal; /* of the GPU */
    stk_nvjpeg        *nvjpeg;
    pthread_mutex_t    lock;
    pthread_cond_t     given; /* a lane was given back */
    stk_decode_stream *lanes[LANES];
    bool               taken[LANES]; /* under lock */
};

static int take_lane(stk_cuda_images *p)
{
    int lane = LANES;
    pthread_mutex_lock(&p->lock);
    while (lane == LANES) {
        for (lane = 0; lane < LANES && p->taken[lane]; lane++) {
        }
        if (lane == LANES) pthread_cond_wait(&p->given, &p->lock);
    }
    p->taken[lane] = true;
    pthread_mutex_unlock(&p->lock);
    return lane;
}

static void give_lane(stk_cuda_images *p, int lane)
{
    pthread_mutex_lock(&p->lock);
    p->taken[lane] = false;
    pthread_cond_signal(&p->given);
    pthread_mutex_unlock(&p->lock);
}

/* Threads of a pipeline come here: each has to say which GPU it means. */
static stk_status decode(void *context, stk_decode_request *requests, size_t count, stk_error *err)
{
    stk_cuda_images *p = context;
    STK_CUDA_TRY(cudaSetDevice(p->ordinal), "images", err);
    const int        lane = take_lane(p);
    const stk_status st = stk_decode_stream_decode(p->lanes[lane], requests, count, err);
    give_lane(p, lane);
    return st;
}

static stk_status start(stk_cuda_images *p, stk_error *err)
{
    STK_TRY(stk_nvjpeg_open(&p->nvjpeg, err));
    for (int i = 0; i < LANES; i++)
        STK_TRY(stk_decode_stream_new(&p->lanes[i], p->nvjpeg, MOST, err));
    p->device = (stk_decode_device){.decode = decode,
                                    .context = p,
                                    .name = stk_nvjpeg_name(p->nvjpeg),
                                    .most = MOST,
                                    .lanes = LANES};
    return STK_OK;
}

static void release(stk_cuda_images *p)
{
    for (int i = 0; i < LANES; i++)
        stk_decode_stream_free(p->lanes[i]);
    stk_nvjpeg_free(p->nvjpeg);
    pthread_cond_destroy(&p->given);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

stk_status stk_cuda_images_of(stk_device *device, const stk_decode_device **out, stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    *out = cuda->images ? &cuda->images->device : NULL;
    if (*out) return STK_OK;
    stk_cuda_images *p = calloc(1, sizeof *p);
    if (!p) return stk_fail(err, STK_E_NOMEM, "images", NULL, "no memory for a decoder");
    p->ordinal = cuda->ordinal;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->given, NULL);
    const stk_status st = start(p, err);
    if (st) {
        release(p);
        return st;
    }
    cuda->images = p;
    *out = &p->device;
    return STK_OK;
}

void stk_cuda_images_free(stk_cuda *cuda)
{
    if (cuda->images) release(cuda->images);
    cuda->images = NULL;
}
