/* The ledger of a search: a line of JSON an event, appended and flushed as it happens. A search
 * that goes on takes the events that are there instead of measuring, in their order, and so comes
 * to the same decisions. */
#ifndef STK_TUNE_LEDGER_LEDGER_H
#define STK_TUNE_LEDGER_LEDGER_H

#include <stoker/gain_test.h>
#include <stoker/json.h>
#include <stoker/tune.h>

typedef struct stk_tune_ledger stk_tune_ledger;

/* Opens folder/tune.jsonl. resume: reads what is there, without a line that was cut off; else a
 * ledger that is there is STK_E_EXISTS. */
STK_NODISCARD stk_status stk_tune_ledger_open(stk_tune_ledger **out, const char *folder,
                                              bool resume, stk_error *err);
void                     stk_tune_ledger_close(stk_tune_ledger *ledger);

/* The next recorded event, which is taken, if it is of this kind; NULL: all were taken. An event of
 * another kind is STK_E_FORMAT. Borrowed until the next call. */
STK_NODISCARD stk_status stk_tune_ledger_next(stk_tune_ledger *ledger, const char *kind,
                                              const stk_json_value **out, stk_error *err);
/* The same, but NULL for an event of another kind, which stays. */
STK_NODISCARD stk_status stk_tune_ledger_next_if(stk_tune_ledger *ledger, const char *kind,
                                                 const stk_json_value **out, stk_error *err);
/* Whether recorded events are left. */
bool stk_tune_ledger_has_more(const stk_tune_ledger *ledger);

/* Begins an event of this kind: an open object on one line, to which the caller adds its keys. */
void stk_tune_ledger_begin(stk_tune_ledger *ledger, stk_json_writer *w, const char *kind);
/* Ends it, and writes it to the disk. *out is the event as a later search will read it: borrowed
 * until the next call. */
STK_NODISCARD stk_status stk_tune_ledger_end(stk_tune_ledger *ledger, stk_json_writer *w,
                                             const stk_json_value **out, stk_error *err);

/* ledger_json.c: parts of events. */
void stk_tune_write_setting(stk_json_writer *w, const char *key, const stk_tune_setting *setting);
void stk_tune_write_estimate(stk_json_writer *w, const char *key, const stk_estimate *estimate);
void stk_tune_write_limit(stk_json_writer *w, const char *key, const stk_tune_limit *limit);
void stk_tune_write_advice(stk_json_writer *w, const stk_tune_advice *list, size_t count);
void stk_tune_write_trial(stk_json_writer *w, const stk_tune_trial *trial); /* its keys */
/* Readers take what is missing as unknown, and texts that are too long cut. */
void           stk_tune_read_setting(stk_tune_setting *out, const stk_json_value *value);
stk_estimate   stk_tune_read_estimate(const stk_json_value *value);
void           stk_tune_read_limit(stk_tune_limit *out, const stk_json_value *value);
size_t         stk_tune_read_advice(stk_tune_advice *out, const stk_json_value *value);
void           stk_tune_read_trial(stk_tune_trial *out, const stk_json_value *value);
stk_tune_class stk_tune_read_class(const stk_json_value *value);

#endif
