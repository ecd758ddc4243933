/* Real photos, where STOKER_PHOTOS names a folder that holds nothing else: decoding windows, also
 * of what was made seekable, equals cutting them out of what libjpeg-turbo decodes. */
#include "image/jpeg_support.h"

#include <dirent.h>

enum { WINDOWS = 20 };

/* Windows of encoded, which must be those of photo as libjpeg decodes it; how many are not. */
static int compare(stk_decoder *decoder, stk_bytes photo, stk_bytes encoded, stk_bytes restarts,
                   uint64_t *seed)
{
    static const int         shrinks[] = {1, 2, 4, 8};
    const stk_decode_options options = {.stored_orientation = true, .restarts = restarts};
    int                      wrong = 0;
    for (size_t i = 0; i < COUNT_OF(shrinks); i++) {
        const jpeg_image whole = jpeg_reference(photo, shrinks[i]);
        for (int k = 0; k <= WINDOWS; k++) {
            const stk_rect all = {0, 0, whole.width, whole.height};
            const stk_rect window = k ? jpeg_random_window(&whole, seed) : all;
            stk_pixels     out;
            stk_error      err;
            EXPECT_OK(stk_image_decode(decoder, encoded, &window, shrinks[i], &options, &out, NULL,
                                       &err));
            if (whole.channels != 4) wrong += !jpeg_same(&whole, window, &out);
        }
        free(whole.data);
    }
    return wrong;
}

/* The photo as it is, and made seekable. */
static int compare_photo(stk_decoder *decoder, stk_bytes photo, uint64_t *seed, int *seekable)
{
    stk_blob            out, restarts;
    stk_seekable_result result;
    stk_error           err;
    int                 wrong = compare(decoder, photo, photo, (stk_bytes){0}, seed);
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&restarts, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_jpeg_make_seekable(photo, NULL, &out, &restarts, &result, &err));
    if (result.rewritten)
        wrong += compare(decoder, photo, stk_blob_bytes(&out), stk_blob_bytes(&restarts), seed);
    *seekable += result.rewritten;
    stk_blob_release(&out);
    stk_blob_release(&restarts);
    return wrong;
}

STK_TEST(windows_of_real_photos_equal_those_of_libjpeg_turbo)
{
    const char *folder = getenv("STOKER_PHOTOS");
    DIR        *dir = folder ? opendir(folder) : NULL;
    if (!dir) skip();
    stk_decoder   *decoder;
    stk_error      err;
    uint64_t       seed = 1;
    int            photos = 0, seekable = 0, wrong = 0;
    struct dirent *entry;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    while ((entry = readdir(dir)) != NULL) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const stk_bytes photo = stk_test_read_file(path);
        const int       bad = compare_photo(decoder, photo, &seed, &seekable);
        if (bad) printf("%s: %d windows differ\n", entry->d_name, bad);
        wrong += bad;
        photos++;
    }
    closedir(dir);
    stk_decoder_free(decoder);
    printf("%d photos, %d made seekable, %d windows differ\n", photos, seekable, wrong);
    EXPECT_INT_EQ(0, wrong);
}
