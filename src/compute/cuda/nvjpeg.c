/* nvJPEG: decodes batches on the JPEG engines, or on multiprocessors if there are none or they are
 * unavailable. Images are decoded completely even if only a part is needed: the engines read all of
 * it anyway, and may refuse windows. */
#include "compute/cuda/nvjpeg.h"
#include "compute/cuda/nvjpeg_library.h"
#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 64, NAME = 160, THREADS = 1 /* host threads per batch */ };

struct stk_nvjpeg {
    stk_nvjpeg_library library;
    void              *handle;
    bool               hardware;
    bool               no_grey; /* atomic: decoding grey images to RGB has failed */
    char               name[NAME];
};

struct stk_nvjpeg_stream {
    stk_nvjpeg *nvjpeg;
    void       *state, *header;
    size_t count; /* batch size that state is initialized for, with the fields below; 0: none */
    int    output;
    size_t greys; /* grey images decoded to RGB in the current batch */
    size_t capacity;
    const unsigned char **data;
    size_t               *lengths;
    stk_nvjpeg_image     *images;
};

static stk_status refused(int status, const char *tried, stk_error *err)
{
    char text[TEXT];
    return stk_fail(err, STK_E_UNSUPPORTED, "nvjpeg", tried, "%s",
                    stk_nvjpeg_status_text(status, text, sizeof text));
}

static stk_status unusable(int status, stk_error *err)
{
    char text[TEXT];
    return stk_fail(err, STK_E_UNSUPPORTED, "nvjpeg", "nvjpegCreateEx",
                    "%s: the driver does not let it be used. A container needs the driver "
                    "capabilities compute and video; or decode on the CPU (knobs.decode=cpu)",
                    stk_nvjpeg_status_text(status, text, sizeof text));
}

/* Older libraries lack smooth upsampling. */
static int create(stk_nvjpeg *n, int backend)
{
    const stk_nvjpeg_library *l = &n->library;
    const int status = l->CreateEx(backend, NULL, NULL, STK_NVJPEG_SMOOTH_UPSAMPLING, &n->handle);
    return status == STK_NVJPEG_SUCCESS ? status : l->CreateEx(backend, NULL, NULL, 0, &n->handle);
}

static void write_name(stk_nvjpeg *n, int hardware_status)
{
    char     text[TEXT];
    int      version[3] = {0};
    unsigned engines = 0, cores = 0;
    for (int i = 0; i < 3; i++)
        (void)n->library.GetProperty(i, &version[i]);
    int at =
        snprintf(n->name, sizeof n->name, "nvJPEG %d.%d.%d", version[0], version[1], version[2]);
    if (!n->hardware)
        snprintf(n->name + at, sizeof n->name - (size_t)at,
                 " on multiprocessors (engines: %s; a container needs the driver capability video)",
                 stk_nvjpeg_status_text(hardware_status, text, sizeof text));
    else if (n->library.GetHardwareDecoderInfo &&
             !n->library.GetHardwareDecoderInfo(n->handle, &engines, &cores))
        snprintf(n->name + at, sizeof n->name - (size_t)at, " on %u engines of %u cores", engines,
                 cores);
}

static stk_status start(stk_nvjpeg *n, stk_error *err)
{
    STK_TRY(stk_nvjpeg_library_open(&n->library, err));
    const int hardware = create(n, STK_NVJPEG_BACKEND_HARDWARE);
    n->hardware = hardware == STK_NVJPEG_SUCCESS;
    if (!n->hardware) {
        n->handle = NULL;
        const int status = create(n, STK_NVJPEG_BACKEND_GPU);
        if (status != STK_NVJPEG_SUCCESS) return unusable(status, err);
    }
    write_name(n, hardware);
    return STK_OK;
}

stk_status stk_nvjpeg_open(stk_nvjpeg **out, stk_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "nvjpeg", NULL, "no memory for a decoder");
    const stk_status st = start(*out, err);
    if (st) {
        free(*out);
        *out = NULL;
    }
    return st;
}

void stk_nvjpeg_free(stk_nvjpeg *nvjpeg)
{
    if (!nvjpeg) return;
    (void)nvjpeg->library.Destroy(nvjpeg->handle);
    free(nvjpeg);
}

const char *stk_nvjpeg_name(const stk_nvjpeg *nvjpeg)
{
    return nvjpeg->name;
}

static stk_status start_decoder(stk_nvjpeg_stream *decoder, stk_error *err)
{
    const stk_nvjpeg *n = decoder->nvjpeg;
    int               status = n->library.JpegStateCreate(n->handle, &decoder->state);
    if (status != STK_NVJPEG_SUCCESS) return refused(status, "nvjpegJpegStateCreate", err);
    status = n->library.JpegStreamCreate(n->handle, &decoder->header);
    return status == STK_NVJPEG_SUCCESS ? STK_OK : refused(status, "nvjpegJpegStreamCreate", err);
}

stk_status stk_nvjpeg_stream_new(stk_nvjpeg_stream **out, stk_nvjpeg *nvjpeg, stk_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "nvjpeg", NULL, "no memory for a decoder");
    (*out)->nvjpeg = nvjpeg;
    const stk_status st = start_decoder(*out, err);
    if (st) {
        stk_nvjpeg_stream_free(*out);
        *out = NULL;
    }
    return st;
}

void stk_nvjpeg_stream_free(stk_nvjpeg_stream *decoder)
{
    if (!decoder) return;
    if (decoder->header) (void)decoder->nvjpeg->library.JpegStreamDestroy(decoder->header);
    if (decoder->state) (void)decoder->nvjpeg->library.JpegStateDestroy(decoder->state);
    free(decoder->data);
    free(decoder->lengths);
    free(decoder->images);
    free(decoder);
}

/* Only the hardware engines refuse images. */
bool stk_nvjpeg_takes(stk_nvjpeg_stream *decoder, stk_bytes encoded, int32_t width, int32_t height,
                      int channels)
{
    const stk_nvjpeg         *n = decoder->nvjpeg;
    const stk_nvjpeg_library *l = &n->library;
    unsigned                  w = 0, h = 0, components = 0;
    int                       unsupported = 0;
    if (l->JpegStreamParseHeader(n->handle, encoded.data, encoded.size, decoder->header) ||
        l->JpegStreamGetFrameDimensions(decoder->header, &w, &h) ||
        l->JpegStreamGetComponentsNum(decoder->header, &components))
        return false;
    if (n->hardware && l->DecodeBatchedSupported(n->handle, decoder->header, &unsupported))
        return false;
    if (unsupported || w != (unsigned)width || h != (unsigned)height) return false;
    const bool spread = components == 1 && channels == 3;
    if (spread && __atomic_load_n(&n->no_grey, __ATOMIC_RELAXED)) return false;
    decoder->greys += spread;
    return true;
}

static stk_status reserve(stk_nvjpeg_stream *decoder, size_t count, stk_error *err)
{
    if (count <= decoder->capacity) return STK_OK;
    free(decoder->data);
    free(decoder->lengths);
    free(decoder->images);
    decoder->capacity = 0;
    decoder->data = calloc(count, sizeof *decoder->data);
    decoder->lengths = calloc(count, sizeof *decoder->lengths);
    decoder->images = calloc(count, sizeof *decoder->images);
    if (!decoder->data || !decoder->lengths || !decoder->images)
        return stk_fail(err, STK_E_NOMEM, "nvjpeg", NULL, "no memory for %zu images", count);
    decoder->capacity = count;
    return STK_OK;
}

/* After a failed batch the state must be initialized again. */
static stk_status initialise(stk_nvjpeg_stream *decoder, size_t count, int output, stk_error *err)
{
    const stk_nvjpeg *n = decoder->nvjpeg;
    if (decoder->count == count && decoder->output == output) return STK_OK;
    decoder->count = 0;
    const int status =
        n->library.DecodeBatchedInitialize(n->handle, decoder->state, (int)count, THREADS, output);
    if (status != STK_NVJPEG_SUCCESS) return refused(status, "nvjpegDecodeBatchedInitialize", err);
    decoder->count = count;
    decoder->output = output;
    return STK_OK;
}

stk_status stk_nvjpeg_decode(stk_nvjpeg_stream *decoder, const stk_nvjpeg_bitstream *images,
                             size_t count, int channels, cudaStream_t stream, stk_error *err)
{
    stk_nvjpeg  *n = decoder->nvjpeg;
    const int    output = channels == 1 ? STK_NVJPEG_OUTPUT_Y : STK_NVJPEG_OUTPUT_RGBI;
    const size_t greys = decoder->greys;
    decoder->greys = 0;
    STK_TRY(reserve(decoder, count, err));
    STK_TRY(initialise(decoder, count, output, err));
    for (size_t i = 0; i < count; i++) {
        decoder->data[i] = images[i].encoded.data;
        decoder->lengths[i] = images[i].encoded.size;
        decoder->images[i] =
            (stk_nvjpeg_image){.channel = {images[i].out}, .pitch = {images[i].pitch}};
    }
    const int status = n->library.DecodeBatched(n->handle, decoder->state, decoder->data,
                                                decoder->lengths, decoder->images, stream);
    if (status == STK_NVJPEG_SUCCESS) return STK_OK;
    decoder->count = 0;
    if (greys) __atomic_store_n(&n->no_grey, true, __ATOMIC_RELAXED);
    return refused(status, "nvjpegDecodeBatched", err);
}
