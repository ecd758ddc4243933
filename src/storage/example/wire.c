/* Protobuf's wire format: the parts that no inner loop needs. */
#include "storage/example/wire.h"

static bool jump(stk_wire *wire, size_t size)
{
    if (size > stk_wire_left(wire))
        return stk_wire_fail(wire, "a number is cut off by the end of its message");
    wire->at += size;
    return true;
}

bool stk_wire_skip(stk_wire *wire, int type)
{
    uint64_t  number;
    stk_bytes chunk;
    switch (type) {
    case STK_WIRE_VARINT:
        return stk_wire_varint(wire, &number);
    case STK_WIRE_FIXED64:
        return jump(wire, 8);
    case STK_WIRE_LEN:
        return stk_wire_len(wire, &chunk);
    case STK_WIRE_FIXED32:
        return jump(wire, 4);
    case STK_WIRE_GROUP_BEGIN:
    case STK_WIRE_GROUP_END:
        return stk_wire_fail(wire, "a field is a group, which no Example has");
    default:
        return stk_wire_fail(wire, "a field has an illegal wire type");
    }
}

bool stk_wire_next(stk_wire *wire, uint32_t wanted, stk_bytes *chunk)
{
    while (!stk_wire_done(wire)) {
        uint32_t field;
        int      type;
        if (!stk_wire_tag(wire, &field, &type)) return false;
        if (field == wanted && type == STK_WIRE_LEN) return stk_wire_len(wire, chunk);
        if (!stk_wire_skip(wire, type)) return false;
    }
    return false;
}

bool stk_wire_entry(stk_wire *entry, stk_bytes *key, stk_bytes *value)
{
    bool has_key = false, has_value = false;
    *key = *value = stk_bytes_of("", 0);
    while (!stk_wire_done(entry)) {
        uint32_t field;
        int      type;
        if (!stk_wire_tag(entry, &field, &type)) return false;
        if (type != STK_WIRE_LEN || (field != 1 && field != 2)) {
            if (!stk_wire_skip(entry, type)) return false;
            continue;
        }
        bool *has = field == 1 ? &has_key : &has_value;
        if (*has) return stk_wire_fail(entry, "a map entry has two keys or two values");
        *has = true;
        if (!stk_wire_len(entry, field == 1 ? key : value)) return false;
    }
    return true;
}
