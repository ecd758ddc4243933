/* A hash of what an element holds: for fingerprints and tables, not for secrets. Equal elements
 * have equal hashes; datasets inside count by their fingerprint. */
#ifndef STK_PIPELINE_PLAN_ELEMENT_HASH_H
#define STK_PIPELINE_PLAN_ELEMENT_HASH_H

#include <stoker/element.h>

/* Continues hash. */
uint64_t stk_element_hash(uint64_t hash, const stk_element *element);
uint64_t stk_value_hash(uint64_t hash, const stk_value *value);

#endif
