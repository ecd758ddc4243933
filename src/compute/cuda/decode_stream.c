/* Decoding many images: which of them the decoder takes, where all of it lies, and then one
 * upload (weights), the decoder, two kernels and one download in a stream of the lane's own. */
#include "compute/cuda/decode_stream.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/resize_images.h"
#include <stdlib.h>
#include <string.h>

enum {
    ALIGN = 256,
    MOST_PIXELS = 1 << 26,  /* of one image; larger ones are left to the CPU */
    MOST_BYTES = 1 << 30,   /* of one kind of memory; what is past it is left to the CPU */
    FAILURES_TO_GIVE_UP = 8 /* batches one after the other */
};

/* Memory that grows. */
typedef struct room {
    uint8_t *data;
    size_t   size, used;
    bool     pinned; /* of the host; else of the GPU */
} room;

/* One image on its way: places are bytes from the beginning of the room. */
typedef struct job {
    stk_decode_request *request;
    size_t              pixels, sums, result, plan;
    int32_t             row, rows;
} job;

struct stk_decode_stream {
    stk_nvjpeg_stream    *decoder;
    cudaStream_t          stream;
    cudaEvent_t           done;
    size_t                most, count;
    job                  *jobs;
    stk_nvjpeg_bitstream *images;
    room                  pixels, sums, results; /* of the GPU */
    room                  plan, host_plan; /* what is to be done: of the GPU, and its origin */
    room                  host_results;
    int                   failures;
};

static void release(room *r)
{
    if (r->data && r->pinned) (void)cudaFreeHost(r->data);
    if (r->data && !r->pinned) (void)cudaFree(r->data);
    r->data = NULL;
    r->size = 0;
}

static stk_status reserve(room *r, size_t bytes, stk_error *err)
{
    const size_t size = bytes + bytes / 4;
    if (bytes <= r->size) return STK_OK;
    release(r);
    const cudaError_t code =
        r->pinned ? cudaMallocHost((void **)&r->data, size) : cudaMalloc((void **)&r->data, size);
    if (code != cudaSuccess) {
        (void)cudaGetLastError();
        r->data = NULL;
        return stk_cuda_fail(err, code, "memory to decode images in", "images");
    }
    r->size = size;
    return STK_OK;
}

/* A place for bytes; false where the room would become too large. */
static bool take(room *r, size_t bytes, size_t *place)
{
    if (bytes > MOST_BYTES || r->used > MOST_BYTES - bytes) return false;
    *place = r->used;
    r->used += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return true;
}

static size_t weights_of(const stk_resample_axis *axis)
{
    return (size_t)axis->count * (size_t)axis->taps;
}

static size_t plan_bytes(const stk_decode_request *r)
{
    return sizeof(int32_t) * ((size_t)r->across.count + weights_of(&r->across) +
                              (size_t)r->down.count + weights_of(&r->down));
}

/* The rows that any result needs. */
static void find_rows(job *j)
{
    const stk_resample_axis *down = &j->request->down;
    int32_t                  least = down->first[0], most = down->first[0];
    for (int32_t i = 1; i < down->count; i++) {
        if (down->first[i] < least) least = down->first[i];
        if (down->first[i] > most) most = down->first[i];
    }
    j->row = least;
    j->rows = most - least + down->taps;
}

static size_t sums_of(const job *j)
{
    return (size_t)j->rows * (size_t)j->request->across.count;
}

static size_t result_bytes(const stk_decode_request *r)
{
    return (size_t)r->across.count * (size_t)r->down.count * (size_t)r->channels;
}

/* All places of an image, or none. */
static bool place(stk_decode_stream *lane, job *j)
{
    const stk_decode_request *r = j->request;
    const size_t pixels = (size_t)r->width * (size_t)r->height, channels = (size_t)r->channels;
    const size_t before[] = {lane->pixels.used, lane->sums.used, lane->results.used,
                             lane->plan.used};
    if (pixels > MOST_PIXELS) return false;
    if (take(&lane->pixels, pixels * channels, &j->pixels) &&
        take(&lane->sums, sums_of(j) * channels * sizeof(stk_cuda_sum), &j->sums) &&
        take(&lane->results, result_bytes(r), &j->result) &&
        take(&lane->plan, plan_bytes(r), &j->plan))
        return true;
    lane->pixels.used = before[0];
    lane->sums.used = before[1];
    lane->results.used = before[2];
    lane->plan.used = before[3];
    return false;
}

/* Those that are decoded together must have as many channels. */
static void choose(stk_decode_stream *lane, stk_decode_request *requests, size_t count)
{
    lane->count = 0;
    lane->pixels.used = lane->sums.used = lane->results.used = 0;
    lane->plan.used = (count * sizeof(stk_cuda_image) + ALIGN - 1) / ALIGN * ALIGN;
    for (size_t i = 0; i < count; i++) {
        stk_decode_request *r = &requests[i];
        job                *j = &lane->jobs[lane->count];
        r->status = STK_E_UNSUPPORTED;
        if (r->channels != requests[0].channels ||
            !stk_nvjpeg_takes(lane->decoder, r->encoded, r->width, r->height, r->channels))
            continue;
        *j = (job){.request = r};
        find_rows(j);
        if (place(lane, j)) lane->count++;
    }
}

static stk_status make_room(stk_decode_stream *lane, stk_error *err)
{
    STK_TRY(reserve(&lane->pixels, lane->pixels.used, err));
    STK_TRY(reserve(&lane->sums, lane->sums.used, err));
    STK_TRY(reserve(&lane->results, lane->results.used, err));
    STK_TRY(reserve(&lane->plan, lane->plan.used, err));
    STK_TRY(reserve(&lane->host_plan, lane->plan.used, err));
    return reserve(&lane->host_results, lane->results.used, err);
}

/* Copies an axis into the plan at *at, and says where the GPU will have it. */
static stk_resample_axis copy_axis(const stk_decode_stream *lane, const stk_resample_axis *axis,
                                   size_t *at)
{
    stk_resample_axis moved = *axis;
    const size_t      first = (size_t)axis->count * sizeof(int32_t);
    const size_t      weights = weights_of(axis) * sizeof(int32_t);
    memcpy(lane->host_plan.data + *at, axis->first, first);
    memcpy(lane->host_plan.data + *at + first, axis->weights, weights);
    moved.first = (const int32_t *)(const void *)(lane->plan.data + *at);
    moved.weights = lane->plan.data + *at + first;
    *at += first + weights;
    return moved;
}

static void write_plan(stk_decode_stream *lane)
{
    stk_cuda_image *images = (stk_cuda_image *)(void *)lane->host_plan.data;
    for (size_t i = 0; i < lane->count; i++) {
        const job                *j = &lane->jobs[i];
        const stk_decode_request *r = j->request;
        const size_t              pitch = (size_t)r->width * (size_t)r->channels;
        size_t                    at = j->plan;
        images[i] = (stk_cuda_image){.src = lane->pixels.data + j->pixels,
                                     .pitch = (int64_t)pitch,
                                     .channels = r->channels,
                                     .row = j->row,
                                     .rows = j->rows,
                                     .kind = (int32_t)r->sums,
                                     .sums = (stk_cuda_sum *)(void *)(lane->sums.data + j->sums),
                                     .out = lane->results.data + j->result};
        images[i].across = copy_axis(lane, &r->across, &at);
        images[i].down = copy_axis(lane, &r->down, &at);
        lane->images[i] = (stk_nvjpeg_bitstream){r->encoded, lane->pixels.data + j->pixels, pitch};
    }
}

static cudaError_t resize(const stk_decode_stream *lane)
{
    int64_t sums = 0, bytes = 0;
    for (size_t i = 0; i < lane->count; i++) {
        const int64_t s = (int64_t)sums_of(&lane->jobs[i]);
        const int64_t b = (int64_t)result_bytes(lane->jobs[i].request);
        if (s > sums) sums = s;
        if (b > bytes) bytes = b;
    }
    return stk_cuda_resize_images_launch((const stk_cuda_image *)(const void *)lane->plan.data,
                                         (int)lane->count, sums, bytes, lane->stream);
}

/* The event lets this thread sleep until all is there: others have use for its core. */
static stk_status wait(const stk_decode_stream *lane, stk_error *err)
{
    STK_CUDA_TRY(cudaEventRecord(lane->done, lane->stream), "images", err);
    STK_CUDA_TRY(cudaEventSynchronize(lane->done), "images", err);
    return STK_OK;
}

static stk_status finish(stk_decode_stream *lane, stk_error *err)
{
    STK_CUDA_TRY(resize(lane), "images", err);
    STK_CUDA_TRY(cudaMemcpyAsync(lane->host_results.data, lane->results.data, lane->results.used,
                                 cudaMemcpyDeviceToHost, lane->stream),
                 "images", err);
    STK_TRY(wait(lane, err));
    for (size_t i = 0; i < lane->count; i++) {
        stk_decode_request *r = lane->jobs[i].request;
        memcpy(r->out, lane->host_results.data + lane->jobs[i].result, result_bytes(r));
        r->status = STK_OK;
    }
    return STK_OK;
}

/* A batch may fail for one damaged image: its images are left to the caller. Where none
 * succeeds it is the decoder. */
static stk_status decode(stk_decode_stream *lane, stk_error *err)
{
    write_plan(lane);
    STK_CUDA_TRY(cudaMemcpyAsync(lane->plan.data, lane->host_plan.data, lane->plan.used,
                                 cudaMemcpyHostToDevice, lane->stream),
                 "images", err);
    const stk_status st = stk_nvjpeg_decode(lane->decoder, lane->images, lane->count,
                                            lane->jobs[0].request->channels, lane->stream, err);
    if (!st) {
        lane->failures = 0;
        return finish(lane, err);
    }
    stk_error later;
    if (++lane->failures >= FAILURES_TO_GIVE_UP) return st;
    return wait(lane, &later) ? st : STK_OK;
}

stk_status stk_decode_stream_decode(stk_decode_stream *lane, stk_decode_request *requests,
                                    size_t count, stk_error *err)
{
    if (count > lane->most)
        return stk_fail(err, STK_E_RANGE, "images", NULL,
                        "%zu images at a time; this decoder takes %zu", count, lane->most);
    choose(lane, requests, count);
    if (!lane->count) return STK_OK;
    STK_TRY(make_room(lane, err));
    return decode(lane, err);
}

static stk_status start(stk_decode_stream *lane, stk_nvjpeg *nvjpeg, stk_error *err)
{
    lane->plan.pinned = false;
    lane->host_plan.pinned = lane->host_results.pinned = true;
    lane->jobs = calloc(lane->most, sizeof *lane->jobs);
    lane->images = calloc(lane->most, sizeof *lane->images);
    if (!lane->jobs || !lane->images)
        return stk_fail(err, STK_E_NOMEM, "images", NULL, "no memory for %zu images", lane->most);
    STK_CUDA_TRY(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking), "images", err);
    STK_CUDA_TRY(
        cudaEventCreateWithFlags(&lane->done, cudaEventDisableTiming | cudaEventBlockingSync),
        "images", err);
    return stk_nvjpeg_stream_new(&lane->decoder, nvjpeg, err);
}

stk_status stk_decode_stream_new(stk_decode_stream **out, stk_nvjpeg *nvjpeg, size_t most,
                                 stk_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "images", NULL, "no memory for a decoder");
    (*out)->most = most;
    const stk_status st = start(*out, nvjpeg, err);
    if (st) {
        stk_decode_stream_free(*out);
        *out = NULL;
    }
    return st;
}

void stk_decode_stream_free(stk_decode_stream *lane)
{
    if (!lane) return;
    room *rooms[] = {&lane->pixels, &lane->sums,      &lane->results,
                     &lane->plan,   &lane->host_plan, &lane->host_results};
    stk_nvjpeg_stream_free(lane->decoder);
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        release(rooms[i]);
    if (lane->done) (void)cudaEventDestroy(lane->done);
    if (lane->stream) (void)cudaStreamDestroy(lane->stream);
    free(lane->jobs);
    free(lane->images);
    free(lane);
}
