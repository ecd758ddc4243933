/* CRC-32C by tables, eight bytes a step: for every processor. */
#include "base/crc32c.h"

/* A table is linear over xor: the entry of a byte is the xor of the entries of its bits. So eight
 * numbers say all 256, and the compiler makes the tables. */
#define OF_BIT(byte, bit, entry) (((byte) >> (bit)&1) ? (entry) : 0u)
#define ENTRY(i, b0, b1, b2, b3, b4, b5, b6, b7)                                                   \
    (OF_BIT(i, 0, b0) ^ OF_BIT(i, 1, b1) ^ OF_BIT(i, 2, b2) ^ OF_BIT(i, 3, b3) ^                   \
     OF_BIT(i, 4, b4) ^ OF_BIT(i, 5, b5) ^ OF_BIT(i, 6, b6) ^ OF_BIT(i, 7, b7))
#define ENTRIES_4(i, ...)                                                                          \
    ENTRY(i, __VA_ARGS__), ENTRY(i + 1, __VA_ARGS__), ENTRY(i + 2, __VA_ARGS__),                   \
        ENTRY(i + 3, __VA_ARGS__)
#define ENTRIES_16(i, ...)                                                                         \
    ENTRIES_4(i, __VA_ARGS__), ENTRIES_4(i + 4, __VA_ARGS__), ENTRIES_4(i + 8, __VA_ARGS__),       \
        ENTRIES_4(i + 12, __VA_ARGS__)
#define ENTRIES_64(i, ...)                                                                         \
    ENTRIES_16(i, __VA_ARGS__), ENTRIES_16(i + 16, __VA_ARGS__), ENTRIES_16(i + 32, __VA_ARGS__),  \
        ENTRIES_16(i + 48, __VA_ARGS__)
#define TABLE(...)                                                                                 \
    {                                                                                              \
        ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__), ENTRIES_64(128, __VA_ARGS__),     \
            ENTRIES_64(192, __VA_ARGS__)                                                           \
    }

/* after[n][byte]: what byte makes of the checksum when n more bytes follow it. */
static const uint32_t after[8][256] = {
    TABLE(0xF26B8303, 0xE13B70F7, 0xC79A971F, 0x8AD958CF, 0x105EC76F, 0x20BD8EDE, 0x417B1DBC,
          0x82F63B78),
    TABLE(0x13A29877, 0x274530EE, 0x4E8A61DC, 0x9D14C3B8, 0x3FC5F181, 0x7F8BE302, 0xFF17C604,
          0xFBC3FAF9),
    TABLE(0xA541927E, 0x4F6F520D, 0x9EDEA41A, 0x38513EC5, 0x70A27D8A, 0xE144FB14, 0xC76580D9,
          0x8B277743),
    TABLE(0xDD45AAB8, 0xBF672381, 0x7B2231F3, 0xF64463E6, 0xE964B13D, 0xD725148B, 0xABA65FE7,
          0x52A0C93F),
    TABLE(0x38116FAC, 0x7022DF58, 0xE045BEB0, 0xC5670B91, 0x8F2261D3, 0x1BA8B557, 0x37516AAE,
          0x6EA2D55C),
    TABLE(0xEF306B19, 0xDB8CA0C3, 0xB2F53777, 0x6006181F, 0xC00C303E, 0x85F4168D, 0x0E045BEB,
          0x1C08B7D6),
    TABLE(0x68032CC8, 0xD0065990, 0xA5E0C5D1, 0x4E2DFD53, 0x9C5BFAA6, 0x3D5B83BD, 0x7AB7077A,
          0xF56E0EF4),
    TABLE(0x493C7D27, 0x9278FA4E, 0x211D826D, 0x423B04DA, 0x847609B4, 0x0D006599, 0x1A00CB32,
          0x34019664),
};

static uint32_t load_u32le(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t run(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *p = data;
    crc = ~crc;
    for (; size >= 8; size -= 8, p += 8) {
        const uint32_t a = load_u32le(p) ^ crc, b = load_u32le(p + 4);
        crc = after[7][a & 255] ^ after[6][a >> 8 & 255] ^ after[5][a >> 16 & 255] ^
              after[4][a >> 24] ^ after[3][b & 255] ^ after[2][b >> 8 & 255] ^
              after[1][b >> 16 & 255] ^ after[0][b >> 24];
    }
    for (; size; size--, p++)
        crc = crc >> 8 ^ after[0][(crc ^ *p) & 255];
    return ~crc;
}

stk_crc32c_fn stk_crc32c_table(void)
{
    return run;
}
