/* Writes protobuf fields. */
#include "train/log/proto.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, CHUNK = 2, FIXED32 = 5, VARINT_MAX = 10 };

stk_proto stk_proto_begin(stk_blob *out, stk_error *err)
{
    out->size = 0;
    return (stk_proto){.out = out, .err = err};
}

static void put(stk_proto *p, const void *data, size_t size)
{
    if (!p->status && size) p->status = stk_blob_append(p->out, data, size, p->err);
}

static void put_varint(stk_proto *p, uint64_t value)
{
    uint8_t bytes[VARINT_MAX];
    size_t  count = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (uint8_t)(value | 0x80);
    bytes[count++] = (uint8_t)value;
    put(p, bytes, count);
}

static void put_tag(stk_proto *p, int field, int type)
{
    put_varint(p, (uint64_t)field << 3 | (uint64_t)type);
}

/* Little-endian. */
static void put_fixed(stk_proto *p, uint64_t bits, size_t size)
{
    uint8_t bytes[sizeof bits];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
    put(p, bytes, size);
}

void stk_proto_varint(stk_proto *p, int field, uint64_t value)
{
    put_tag(p, field, VARINT);
    put_varint(p, value);
}

void stk_proto_float(stk_proto *p, int field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_tag(p, field, FIXED32);
    put_fixed(p, bits, sizeof bits);
}

void stk_proto_double(stk_proto *p, int field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_tag(p, field, FIXED64);
    put_fixed(p, bits, sizeof bits);
}

void stk_proto_bytes(stk_proto *p, int field, stk_bytes value)
{
    put_tag(p, field, CHUNK);
    put_varint(p, value.size);
    put(p, value.data, value.size);
}

void stk_proto_text(stk_proto *p, int field, const char *text)
{
    stk_proto_bytes(p, field, stk_bytes_text(text));
}

void stk_proto_message(stk_proto *p, int field, const stk_blob *message)
{
    stk_proto_bytes(p, field, stk_blob_bytes(message));
}
