/* Protobuf's wire format: a cursor over one message. Every read checks against the end of that
 * message; a nested message has its own cursor over a LEN field of the outer one. */
#ifndef STK_STORAGE_EXAMPLE_WIRE_H
#define STK_STORAGE_EXAMPLE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/bytes.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "values are copied from the wire as they are, and the wire is little endian");

enum {
    STK_WIRE_VARINT = 0,
    STK_WIRE_FIXED64 = 1,
    STK_WIRE_LEN = 2, /* length-delimited */
    STK_WIRE_GROUP_BEGIN = 3,
    STK_WIRE_GROUP_END = 4,
    STK_WIRE_FIXED32 = 5
};

enum { STK_VARINT_BYTES = 10 }; /* max length */

typedef struct stk_wire {
    const uint8_t *at, *end;
    const char    *fault;   /* the fault at `at`, a literal; NULL: none */
    uint64_t       claimed; /* for a length past the end: the length, */
    size_t         left;    /* and the bytes left */
} stk_wire;

static inline stk_wire stk_wire_over(stk_bytes message)
{
    const uint8_t *data = message.size ? message.data : (const uint8_t *)"";
    return (stk_wire){.at = data, .end = data + message.size};
}

static inline size_t stk_wire_left(const stk_wire *wire)
{
    return (size_t)(wire->end - wire->at);
}

static inline bool stk_wire_done(const stk_wire *wire)
{
    return wire->at == wire->end;
}

static inline uint64_t stk_load64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* The seven low bits of each of 8 bytes, put together: the value of a varint whose bytes these are,
 * those behind its end being zero. */
static inline uint64_t stk_varint_squeeze(uint64_t x)
{
    x &= 0x7f7f7f7f7f7f7f7fu;
    x = (x & 0x007f007f007f007fu) | (x & 0x7f007f007f007f00u) >> 1;
    x = (x & 0x00003fff00003fffu) | (x & 0x3fff00003fff0000u) >> 2;
    return (x & 0x0fffffffu) | (x & 0x0fffffff00000000u) >> 4;
}

/* Sets the fault and returns false, so that a failing line reads `return stk_wire_fail(...)`. */
static inline bool stk_wire_fail(stk_wire *wire, const char *fault)
{
    wire->fault = fault;
    return false;
}

/* The varint at `at`, or NULL when it is longer than legal or passes the end. Bits past the 64th
 * are dropped, as protobuf does. */
static inline const uint8_t *stk_varint_read(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    if (at < end && at[0] < 0x80) {
        *value = at[0];
        return at + 1;
    }
    if (end - at >= 2 && at[1] < 0x80) {
        *value = (uint64_t)(at[0] & 0x7f) | (uint64_t)at[1] << 7;
        return at + 2;
    }
    uint64_t result = 0;
    for (int i = 0; i < STK_VARINT_BYTES && at + i < end; i++) {
        result |= (uint64_t)(at[i] & 0x7f) << (7 * i);
        if (at[i] < 0x80) {
            *value = result;
            return at + i + 1;
        }
    }
    return NULL;
}

static inline bool stk_wire_varint(stk_wire *wire, uint64_t *value)
{
    const uint8_t *next = stk_varint_read(wire->at, wire->end, value);
    if (!next)
        return stk_wire_fail(wire, stk_wire_left(wire) < STK_VARINT_BYTES
                                       ? "a number is cut off by the end of its message"
                                       : "a number has more than 10 bytes");
    wire->at = next;
    return true;
}

/* The number and wire type of the next field. */
static inline bool stk_wire_tag(stk_wire *wire, uint32_t *field, int *type)
{
    const uint8_t *begin = wire->at;
    uint64_t       tag;
    if (!stk_wire_varint(wire, &tag)) return false;
    *field = (uint32_t)(tag >> 3);
    *type = (int)(tag & 7);
    if (tag >> 3 && tag <= UINT32_MAX) return true;
    wire->at = begin;
    return stk_wire_fail(wire, "a field has an illegal number");
}

/* The bytes of a LEN field. */
static inline bool stk_wire_len(stk_wire *wire, stk_bytes *chunk)
{
    const uint8_t *begin = wire->at;
    uint64_t       size;
    if (!stk_wire_varint(wire, &size)) return false;
    if (size > stk_wire_left(wire)) {
        wire->claimed = size;
        wire->left = stk_wire_left(wire);
        wire->at = begin;
        return stk_wire_fail(wire, "a length passes the end of its message");
    }
    *chunk = stk_bytes_of(wire->at, (size_t)size);
    wire->at += size;
    return true;
}

static inline bool stk_wire_jump(stk_wire *wire, size_t size)
{
    if (size > stk_wire_left(wire))
        return stk_wire_fail(wire, "a number is cut off by the end of its message");
    wire->at += size;
    return true;
}

/* Skips the value of an unknown field. Groups are refused, as in TensorFlow: they predate Example.
 */
bool stk_wire_skip(stk_wire *wire, int type);

/* Finds the next LEN field `wanted`, skipping others. False at the end of the message and at a
 * fault: see wire->fault. */
bool stk_wire_next(stk_wire *wire, uint32_t wanted, stk_bytes *chunk);

/* A map entry: its key and value, empty when left out. Protobuf merges repeated values; TensorFlow
 * refuses them, and so do we, since a merged message could not be borrowed as one range of bytes.
 */
bool stk_wire_entry(stk_wire *entry, stk_bytes *key, stk_bytes *value);

#endif
