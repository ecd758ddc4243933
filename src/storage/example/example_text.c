/* The texts of errors about Examples. */
#include "storage/example/example_text.h"

#include <inttypes.h>
#include <stdio.h>

enum { KEY_SHOWN = 60 };

const char *stk_key_text(stk_bytes key, char text[STK_KEY_TEXT])
{
    static const char before[] = "feature '", hex[] = "0123456789abcdef";
    size_t            used = sizeof before - 1;
    memcpy(text, before, used);
    size_t i = 0;
    for (; i < key.size && used < KEY_SHOWN + sizeof before; i++) {
        const uint8_t c = key.data[i];
        /* Bytes of 0x80 and above are let through: names in other scripts are UTF-8. */
        if (c >= ' ' && c != 0x7f) {
            text[used++] = (char)c;
            continue;
        }
        text[used++] = '\\';
        text[used++] = 'x';
        text[used++] = hex[c >> 4];
        text[used++] = hex[c & 15];
    }
    snprintf(text + used, STK_KEY_TEXT - used, "%s'", i < key.size ? "..." : "");
    return text;
}

static void write_location(const stk_record_location *location, stk_bytes key, char *text,
                           size_t capacity)
{
    char key_text[STK_KEY_TEXT] = "", number[32] = "";
    if (location->index != STK_NO_INDEX)
        snprintf(number, sizeof number, "record %zu", location->index);
    if (key.data) stk_key_text(key, key_text);
    const char *parts[] = {location->name ? location->name : "", number, key_text};
    size_t      used = 0;
    text[0] = '\0';
    for (int i = 0; i < 3; i++) {
        if (!parts[i][0] || used >= capacity) continue;
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", used ? ": " : "", parts[i]);
    }
}

stk_status stk_record_fail(stk_error *err, stk_status status, const stk_record_location *location,
                           stk_bytes key, const char *format, ...)
{
    if (!err) return status;
    char    where[sizeof err->where + 256], message[sizeof err->message];
    va_list args;
    write_location(location, key, where, sizeof where);
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return stk_fail(err, status, "parse", where, "%s", message);
}

stk_status stk_record_fault(stk_error *err, const stk_record_location *location, stk_bytes key,
                            const stk_wire *wire)
{
    const size_t at = location->record.size ? (size_t)(wire->at - location->record.data) : 0;
    char         length[64] = "";
    if (wire->claimed)
        snprintf(length, sizeof length, " (%" PRIu64 " bytes claimed, %zu left)", wire->claimed,
                 wire->left);
    return stk_record_fail(err, STK_E_INVALID, location, key,
                           "could not parse example: %s%s at byte %zu of %zu", wire->fault, length,
                           at, location->record.size);
}
