/* Base64, by the examples of RFC 4648 and by going there and back. */
#include "base/base64.h"
#include "harness.h"

#include <string.h>

static void expect_text(const char *bytes, const char *text)
{
    stk_blob  out;
    stk_error err;
    uint8_t   back[64];
    size_t    size;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_base64_append(&out, stk_bytes_text(bytes), &err));
    EXPECT_INT_EQ(strlen(text), out.size);
    EXPECT_MEM_EQ(text, out.data, out.size);
    EXPECT(stk_base64_read(text, strlen(text), back, &size));
    EXPECT_INT_EQ(strlen(bytes), size);
    EXPECT_MEM_EQ(bytes, back, size);
    stk_blob_release(&out);
}

STK_TEST(the_examples_of_the_rfc_go_there_and_back)
{
    static const char *const examples[][2] = {{"f", "Zg=="},         {"fo", "Zm8="},
                                              {"foo", "Zm9v"},       {"foob", "Zm9vYg=="},
                                              {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < COUNT_OF(examples); i++)
        expect_text(examples[i][0], examples[i][1]);
}

STK_TEST(every_byte_goes_there_and_back)
{
    uint8_t   all[256], back[256];
    stk_blob  out;
    stk_error err;
    size_t    size;
    for (int i = 0; i < 256; i++)
        all[i] = (uint8_t)i;
    for (size_t count = 0; count <= sizeof all; count++) {
        stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
        EXPECT_OK(stk_base64_append(&out, stk_bytes_of(all, count), &err));
        EXPECT(stk_base64_read((const char *)out.data, out.size, back, &size));
        EXPECT_INT_EQ(count, size);
        EXPECT(memcmp(all, back, count) == 0);
        stk_blob_release(&out);
    }
}

STK_TEST(what_is_no_base64_is_refused)
{
    static const char *const wrong[] = {"Z", "Zg", "Zg=", "Zg===", "Z!==", "Zg==Zg==", "=", "Zm9"};
    uint8_t                  back[64];
    size_t                   size;
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        EXPECT(!stk_base64_read(wrong[i], strlen(wrong[i]), back, &size));
    EXPECT(stk_base64_read("Zm 9v\n", 6, back, &size) && size == 3);
}
