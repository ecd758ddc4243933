/* Writing Features in two passes: sizes first, since every message is preceded by its length, then
 * the bytes into room that is known to suffice. */
#ifndef STK_STORAGE_EXAMPLE_EXAMPLE_ENCODE_H
#define STK_STORAGE_EXAMPLE_EXAMPLE_ENCODE_H

#include <stoker/blob.h>
#include <stoker/sample.h>

/* Protobuf's limit on a message, and TensorFlow's on a record. */
#define STK_MESSAGE_LIMIT ((size_t)INT32_MAX)

/* Checks that dtype is one an Example can hold; name is for the error. */
STK_NODISCARD stk_status stk_encode_check_dtype(stk_dtype dtype, const char *name, stk_error *err);

/* Bytes of a field: one byte of tag, its length, and size bytes. SIZE_MAX when that is too many;
 * it stays so through every further sum. */
size_t stk_wire_len_size(size_t size);
size_t stk_encode_add(size_t a, size_t b);
/* Writes tag and length; returns where the bytes go. */
uint8_t *stk_wire_put_len(uint8_t *at, uint8_t tag, size_t size);

/* The Feature message of count values. */
size_t   stk_feature_size(stk_dtype dtype, const void *data, size_t count);
uint8_t *stk_feature_put(uint8_t *at, stk_dtype dtype, const void *data, size_t count);

/* The Features message of a sample, checked before: names there and no two alike, types legal. */
STK_NODISCARD stk_status stk_features_check(const stk_sample *sample, stk_error *err);
size_t                   stk_features_size(const stk_sample *sample);
uint8_t                 *stk_features_put(uint8_t *at, const stk_sample *sample);

/* Room for size bytes behind out's; NULL with err filled when that fails or is over the limit. */
uint8_t *stk_encode_reserve(stk_blob *out, size_t size, stk_error *err);

#endif
