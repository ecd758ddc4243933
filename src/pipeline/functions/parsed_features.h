/* What parse_example and parse_sequence_example share: features as values, their specs, and
 * parsers' scratch that calls hand on. */
#ifndef STK_PIPELINE_FUNCTIONS_PARSED_FEATURES_H
#define STK_PIPELINE_FUNCTIONS_PARSED_FEATURES_H

#include "pipeline/functions/builtin.h"

enum {
    STK_MOST_FEATURES = 4096,
    STK_SCRATCH_SLOTS = 32,            /* parsers' scratch kept for the next call */
    STK_SCRATCH_RECORD_BYTES = 1 << 18 /* what grew for a larger record is not kept */
};

/* Scratch that no call uses: slots are taken and given back without a lock. */
typedef struct stk_scratch_slots {
    void *slots[STK_SCRATCH_SLOTS]; /* atomic: taken by exchange */
} stk_scratch_slots;

/* NULL: none is left, make one. *slot is where to give it back. */
void *stk_scratch_take(stk_scratch_slots *scratch, unsigned *slot);
/* NULL: it has a slot again. Else what was given, which is the caller's: all slots are taken. */
void *stk_scratch_give(stk_scratch_slots *scratch, unsigned slot, void *given);

/* The one record that a call parses. */
typedef struct stk_parsed_record {
    stk_bytes   bytes;
    stk_buffer *storage; /* what bytes are a part of; lent */
    stk_ledger *ledger;
} stk_parsed_record;

/* One feature of a batch of one. Byte strings of rank 0 are views into the record. */
STK_NODISCARD stk_status stk_parsed_feature(stk_value *made, const stk_feature_values *values,
                                            stk_feature_kind kind, const stk_parsed_record *record,
                                            stk_error *err);
/* What is known of it; the name is copied into arena. */
STK_NODISCARD stk_status stk_parsed_feature_spec(stk_value_spec *out, const stk_feature_spec *spec,
                                                 const char *component, stk_arena *arena,
                                                 stk_error *err);
/* Two specs that give other values have other numbers. */
uint64_t stk_parsed_feature_hash(uint64_t hash, const stk_feature_spec *spec);

/* An error of "record 0" of a batch of one tells nothing: its place becomes the element's. */
void stk_parsed_locate(const stk_element *element, stk_error *err);

#endif
