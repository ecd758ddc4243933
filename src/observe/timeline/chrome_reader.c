/* Streams a trace file: one complete event at a time is in the window. */
#include "observe/timeline/chrome_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

enum { LARGEST_MEMBER = 1 << 20 };

typedef struct reader {
    stk_trace_input         *in;
    const stk_event_visitor *visitor;
    bool                     cut, seen; /* seen: the event list has begun */
    stk_error               *err;
} reader;

/* A scan over the unread bytes; consumes them on success. */
typedef stk_json_scan (*attempt)(reader *r, stk_scanner *s, void *result);

static stk_status fail_at(reader *r, const stk_scanner *s)
{
    char          what[32];
    const uint8_t byte = *s->at;
    if (isprint(byte) && byte < 0x80)
        snprintf(what, sizeof what, "'%c'", byte);
    else
        snprintf(what, sizeof what, "0x%02x", byte);
    return stk_fail(r->err, STK_E_INVALID, "trace", r->in->file->path,
                    "byte %" PRIu64 ": %s where %s should follow; a Chrome trace is JSON with a "
                    "list of events",
                    stk_trace_input_position(r->in, s->at), what, s->expected);
}

/* Repeats the scan with more and more bytes. At the end of the file it sets cut. */
static stk_status scan(reader *r, attempt try, void *result)
{
    for (;;) {
        const stk_bytes unread = stk_trace_input_unread(r->in);
        stk_scanner     s = {.at = unread.data, .end = unread.data + unread.size};
        switch (try(r, &s, result)) {
        case STK_SCAN_FOUND:
            stk_trace_input_take(r->in, s.at);
            return STK_OK;
        case STK_SCAN_WRONG:
            return fail_at(r, &s);
        case STK_SCAN_MORE:
            if (r->in->ended) {
                r->cut = true;
                return STK_OK;
            }
            STK_TRY(stk_trace_input_fill(r->in, r->err));
        }
    }
}

static stk_json_scan peek(reader *r, stk_scanner *s, void *result)
{
    (void)r;
    return stk_scan_peek(s, result);
}

static stk_json_scan pass_byte(reader *r, stk_scanner *s, void *result)
{
    uint8_t byte;
    (void)r;
    (void)result;
    if (stk_scan_peek(s, &byte)) return STK_SCAN_MORE;
    s->at++;
    return STK_SCAN_FOUND;
}

static stk_json_scan pass_key(reader *r, stk_scanner *s, void *result)
{
    (void)r;
    return stk_scan_key(s, result);
}

static void keep_field(stk_file_event *event, stk_bytes key, stk_bytes value)
{
    static const struct {
        const char *key;
        size_t      at;
    } fields[] = {
        {"name", offsetof(stk_file_event, name)},    {"ph", offsetof(stk_file_event, phase)},
        {"ts", offsetof(stk_file_event, ts)},        {"dur", offsetof(stk_file_event, dur)},
        {"pid", offsetof(stk_file_event, pid)},      {"tid", offsetof(stk_file_event, tid)},
        {"cat", offsetof(stk_file_event, category)}, {"args", offsetof(stk_file_event, args)},
        {"id", offsetof(stk_file_event, id)},        {"id2", offsetof(stk_file_event, id)},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (stk_scan_is(key, fields[i].key)) {
            memcpy((uint8_t *)event + fields[i].at, &value, sizeof value);
            return;
        }
}

/* Strict about the event's structure; its values are checked by their readers. */
static stk_json_scan pass_event(reader *r, stk_scanner *s, void *result)
{
    stk_file_event *event = result;
    uint8_t         next;
    (void)r;
    *event = (stk_file_event){0};
    if (stk_scan_peek(s, &next)) return STK_SCAN_MORE;
    const uint8_t *begin = s->at;
    stk_json_scan  found = stk_scan_byte(s, '{', "an event ('{')");
    for (bool first = true; !found; first = false) {
        stk_bytes key, value;
        if ((found = stk_scan_peek(s, &next))) return found;
        if (next == '}') break;
        if (!first && (found = stk_scan_byte(s, ',', "',' or '}'"))) return found;
        if ((found = stk_scan_key(s, &key)) || (found = stk_scan_value(s, &value))) return found;
        keep_field(event, key, value);
    }
    if (!found) s->at++;
    event->text = stk_bytes_of(begin, (size_t)(s->at - begin));
    return found;
}

/* After the opening bracket. Commas may be missing at the end or trail: writers that never close
 * their file put one after every event. */
static stk_status read_events(reader *r)
{
    r->seen = true;
    for (;;) {
        stk_file_event event;
        uint8_t        next = 0;
        STK_TRY(scan(r, peek, &next));
        if (r->cut) return STK_OK;
        if (next == ']' || next == ',') {
            STK_TRY(scan(r, pass_byte, NULL));
            if (next == ']') return STK_OK;
            continue;
        }
        STK_TRY(scan(r, pass_event, &event));
        if (r->cut) return STK_OK;
        STK_TRY(r->visitor->event(r->visitor->context, &event, r->err));
    }
}

/* Scans a value of any size without keeping it. */
typedef struct skipping {
    int  depth;
    bool in_string, escaped;
} skipping;

static bool skip_byte(skipping *k, uint8_t c)
{
    if (k->in_string) {
        if (k->escaped)
            k->escaped = false;
        else if (c == '\\')
            k->escaped = true;
        else if (c == '"')
            k->in_string = false;
        return !k->in_string && k->depth == 0;
    }
    if (c == '"') k->in_string = true;
    if (c == '{' || c == '[') k->depth++;
    if (c == '}' || c == ']') k->depth--;
    return !k->in_string && k->depth <= 0;
}

static stk_status skip_value(reader *r)
{
    skipping k = {0};
    for (;;) {
        const stk_bytes unread = stk_trace_input_unread(r->in);
        for (size_t i = 0; i < unread.size; i++)
            if (skip_byte(&k, unread.data[i])) {
                stk_trace_input_take(r->in, unread.data + i + 1);
                return STK_OK;
            }
        stk_trace_input_take(r->in, unread.data + unread.size);
        if (r->in->ended) {
            r->cut = true;
            return STK_OK;
        }
        STK_TRY(stk_trace_input_fill(r->in, r->err));
    }
}

/* A value too large for the window is skipped and reported as absent. */
static stk_json_scan pass_member(reader *r, stk_scanner *s, void *result)
{
    stk_bytes          *value = result;
    const uint8_t      *begin = s->at;
    const stk_json_scan found = stk_scan_value(s, value);
    if (found != STK_SCAN_MORE || r->in->ended || s->end - begin < LARGEST_MEMBER) return found;
    *value = stk_bytes_of(NULL, 0);
    s->at = begin;
    return STK_SCAN_FOUND;
}

static stk_status read_member(reader *r, stk_bytes key, stk_blob *name)
{
    uint8_t   next = 0;
    stk_bytes value;
    /* reading more moves the key's bytes */
    name->size = 0;
    STK_TRY(stk_blob_append(name, key.data, key.size, r->err));
    STK_TRY(scan(r, peek, &next));
    if (r->cut) return STK_OK;
    if (next == '[' && stk_scan_is(stk_blob_bytes(name), "traceEvents")) {
        STK_TRY(scan(r, pass_byte, NULL));
        return read_events(r);
    }
    STK_TRY(scan(r, pass_member, &value));
    if (r->cut) return STK_OK;
    if (!value.data) return skip_value(r);
    if (!r->visitor->member) return STK_OK;
    return r->visitor->member(r->visitor->context, stk_blob_bytes(name), value, r->err);
}

static stk_json_scan pass_comma(reader *r, stk_scanner *s, void *result)
{
    uint8_t next;
    (void)r;
    if (stk_scan_peek(s, &next)) return STK_SCAN_MORE;
    *(bool *)result = next == ',';
    if (next != '}') return stk_scan_byte(s, ',', "',' or '}'");
    s->at++;
    return STK_SCAN_FOUND;
}

/* After the opening bracket. */
static stk_status read_members(reader *r, stk_blob *name)
{
    uint8_t next = 0;
    bool    more = true;
    STK_TRY(scan(r, peek, &next));
    if (!r->cut && next == '}') return scan(r, pass_byte, NULL);
    while (more && !r->cut) {
        stk_bytes key;
        STK_TRY(scan(r, pass_key, &key));
        if (!r->cut) STK_TRY(read_member(r, key, name));
        if (!r->cut) STK_TRY(scan(r, pass_comma, &more));
    }
    return STK_OK;
}

static stk_json_scan pass_mark(reader *r, stk_scanner *s, void *result)
{
    static const uint8_t bom[] = {0xEF, 0xBB, 0xBF};
    (void)result;
    if ((size_t)(s->end - s->at) < sizeof bom && !r->in->ended) return STK_SCAN_MORE;
    if ((size_t)(s->end - s->at) >= sizeof bom && memcmp(s->at, bom, sizeof bom) == 0)
        s->at += sizeof bom;
    return STK_SCAN_FOUND;
}

static stk_json_scan at_end(reader *r, stk_scanner *s, void *result)
{
    uint8_t byte;
    *(bool *)result = false;
    if (stk_scan_peek(s, &byte) == STK_SCAN_FOUND) {
        s->expected = "the end of the file";
        return STK_SCAN_WRONG;
    }
    return r->in->ended ? STK_SCAN_FOUND : STK_SCAN_MORE;
}

static stk_status read_file(reader *r, stk_blob *name)
{
    uint8_t first = 0;
    bool    unused;
    STK_TRY(scan(r, pass_mark, NULL));
    STK_TRY(scan(r, peek, &first));
    if (r->cut)
        return stk_fail(r->err, STK_E_INVALID, "trace", r->in->file->path,
                        "the file is empty; a trace with events was expected");
    if (first != '[' && first != '{') {
        const stk_bytes   unread = stk_trace_input_unread(r->in);
        const stk_scanner s = {.at = unread.data, .expected = "'{' or '['"};
        return fail_at(r, &s);
    }
    STK_TRY(scan(r, pass_byte, NULL));
    STK_TRY(first == '[' ? read_events(r) : read_members(r, name));
    if (!r->cut) return scan(r, at_end, &unused);
    /* An array that was never closed is complete if no bytes are left. */
    const stk_bytes unread = stk_trace_input_unread(r->in);
    stk_scanner     rest = {.at = unread.data, .end = unread.data + unread.size};
    if (first == '[' && stk_scan_peek(&rest, &first) == STK_SCAN_MORE) r->cut = r->in->cut;
    return STK_OK;
}

stk_status stk_events_read(stk_trace_input *in, const stk_event_visitor *visitor, bool *cut,
                           stk_error *err)
{
    reader   r = {.in = in, .visitor = visitor, .err = err};
    stk_blob name;
    stk_blob_init(&name, NULL, STK_MEMORY_READ);
    stk_status st = read_file(&r, &name);
    stk_blob_release(&name);
    if (!st && !r.seen)
        st = stk_fail(err, STK_E_INVALID, "trace", in->file->path,
                      "byte %" PRIu64 ": the JSON %s without \"traceEvents\"; a Chrome trace has "
                      "that list of events",
                      stk_trace_input_position(in, stk_trace_input_unread(in).data),
                      r.cut ? "is cut off" : "ends");
    *cut = r.cut || in->cut;
    return st;
}
