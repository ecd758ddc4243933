/* A program of stk_tune_program as JSON, for the ledger. */
#ifndef STK_TUNE_PROGRAM_PROGRAM_JSON_H
#define STK_TUNE_PROGRAM_PROGRAM_JSON_H

#include <stoker/json.h>
#include <stoker/tune.h>

enum { STK_TUNE_PROGRAM_WORDS = 1024, STK_TUNE_PROGRAM_LISTED = 64 };

/* What a program that was read points to; its texts are the document's. */
typedef struct stk_tune_program_texts {
    char       *argv[STK_TUNE_PROGRAM_WORDS + 1];
    const char *knobs[STK_TUNE_PROGRAM_LISTED], *environment[STK_TUNE_PROGRAM_LISTED];
} stk_tune_program_texts;

/* Writes the key "program". */
void stk_tune_program_write(stk_json_writer *w, const stk_tune_program *program);
/* Reads it from an event. */
STK_NODISCARD stk_status stk_tune_program_read(stk_tune_program *out, stk_tune_program_texts *texts,
                                               const stk_json_value *event, stk_error *err);

#endif
