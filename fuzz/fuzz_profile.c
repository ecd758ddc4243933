/* Any bytes: a profile or a placed error, and what is written of a profile reads as the same text
 * again. */
#include <stdlib.h>
#include <stoker/profile.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_profile(const stk_profile *profile, stk_blob *out)
{
    stk_error err;
    stk_blob_init(out, NULL, STK_MEMORY_OUTPUT);
    if (stk_profile_write(profile, out, &err)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stk_profile first, second;
    stk_blob    text, again;
    stk_error   err = {0};
    if (stk_profile_read(&first, stk_bytes_of(data, size), &err)) {
        if (!err.message[0]) abort();
        stk_profile_release(&first);
        return 0;
    }
    write_profile(&first, &text);
    if (stk_profile_read(&second, stk_blob_bytes(&text), &err)) abort();
    write_profile(&second, &again);
    if (text.size != again.size || memcmp(text.data, again.data, text.size) != 0) abort();
    stk_profile_release(&first);
    stk_profile_release(&second);
    stk_blob_release(&text);
    stk_blob_release(&again);
    return 0;
}
