/* Texts with {NAME} for a knob's value: arguments, environment, and files. */
#ifndef STK_TUNE_PROGRAM_TEMPLATE_H
#define STK_TUNE_PROGRAM_TEMPLATE_H

#include "tune/program/knob.h"

#include <stoker/blob.h>

/* What fills a text, and which of it texts have used so far. */
typedef struct stk_tune_filling {
    const stk_tune_knobs   *knobs;
    const stk_tune_setting *setting;
    const char             *config; /* value of {config}; NULL: there is none */
    bool                    used[STK_TUNE_KEYS], used_config;
} stk_tune_filling;

/* Appends text, filled. {{ is a brace, and so is { that begins no {NAME}, or stands behind a dollar
 * sign: JSON, ${NAME} of a shell and of OmegaConf stand as they are. A {NAME} that is not known is
 * STK_E_INVALID; where names the text. */
STK_NODISCARD stk_status stk_tune_template_fill(stk_blob *out, stk_tune_filling *filling,
                                                const char *text, const char *where,
                                                stk_error *err);
/* STK_E_INVALID for a knob that no text has used. */
STK_NODISCARD stk_status stk_tune_template_check_used(const stk_tune_filling *filling,
                                                      stk_error              *err);

#endif
