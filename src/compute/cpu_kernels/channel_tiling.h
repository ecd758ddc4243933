/* How the elements of a tensor of channels are walked, whatever its format: as runs, in each of
 * which the same channels repeat pixel by pixel; a run is computed in strips of some pixels. A
 * value per channel, written out for a strip, makes one plain loop of every kernel, for 3 channels
 * as for blocks of 16. */
#ifndef STK_COMPUTE_CPU_KERNELS_CHANNEL_TILING_H
#define STK_COMPUTE_CPU_KERNELS_CHANNEL_TILING_H

#include "compute/cpu/cpu.h"

enum { STK_TILE_CAPACITY = 1024 /* floats */, STK_TILE_DEFAULT = 512 };

typedef struct stk_channel_tiling {
    int64_t runs, blocks; /* run r holds the channels from r % blocks * block on */
    int64_t pixels, block;
    int64_t channels;
    int64_t tile; /* pixels that are computed at a time */
} stk_channel_tiling;

/* Row-major is one run. */
stk_channel_tiling stk_channel_tiling_of(const stk_tensor_type *type, stk_format format);
/* A run for each image at least. */
stk_channel_tiling stk_channel_tiling_of_images(const stk_tensor_type *type, stk_format format);
/* Pixels of a strip of about `floats` elements, a multiple of 16 where that is possible. */
int64_t stk_tile_pixels(int64_t block, int64_t floats);

/* values[channels] as a strip of run: values itself, or room filled; what is padding gets 0. */
const float *stk_channel_tiling_values(const stk_channel_tiling *tiling, int64_t run,
                                       const float *values, float scratch[STK_TILE_CAPACITY]);

/* The strips of one thread, in order. */
typedef struct stk_tile_iter {
    const stk_channel_tiling *tiling;
    int64_t                   next, end, per_run; /* strips */
    int64_t                   run, offset, count; /* the strip: its run, first element, elements */
    bool                      entered;            /* it is the first of its run here */
} stk_tile_iter;

stk_tile_iter stk_tile_iter_begin(const stk_channel_tiling *tiling, int part, int parts);
bool          stk_tile_iter_next(stk_tile_iter *iter);

/* Zeros in the channels of blocks that are padding; for functions of which 0 is not 0. */
void stk_channel_tiling_clear_padding(const stk_cpu *cpu, const stk_channel_tiling *tiling,
                                      float *data);

/* On all threads, or at once where so few bytes are not worth waking them. */
static inline void stk_work(const stk_cpu *cpu, int64_t                             bytes,
                            void (*work)(void *context, int part, int parts), void *context)
{
    enum { WORTH_IT = 64 << 10 };
    if (bytes < WORTH_IT)
        work(context, 0, 1);
    else
        stk_team_run(&cpu->team, work, context);
}

/* Whether results had better go past the caches: they are more than caches keep, and not where an
 * input was, which is there already. Ordinary stores would read every line before they write it. */
static inline bool stk_worth_streaming(const void *in, const void *out, int64_t bytes)
{
    enum { KEPT = 8 << 20 };
    return bytes > KEPT && in != out;
}

/* What begins here can be streamed in whole vectors. */
static inline bool stk_can_stream(const float *dst)
{
    return (uintptr_t)dst % 64 == 0;
}

/* After the last of a thread: others may then read them. */
static inline void stk_stream_end(void)
{
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

/* Every tensor that is float is float32. */
bool stk_cpu_float32(const stk_device *device, const stk_op_instance *instance);

/* formats functions. The largest input leads; of several of its shape, one that lies in blocks.
 * With _images an opaque format is not taken. */
stk_status stk_formats_any(stk_device *device, const stk_op_instance *instance,
                           const stk_format *have, stk_format *in, stk_format *out, stk_error *err);
stk_status stk_formats_images(stk_device *device, const stk_op_instance *instance,
                              const stk_format *have, stk_format *in, stk_format *out,
                              stk_error *err);
/* What an image should be made in when nothing tells: blocks of a vector's width. */
stk_format stk_format_preferred(const stk_device *device, const stk_tensor_type *type);

/* Floats that lie in memory, padding included. */
int64_t stk_call_floats(const stk_kernel_call *call, const stk_tensor_type *type,
                        stk_format format);

#endif
