/* Folds 8 bytes at a time by one 64x64 -> 128 bit multiplication, whose halves are mixed. */
#include "base/hash.h"

#include <string.h>

static const uint64_t odd_a = 0x9E3779B97F4A7C15u, odd_b = 0xD1B54A32D192ED03u;

static uint64_t fold(uint64_t a, uint64_t b)
{
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t stk_hash64_number(uint64_t hash, uint64_t number)
{
    return fold(hash ^ number ^ odd_a, odd_b ^ (number << 32 | number >> 32));
}

uint64_t stk_hash64(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    /* The length goes in first, so that "a" then "bc" differs from "ab" then "c". */
    hash = stk_hash64_number(hash, size);
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = stk_hash64_number(hash, word);
    }
    uint64_t tail = 0;
    if (size) memcpy(&tail, bytes, size);
    return stk_hash64_number(hash, tail);
}
