/* Coefficients out of one JPEG and into another, by libjpeg's transcoding calls. */
#include "image/jpeg/jpeg_rewrite.h"

#include "image/codec/codec.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>

/* jpeglib.h needs stdio.h before it. */
#include <jerror.h>
#include <jpeglib.h>

enum {
    SIDE_MAX = 65535,
    PIXELS_MAX = 1 << 28,
    SCANS_MAX = 256, /* a progressive image has about ten; each is a pass over all of it */
    BLOCK_BYTES = DCTSIZE2 * (int)sizeof(JCOEF),
    MARKER_LENGTH = 65533,
    INITIAL_CAPACITY = 4096 /* for headers, beside the image's own size */
};

typedef struct rewriting {
    struct jpeg_error_mgr         errors; /* first, since libjpeg gives back its address */
    struct jpeg_decompress_struct from;
    struct jpeg_compress_struct   to;
    struct jpeg_destination_mgr   target;
    struct jpeg_progress_mgr      progress;
    jmp_buf                       leave;
    stk_bytes                     encoded;
    stk_image_limits              limits;
    stk_interval_rule            *rule;
    stk_blob                     *out;
    uint64_t                      reserved; /* in out's ledger */
    stk_jpeg_rewritten           *result;
    stk_status                    status;
    stk_error                    *err;
} rewriting;

static rewriting *rewriting_of(j_common_ptr info)
{
    return (rewriting *)info->err; /* errors is its first member */
}

static void leave_with(rewriting *r, stk_status status)
{
    r->status = status;
    longjmp(r->leave, 1);
}

/* Valid images that a sequential scan cannot hold. */
static bool is_unfit(int code)
{
    return code == JERR_SOF_UNSUPPORTED || code == JERR_BAD_PRECISION ||
           code == JERR_ARITH_NOTIMPL || code == JERR_MISMATCHED_QUANT_TABLE ||
           code == JERR_BAD_DCT_COEF || code == JERR_COMPONENT_COUNT;
}

static void leave_by_message(j_common_ptr info)
{
    rewriting *r = rewriting_of(info);
    char       text[JMSG_LENGTH_MAX];
    const int  code = info->err->msg_code;
    if (is_unfit(code)) leave_with(r, STK_OK);
    info->err->format_message(info, text);
    const stk_status status = code == JERR_OUT_OF_MEMORY   ? STK_E_NOMEM
                              : code == JERR_IMAGE_TOO_BIG ? STK_E_LIMIT
                                                           : STK_E_DATALOSS;
    leave_with(r, stk_fail(r->err, status, "jpeg", NULL, "%s", text));
}

/* Whether a warning is harmless: odd marker content, or extra bytes after a scan. Before a restart
 * marker such bytes were codes. */
static bool is_harmless(const struct jpeg_error_mgr *errors)
{
    const int code = errors->msg_code, marker = errors->msg_parm.i[1];
    if (code == JWRN_EXTRANEOUS_DATA) return marker < JPEG_RST0 || marker > JPEG_RST0 + 7;
    return code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
}

/* Other warnings (level -1) mean that something was made up. */
static void hear_message(j_common_ptr info, int level)
{
    if (level < 0 && !is_harmless(info->err)) leave_by_message(info);
}

static void show_nothing(j_common_ptr info)
{
    (void)info;
}

static void limit_scans(j_common_ptr info)
{
    rewriting *r = rewriting_of(info);
    if (!info->is_decompressor || r->from.input_scan_number <= SCANS_MAX) return;
    leave_with(r, stk_fail(r->err, STK_E_LIMIT, "jpeg", NULL, "more than %d scans", SCANS_MAX));
}

static void set_output(rewriting *r)
{
    r->target.next_output_byte = r->out->data + r->out->size;
    r->target.free_in_buffer = r->out->capacity - r->out->size;
}

static void begin_output(j_compress_ptr to)
{
    (void)to; /* the capacity is reserved */
}

static boolean grow_output(j_compress_ptr to)
{
    rewriting *r = rewriting_of((j_common_ptr)to);
    r->out->size = r->out->capacity; /* libjpeg asks when all is full */
    const stk_status st = stk_blob_reserve(r->out, r->out->size + 1, r->err);
    if (st) leave_with(r, st);
    set_output(r);
    return TRUE;
}

static void end_output(j_compress_ptr to)
{
    rewriting *r = rewriting_of((j_common_ptr)to);
    r->out->size = r->out->capacity - r->target.free_in_buffer;
}

static void check_size(rewriting *r)
{
    const uint64_t side = r->limits.side > 0 ? (uint64_t)r->limits.side : SIDE_MAX;
    const uint64_t pixels = r->limits.pixels ? r->limits.pixels : PIXELS_MAX;
    const uint64_t width = r->from.image_width, height = r->from.image_height;
    if (width <= side && height <= side && width * height <= pixels) return;
    leave_with(r, stk_fail(r->err, STK_E_LIMIT, "jpeg", NULL,
                           "%" PRIu64 " by %" PRIu64 " pixels; at most %" PRIu64
                           " in a side and %" PRIu64 " in all are allowed",
                           width, height, side, pixels));
}

/* Whether libjpeg can bring every component to the size of the largest: by whole factors only. */
static bool is_decodable(const struct jpeg_decompress_struct *from)
{
    int across = 1, down = 1;
    for (int c = 0; c < from->num_components; c++) {
        const jpeg_component_info *part = &from->comp_info[c];
        if (part->h_samp_factor > across) across = part->h_samp_factor;
        if (part->v_samp_factor > down) down = part->v_samp_factor;
    }
    for (int c = 0; c < from->num_components; c++)
        if (across % from->comp_info[c].h_samp_factor || down % from->comp_info[c].v_samp_factor)
            return false;
    return true;
}

/* Whether all components fit in one scan of Huffman codes, 8 bits a sample. */
static bool fits_one_scan(const struct jpeg_decompress_struct *from)
{
    int blocks = 0;
    if (from->arith_code || from->data_precision != 8) return false;
    if (from->num_components > MAX_COMPS_IN_SCAN) return false;
    for (int c = 0; c < from->num_components; c++)
        blocks += from->comp_info[c].h_samp_factor * from->comp_info[c].v_samp_factor;
    return from->num_components == 1 || blocks <= C_MAX_BLOCKS_IN_MCU;
}

/* A scan of one component has MCUs of one block, whatever its sampling factors say. */
static stk_mcu_grid measure_grid(const struct jpeg_decompress_struct *from)
{
    const jpeg_component_info *only = from->num_components == 1 ? from->comp_info : NULL;
    const uint32_t             width = only ? DCTSIZE : DCTSIZE * (uint32_t)from->max_h_samp_factor;
    const uint32_t height = only ? DCTSIZE : DCTSIZE * (uint32_t)from->max_v_samp_factor;
    return (stk_mcu_grid){.columns = (from->image_width + width - 1) / width,
                          .rows = (from->image_height + height - 1) / height,
                          .width = width};
}

static uint64_t round_up(uint64_t count, uint64_t step)
{
    return (count + step - 1) / step * step;
}

/* Takes what libjpeg will take from out's ledger. A block has a bit at least in the file, so that a
 * header that claims too much is known before it costs memory. */
static void reserve_coefficients(rewriting *r)
{
    uint64_t blocks = 0, held = 0;
    for (int c = 0; c < r->from.num_components; c++) {
        const jpeg_component_info *part = &r->from.comp_info[c];
        blocks += (uint64_t)part->width_in_blocks * part->height_in_blocks;
        held += round_up(part->width_in_blocks, (uint64_t)part->h_samp_factor) *
                round_up(part->height_in_blocks, (uint64_t)part->v_samp_factor);
    }
    if (blocks / 8 > r->encoded.size)
        leave_with(r, stk_fail(r->err, STK_E_DATALOSS, "jpeg", NULL,
                               "%zu bytes cannot hold the %u by %u pixels that the header says",
                               r->encoded.size, r->from.image_width, r->from.image_height));
    stk_status st = stk_decode_admit(r->out->ledger, held * BLOCK_BYTES, r->err);
    if (!st) st = stk_ledger_reserve(r->out->ledger, STK_MEMORY_DECODE, held * BLOCK_BYTES, r->err);
    if (st) leave_with(r, st);
    r->reserved = held * BLOCK_BYTES;
}

/* Of a progressive image whose last scans never came decoders guess the rest by smoothing, which
 * they would not do for the same coefficients in one scan. */
static bool is_complete(const struct jpeg_decompress_struct *from)
{
    if (!from->progressive_mode) return true;
    for (int c = 0; c < from->num_components; c++)
        for (int i = 0; i < DCTSIZE2; i++)
            if (from->coef_bits[c][i] != 0) return false;
    return true;
}

/* The markers to keep: colour, orientation and comments. Other blocks hold file offsets that would
 * be wrong now, or a thumbnail. */
static bool is_kept(const struct jpeg_marker_struct *marker)
{
    static const char icc[] = "ICC_PROFILE";
    return marker->marker != JPEG_APP0 + 2 ||
           (marker->data_length >= sizeof icc && !memcmp(marker->data, icc, sizeof icc));
}

static void save_markers(struct jpeg_decompress_struct *from)
{
    static const int kept[] = {JPEG_COM, JPEG_APP0, JPEG_APP0 + 1, JPEG_APP0 + 2, JPEG_APP0 + 14};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        jpeg_save_markers(from, kept[i], MARKER_LENGTH + 2);
}

static size_t count_markers(const struct jpeg_decompress_struct *from)
{
    size_t count = 0;
    for (const struct jpeg_marker_struct *m = from->marker_list; m; m = m->next)
        count++;
    return count;
}

/* The first count: those between scans come too late to count for decoders. JFIF's and Adobe's are
 * among them, byte for byte, and libjpeg is to write none of its own. */
static void write_markers(rewriting *r, size_t count)
{
    const struct jpeg_marker_struct *m = r->from.marker_list;
    for (size_t i = 0; i < count; i++, m = m->next)
        if (is_kept(m)) jpeg_write_marker(&r->to, m->marker, m->data, m->data_length);
}

static void write_image(rewriting *r, jvirt_barray_ptr *coefficients, size_t markers)
{
    jpeg_copy_critical_parameters(&r->from, &r->to);
    r->to.write_JFIF_header = FALSE;
    r->to.write_Adobe_marker = FALSE;
    r->to.optimize_coding = TRUE;
    r->to.restart_interval = r->result->interval;
    r->to.dest = &r->target;
    const stk_status st =
        stk_blob_reserve_exact(r->out, r->out->size + r->encoded.size + INITIAL_CAPACITY, r->err);
    if (st) leave_with(r, st);
    set_output(r);
    jpeg_write_coefficients(&r->to, coefficients);
    write_markers(r, markers);
    jpeg_finish_compress(&r->to);
}

static void rewrite(rewriting *r)
{
    jpeg_mem_src(&r->from, r->encoded.data, r->encoded.size);
    save_markers(&r->from);
    jpeg_read_header(&r->from, TRUE);
    check_size(r);
    if (!fits_one_scan(&r->from) || !is_decodable(&r->from)) return;
    r->result->grid = measure_grid(&r->from);
    r->result->interval = r->rule(&r->result->grid, r->encoded.size);
    if (!r->result->interval) return;
    reserve_coefficients(r);
    const size_t      markers = count_markers(&r->from);
    jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&r->from);
    if (!is_complete(&r->from)) return;
    write_image(r, coefficients, markers);
    r->result->done = true;
}

static void prepare(rewriting *r)
{
    r->from.err = r->to.err = jpeg_std_error(&r->errors);
    r->errors.error_exit = leave_by_message;
    r->errors.emit_message = hear_message;
    r->errors.output_message = show_nothing;
    r->target.init_destination = begin_output;
    r->target.empty_output_buffer = grow_output;
    r->target.term_destination = end_output;
    r->progress.progress_monitor = limit_scans;
    jpeg_create_decompress(&r->from);
    jpeg_create_compress(&r->to);
    r->from.progress = &r->progress;
}

stk_status stk_jpeg_rewrite(stk_bytes encoded, const stk_image_limits *limits,
                            stk_interval_rule *rule, stk_blob *out, stk_jpeg_rewritten *result,
                            stk_error *err)
{
    *result = (stk_jpeg_rewritten){0};
    rewriting r = {.encoded = encoded, .rule = rule, .out = out, .result = result, .err = err};
    if (limits) r.limits = *limits;
    if (!setjmp(r.leave)) {
        prepare(&r);
        rewrite(&r);
    }
    jpeg_destroy_compress(&r.to);
    jpeg_destroy_decompress(&r.from);
    stk_ledger_release(out->ledger, STK_MEMORY_DECODE, r.reserved);
    return r.status;
}
