/* What must be the same when a search goes on: a text of lines, which its ledger keeps. */
#ifndef STK_TUNE_SEARCH_IDENTITY_H
#define STK_TUNE_SEARCH_IDENTITY_H

#include <stoker/blob.h>
#include <stoker/tune.h>

/* Appends "name: text" as a line. */
STK_NODISCARD stk_status stk_tune_identity_add(stk_blob *out, const char *name, const char *text,
                                               stk_error *err);
STK_NODISCARD stk_status stk_tune_identity_number(stk_blob *out, const char *name, double value,
                                                  stk_error *err);
/* Appends what decides in every search. The budget and the space of packs are not in it: a search
 * may go on with more of both. */
STK_NODISCARD stk_status stk_tune_identity_options(stk_blob *out, const stk_tune_options *options,
                                                   stk_error *err);
/* STK_E_INVALID, with the first lines that differ. */
STK_NODISCARD stk_status stk_tune_identity_check(const char *was, const char *is, stk_error *err);

#endif
