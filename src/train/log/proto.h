/* Protobuf's wire format, written field by field to the end of a blob. A message inside another is
 * made in a blob of its own first, since its length comes before it. */
#ifndef STK_TRAIN_LOG_PROTO_H
#define STK_TRAIN_LOG_PROTO_H

#include <stoker/blob.h>

/* The first failure stays in status and error; every call after it does nothing. */
typedef struct stk_proto {
    stk_blob  *out;
    stk_status status;
    stk_error *err;
} stk_proto;

/* Replaces what out held. */
stk_proto stk_proto_begin(stk_blob *out, stk_error *err);
void      stk_proto_varint(stk_proto *p, int field, uint64_t value);
void      stk_proto_float(stk_proto *p, int field, float value);
void      stk_proto_double(stk_proto *p, int field, double value);
void      stk_proto_bytes(stk_proto *p, int field, stk_bytes value);
void      stk_proto_text(stk_proto *p, int field, const char *text);
void      stk_proto_message(stk_proto *p, int field, const stk_blob *message);

#endif
