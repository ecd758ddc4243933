/* Decodes a batch of images: chooses those that the decoder supports and places their buffers. Then
 * one upload (weights), the decoder, two kernels and one download run in a stream of its own. */
#include "compute/cuda/decode_stream.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/resize_images.h"
#include <stdlib.h>
#include <string.h>

enum {
    ALIGN = 256,
    PIXELS_MAX = 1 << 26,   /* of one image; larger ones are left to the CPU */
    BYTES_MAX = 1 << 30,    /* of one kind of memory; images beyond are left to the CPU */
    FAILURES_TO_GIVE_UP = 8 /* consecutive failed batches */
};

/* A buffer that grows. */
typedef struct device_buffer {
    uint8_t *data;
    size_t   size, used;
    bool     pinned; /* pinned host memory; else device memory */
} device_buffer;

/* One image; offsets are bytes from the start of a buffer. */
typedef struct job {
    stk_decode_request *request;
    size_t              pixels, sums, result, plan;
    int32_t             row, rows;
} job;

struct stk_decode_stream {
    stk_nvjpeg_stream    *decoder;
    cudaStream_t          cuda_stream;
    cudaEvent_t           done;
    size_t                max, count;
    job                  *jobs;
    stk_nvjpeg_bitstream *images;
    device_buffer         pixels, sums, results; /* on the device */
    device_buffer plan, host_plan; /* work descriptions: on the device, and their host source */
    device_buffer host_results;
    int           failures;
};

static void release(device_buffer *r)
{
    if (r->data && r->pinned) (void)cudaFreeHost(r->data);
    if (r->data && !r->pinned) (void)cudaFree(r->data);
    r->data = NULL;
    r->size = 0;
}

static stk_status reserve(device_buffer *r, size_t bytes, stk_error *err)
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

/* Reserves bytes and returns their offset; false if the buffer would exceed the limit. */
static bool reserve_slice(device_buffer *r, size_t bytes, size_t *offset)
{
    if (bytes > BYTES_MAX || r->used > BYTES_MAX - bytes) return false;
    *offset = r->used;
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

/* The source rows that any result pixel needs. */
static void find_rows(job *j)
{
    const stk_resample_axis *down = &j->request->down;
    int32_t                  min = down->first[0], max = down->first[0];
    for (int32_t i = 1; i < down->count; i++) {
        if (down->first[i] < min) min = down->first[i];
        if (down->first[i] > max) max = down->first[i];
    }
    j->row = min;
    j->rows = max - min + down->taps;
}

static size_t sums_of(const job *j)
{
    return (size_t)j->rows * (size_t)j->request->across.count;
}

static size_t result_bytes(const stk_decode_request *r)
{
    return (size_t)r->across.count * (size_t)r->down.count * (size_t)r->channels;
}

/* Reserves all slices of an image, or none. */
static bool reserve_job(stk_decode_stream *stream, job *j)
{
    const stk_decode_request *r = j->request;
    const size_t pixels = (size_t)r->width * (size_t)r->height, channels = (size_t)r->channels;
    const size_t before[] = {stream->pixels.used, stream->sums.used, stream->results.used,
                             stream->plan.used};
    if (pixels > PIXELS_MAX) return false;
    if (reserve_slice(&stream->pixels, pixels * channels, &j->pixels) &&
        reserve_slice(&stream->sums, sums_of(j) * channels * sizeof(stk_cuda_sum), &j->sums) &&
        reserve_slice(&stream->results, result_bytes(r), &j->result) &&
        reserve_slice(&stream->plan, plan_bytes(r), &j->plan))
        return true;
    stream->pixels.used = before[0];
    stream->sums.used = before[1];
    stream->results.used = before[2];
    stream->plan.used = before[3];
    return false;
}

/* Images of one batch need equal channel counts. */
static void choose(stk_decode_stream *stream, stk_decode_request *requests, size_t count)
{
    stream->count = 0;
    stream->pixels.used = stream->sums.used = stream->results.used = 0;
    stream->plan.used = (count * sizeof(stk_cuda_image) + ALIGN - 1) / ALIGN * ALIGN;
    for (size_t i = 0; i < count; i++) {
        stk_decode_request *r = &requests[i];
        job                *j = &stream->jobs[stream->count];
        r->status = STK_E_UNSUPPORTED;
        if (r->channels != requests[0].channels ||
            !stk_nvjpeg_takes(stream->decoder, r->encoded, r->width, r->height, r->channels))
            continue;
        *j = (job){.request = r};
        find_rows(j);
        if (reserve_job(stream, j)) stream->count++;
    }
}

static stk_status reserve_all(stk_decode_stream *stream, stk_error *err)
{
    STK_TRY(reserve(&stream->pixels, stream->pixels.used, err));
    STK_TRY(reserve(&stream->sums, stream->sums.used, err));
    STK_TRY(reserve(&stream->results, stream->results.used, err));
    STK_TRY(reserve(&stream->plan, stream->plan.used, err));
    STK_TRY(reserve(&stream->host_plan, stream->plan.used, err));
    return reserve(&stream->host_results, stream->results.used, err);
}

/* Copies an axis into the plan at *at; returns it with device addresses. */
static stk_resample_axis copy_axis(const stk_decode_stream *stream, const stk_resample_axis *axis,
                                   size_t *at)
{
    stk_resample_axis moved = *axis;
    const size_t      first = (size_t)axis->count * sizeof(int32_t);
    const size_t      weights = weights_of(axis) * sizeof(int32_t);
    memcpy(stream->host_plan.data + *at, axis->first, first);
    memcpy(stream->host_plan.data + *at + first, axis->weights, weights);
    moved.first = (const int32_t *)(const void *)(stream->plan.data + *at);
    moved.weights = stream->plan.data + *at + first;
    *at += first + weights;
    return moved;
}

static void write_plan(stk_decode_stream *stream)
{
    stk_cuda_image *images = (stk_cuda_image *)(void *)stream->host_plan.data;
    for (size_t i = 0; i < stream->count; i++) {
        const job                *j = &stream->jobs[i];
        const stk_decode_request *r = j->request;
        const size_t              pitch = (size_t)r->width * (size_t)r->channels;
        size_t                    at = j->plan;
        images[i] = (stk_cuda_image){.src = stream->pixels.data + j->pixels,
                                     .pitch = (int64_t)pitch,
                                     .channels = r->channels,
                                     .row = j->row,
                                     .rows = j->rows,
                                     .kind = (int32_t)r->sums,
                                     .sums = (stk_cuda_sum *)(void *)(stream->sums.data + j->sums),
                                     .out = stream->results.data + j->result};
        images[i].across = copy_axis(stream, &r->across, &at);
        images[i].down = copy_axis(stream, &r->down, &at);
        stream->images[i] =
            (stk_nvjpeg_bitstream){r->encoded, stream->pixels.data + j->pixels, pitch};
    }
}

static cudaError_t resize(const stk_decode_stream *stream)
{
    int64_t sums = 0, bytes = 0;
    for (size_t i = 0; i < stream->count; i++) {
        const int64_t s = (int64_t)sums_of(&stream->jobs[i]);
        const int64_t b = (int64_t)result_bytes(stream->jobs[i].request);
        if (s > sums) sums = s;
        if (b > bytes) bytes = b;
    }
    return stk_cuda_resize_images_launch((const stk_cuda_image *)(const void *)stream->plan.data,
                                         (int)stream->count, sums, bytes, stream->cuda_stream);
}

/* Waiting on a blocking event sleeps, which leaves the core to other threads. */
static stk_status wait(const stk_decode_stream *stream, stk_error *err)
{
    STK_CUDA_TRY(cudaEventRecord(stream->done, stream->cuda_stream), "images", err);
    STK_CUDA_TRY(cudaEventSynchronize(stream->done), "images", err);
    return STK_OK;
}

static stk_status finish(stk_decode_stream *stream, stk_error *err)
{
    STK_CUDA_TRY(resize(stream), "images", err);
    STK_CUDA_TRY(cudaMemcpyAsync(stream->host_results.data, stream->results.data,
                                 stream->results.used, cudaMemcpyDeviceToHost, stream->cuda_stream),
                 "images", err);
    STK_TRY(wait(stream, err));
    for (size_t i = 0; i < stream->count; i++) {
        stk_decode_request *r = stream->jobs[i].request;
        memcpy(r->out, stream->host_results.data + stream->jobs[i].result, result_bytes(r));
        r->status = STK_OK;
    }
    return STK_OK;
}

/* One damaged image can fail a batch: its images are left to the caller. If no batch succeeds, the
 * decoder is at fault. */
static stk_status decode(stk_decode_stream *stream, stk_error *err)
{
    write_plan(stream);
    STK_CUDA_TRY(cudaMemcpyAsync(stream->plan.data, stream->host_plan.data, stream->plan.used,
                                 cudaMemcpyHostToDevice, stream->cuda_stream),
                 "images", err);
    const stk_status st =
        stk_nvjpeg_decode(stream->decoder, stream->images, stream->count,
                          stream->jobs[0].request->channels, stream->cuda_stream, err);
    if (!st) {
        stream->failures = 0;
        return finish(stream, err);
    }
    stk_error later;
    if (++stream->failures >= FAILURES_TO_GIVE_UP) return st;
    return wait(stream, &later) ? st : STK_OK;
}

stk_status stk_decode_stream_decode(stk_decode_stream *stream, stk_decode_request *requests,
                                    size_t count, stk_error *err)
{
    if (count > stream->max)
        return stk_fail(err, STK_E_RANGE, "images", NULL,
                        "%zu images at a time; this decoder takes %zu", count, stream->max);
    choose(stream, requests, count);
    if (!stream->count) return STK_OK;
    STK_TRY(reserve_all(stream, err));
    return decode(stream, err);
}

static stk_status start(stk_decode_stream *stream, stk_nvjpeg *nvjpeg, stk_error *err)
{
    stream->plan.pinned = false;
    stream->host_plan.pinned = stream->host_results.pinned = true;
    stream->jobs = calloc(stream->max, sizeof *stream->jobs);
    stream->images = calloc(stream->max, sizeof *stream->images);
    if (!stream->jobs || !stream->images)
        return stk_fail(err, STK_E_NOMEM, "images", NULL, "no memory for %zu images", stream->max);
    STK_CUDA_TRY(cudaStreamCreateWithFlags(&stream->cuda_stream, cudaStreamNonBlocking), "images",
                 err);
    STK_CUDA_TRY(
        cudaEventCreateWithFlags(&stream->done, cudaEventDisableTiming | cudaEventBlockingSync),
        "images", err);
    return stk_nvjpeg_stream_new(&stream->decoder, nvjpeg, err);
}

stk_status stk_decode_stream_new(stk_decode_stream **out, stk_nvjpeg *nvjpeg, size_t max,
                                 stk_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "images", NULL, "no memory for a decoder");
    (*out)->max = max;
    const stk_status st = start(*out, nvjpeg, err);
    if (st) {
        stk_decode_stream_free(*out);
        *out = NULL;
    }
    return st;
}

void stk_decode_stream_free(stk_decode_stream *stream)
{
    if (!stream) return;
    device_buffer *buffers[] = {&stream->pixels, &stream->sums,      &stream->results,
                                &stream->plan,   &stream->host_plan, &stream->host_results};
    stk_nvjpeg_stream_free(stream->decoder);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        release(buffers[i]);
    if (stream->done) (void)cudaEventDestroy(stream->done);
    if (stream->cuda_stream) (void)cudaStreamDestroy(stream->cuda_stream);
    free(stream->jobs);
    free(stream->images);
    free(stream);
}
