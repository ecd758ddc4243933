/* A quick 64-bit hash for fingerprints and tables; not for secrets. The result is the same on every
 * little-endian machine, so it may be stored. */
#ifndef STK_BASE_HASH_H
#define STK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Continues hash (any seed to begin) over size bytes. */
uint64_t stk_hash64(uint64_t hash, const void *data, size_t size);

/* The same over one number. */
uint64_t stk_hash64_number(uint64_t hash, uint64_t number);

#endif
