/* Recognises checkpoints by the header of a safetensors file. */
#include "train/checkpoint/checkpoint_format.h"

#include "base/crc32c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool stk_checkpoint_is_ours(const char *name)
{
    return !strncmp(name, STK_CHECKPOINT_OURS, strlen(STK_CHECKPOINT_OURS));
}

static bool is_covered(const char *key)
{
    return stk_checkpoint_is_ours(key) && strcmp(key, STK_CHECKPOINT_CRC) &&
           strcmp(key, STK_SAFETENSORS_CHECKSUMS);
}

/* Includes the terminators, so that no byte can move from a key to its text. */
static uint32_t add_text(uint32_t crc, const char *key, const char *text)
{
    if (!is_covered(key)) return crc;
    crc = stk_crc32c(crc, key, strlen(key) + 1);
    return stk_crc32c(crc, text, strlen(text) + 1);
}

static void print_crc(uint32_t crc, char text[STK_CHECKPOINT_CRC_CAPACITY])
{
    snprintf(text, STK_CHECKPOINT_CRC_CAPACITY, "%08" PRIx32, crc);
}

void stk_checkpoint_texts_crc(const stk_safetensors_text_item *texts, size_t count,
                              char text[STK_CHECKPOINT_CRC_CAPACITY])
{
    uint32_t crc = 0;
    for (size_t i = 0; i < count; i++)
        crc = add_text(crc, texts[i].key, texts[i].text);
    print_crc(crc, text);
}

static stk_status check_version(const stk_safetensors *file, const char *path, stk_error *err)
{
    const char *version = stk_safetensors_text(file, STK_CHECKPOINT_VERSION);
    if (!version)
        return stk_fail(err, STK_E_FORMAT, "checkpoint", path,
                        "this safetensors file is no checkpoint: it has no text "
                        "'" STK_CHECKPOINT_VERSION "'");
    if (!strcmp(version, STK_CHECKPOINT_VERSION_NOW)) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "checkpoint", path,
                    "a checkpoint of version %.20s, this program reads " STK_CHECKPOINT_VERSION_NOW
                    ": use the program that wrote it",
                    version);
}

static stk_status check_texts(const stk_safetensors *file, const char *path, stk_error *err)
{
    const char *announced = stk_safetensors_text(file, STK_CHECKPOINT_CRC);
    uint32_t    crc = 0;
    char        found[STK_CHECKPOINT_CRC_CAPACITY];
    for (size_t i = 0; i < stk_safetensors_text_count(file); i++)
        crc = add_text(crc, stk_safetensors_text_key(file, i), stk_safetensors_text_at(file, i));
    print_crc(crc, found);
    if (announced && !strcmp(announced, found)) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "checkpoint", path,
                    "the numbers of the run have checksum %s, not %.20s as when they were written",
                    found, announced ? announced : "one");
}

static stk_status check_tensors(const stk_safetensors *file, const char *path, stk_error *err)
{
    for (size_t i = 0; i < stk_safetensors_count(file); i++)
        if (!stk_safetensors_at(file, i)->has_crc32c)
            return stk_fail(err, STK_E_DATALOSS, "checkpoint", path,
                            "tensor '%s' has no checksum: every one had when it was written",
                            stk_safetensors_at(file, i)->name);
    return STK_OK;
}

stk_status stk_checkpoint_check(const stk_safetensors *file, const char *path, stk_error *err)
{
    STK_TRY(check_version(file, path, err));
    STK_TRY(check_texts(file, path, err));
    return check_tensors(file, path, err);
}

stk_status stk_checkpoint_open(stk_safetensors **out, const stk_filesystem *fs, const char *path,
                               stk_ledger *ledger, stk_error *err)
{
    const stk_safetensors_options options = {.ledger = ledger};
    STK_TRY(stk_safetensors_open(out, fs, path, &options, err));
    const stk_status st = stk_checkpoint_check(*out, path, err);
    if (st) {
        stk_safetensors_free(*out);
        *out = NULL;
    }
    return st;
}

/* A failure of this process or its rights would hit the next file too; skipping all files would
 * needlessly start the run anew. */
bool stk_checkpoint_is_damage(stk_status status)
{
    return status && status != STK_E_NOMEM && status != STK_E_CEILING &&
           status != STK_E_PERMISSION && status != STK_E_CANCELLED;
}
