/* Knobs of a training program: names, and the values that each may take. */
#ifndef STK_TUNE_PROGRAM_KNOB_H
#define STK_TUNE_PROGRAM_KNOB_H

#include <stoker/tune.h>

enum { STK_TUNE_KNOB_VALUES = 64 };

typedef struct stk_tune_knob {
    char   name[STK_TUNE_KEY];
    bool   numbers; /* every value is one */
    size_t count;
    char  *values[STK_TUNE_KNOB_VALUES]; /* owned; the first is the start */
} stk_tune_knob;

typedef struct stk_tune_knobs {
    size_t        count;
    stk_tune_knob list[STK_TUNE_KEYS];
} stk_tune_knobs;

/* Reads one text a knob: "amp=off,on", or with ranges, "workers=0..8+2", "batch=32..512x2". A range
 * leaves out what stands before it: "128,32..512x2" starts at 128. Letters, digits and _ make a
 * name; "config" is taken. Initialises out; the caller releases it even on failure. */
STK_NODISCARD stk_status stk_tune_knobs_parse(stk_tune_knobs *out, const char *const *texts,
                                              size_t count, stk_error *err);
void                     stk_tune_knobs_release(stk_tune_knobs *knobs);

/* The knob with the name of these bytes; NULL: none. */
const stk_tune_knob *stk_tune_knobs_find(const stk_tune_knobs *knobs, const char *name,
                                         size_t length);
/* "workers, batch" for messages; returns text. */
char *stk_tune_knobs_names(const stk_tune_knobs *knobs, char *text, size_t capacity);
/* Its value in this setting: the first one unless the setting has another. Borrowed. */
const char *stk_tune_knob_value(const stk_tune_knob *knob, const stk_tune_setting *setting);
/* Leaves out what is at its start: two settings that run alike become equal. */
stk_tune_setting stk_tune_knobs_normalize(const stk_tune_knobs   *knobs,
                                          const stk_tune_setting *setting);
/* Reads all of text as a number. */
bool stk_tune_knob_number(const char *text, double *out);

#endif
