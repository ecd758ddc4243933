/* The members of a tar archive. */
#include "storage/source/tar.h"

#include <inttypes.h>
#include <string.h>

enum {
    NAME = 0,
    NAME_BYTES = 100,
    SIZE = 124,
    SIZE_BYTES = 12,
    CHECKSUM = 148,
    CHECKSUM_BYTES = 8,
    TYPE = 156,
    MAGIC = 257,
    PREFIX = 345,
    PREFIX_BYTES = 155,
    EXTENDED_BYTES_MAX = 1 << 20, /* of a long name or a pax header; names are far shorter */
};

void stk_tar_iter_init(stk_tar_iter *walk, const stk_tar *tar, stk_ledger *ledger)
{
    *walk = (stk_tar_iter){.tar = tar};
    stk_blob_init(&walk->name, ledger, STK_MEMORY_READ);
    stk_blob_init(&walk->extended, ledger, STK_MEMORY_READ);
}

void stk_tar_iter_release(stk_tar_iter *walk)
{
    stk_blob_release(&walk->name);
    stk_blob_release(&walk->extended);
}

static stk_status say_damaged(const stk_tar_iter *walk, const char *what, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, "tar", walk->tar->path, "%s at offset %" PRIu64, what,
                    walk->offset);
}

/* Octal digits, ended by a space or zero; or base 256 where the first bit is set, as GNU writes
 * sizes past 8 GiB. False when it is neither. */
static bool parse_number(const uint8_t *field, size_t bytes, uint64_t *value)
{
    size_t i = 0;
    *value = 0;
    if (field[0] & 0x80) {
        for (*value = field[0] & 0x7f, i = 1; i < bytes; i++) {
            if (*value >> 55) return false;
            *value = *value << 8 | field[i];
        }
        return true;
    }
    while (i < bytes && field[i] == ' ')
        i++;
    for (; i < bytes && field[i] >= '0' && field[i] <= '7'; i++)
        *value = *value << 3 | (uint64_t)(field[i] - '0');
    return i == bytes || field[i] == ' ' || field[i] == '\0';
}

static bool checksum_holds(const uint8_t *block)
{
    uint64_t stored;
    uint64_t sum = 0;
    if (!parse_number(block + CHECKSUM, CHECKSUM_BYTES, &stored)) return false;
    for (int i = 0; i < STK_TAR_BLOCK; i++)
        sum += i >= CHECKSUM && i < CHECKSUM + CHECKSUM_BYTES ? ' ' : block[i];
    return sum == stored;
}

bool stk_tar_is(stk_bytes head)
{
    return head.size >= STK_TAR_BLOCK && head.data[0] && checksum_holds(head.data);
}

static bool is_zero(const uint8_t *block)
{
    for (int i = 0; i < STK_TAR_BLOCK; i++)
        if (block[i]) return false;
    return true;
}

static stk_status set_name(stk_tar_iter *walk, const void *text, size_t length, stk_error *err)
{
    const uint8_t *end = memchr(text, '\0', length);
    walk->name.size = 0;
    STK_TRY(stk_blob_append(&walk->name, text, end ? (size_t)(end - (const uint8_t *)text) : length,
                            err));
    return stk_blob_append(&walk->name, "", 1, err);
}

/* The name in the header itself: POSIX puts the front part of a long one in a field of its own,
 * where GNU's older format has other things. */
static stk_status name_from_header(stk_tar_iter *walk, const uint8_t *block, stk_error *err)
{
    char         text[PREFIX_BYTES + 1 + NAME_BYTES];
    size_t       length = 0;
    const size_t front = strnlen((const char *)block + PREFIX, PREFIX_BYTES);
    if (!memcmp(block + MAGIC, "ustar\0", 6) && front) {
        memcpy(text, block + PREFIX, front);
        text[front] = '/';
        length = front + 1;
    }
    const size_t rest = strnlen((const char *)block + NAME, NAME_BYTES);
    memcpy(text + length, block + NAME, rest);
    return set_name(walk, text, length + rest, err);
}

/* One "LENGTH KEY=VALUE\n" off the front of rest. */
static bool take_pax_record(stk_bytes *rest, stk_bytes *key, stk_bytes *value)
{
    size_t length = 0, digits = 0;
    while (digits < rest->size && digits < 9 && rest->data[digits] >= '0' &&
           rest->data[digits] <= '9')
        length = length * 10 + (size_t)(rest->data[digits++] - '0');
    if (!digits || digits >= rest->size || rest->data[digits] != ' ') return false;
    if (length > rest->size || length < digits + 3 || rest->data[length - 1] != '\n') return false;
    const uint8_t *begin = rest->data + digits + 1, *end = rest->data + length - 1;
    const uint8_t *equals = memchr(begin, '=', (size_t)(end - begin));
    if (!equals) return false;
    *key = stk_bytes_of(begin, (size_t)(equals - begin));
    *value = stk_bytes_of(equals + 1, (size_t)(end - equals - 1));
    *rest = stk_bytes_of(rest->data + length, rest->size - length);
    return true;
}

static bool parse_decimal(stk_bytes text, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || *value > UINT64_MAX / 10 - 1) return false;
        *value = *value * 10 + (uint64_t)(text.data[i] - '0');
    }
    return text.size > 0;
}

static stk_status take_pax_header(stk_tar_iter *walk, stk_error *err)
{
    stk_bytes rest = stk_blob_bytes(&walk->extended), key, value;
    while (rest.size) {
        if (!take_pax_record(&rest, &key, &value))
            return say_damaged(walk, "a damaged pax header", err);
        if (stk_bytes_equal(key, stk_bytes_text("path"))) {
            STK_TRY(set_name(walk, value.data, value.size, err));
            walk->has_name = true;
        } else if (stk_bytes_equal(key, stk_bytes_text("size"))) {
            if (!parse_decimal(value, &walk->size))
                return say_damaged(walk, "a pax header whose size is no number", err);
            walk->has_size = true;
        } else if (key.size >= 11 && !memcmp(key.data, "GNU.sparse.", 11)) {
            return stk_fail(err, STK_E_UNSUPPORTED, "tar", walk->tar->path,
                            "has a sparse member at offset %" PRIu64 ": pack it without --sparse",
                            walk->offset);
        }
    }
    return STK_OK;
}

/* A header that speaks of the next member: GNU's long name, or pax. */
static stk_status take_extended(stk_tar_iter *walk, char type, uint64_t offset, uint64_t size,
                                stk_error *err)
{
    if (size > EXTENDED_BYTES_MAX)
        return say_damaged(walk, "an extended header of more than 1 MiB", err);
    STK_TRY(stk_blob_reserve(&walk->extended, (size_t)size + 1, err));
    STK_TRY(stk_tar_read(walk->tar, offset, walk->extended.data, (size_t)size, err));
    walk->extended.size = (size_t)size;
    if (type == 'x') return take_pax_header(walk, err);
    walk->has_name = true;
    return set_name(walk, walk->extended.data, walk->extended.size, err);
}

/* Reads the header at the walk's offset; *end at the end of the archive. */
static stk_status read_header(stk_tar_iter *walk, uint8_t *block, uint64_t *size, bool *end,
                              stk_error *err)
{
    const stk_tar *tar = walk->tar;
    *end = walk->offset >= tar->bytes;
    if (*end) return STK_OK;
    if (tar->bytes - walk->offset < STK_TAR_BLOCK)
        return say_damaged(walk, "the archive is truncated inside a header", err);
    STK_TRY(stk_tar_read(tar, walk->offset, block, STK_TAR_BLOCK, err));
    *end = is_zero(block);
    if (*end) return STK_OK;
    if (!checksum_holds(block))
        return say_damaged(walk, "a member's header has a wrong checksum", err);
    if (!parse_number(block + SIZE, SIZE_BYTES, size))
        return say_damaged(walk, "a member's size is no number", err);
    return STK_OK;
}

static bool is_regular(char type)
{
    return type == '0' || type == '\0' || type == '7';
}

static bool is_link(char type)
{
    return type == '1' || type == '2';
}

/* Types that have no content whatever their size field says: links, devices, folders, pipes. */
static bool is_empty_type(char type)
{
    return type >= '1' && type <= '6';
}

static stk_status check_bounds(const stk_tar_iter *walk, uint64_t size, stk_error *err)
{
    const uint64_t left = walk->tar->bytes - walk->offset - STK_TAR_BLOCK;
    if (size <= left) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "tar", walk->tar->path,
                    "the archive is truncated: the member at offset %" PRIu64 " has %" PRIu64
                    " bytes, but only %" PRIu64 " are left",
                    walk->offset, size, left);
}

/* Moves past one header and its content; gives a member when it was a file or a link. */
static stk_status step(stk_tar_iter *walk, const uint8_t *block, uint64_t size,
                       stk_tar_member *member, stk_error *err)
{
    const char type = (char)block[TYPE];
    const bool extended = type == 'L' || type == 'x';
    if (!extended && type != 'g' && type != 'K' && walk->has_size) size = walk->size;
    if (is_empty_type(type)) size = 0;
    STK_TRY(check_bounds(walk, size, err));
    const uint64_t content = walk->offset + STK_TAR_BLOCK;
    if (extended) STK_TRY(take_extended(walk, type, content, size, err));
    if (type == 'S')
        return stk_fail(err, STK_E_UNSUPPORTED, "tar", walk->tar->path,
                        "has a sparse member at offset %" PRIu64 ": pack it without --sparse",
                        walk->offset);
    if (is_regular(type) || is_link(type)) {
        if (!walk->has_name) STK_TRY(name_from_header(walk, block, err));
        *member = (stk_tar_member){.name = (const char *)walk->name.data,
                                   .offset = content,
                                   .bytes = size,
                                   .link = is_link(type),
                                   .hard = type == '1'};
    }
    if (!extended && type != 'g' && type != 'K') walk->has_name = walk->has_size = false;
    const uint64_t padding = (STK_TAR_BLOCK - size % STK_TAR_BLOCK) % STK_TAR_BLOCK;
    walk->offset = content + size + padding;
    return STK_OK;
}

stk_status stk_tar_iter_next(stk_tar_iter *walk, stk_tar_member *member, stk_error *err)
{
    uint8_t  block[STK_TAR_BLOCK];
    uint64_t size = 0;
    bool     end;
    *member = (stk_tar_member){0};
    while (!member->name) {
        STK_TRY(read_header(walk, block, &size, &end, err));
        if (end) return STK_OK;
        STK_TRY(step(walk, block, size, member, err));
        const size_t length = member->name ? strlen(member->name) : 0;
        /* Before POSIX, a folder was a file whose name ends in a slash. */
        if (length && member->name[length - 1] == '/') member->name = NULL;
    }
    return STK_OK;
}
