/* Hashes of elements for fingerprints and tables; not cryptographic. Equal elements have equal
 * hashes; nested datasets hash by fingerprint. */
#ifndef STK_PIPELINE_PLAN_ELEMENT_HASH_H
#define STK_PIPELINE_PLAN_ELEMENT_HASH_H

#include <stoker/element.h>

/* Continues hash. */
uint64_t stk_element_hash(uint64_t hash, const stk_element *element);
uint64_t stk_value_hash(uint64_t hash, const stk_value *value);

#endif
