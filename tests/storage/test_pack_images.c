/* What a pack makes of images: seekable, encoded, raw or as they were, and what of bad ones. */
#include "harness.h"
#include "image/turbo_support.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* A folder with some of each: photos large enough to be made seekable, a small one, a PNG. */
enum { PHOTOS = 6, SMALL = 1, PNGS = 2, ITEMS = PHOTOS + SMALL + PNGS, SHARD_BYTES = 100000 };

static void run_shell(const char *format, const char *a, const char *b)
{
    char command[1024];
    snprintf(command, sizeof command, format, a, b);
    EXPECT_INT_EQ(0, system(command));
}

static void put(const char *folder, const char *name, stk_bytes content)
{
    char path[512];
    snprintf(path, sizeof path, "%s/class/%s", folder, name);
    stk_test_write_file(path, content.data, content.size);
}

static void put_jpeg(const char *folder, const char *name, const jpeg_kind *kind)
{
    const stk_bytes encoded = make_jpeg(kind, (stk_bytes){0});
    put(folder, name, encoded);
    free((void *)encoded.data);
}

static void put_png(const char *folder, const char *name, int32_t side)
{
    stk_error err;
    stk_blob  encoded;
    uint8_t  *data = malloc((size_t)side * (size_t)side * 3);
    for (int32_t i = 0; i < side * side * 3; i++)
        data[i] = (uint8_t)(i * 7 + i / 100);
    const stk_pixels pixels = {
        .data = data, .width = side, .height = side, .channels = 3, .stride = (size_t)side * 3};
    stk_blob_init(&encoded, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_image_write_png(&encoded, &pixels, &err));
    put(folder, name, stk_blob_bytes(&encoded));
    stk_blob_release(&encoded);
    free(data);
}

static const char *make_photos(const char *name)
{
    const char *folder = stk_test_path(name);
    run_shell("mkdir -p '%s/%s'", folder, "class");
    for (int i = 0; i < PHOTOS; i++) {
        char file[32];
        snprintf(file, sizeof file, "photo%d.jpg", i);
        put_jpeg(folder, file,
                 &(jpeg_kind){.width = 200 + 17 * i,
                              .height = 260 - 11 * i,
                              .components = i == 3 ? 1 : 3,
                              .h = 1 + i % 2,
                              .v = 1 + i % 2,
                              .quality = 97,
                              .progressive = i == 4});
    }
    put_jpeg(folder, "small.jpg",
             &(jpeg_kind){.width = 60, .height = 50, .components = 3, .quality = 80});
    put_png(folder, "a.png", 90);
    put_png(folder, "b.png", 20);
    return folder;
}

static stk_status pack(const char *from, const char *out, stk_pack_images images, int threads,
                       stk_pack_result *result, stk_error *err)
{
    stk_source            *source;
    const stk_pack_options options = {
        .name = "p", .shard_bytes = SHARD_BYTES, .threads = threads, .images = images};
    STK_TRY(stk_source_open(&source, NULL, from, NULL, err));
    const stk_status st = stk_pack(source, out, &options, result, err);
    stk_source_free(source);
    return st;
}

/* What the tests look at in a record. Bytes point into kept. */
typedef struct entry {
    char      filename[64];
    stk_bytes image, restarts; /* data is NULL when there is no such feature */
    void     *kept;
} entry;

static stk_status take_feature(void *context, const stk_feature_view *feature, stk_error *err)
{
    entry    *e = context;
    size_t    count;
    stk_bytes value;
    if (feature->dtype != STK_DTYPE_BYTES) return STK_OK;
    STK_TRY(stk_feature_decode_bytes(feature, &value, 1, &count, err));
    EXPECT_INT_EQ(1, count);
    if (stk_bytes_equal(feature->name, stk_bytes_text("image"))) e->image = value;
    if (stk_bytes_equal(feature->name, stk_bytes_text("image_restarts"))) e->restarts = value;
    if (stk_bytes_equal(feature->name, stk_bytes_text("image/filename")))
        snprintf(e->filename, sizeof e->filename, "%.*s", (int)value.size,
                 (const char *)value.data);
    return STK_OK;
}

static size_t read_shard(const char *path, entry *entries, size_t count, size_t most)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    stk_record           record;
    EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, NULL, &err));
    for (;; count++) {
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        if (!record.bytes.data) break;
        EXPECT(count < most);
        entries[count] = (entry){.kept = malloc(record.bytes.size)};
        memcpy(entries[count].kept, record.bytes.data, record.bytes.size);
        EXPECT_OK(stk_example_visit(stk_bytes_of(entries[count].kept, record.bytes.size), "test",
                                    take_feature, &entries[count], &err));
    }
    stk_tfrecord_reader_free(reader);
    return count;
}

static size_t read_pack(const char *folder, entry *entries, size_t most)
{
    stk_error  err;
    stk_shards shards;
    size_t     count = 0;
    EXPECT_OK(stk_shards_find(&shards, NULL, folder, &err));
    for (size_t i = 0; i < shards.count; i++)
        count = read_shard(shards.paths[i], entries, count, most);
    stk_shards_release(&shards);
    return count;
}

static void free_entries(entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(entries[i].kept);
}

static stk_bytes source_of(const char *folder, const entry *e)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, e->filename);
    return stk_test_read_file(path);
}

static void expect_same_pixels(stk_bytes a, stk_bytes b)
{
    jpeg_pixels x = decode_jpeg(a), y = decode_jpeg(b);
    EXPECT(x.data && y.data && x.size == y.size);
    EXPECT(memcmp(x.data, y.data, x.size) == 0);
    free(x.data);
    free(y.data);
}

STK_TEST(jpegs_become_seekable_and_others_stay)
{
    stk_error       err;
    stk_pack_result result;
    entry           entries[ITEMS];
    const char     *photos = make_photos("photos1"), *out = stk_test_path("out1");
    EXPECT_OK(pack(photos, out, (stk_pack_images){0}, 2, &result, &err));
    EXPECT_INT_EQ(ITEMS, result.items);
    EXPECT_INT_EQ(PHOTOS, result.seekable);
    EXPECT_INT_EQ(0, result.encoded + result.bad_kept + result.bad_skipped);
    EXPECT(result.image_bytes_in > PHOTOS * 16384 && result.image_bytes_out);
    EXPECT_INT_EQ(ITEMS, read_pack(out, entries, ITEMS));
    for (size_t i = 0; i < ITEMS; i++) {
        const stk_bytes source = source_of(photos, &entries[i]);
        EXPECT(entries[i].restarts.data != NULL);
        if (strstr(entries[i].filename, "photo")) {
            EXPECT(entries[i].restarts.size > 10);
            expect_same_pixels(source, entries[i].image);
        } else {
            EXPECT_INT_EQ(0, entries[i].restarts.size);
            EXPECT(stk_bytes_equal(source, entries[i].image));
        }
    }
    free_entries(entries, ITEMS);
}

static void expect_kept(const char *photos, const char *out, stk_pack_images images)
{
    stk_error       err;
    stk_pack_result result;
    entry           entries[ITEMS];
    EXPECT_OK(pack(photos, out, images, 2, &result, &err));
    EXPECT_INT_EQ(0, result.seekable + result.encoded + result.image_bytes_in);
    EXPECT_INT_EQ(ITEMS, read_pack(out, entries, ITEMS));
    for (size_t i = 0; i < ITEMS; i++) {
        EXPECT(entries[i].restarts.data == NULL);
        EXPECT(stk_bytes_equal(source_of(photos, &entries[i]), entries[i].image));
    }
    free_entries(entries, ITEMS);
}

STK_TEST(images_are_kept_when_asked_for)
{
    const char *photos = make_photos("photos2");
    expect_kept(photos, stk_test_path("out2a"), (stk_pack_images){.format = STK_PACK_KEEP});
    expect_kept(photos, stk_test_path("out2b"), (stk_pack_images){.no_restarts = true});
}

STK_TEST(small_images_get_no_index)
{
    stk_error   err;
    entry       entries[3];
    const char *photos = stk_test_path("photos3"), *out = stk_test_path("out3");
    run_shell("mkdir -p '%s/%s'", photos, "class");
    put_jpeg(photos, "small.jpg",
             &(jpeg_kind){.width = 60, .height = 50, .components = 3, .quality = 80});
    EXPECT_OK(pack(photos, out, (stk_pack_images){0}, 1, NULL, &err));
    EXPECT_INT_EQ(1, read_pack(out, entries, 3));
    EXPECT(entries[0].restarts.data == NULL);
    free_entries(entries, 1);
}

STK_TEST(features_are_described)
{
    stk_error        err;
    stk_dataset_info info;
    const char      *photos = make_photos("photos4"), *out = stk_test_path("out4");
    EXPECT_OK(pack(photos, out, (stk_pack_images){.format = STK_PACK_JPEG}, 2, NULL, &err));
    EXPECT_OK(stk_dataset_info_read(&info, NULL, out, &err));
    const stk_feature_info *restarts = stk_dataset_info_feature(&info, "image_restarts");
    EXPECT(restarts && restarts->dtype == STK_DTYPE_BYTES);
    EXPECT_STR_EQ("jpeg", stk_dataset_info_feature(&info, "image")->encoding);
    stk_dataset_info_release(&info);
}

STK_TEST(all_become_jpegs)
{
    stk_error       err;
    stk_pack_result result;
    entry           entries[ITEMS];
    const char     *photos = make_photos("photos5"), *out = stk_test_path("out5");
    EXPECT_OK(pack(photos, out, (stk_pack_images){.format = STK_PACK_JPEG}, 2, &result, &err));
    EXPECT_INT_EQ(PNGS, result.encoded);
    EXPECT_INT_EQ(ITEMS, read_pack(out, entries, ITEMS));
    for (size_t i = 0; i < ITEMS; i++) {
        EXPECT_INT_EQ(STK_IMAGE_JPEG, stk_image_format_of(entries[i].image));
        if (strstr(entries[i].filename, "jpg"))
            expect_same_pixels(source_of(photos, &entries[i]), entries[i].image);
    }
    free_entries(entries, ITEMS);
}

/* That PNM holds the pixels of source. */
static void expect_pixels_of(stk_bytes source, stk_bytes pnm)
{
    stk_error      err;
    stk_decoder   *a, *b;
    stk_pixels     x, y;
    stk_image_info info;
    EXPECT_OK(stk_image_read_info(source, NULL, &info, &err));
    const stk_decode_options options = {.channels = info.channels <= 2 ? 1 : 3};
    EXPECT_OK(stk_decoder_new(&a, NULL, &err));
    EXPECT_OK(stk_decoder_new(&b, NULL, &err));
    EXPECT_OK(stk_image_decode(a, source, NULL, 1, &options, &x, NULL, &err));
    EXPECT_OK(stk_image_decode(b, pnm, NULL, 1, &options, &y, NULL, &err));
    EXPECT(x.width == y.width && x.height == y.height && x.channels == y.channels);
    for (int32_t row = 0; row < x.height; row++)
        EXPECT_MEM_EQ(x.data + (size_t)row * x.stride, y.data + (size_t)row * y.stride,
                      (size_t)x.width * (size_t)x.channels);
    stk_decoder_free(a);
    stk_decoder_free(b);
}

STK_TEST(raw_images_are_pixels)
{
    stk_error       err;
    stk_pack_result result;
    entry           entries[ITEMS];
    const char     *photos = make_photos("photos6"), *out = stk_test_path("out6");
    EXPECT_OK(pack(photos, out, (stk_pack_images){.format = STK_PACK_RAW}, 2, &result, &err));
    EXPECT_INT_EQ(ITEMS, result.encoded);
    EXPECT_INT_EQ(ITEMS, read_pack(out, entries, ITEMS));
    for (size_t i = 0; i < ITEMS; i++) {
        EXPECT(entries[i].restarts.data == NULL);
        EXPECT_INT_EQ(STK_IMAGE_PNM, stk_image_format_of(entries[i].image));
        expect_pixels_of(source_of(photos, &entries[i]), entries[i].image);
    }
    free_entries(entries, ITEMS);
}

STK_TEST(auto_stores_tiny_images_as_pixels)
{
    stk_error   err;
    entry       entries[ITEMS];
    const char *photos = make_photos("photos7"), *out = stk_test_path("out7");
    EXPECT_OK(pack(photos, out, (stk_pack_images){.format = STK_PACK_AUTO}, 2, NULL, &err));
    EXPECT_INT_EQ(ITEMS, read_pack(out, entries, ITEMS));
    for (size_t i = 0; i < ITEMS; i++) {
        const bool tiny = strstr(entries[i].filename, "b.png") || strstr(entries[i].filename, "sm");
        EXPECT_INT_EQ(tiny ? STK_IMAGE_PNM : STK_IMAGE_JPEG, stk_image_format_of(entries[i].image));
    }
    free_entries(entries, ITEMS);
}

STK_TEST(resizing_makes_the_short_side_as_asked_and_never_enlarges)
{
    stk_error       err;
    stk_pack_result result;
    entry           entries[ITEMS];
    const char     *photos = make_photos("photos8"), *out = stk_test_path("out8");
    EXPECT_OK(pack(photos, out, (stk_pack_images){.resize = 100}, 2, &result, &err));
    EXPECT_INT_EQ(PHOTOS, result.encoded);
    EXPECT_INT_EQ(ITEMS, read_pack(out, entries, ITEMS));
    for (size_t i = 0; i < ITEMS; i++) {
        stk_image_info before, after;
        EXPECT_OK(stk_image_read_info(source_of(photos, &entries[i]), NULL, &before, &err));
        EXPECT_OK(stk_image_read_info(entries[i].image, NULL, &after, &err));
        const int32_t shortest = before.width < before.height ? before.width : before.height;
        if (shortest <= 100) {
            EXPECT(stk_bytes_equal(source_of(photos, &entries[i]), entries[i].image));
            continue;
        }
        EXPECT_INT_EQ(STK_IMAGE_JPEG, after.format);
        EXPECT_INT_EQ(before.channels, after.channels);
        EXPECT_INT_EQ(100, after.width < after.height ? after.width : after.height);
        EXPECT_INT_EQ((before.width * 200 + shortest) / (2 * shortest), after.width);
    }
    free_entries(entries, ITEMS);
}

STK_TEST(bytes_are_the_same_on_any_number_of_threads)
{
    static const stk_pack_images kinds[] = {{0},
                                            {.format = STK_PACK_JPEG, .quality = 80},
                                            {.format = STK_PACK_RAW},
                                            {.format = STK_PACK_AUTO, .resize = 120}};
    stk_error                    err;
    const char                  *photos = make_photos("photos9");
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        const char *whole = NULL;
        for (int threads = 1; threads <= 8; threads += 3) {
            char name[32];
            snprintf(name, sizeof name, "same%zu-%d/p", k, threads);
            const char *out = stk_test_path(name);
            EXPECT_OK(pack(photos, out, kinds[k], threads, NULL, &err));
            if (whole) run_shell("diff -r '%s' '%s'", whole, out);
            whole = out;
        }
    }
}

STK_TEST(other_ways_with_images_are_another_pack)
{
    static const stk_pack_images others[] = {{.format = STK_PACK_KEEP},
                                             {.format = STK_PACK_JPEG},
                                             {.no_restarts = true},
                                             {.resize = 50},
                                             {.quality = 90}};
    stk_error                    err;
    stk_pack_result              result;
    const char                  *photos = make_photos("photos10"), *out = stk_test_path("out10");
    EXPECT_OK(pack(photos, out, (stk_pack_images){0}, 2, NULL, &err));
    EXPECT_OK(pack(photos, out, (stk_pack_images){.quality = 95}, 2, &result, &err));
    EXPECT(result.already_done);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        EXPECT_STATUS(STK_E_EXISTS, pack(photos, out, others[i], 2, NULL, &err));
}

STK_TEST(senseless_sizes_and_qualities_are_refused)
{
    static const stk_pack_images cases[] = {
        {.resize = -1}, {.resize = 10, .format = STK_PACK_KEEP}, {.quality = 101}, {.quality = -1}};
    stk_error   err;
    const char *photos = make_photos("photos11");
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        EXPECT_STATUS(STK_E_INVALID, pack(photos, stk_test_path("out11"), cases[i], 2, NULL, &err));
}

/* One photo cut short. */
static const char *make_damaged(const char *name)
{
    const char *photos = make_photos(name);
    char        path[512];
    snprintf(path, sizeof path, "%s/class/photo2.jpg", photos);
    const stk_bytes whole = stk_test_read_file(path);
    stk_test_write_file(path, whole.data, whole.size - 1000);
    return photos;
}

STK_TEST(a_bad_image_fails_the_pack_and_is_named)
{
    stk_error   err;
    const char *photos = make_damaged("bad1"), *out = stk_test_path("bad1-out");
    EXPECT_STATUS(STK_E_DATALOSS, pack(photos, out, (stk_pack_images){0}, 2, NULL, &err));
    EXPECT_CONTAINS("class/photo2.jpg", err.where);
    EXPECT_INT_EQ(-1, access(out, F_OK));
}

/* The line of the list and what is where the image was. */
static void expect_one_bad(const char *photos, const char *out, stk_pack_on_bad on_bad)
{
    stk_error       err;
    stk_pack_result result;
    entry           entries[ITEMS];
    char            path[512];
    const bool      skips = on_bad == STK_PACK_BAD_SKIPPED;
    EXPECT_OK(pack(photos, out, (stk_pack_images){.on_bad = on_bad}, 2, &result, &err));
    EXPECT_INT_EQ(ITEMS - skips, result.items);
    EXPECT_INT_EQ(skips, result.bad_skipped);
    EXPECT_INT_EQ(!skips, result.bad_kept);
    snprintf(path, sizeof path, "%s/bad_items.txt", out);
    const stk_bytes list = stk_test_read_file(path);
    snprintf(path, sizeof path, "%.*s", (int)list.size, (const char *)list.data);
    EXPECT_CONTAINS(skips ? "skipped\tp-train" : "kept\tp-train", path);
    EXPECT_CONTAINS("\tclass/photo2.jpg\t", path);
    EXPECT_CONTAINS("JPEG", path);
    const size_t count = read_pack(out, entries, ITEMS);
    EXPECT_INT_EQ(ITEMS - skips, count);
    for (size_t i = 0; i < count; i++)
        if (strstr(entries[i].filename, "photo2")) {
            EXPECT(!skips);
            EXPECT_INT_EQ(0, entries[i].restarts.size);
            EXPECT(stk_bytes_equal(source_of(photos, &entries[i]), entries[i].image));
        }
    free_entries(entries, count);
}

STK_TEST(bad_images_are_kept_or_skipped_and_listed)
{
    stk_error        err;
    stk_dataset_info info;
    uint64_t         records = 0;
    const char      *photos = make_damaged("bad2"), *kept = stk_test_path("kept/p"),
               *skipped = stk_test_path("skipped/p");
    expect_one_bad(photos, kept, STK_PACK_BAD_KEPT);
    expect_one_bad(photos, skipped, STK_PACK_BAD_SKIPPED);
    EXPECT_OK(stk_dataset_info_read(&info, NULL, skipped, &err));
    for (size_t i = 0; i < info.splits[0].shard_count; i++)
        records += info.splits[0].shard_lengths[i];
    EXPECT_INT_EQ(ITEMS - 1, records);
    stk_dataset_info_release(&info);
}

/* Images that nothing has to look into: a small JPEG, a PNG, what is neither, nothing at all. */
static const char *make_bad_small(const char *name)
{
    const char *photos = make_photos(name);
    char        path[512];
    snprintf(path, sizeof path, "%s/class/small.jpg", photos);
    stk_bytes whole = stk_test_read_file(path);
    stk_test_write_file(path, whole.data, whole.size / 2);
    snprintf(path, sizeof path, "%s/class/a.png", photos);
    whole = stk_test_read_file(path);
    stk_test_write_file(path, whole.data, whole.size / 2);
    put(photos, "text.jpg", stk_bytes_of("not pixels", 10));
    return photos;
}

STK_TEST(bad_images_are_found_where_nothing_changes)
{
    static const stk_pack_images ways[] = {{.format = STK_PACK_SEEKABLE},
                                           {.format = STK_PACK_SEEKABLE, .no_restarts = true},
                                           {.format = STK_PACK_JPEG, .no_restarts = true}};
    const char                  *photos = make_bad_small("bad6");
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        stk_error       err;
        stk_pack_result result;
        char            out[32];
        stk_pack_images images = ways[i];
        images.on_bad = STK_PACK_BAD_SKIPPED;
        snprintf(out, sizeof out, "bad6-out%zu", i);
        EXPECT_OK(pack(photos, stk_test_path(out), images, 2, &result, &err));
        EXPECT_INT_EQ(3, result.bad_skipped);
        EXPECT_INT_EQ(ITEMS + 1 - 3, result.items);
    }
}

STK_TEST(images_of_no_bytes_are_refused_or_skipped)
{
    stk_error       err;
    stk_pack_result result;
    const char     *photos = make_photos("bad7"), *out = stk_test_path("bad7-out");
    put(photos, "empty.jpg", stk_bytes_of("", 0));
    EXPECT_STATUS(STK_E_DATALOSS, pack(photos, out, (stk_pack_images){0}, 2, NULL, &err));
    EXPECT_CONTAINS("--on-bad skip", err.message);
    EXPECT_OK(
        pack(photos, out, (stk_pack_images){.on_bad = STK_PACK_BAD_SKIPPED}, 2, &result, &err));
    EXPECT_INT_EQ(1, result.bad_skipped);
    EXPECT_INT_EQ(ITEMS, result.items);
}

STK_TEST(a_pack_does_one_thing_with_bad_images)
{
    stk_error       err;
    stk_pack_result result;
    const char     *photos = make_damaged("bad3"), *out = stk_test_path("bad3-out");
    EXPECT_OK(pack(photos, out, (stk_pack_images){.on_bad = STK_PACK_BAD_SKIPPED}, 2, NULL, &err));
    EXPECT_OK(
        pack(photos, out, (stk_pack_images){.on_bad = STK_PACK_BAD_SKIPPED}, 2, &result, &err));
    EXPECT(result.already_done);
    EXPECT_STATUS(STK_E_EXISTS,
                  pack(photos, out, (stk_pack_images){.on_bad = STK_PACK_BAD_KEPT}, 2, NULL, &err));
    EXPECT_CONTAINS("--on-bad skip", err.message);
    EXPECT_STATUS(STK_E_EXISTS, pack(photos, out, (stk_pack_images){0}, 2, NULL, &err));
}

STK_TEST(a_pack_that_failed_may_go_on_otherwise)
{
    stk_error   err;
    const char *photos = make_damaged("bad4"), *out = stk_test_path("bad4/p"),
               *whole = stk_test_path("bad4-whole/p");
    EXPECT_STATUS(STK_E_DATALOSS, pack(photos, out, (stk_pack_images){0}, 2, NULL, &err));
    EXPECT_OK(pack(photos, out, (stk_pack_images){.on_bad = STK_PACK_BAD_KEPT}, 2, NULL, &err));
    EXPECT_OK(pack(photos, whole, (stk_pack_images){.on_bad = STK_PACK_BAD_KEPT}, 3, NULL, &err));
    run_shell("diff -r '%s' '%s'", out, whole);
}

STK_TEST(a_pack_of_nothing_but_bad_images_is_none)
{
    static const uint8_t content[STK_SEEKABLE_BYTES_MIN] = {0xff, 0xd8, 0xff, 0xe0, 0, 4};
    stk_error            err;
    const char          *photos = stk_test_path("bad5");
    run_shell("mkdir -p '%s/%s'", photos, "class");
    put(photos, "a.jpg", stk_bytes_of(content, sizeof content));
    EXPECT_STATUS(STK_E_DATALOSS,
                  pack(photos, stk_test_path("bad5-out"),
                       (stk_pack_images){.on_bad = STK_PACK_BAD_SKIPPED}, 2, NULL, &err));
    EXPECT_CONTAINS("all 1 items are bad", err.message);
}

STK_TEST(a_pack_may_be_packed_again)
{
    stk_error       err;
    stk_pack_result result;
    entry           entries[ITEMS];
    const char     *photos = make_photos("again"), *once = stk_test_path("once"),
               *twice = stk_test_path("twice"), *raw = stk_test_path("twice-raw");
    EXPECT_OK(pack(photos, once, (stk_pack_images){0}, 2, NULL, &err));
    EXPECT_OK(pack(once, twice, (stk_pack_images){0}, 2, &result, &err));
    EXPECT_INT_EQ(PHOTOS, result.seekable);
    EXPECT_INT_EQ(ITEMS, read_pack(twice, entries, ITEMS));
    for (size_t i = 0; i < ITEMS; i++) {
        if (strstr(entries[i].filename, "jpg"))
            expect_same_pixels(source_of(photos, &entries[i]), entries[i].image);
        EXPECT_INT_EQ(strstr(entries[i].filename, "photo") != NULL, entries[i].restarts.size > 0);
    }
    free_entries(entries, ITEMS);
    EXPECT_OK(pack(once, raw, (stk_pack_images){.format = STK_PACK_RAW}, 2, &result, &err));
    EXPECT_INT_EQ(ITEMS, read_pack(raw, entries, ITEMS));
    for (size_t i = 0; i < ITEMS; i++) /* an index of what is no JPEG any more */
        EXPECT_INT_EQ(0, entries[i].restarts.size);
    free_entries(entries, ITEMS);
}

STK_TEST(memory_for_images_is_counted_and_given_back)
{
    stk_error         err;
    stk_ledger       *ledger;
    stk_ledger_report report;
    stk_source       *source;
    const char       *photos = make_photos("memory");
    EXPECT_OK(stk_ledger_new(&ledger, 64 << 20, &err));
    EXPECT_OK(stk_source_open(&source, NULL, photos, NULL, &err));
    const stk_pack_options options = {.ledger = ledger, .threads = 3};
    EXPECT_OK(stk_pack(source, stk_test_path("memory-out"), &options, NULL, &err));
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    EXPECT(report.lines[STK_MEMORY_DECODE].peak_bytes > 200 * 200 * 2);
    stk_source_free(source);
    stk_ledger_unref(ledger);
}

typedef struct oom {
    stk_source     *source;
    stk_pack_images images;
    int             round;
} oom;

static stk_status pack_somewhere(void *context, stk_error *err)
{
    oom *o = context;
    char name[32];
    snprintf(name, sizeof name, "oom%d", o->round++);
    const stk_pack_options options = {.threads = 1, .images = o->images};
    char                   out[512];
    snprintf(out, sizeof out, "%s/%s", stk_test_folder(), name);
    return stk_pack(o->source, out, &options, NULL, err);
}

STK_TEST(no_allocation_may_fail_unseen)
{
    stk_error err;
    oom       o = {0};
    EXPECT_OK(stk_source_open(&o.source, NULL, make_damaged("oom"), NULL, &err));
    for (int format = 0; format < STK_PACK_FORMATS; format++) {
        const int32_t resize = format == STK_PACK_KEEP ? 0 : 50 * (format % 2);
        o.images =
            (stk_pack_images){.format = format, .resize = resize, .on_bad = STK_PACK_BAD_SKIPPED};
        stk_test_fail_each_allocation(pack_somewhere, &o);
    }
    stk_source_free(o.source);
}

/* A file of tests/data/image/codec into the class folder. */
static void put_golden(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, STK_TEST_DATA "/image/codec/%s", name);
    put(folder, name, stk_test_read_file(path));
}

static uint32_t sum_decoded(stk_bytes encoded)
{
    stk_error    err;
    stk_pixels   pixels;
    stk_decoder *decoder;
    uLong        sum = 0;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    EXPECT_OK(stk_image_decode(decoder, encoded, NULL, 1, NULL, &pixels, NULL, &err));
    for (int32_t y = 0; y < pixels.height; y++)
        sum = crc32(sum, pixels.data + (size_t)y * pixels.stride, (uInt)pixels.width * 3);
    stk_decoder_free(decoder);
    return (uint32_t)sum;
}

STK_TEST(tiffs_and_pnms_become_pngs_of_the_same_pixels_and_others_stay)
{
    static const char *const names[] = {"rgb.tif",        "tiles.tif", "grey16.tif", "rgb.ppm",
                                        "grey-plain.pgm", "codes.gif", "rgb24.bmp",  "rgb8.png"};
    enum { COUNT = sizeof names / sizeof names[0], FOREIGN = 5 };
    stk_error       err;
    stk_pack_result result;
    entry           entries[COUNT];
    const char     *folder = stk_test_path("foreign"), *out = stk_test_path("foreign-out");
    run_shell("mkdir -p '%s/%s'", folder, "class");
    for (size_t i = 0; i < COUNT; i++)
        put_golden(folder, names[i]);
    EXPECT_OK(pack(folder, out, (stk_pack_images){0}, 2, &result, &err));
    EXPECT_INT_EQ(FOREIGN, result.converted);
    EXPECT_INT_EQ(0, result.encoded + result.seekable);
    EXPECT_INT_EQ(COUNT, read_pack(out, entries, COUNT));
    for (size_t i = 0; i < COUNT; i++) {
        const stk_bytes        source = source_of(folder, &entries[i]);
        const stk_image_format was = stk_image_format_of(source);
        if (was == STK_IMAGE_TIFF || was == STK_IMAGE_PNM) {
            EXPECT_INT_EQ(STK_IMAGE_PNG, stk_image_format_of(entries[i].image));
            EXPECT_INT_EQ(sum_decoded(source), sum_decoded(entries[i].image));
        } else {
            EXPECT(stk_bytes_equal(source, entries[i].image));
        }
    }
    free_entries(entries, COUNT);
    const char *kept = stk_test_path("foreign-kept");
    EXPECT_OK(pack(folder, kept, (stk_pack_images){.no_png = true}, 2, &result, &err));
    EXPECT_INT_EQ(0, result.converted + result.image_bytes_in);
}
