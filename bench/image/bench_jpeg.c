/* JPEG decoding beside libjpeg-turbo, one thread, files in memory.
 * bench_jpeg FOLDER [SECONDS]: every .jpg, .jpeg or .JPEG below FOLDER (at most 512). The
 * competitors take turns every few images, so that what else the machine does meets all alike,
 * and the thread's own time is measured. */
#include "bench.h"

#include <dirent.h>
#include <stdbool.h>
#include <stoker/image.h>
#include <string.h>
#include <sys/stat.h>

/* jpeglib.h needs stdio.h before it. */
#include <jpeglib.h>

enum { MOST_PHOTOS = 512, MOST_ROUNDS = 64, TURN = 16 };

typedef struct photo {
    stk_bytes bytes, seekable, index;
    stk_rect  window; /* as RandomResizedCrop takes it */
} photo;

typedef struct bench {
    photo        photos[MOST_PHOTOS];
    int          count;
    stk_decoder *decoder;
    uint8_t     *rows; /* libjpeg's results */
} bench;

static uint64_t random_state = 88172645463325252u;

static double random_unit(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

static double square_root(double value)
{
    double root = value > 1 ? value : 1;
    for (int i = 0; i < 40; i++)
        root = 0.5 * (root + value / root);
    return root;
}

/* An area of 8 to 100 percent, a ratio of 3:4 to 4:3. */
static stk_rect random_crop(int width, int height)
{
    for (int i = 0; i < 10; i++) {
        const double area = (0.08 + 0.92 * random_unit()) * width * height;
        const double ratio = 0.75 + random_unit() * (4.0 / 3 - 0.75);
        const int    w = (int)(square_root(area * ratio) + 0.5);
        const int    h = (int)(square_root(area / ratio) + 0.5);
        if (w < 1 || h < 1 || w > width || h > height) continue;
        return (stk_rect){(int)(random_unit() * (width - w + 1)),
                          (int)(random_unit() * (height - h + 1)), w, h};
    }
    return (stk_rect){0, 0, width, height};
}

static void die(const char *what, const stk_error *err)
{
    fprintf(stderr, "bench_jpeg: %s: %s\n", what, err ? err->message : "failed");
    exit(1);
}

static stk_bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return (stk_bytes){0};
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    uint8_t     *data = malloc(size + 1);
    rewind(file);
    const size_t got = fread(data, 1, size, file);
    fclose(file);
    return stk_bytes_of(data, got);
}

/* As stoker pack rewrites it; as it is where that would not pay. */
static void make_seekable(photo *p)
{
    stk_blob            out, index;
    stk_seekable_result result;
    stk_error           err;
    stk_blob_init(&out, NULL, STK_MEMORY_DECODE);
    stk_blob_init(&index, NULL, STK_MEMORY_DECODE);
    if (stk_jpeg_make_seekable(p->bytes, NULL, &out, &index, &result, &err))
        die("make seekable", &err);
    p->seekable = result.rewritten ? stk_blob_bytes(&out) : p->bytes;
    p->index = result.rewritten ? stk_blob_bytes(&index) : (stk_bytes){0};
}

static void add_photo(bench *b, const char *path)
{
    photo         *p = &b->photos[b->count];
    stk_image_info info;
    stk_error      err;
    p->bytes = read_file(path);
    if (stk_image_format_of(p->bytes) != STK_IMAGE_JPEG) return;
    if (stk_image_read_info(p->bytes, NULL, &info, &err)) die(path, &err);
    if (info.channels > 3) return;
    p->window = random_crop(info.stored_width, info.stored_height);
    make_seekable(p);
    b->count++;
}

static void add_folder(bench *b, const char *folder)
{
    DIR           *dir = opendir(folder);
    struct dirent *entry;
    if (!dir) return;
    while ((entry = readdir(dir)) != NULL && b->count < MOST_PHOTOS) {
        char        path[4096];
        struct stat st;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &st)) continue;
        if (S_ISDIR(st.st_mode))
            add_folder(b, path);
        else if (strcasestr(entry->d_name, ".jp"))
            add_photo(b, path);
    }
    closedir(dir);
}

static void begin_turbo(struct jpeg_decompress_struct *jpeg, const photo *p)
{
    jpeg_mem_src(jpeg, p->bytes.data, p->bytes.size);
    jpeg_read_header(jpeg, TRUE);
    jpeg->out_color_space = JCS_RGB;
    jpeg_start_decompress(jpeg);
}

/* One libjpeg object for all images, as a careful program has it. */
static struct jpeg_decompress_struct turbo;
static struct jpeg_error_mgr         turbo_errors;

static void turbo_full(bench *b, const photo *p)
{
    begin_turbo(&turbo, p);
    const size_t stride = turbo.output_width * 3;
    while (turbo.output_scanline < turbo.output_height) {
        JSAMPROW row = b->rows + turbo.output_scanline * stride;
        jpeg_read_scanlines(&turbo, &row, 1);
    }
    jpeg_abort_decompress(&turbo);
}

static void turbo_crop(bench *b, const photo *p)
{
    JDIMENSION x = (JDIMENSION)p->window.x, width = (JDIMENSION)p->window.width;
    begin_turbo(&turbo, p);
    jpeg_crop_scanline(&turbo, &x, &width);
    if (p->window.y) jpeg_skip_scanlines(&turbo, (JDIMENSION)p->window.y);
    const size_t stride = (size_t)turbo.output_width * 3;
    for (int32_t y = 0; y < p->window.height; y++) {
        JSAMPROW row = b->rows + (size_t)y * stride;
        jpeg_read_scanlines(&turbo, &row, 1);
    }
    jpeg_abort_decompress(&turbo);
}

static void stoker_decode(bench *b, stk_bytes bytes, stk_bytes index, const stk_rect *window)
{
    const stk_decode_options options = {.stored_orientation = true, .restarts = index};
    stk_pixels               out;
    stk_error                err;
    if (stk_image_decode(b->decoder, bytes, window, 1, &options, &out, NULL, &err))
        die("decode", &err);
}

static void stoker_full(bench *b, const photo *p)
{
    stoker_decode(b, p->bytes, (stk_bytes){0}, NULL);
}

static void stoker_crop(bench *b, const photo *p)
{
    stoker_decode(b, p->bytes, (stk_bytes){0}, &p->window);
}

static void stoker_seek(bench *b, const photo *p)
{
    stoker_decode(b, p->seekable, p->index, &p->window);
}

typedef struct competitor {
    const char *name;
    void (*run)(bench *b, const photo *p);
    int    against; /* whose rate the ratio is to */
    double seconds[MOST_ROUNDS];
} competitor;

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(bench *b, competitor *all, int count, double seconds)
{
    const double begin = bench_seconds();
    int          rounds = 0;
    for (; rounds < MOST_ROUNDS && (rounds < 3 || bench_seconds() - begin < seconds); rounds++)
        for (int i = 0; i < b->count; i += TURN)
            for (int c = 0; c < count; c++) {
                const double from = thread_seconds();
                for (int k = i; k < i + TURN && k < b->count; k++)
                    all[c].run(b, &b->photos[k]);
                all[c].seconds[rounds] += thread_seconds() - from;
            }
    for (int c = 0; c < count; c++)
        qsort(all[c].seconds, (size_t)rounds, sizeof(double), bench_compare);
    for (int c = 0; c < count; c++) {
        const double *s = all[c].seconds, median = s[rounds / 2];
        printf("%-34s %9.0f img/s (best %.0f, worst %.0f)  %.2fx\n", all[c].name, b->count / median,
               b->count / s[0], b->count / s[rounds - 1],
               all[all[c].against].seconds[rounds / 2] / median);
    }
}

int main(int argc, char **argv)
{
    static bench b;
    stk_error    err;
    competitor   all[] = {{"full: libjpeg-turbo", turbo_full, 0, {0}},
                          {"full: stoker", stoker_full, 0, {0}},
                          {"crop: libjpeg-turbo", turbo_crop, 2, {0}},
                          {"crop: stoker", stoker_crop, 2, {0}},
                          {"crop: stoker, seekable", stoker_seek, 2, {0}}};
    if (argc < 2) {
        printf("bench_jpeg FOLDER [SECONDS]\n");
        return 0;
    }
    turbo.err = jpeg_std_error(&turbo_errors);
    jpeg_create_decompress(&turbo);
    add_folder(&b, argv[1]);
    b.rows = malloc((size_t)3 << 26);
    if (!b.count || !b.rows || stk_decoder_new(&b.decoder, NULL, &err)) die(argv[1], NULL);
    printf("%d images\n", b.count);
    measure(&b, all, 5, argc > 2 ? atof(argv[2]) : 5);
    stk_decoder_free(b.decoder);
    jpeg_destroy_decompress(&turbo);
    return 0;
}
