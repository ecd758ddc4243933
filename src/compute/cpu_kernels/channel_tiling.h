/* Channel tiling: how kernels split the pixels and channels of a tensor, in any format. A run is a
 * sequence of pixels with the same channels; it is computed in tiles of some pixels. Values per
 * channel are expanded to a tile, so that each kernel is one plain loop, for 3 channels as for
 * blocks of 16. */
#ifndef STK_COMPUTE_CPU_KERNELS_CHANNEL_TILING_H
#define STK_COMPUTE_CPU_KERNELS_CHANNEL_TILING_H

#include "compute/cpu/cpu.h"

enum { STK_TILE_CAPACITY = 1024 /* floats */, STK_TILE_DEFAULT = 512 };

typedef struct stk_channel_tiling {
    int64_t runs, blocks; /* run r holds channels from r % blocks * block on */
    int64_t pixels, block;
    int64_t channels;
    int64_t tile; /* pixels of a tile */
} stk_channel_tiling;

/* A row-major tensor is one run. */
stk_channel_tiling stk_channel_tiling_of(const stk_tensor_type *type, stk_format format);
/* At least one run per image. */
stk_channel_tiling stk_channel_tiling_of_images(const stk_tensor_type *type, stk_format format);
/* Pixels of a tile of about `floats` elements, a multiple of 16 if possible. */
int64_t stk_tile_pixels(int64_t block, int64_t floats);

/* Expands values[channels] to a tile of run. Returns values itself if that suffices, else scratch.
 * Padding gets 0. */
const float *stk_channel_tiling_values(const stk_channel_tiling *tiling, int64_t run,
                                       const float *values, float scratch[STK_TILE_CAPACITY]);

/* The tiles of one thread, in order. */
typedef struct stk_tile_iter {
    const stk_channel_tiling *tiling;
    int64_t                   next, end, per_run; /* in tiles */
    int64_t run, offset, count; /* the tile: its run, first element, element count */
    bool    entered;            /* it is the first of its run on this thread */
} stk_tile_iter;

stk_tile_iter stk_tile_iter_begin(const stk_channel_tiling *tiling, int part, int parts);
bool          stk_tile_iter_next(stk_tile_iter *iter);

/* Zeroes the padding channels of blocks, for functions that do not map 0 to 0. */
void stk_channel_tiling_clear_padding(const stk_cpu *cpu, const stk_channel_tiling *tiling,
                                      float *data);

/* Runs work on all threads, or on the caller if bytes are too few to wake them. */
static inline void stk_work(const stk_cpu *cpu, int64_t                             bytes,
                            void (*work)(void *context, int part, int parts), void *context)
{
    enum { WORTH_IT = 64 << 10 };
    if (bytes < WORTH_IT)
        work(context, 0, 1);
    else
        stk_team_run(&cpu->team, work, context);
}

/* Whether to use non-temporal stores: the result exceeds the caches and does not alias an input,
 * which is cached. Ordinary stores would read each line before writing it. */
static inline bool stk_worth_streaming(const void *in, const void *out, int64_t bytes)
{
    enum { KEPT = 8 << 20 };
    return bytes > KEPT && in != out;
}

/* Whether dst is aligned for non-temporal vector stores. */
static inline bool stk_can_stream(const float *dst)
{
    return (uintptr_t)dst % 64 == 0;
}

/* Store fence, after the last non-temporal store of a thread. */
static inline void stk_stream_end(void)
{
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

/* For stk_kernel.can: all floating-point tensors are float32. */
bool stk_cpu_float32(const stk_device *device, const stk_op_instance *instance);

/* formats functions. The largest input leads; of several with its shape, a blocked one. The _images
 * variants reject opaque formats. */
stk_status stk_formats_any(stk_device *device, const stk_op_instance *instance,
                           const stk_format *have, stk_format *in, stk_format *out, stk_error *err);
stk_status stk_formats_images(stk_device *device, const stk_op_instance *instance,
                              const stk_format *have, stk_format *in, stk_format *out,
                              stk_error *err);
/* Default format of images: blocks of the vector width. */
stk_format stk_format_preferred(const stk_device *device, const stk_tensor_type *type);

/* Floats in memory, with padding. */
int64_t stk_call_floats(const stk_kernel_call *call, const stk_tensor_type *type,
                        stk_format format);

#endif
