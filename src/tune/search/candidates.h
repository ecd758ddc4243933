/* Lists of candidates as JSON, for the ledger. */
#ifndef STK_TUNE_SEARCH_CANDIDATES_H
#define STK_TUNE_SEARCH_CANDIDATES_H

#include "tune/search/search.h"

/* Writes the keys of an event; reads them back. */
void stk_tune_candidates_write(stk_json_writer *w, const stk_tune_candidates *list);
void stk_tune_candidates_read(stk_tune_candidates *out, const stk_json_value *event);

#endif
