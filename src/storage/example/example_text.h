/* Locations in errors about Examples: record, key and byte. */
#ifndef STK_STORAGE_EXAMPLE_EXAMPLE_TEXT_H
#define STK_STORAGE_EXAMPLE_EXAMPLE_TEXT_H

#include "storage/example/wire.h"

#include <stoker/error.h>

enum { STK_KEY_TEXT = 96 };
#define STK_NO_INDEX SIZE_MAX

/* "feature 'label'", terminated: a long key is cut, bytes that do not print are \xNN. */
const char *stk_key_text(stk_bytes key, char text[STK_KEY_TEXT]);

/* The record being parsed, for errors. */
typedef struct stk_record_location {
    stk_bytes   record;
    size_t      index; /* in its batch; STK_NO_INDEX for a single record */
    const char *name;  /* NULL: none */
} stk_record_location;

/* Fills err with where = "NAME: record 3: feature 'label'" (missing parts are left out) and the
 * formatted message; returns status. key.data NULL means no key. */
stk_status stk_record_fail(stk_error *err, stk_status status, const stk_record_location *location,
                           stk_bytes key, const char *format, ...) STK_PRINTF(5, 6);

/* The same for a fault of the wire: STK_E_INVALID with the fault's byte in the record. The wire's
 * cursor must be within location->record. */
stk_status stk_record_fault(stk_error *err, const stk_record_location *location, stk_bytes key,
                            const stk_wire *wire);

#endif
