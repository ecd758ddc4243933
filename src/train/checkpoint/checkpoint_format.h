/* How a checkpoint lies in its safetensors file. Variables keep their names. What begins with
 * "stoker." is ours: bytes of the state as tensors, numbers of the state and these as texts:
 *   stoker.checkpoint    the version of all this
 *   stoker.optimizer     a JSON list of the variables that are no part of the model
 *   stoker.texts.crc32c  of the texts of ours before it, 8 hexadecimal digits: the header of a
 *                        safetensors file has no checksum of its own */
#ifndef STK_TRAIN_CHECKPOINT_CHECKPOINT_FORMAT_H
#define STK_TRAIN_CHECKPOINT_CHECKPOINT_FORMAT_H

#include "train/checkpoint/checkpoint.h"

#include <stoker/safetensors.h>

#define STK_CHECKPOINT_OURS "stoker."
#define STK_CHECKPOINT_VERSION "stoker.checkpoint"
#define STK_CHECKPOINT_OPTIMIZER "stoker.optimizer"
#define STK_CHECKPOINT_CRC "stoker.texts.crc32c"
#define STK_CHECKPOINT_VERSION_NOW "1"

enum {
    STK_RUN_STATE_NUMBERS = 9,
    STK_RUN_STATE_BLOBS = 3,
    STK_RUN_STATE_CAPACITY = 48, /* for a number as text */
    STK_CHECKPOINT_CRC_CAPACITY = 9
};

bool stk_checkpoint_is_ours(const char *name);
/* Whether a checkpoint holds variables of this role. */
static inline bool stk_checkpoint_keeps(stk_variable_role role)
{
    return role != STK_VARIABLE_METRIC && role != STK_VARIABLE_DATA;
}
/* Checksum of our texts in order; others are skipped. */
void stk_checkpoint_texts_crc(const stk_safetensors_text_item *texts, size_t count,
                              char crc[STK_CHECKPOINT_CRC_CAPACITY]);

/* Opens a checkpoint of a supported version with valid texts and a checksum per tensor. Does not
 * read the data. On failure *out is NULL. */
STK_NODISCARD stk_status stk_checkpoint_open(stk_safetensors **out, const stk_filesystem *fs,
                                             const char *path, stk_ledger *ledger, stk_error *err);
/* The same checks on an open file. */
STK_NODISCARD stk_status stk_checkpoint_check(const stk_safetensors *file, const char *path,
                                              stk_error *err);
/* Whether a read failure means that the file is damaged, so that an older checkpoint may do. */
bool stk_checkpoint_is_damage(stk_status status);

/* to must be initialised; on failure it is partly filled. */
STK_NODISCARD stk_status stk_run_state_copy(stk_run_state *to, const stk_run_state *from,
                                            stk_error *err);
/* Writes number index as text. Returns its key, a literal. */
const char *stk_run_state_text(const stk_run_state *state, size_t index,
                               char text[STK_RUN_STATE_CAPACITY]);
/* Blob index; *name is its tensor's name, a literal. */
const stk_blob *stk_run_state_blob(const stk_run_state *state, size_t index, const char **name);
/* Fills state, which must be initialised, from a checkpoint. On failure it is partly filled. */
STK_NODISCARD stk_status stk_run_state_read(stk_run_state *state, const stk_safetensors *file,
                                            const char *path, stk_error *err);

#endif
