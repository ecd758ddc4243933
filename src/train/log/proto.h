/* Writes protobuf's wire format field by field to a blob. A nested message is built in a blob of
 * its own, since its length precedes it. */
#ifndef STK_TRAIN_LOG_PROTO_H
#define STK_TRAIN_LOG_PROTO_H

#include <stoker/blob.h>

/* The first failure stays in status and error; later calls are no-ops. */
typedef struct stk_proto {
    stk_blob  *out;
    stk_status status;
    stk_error *err;
} stk_proto;

/* Replaces out's content. */
stk_proto stk_proto_begin(stk_blob *out, stk_error *err);
void      stk_proto_varint(stk_proto *p, int field, uint64_t value);
void      stk_proto_float(stk_proto *p, int field, float value);
void      stk_proto_double(stk_proto *p, int field, double value);
void      stk_proto_bytes(stk_proto *p, int field, stk_bytes value);
void      stk_proto_text(stk_proto *p, int field, const char *text);
void      stk_proto_message(stk_proto *p, int field, const stk_blob *message);

#endif
