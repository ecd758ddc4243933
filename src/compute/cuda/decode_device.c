/* The GPU as a decode device: a pool of decode streams, one per call. While one decodes, others are
 * in their host phase. */
#include "compute/cuda/cuda.h"
#include "compute/cuda/decode_stream.h"
#include <pthread.h>
#include <stdlib.h>

enum { STREAMS_MAX = 3, MAX = 64 };

struct stk_cuda_decode_device {
    stk_decode_device  device;
    int                ordinal; /* of the GPU */
    stk_nvjpeg        *nvjpeg;
    pthread_mutex_t    lock;
    pthread_cond_t     released; /* signalled when a stream is released */
    stk_decode_stream *streams[STREAMS_MAX];
    bool               in_use[STREAMS_MAX]; /* guarded by lock */
};

static int acquire_stream(stk_cuda_decode_device *p)
{
    int stream = STREAMS_MAX;
    pthread_mutex_lock(&p->lock);
    while (stream == STREAMS_MAX) {
        for (stream = 0; stream < STREAMS_MAX && p->in_use[stream]; stream++) {
        }
        if (stream == STREAMS_MAX) pthread_cond_wait(&p->released, &p->lock);
    }
    p->in_use[stream] = true;
    pthread_mutex_unlock(&p->lock);
    return stream;
}

static void release_stream(stk_cuda_decode_device *p, int stream)
{
    pthread_mutex_lock(&p->lock);
    p->in_use[stream] = false;
    pthread_cond_signal(&p->released);
    pthread_mutex_unlock(&p->lock);
}

/* Called on pipeline threads, so each call sets the GPU. */
static stk_status decode(void *context, stk_decode_request *requests, size_t count, stk_error *err)
{
    stk_cuda_decode_device *p = context;
    STK_CUDA_TRY(cudaSetDevice(p->ordinal), "images", err);
    const int        stream = acquire_stream(p);
    const stk_status st = stk_decode_stream_decode(p->streams[stream], requests, count, err);
    release_stream(p, stream);
    return st;
}

static stk_status start(stk_cuda_decode_device *p, stk_error *err)
{
    STK_TRY(stk_nvjpeg_open(&p->nvjpeg, err));
    for (int i = 0; i < STREAMS_MAX; i++)
        STK_TRY(stk_decode_stream_new(&p->streams[i], p->nvjpeg, MAX, err));
    p->device = (stk_decode_device){.decode = decode,
                                    .context = p,
                                    .name = stk_nvjpeg_name(p->nvjpeg),
                                    .max_images = MAX,
                                    .max_calls = STREAMS_MAX};
    return STK_OK;
}

static void release(stk_cuda_decode_device *p)
{
    for (int i = 0; i < STREAMS_MAX; i++)
        stk_decode_stream_free(p->streams[i]);
    stk_nvjpeg_free(p->nvjpeg);
    pthread_cond_destroy(&p->released);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

stk_status stk_cuda_decode_device_of(stk_device *device, const stk_decode_device **out,
                                     stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    *out = cuda->decode_device ? &cuda->decode_device->device : NULL;
    if (*out) return STK_OK;
    stk_cuda_decode_device *p = calloc(1, sizeof *p);
    if (!p) return stk_fail(err, STK_E_NOMEM, "images", NULL, "no memory for a decoder");
    p->ordinal = cuda->ordinal;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->released, NULL);
    const stk_status st = start(p, err);
    if (st) {
        release(p);
        return st;
    }
    cuda->decode_device = p;
    *out = &p->device;
    return STK_OK;
}

void stk_cuda_decode_device_free(stk_cuda *cuda)
{
    if (cuda->decode_device) release(cuda->decode_device);
    cuda->decode_device = NULL;
}
