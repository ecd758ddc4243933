/* Real photos, where STOKER_PHOTOS names a folder of them: decoding windows equals cutting them out
 * of what libjpeg-turbo decodes. */
#include "image/jpeg_support.h"

#include <dirent.h>

enum { WINDOWS = 20 };

static int compare_photo(stk_decoder *decoder, stk_bytes photo, uint64_t *seed)
{
    static const int         shrinks[] = {1, 1, 1, 2, 4, 8};
    const stk_decode_options options = {.stored_orientation = true};
    int                      wrong = 0;
    for (size_t i = 2; i < COUNT_OF(shrinks); i++) {
        const jpeg_picture whole = jpeg_reference(photo, shrinks[i]);
        for (int k = 0; k <= WINDOWS; k++) {
            const stk_rect all = {0, 0, whole.width, whole.height};
            const stk_rect window = k ? jpeg_random_window(&whole, seed) : all;
            stk_pixels     out;
            stk_error      err;
            EXPECT_OK(
                stk_image_decode(decoder, photo, &window, shrinks[i], &options, &out, NULL, &err));
            if (whole.channels != 4) wrong += !jpeg_same(&whole, window, &out);
        }
        free(whole.data);
    }
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
    int            photos = 0, wrong = 0;
    struct dirent *entry;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    while ((entry = readdir(dir)) != NULL) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const stk_bytes photo = stk_test_read_file(path);
        const int       bad = compare_photo(decoder, photo, &seed);
        if (bad) printf("%s: %d windows differ\n", entry->d_name, bad);
        wrong += bad;
        photos++;
    }
    closedir(dir);
    stk_decoder_free(decoder);
    printf("%d photos, %d windows differ\n", photos, wrong);
    EXPECT_INT_EQ(0, wrong);
}
