/* YAML to a tree, by libyaml's events: only what recipes need, with limits. */
#include "base/yaml.h"

#include "base/base64.h"
#include "base/utf8.h"

#include <stdio.h>
#include <yaml.h>

typedef struct reader {
    yaml_parser_t parser;
    yaml_event_t  event; /* the one being looked at; deleted by the next */
    bool          has_event;
    int           depth; /* lists and mappings that are open at the event */
    stk_arena    *arena;
    stk_bytes     yaml;
    const char   *name;
} reader;

/* A long path keeps its end: the line and the key must be seen. */
enum { NAME_BYTES_MAX = 128 };

const char *stk_yaml_name_end(const char *name)
{
    const size_t length = strlen(name);
    return length > NAME_BYTES_MAX ? name + (length - NAME_BYTES_MAX) : name;
}

stk_status stk_yaml_fail(stk_error *err, stk_status status, const char *name, int line,
                         const char *what, const char *format, ...)
{
    char    where[256], message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(where, sizeof where, "%s%s:%d%s%.96s", strlen(name) > NAME_BYTES_MAX ? "..." : "",
             stk_yaml_name_end(name), line, what ? ": " : "", what ? what : "");
    return stk_fail(err, status, "recipe", where, "%s", message);
}

static int line_of(const yaml_mark_t *mark)
{
    return mark->line < 1 << 30 ? (int)mark->line + 1 : 1 << 30;
}

static int event_line(const reader *r)
{
    return line_of(&r->event.start_mark);
}

/* Whether blanks that begin a line (from 1) hold a tab. */
static bool is_indented_by_tab(stk_bytes yaml, int line)
{
    size_t i = 0;
    for (int at = 1; at < line && i < yaml.size; i++)
        at += yaml.data[i] == '\n';
    while (i < yaml.size && yaml.data[i] == ' ')
        i++;
    return i < yaml.size && yaml.data[i] == '\t';
}

static stk_status parser_failed(const reader *r, stk_error *err)
{
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return stk_fail(err, STK_E_NOMEM, "recipe", r->name, "no memory to read the recipe");
    int line = line_of(&p->problem_mark);
    if (p->error == YAML_READER_ERROR) { /* it knows an offset only */
        line = 1;
        for (size_t i = 0; i < p->problem_offset && i < r->yaml.size; i++)
            line += r->yaml.data[i] == '\n';
    }
    if (is_indented_by_tab(r->yaml, line))
        return stk_yaml_fail(err, STK_E_FORMAT, r->name, line, NULL,
                             "the line is indented with a tab; YAML wants blanks");
    return stk_yaml_fail(err, STK_E_FORMAT, r->name, line, NULL, "this is no YAML: %s%s%s",
                         p->problem ? p->problem : "it cannot be read", p->context ? " " : "",
                         p->context ? p->context : "");
}

/* Here, where every event passes: skipped sections count too, because libyaml looks at all open
 * levels for each token, so that deep text takes time by its square. */
static stk_status count_depth(reader *r, stk_error *err)
{
    const yaml_event_type_t type = r->event.type;
    r->depth += type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
    r->depth -= type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT;
    if (r->depth <= STK_YAML_DEPTH_MAX) return STK_OK;
    return stk_yaml_fail(err, STK_E_LIMIT, r->name, event_line(r), NULL,
                         "the recipe is nested deeper than %d levels", STK_YAML_DEPTH_MAX);
}

static stk_status advance(reader *r, stk_error *err)
{
    if (r->has_event) yaml_event_delete(&r->event);
    r->has_event = yaml_parser_parse(&r->parser, &r->event) != 0;
    return r->has_event ? count_depth(r, err) : parser_failed(r, err);
}

static stk_status refuse_extras(const reader *r, const yaml_char_t *anchor, const yaml_char_t *tag,
                                stk_error *err)
{
    if (!anchor && !tag) return STK_OK;
    return stk_yaml_fail(err, STK_E_FORMAT, r->name, event_line(r), NULL,
                         "%s%s: anchors, aliases and tags are not supported here; write the value "
                         "itself",
                         anchor ? "&" : "", (const char *)(anchor ? anchor : tag));
}

static stk_status new_tree(reader *r, stk_yaml_node **out, stk_yaml_kind kind, stk_error *err)
{
    stk_yaml_node *tree = stk_arena_alloc(r->arena, sizeof *tree, err);
    if (!tree) return STK_E_NOMEM;
    *tree = (stk_yaml_node){.kind = kind, .line = event_line(r)};
    *out = tree;
    return STK_OK;
}

static stk_status read_node(reader *r, stk_yaml_node **out, stk_error *err);

static const char binary_tag[] = "tag:yaml.org,2002:binary"; /* !!binary */

/* Checks for text that YAML cannot hold: bytes that are not UTF-8, as in file names. */
static stk_status read_binary(reader *r, stk_yaml_node *tree, stk_error *err)
{
    const char  *text = (const char *)r->event.data.scalar.value;
    const size_t length = r->event.data.scalar.length;
    char        *bytes = stk_arena_alloc(r->arena, length + 1, err);
    if (!bytes) return STK_E_NOMEM;
    if (!stk_base64_read(text, length, (uint8_t *)bytes, &tree->length) ||
        memchr(bytes, 0, tree->length))
        return stk_yaml_fail(err, STK_E_FORMAT, r->name, event_line(r), NULL,
                             "the !!binary value is not base64, or has a zero byte");
    bytes[tree->length] = 0;
    tree->text = bytes;
    return STK_OK;
}

static stk_status read_scalar(reader *r, stk_yaml_node **out, stk_error *err)
{
    const yaml_char_t *tag = r->event.data.scalar.tag;
    if (tag && strcmp((const char *)tag, binary_tag) == 0 && !r->event.data.scalar.anchor) {
        STK_TRY(new_tree(r, out, STK_YAML_SCALAR, err));
        return read_binary(r, *out, err);
    }
    STK_TRY(refuse_extras(r, r->event.data.scalar.anchor, tag, err));
    STK_TRY(new_tree(r, out, STK_YAML_SCALAR, err));
    stk_yaml_node *tree = *out;
    tree->plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    tree->length = r->event.data.scalar.length;
    tree->text =
        stk_arena_text(r->arena, (const char *)r->event.data.scalar.value, tree->length, err);
    return tree->text ? STK_OK : STK_E_NOMEM;
}

/* Checks the key of the current event. */
static stk_status read_key(reader *r, const stk_yaml_node *map, const char **key, stk_error *err)
{
    if (r->event.type != YAML_SCALAR_EVENT)
        return stk_yaml_fail(err, STK_E_FORMAT, r->name, event_line(r), NULL,
                             "a key must be a single word; this one is a list, a mapping or an "
                             "alias");
    const char  *text = (const char *)r->event.data.scalar.value;
    const size_t length = r->event.data.scalar.length;
    STK_TRY(refuse_extras(r, r->event.data.scalar.anchor, r->event.data.scalar.tag, err));
    if (strlen(text) != length || !length)
        return stk_yaml_fail(err, STK_E_FORMAT, r->name, event_line(r), NULL,
                             length ? "a key holds a zero byte" : "a key is empty");
    for (const stk_yaml_node *other = map->first; other; other = other->next)
        if (strcmp(other->key, text) == 0)
            return stk_yaml_fail(err, STK_E_FORMAT, r->name, event_line(r), text,
                                 "the key stands twice, first in line %d; remove one", other->line);
    if (map->count == STK_YAML_KEYS_MAX)
        return stk_yaml_fail(err, STK_E_LIMIT, r->name, event_line(r), text,
                             "a mapping has more than %d keys", STK_YAML_KEYS_MAX);
    *key = stk_arena_text(r->arena, text, length, err);
    return *key ? STK_OK : STK_E_NOMEM;
}

static stk_status read_children(reader *r, stk_yaml_node *tree, stk_error *err)
{
    const yaml_event_type_t end =
        tree->kind == STK_YAML_MAP ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    for (stk_yaml_node **link = &tree->first;; link = &(*link)->next, tree->count++) {
        const char *key = NULL;
        int         key_line = 0;
        STK_TRY(advance(r, err));
        if (r->event.type == end) return STK_OK;
        if (tree->kind == STK_YAML_MAP) {
            key_line = event_line(r);
            STK_TRY(read_key(r, tree, &key, err));
            STK_TRY(advance(r, err));
        }
        stk_yaml_node *child = NULL;
        STK_TRY(read_node(r, &child, err));
        child->key = key;
        if (key) child->line = key_line;
        *link = child;
    }
}

/* Reads the node that begins with the current event. */
static stk_status read_node(reader *r, stk_yaml_node **out, stk_error *err)
{
    switch (r->event.type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(r, out, err);
    case YAML_SEQUENCE_START_EVENT:
        STK_TRY(refuse_extras(r, r->event.data.sequence_start.anchor,
                              r->event.data.sequence_start.tag, err));
        STK_TRY(new_tree(r, out, STK_YAML_LIST, err));
        return read_children(r, *out, err);
    case YAML_MAPPING_START_EVENT:
        STK_TRY(refuse_extras(r, r->event.data.mapping_start.anchor,
                              r->event.data.mapping_start.tag, err));
        STK_TRY(new_tree(r, out, STK_YAML_MAP, err));
        return read_children(r, *out, err);
    default:
        return stk_yaml_fail(
            err, STK_E_FORMAT, r->name, event_line(r), NULL,
            "*%s: anchors, aliases and tags are not supported here; write the "
            "value itself",
            r->event.type == YAML_ALIAS_EVENT ? (const char *)r->event.data.alias.anchor : "?");
    }
}

/* Skips the node that begins with the current event. */
static stk_status skip_node(reader *r, stk_error *err)
{
    const bool opens =
        r->event.type == YAML_MAPPING_START_EVENT || r->event.type == YAML_SEQUENCE_START_EVENT;
    const int outside = r->depth - opens;
    while (r->depth > outside)
        STK_TRY(advance(r, err));
    return STK_OK;
}

/* The current event begins the document's mapping. */
static stk_status read_sections(reader *r, stk_yaml_node **out, const char *section, stk_error *err)
{
    for (;;) {
        STK_TRY(advance(r, err));
        if (r->event.type == YAML_MAPPING_END_EVENT) return STK_OK;
        const bool wanted = r->event.type == YAML_SCALAR_EVENT &&
                            strcmp((const char *)r->event.data.scalar.value, section) == 0;
        const int line = event_line(r);
        if (wanted && *out)
            return stk_yaml_fail(err, STK_E_FORMAT, r->name, line, section,
                                 "the key stands twice, first in line %d; remove one",
                                 (*out)->line);
        STK_TRY(wanted ? STK_OK : skip_node(r, err));
        STK_TRY(advance(r, err));
        STK_TRY(wanted ? read_node(r, out, err) : skip_node(r, err));
        if (wanted) {
            (*out)->line = line;
            (*out)->key = section;
        }
    }
}

static stk_status read_document(reader *r, stk_yaml_node **out, const char *section, stk_error *err)
{
    STK_TRY(advance(r, err)); /* the stream begins */
    STK_TRY(advance(r, err));
    if (r->event.type == YAML_DOCUMENT_START_EVENT) STK_TRY(advance(r, err));
    const bool is_null = r->event.type == YAML_STREAM_END_EVENT ||
                         (r->event.type == YAML_SCALAR_EVENT && r->event.data.scalar.length == 0);
    if (is_null)
        return stk_yaml_fail(err, STK_E_INVALID, r->name, 1, NULL,
                             "the recipe is empty; it needs a section `%s:`",
                             section ? section : "data");
    if (r->event.type != YAML_MAPPING_START_EVENT)
        return stk_yaml_fail(err, STK_E_INVALID, r->name, event_line(r), NULL,
                             "a recipe is a mapping with a section `%s:`",
                             section ? section : "data");
    STK_TRY(section ? read_sections(r, out, section, err) : read_node(r, out, err));
    STK_TRY(advance(r, err)); /* the document ends */
    STK_TRY(advance(r, err));
    if (r->event.type != YAML_STREAM_END_EVENT)
        return stk_yaml_fail(err, STK_E_FORMAT, r->name, event_line(r), NULL,
                             "a second document begins here; a recipe is one");
    return *out ? STK_OK
                : stk_yaml_fail(err, STK_E_INVALID, r->name, 1, section,
                                "the recipe has no section `%s:`; it is a list of stages", section);
}

static stk_status check_text(stk_bytes yaml, const char *name, stk_error *err)
{
    int line = 1;
    if (yaml.size > STK_YAML_BYTES_MAX)
        return stk_fail(err, STK_E_LIMIT, "recipe", name,
                        "the recipe has %zu bytes; at most %d are read", yaml.size,
                        STK_YAML_BYTES_MAX);
    for (size_t i = 0; i < yaml.size;) {
        const int length = stk_utf8_length(yaml.data + i, yaml.size - i);
        if (!length)
            return stk_yaml_fail(err, STK_E_FORMAT, name, line, NULL,
                                 "byte 0x%02x at offset %zu is not UTF-8; save the file as UTF-8",
                                 yaml.data[i], i);
        line += yaml.data[i] == '\n';
        i += (size_t)length;
    }
    return STK_OK;
}

stk_status stk_yaml_read(stk_yaml_node **out, stk_arena *arena, stk_bytes yaml, const char *name,
                         const char *section, stk_error *err)
{
    *out = NULL;
    STK_TRY(check_text(yaml, name, err));
    reader r = {.arena = arena, .yaml = yaml, .name = name};
    if (!yaml_parser_initialize(&r.parser))
        return stk_fail(err, STK_E_NOMEM, "recipe", name, "no memory to read the recipe");
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, yaml.data ? yaml.data : (const uint8_t *)"", yaml.size);
    stk_status st = read_document(&r, out, section, err);
    if (r.has_event) yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    if (st) *out = NULL;
    return st;
}

bool stk_yaml_is_null(const stk_yaml_node *tree)
{
    return tree->kind == STK_YAML_SCALAR && tree->plain &&
           (!tree->length || strcmp(tree->text, "~") == 0 || strcmp(tree->text, "null") == 0);
}

static stk_status add_scalar(const stk_yaml_node *tree, stk_blob *out, stk_error *err)
{
    if (tree->plain) return stk_blob_append(out, tree->text, tree->length, err);
    STK_TRY(stk_blob_append(out, "\"", 1, err));
    for (size_t i = 0; i < tree->length; i++) {
        if (tree->text[i] == '"' || tree->text[i] == '\\')
            STK_TRY(stk_blob_append(out, "\\", 1, err));
        STK_TRY(tree->text[i] ? stk_blob_append(out, &tree->text[i], 1, err)
                              : stk_blob_append(out, "\\0", 2, err));
    }
    return stk_blob_append(out, "\"", 1, err);
}

stk_status stk_yaml_text(const stk_yaml_node *tree, stk_blob *out, stk_error *err)
{
    if (tree->kind == STK_YAML_SCALAR) return add_scalar(tree, out, err);
    const bool is_map = tree->kind == STK_YAML_MAP;
    STK_TRY(stk_blob_append(out, is_map ? "{" : "[", 1, err));
    for (const stk_yaml_node *child = tree->first; child; child = child->next) {
        if (child != tree->first) STK_TRY(stk_blob_append(out, ", ", 2, err));
        if (is_map) {
            STK_TRY(stk_blob_append(out, child->key, strlen(child->key), err));
            STK_TRY(stk_blob_append(out, ": ", 2, err));
        }
        STK_TRY(stk_yaml_text(child, out, err));
    }
    return stk_blob_append(out, is_map ? "}" : "]", 1, err);
}
