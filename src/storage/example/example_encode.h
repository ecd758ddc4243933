/* Writes Features in two passes: sizes first, as every message follows its length, then the bytes
 * into reserved memory. */
#ifndef STK_STORAGE_EXAMPLE_EXAMPLE_ENCODE_H
#define STK_STORAGE_EXAMPLE_EXAMPLE_ENCODE_H

#include <stoker/blob.h>
#include <stoker/sample.h>

/* Protobuf's limit on a message, and TensorFlow's on a record. */
#define STK_MESSAGE_LIMIT ((size_t)INT32_MAX)

/* Checks that an Example supports dtype; name is for the error. */
STK_NODISCARD stk_status stk_encode_check_dtype(stk_dtype dtype, const char *name, stk_error *err);

/* Bytes of a LEN field: a tag byte, the length, and size bytes. SIZE_MAX on overflow, which every
 * further sum keeps. */
size_t stk_wire_len_size(size_t size);
size_t stk_encode_add(size_t a, size_t b);
/* Writes tag and length; returns the address of the content. */
uint8_t *stk_wire_put_len(uint8_t *at, uint8_t tag, size_t size);

/* The Feature message of count values. */
size_t   stk_feature_size(stk_dtype dtype, const void *data, size_t count);
uint8_t *stk_feature_put(uint8_t *at, stk_dtype dtype, const void *data, size_t count);

/* The Features message of a sample. Check first: names present and unique, types legal. */
STK_NODISCARD stk_status stk_features_check(const stk_sample *sample, stk_error *err);
size_t                   stk_features_size(const stk_sample *sample);
uint8_t                 *stk_features_put(uint8_t *at, const stk_sample *sample);

/* Reserves size bytes at the end of out; NULL with err filled on failure or past the limit. */
uint8_t *stk_encode_reserve(stk_blob *out, size_t size, stk_error *err);

#endif
