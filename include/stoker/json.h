/* stoker/json.h - writes JSON incrementally and parses small JSON documents. The writer handles
 * commas, indentation and escapes; a document is balanced unless the caller leaves a level open.
 * The reader makes an immutable tree. */
#ifndef STOKER_JSON_H
#define STOKER_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/blob.h>

STK_BEGIN_DECLS

/* A writer appends to a blob. After the first failure (memory) all calls do nothing; stk_json_end
 * returns the failure. */
typedef struct stk_json_writer {
    stk_blob  *out;
    int        indent; /* spaces per level; 0 writes one line */
    int        depth;
    bool       first; /* no comma before the next value */
    bool       after_key;
    stk_status status;
    stk_error  error;
} stk_json_writer;

STK_API void stk_json_begin(stk_json_writer *w, stk_blob *out, int indent);
STK_API void stk_json_object(stk_json_writer *w);
STK_API void stk_json_object_end(stk_json_writer *w);
STK_API void stk_json_array(stk_json_writer *w);
STK_API void stk_json_array_end(stk_json_writer *w);
STK_API void stk_json_key(stk_json_writer *w, const char *key);
/* Bytes that are not UTF-8 are replaced by U+FFFD, so that the document is always valid. */
STK_API void stk_json_string(stk_json_writer *w, const char *text);
STK_API void stk_json_bytes(stk_json_writer *w, stk_bytes text);
STK_API void stk_json_int(stk_json_writer *w, int64_t value);
STK_API void stk_json_uint(stk_json_writer *w, uint64_t value);
/* Shortest form that reads back the same; NaN and infinities, which JSON lacks, become null. */
STK_API void stk_json_double(stk_json_writer *w, double value);
STK_API void stk_json_bool(stk_json_writer *w, bool value);
STK_API void stk_json_null(stk_json_writer *w);
/* Ends the document, with a newline if indented; returns the first failure. */
STK_API STK_NODISCARD stk_status stk_json_end(stk_json_writer *w, stk_error *err);

/* Shorthands: key and value. */
STK_API void stk_json_pair_string(stk_json_writer *w, const char *key, const char *text);
STK_API void stk_json_pair_int(stk_json_writer *w, const char *key, int64_t value);
STK_API void stk_json_pair_uint(stk_json_writer *w, const char *key, uint64_t value);
STK_API void stk_json_pair_double(stk_json_writer *w, const char *key, double value);
STK_API void stk_json_pair_bool(stk_json_writer *w, const char *key, bool value);

typedef enum stk_json_type {
    STK_JSON_NULL,
    STK_JSON_BOOL,
    STK_JSON_NUMBER,
    STK_JSON_STRING,
    STK_JSON_ARRAY,
    STK_JSON_OBJECT
} stk_json_type;

typedef struct stk_json_document stk_json_document;
typedef struct stk_json_value    stk_json_value; /* borrowed from its document */

/* Parses a complete document (UTF-8, RFC 8259; at most 64 levels). Errors have name, line and
 * column. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_json_parse(stk_json_document **out, stk_bytes text,
                                                const char *name, stk_error *err);
STK_API void                     stk_json_document_free(stk_json_document *doc);
STK_API const stk_json_value    *stk_json_root(const stk_json_document *doc);

/* All getters accept NULL and values of other types and then return default_value or NULL, so a
 * chain of look-ups needs one check at its end. */
STK_API stk_json_type         stk_json_type_of(const stk_json_value *value);
STK_API const stk_json_value *stk_json_get(const stk_json_value *object, const char *key);
STK_API size_t                stk_json_count(const stk_json_value *array_or_object);
STK_API const stk_json_value *stk_json_at(const stk_json_value *array_or_object, size_t index);
STK_API const char           *stk_json_key_at(const stk_json_value *object, size_t index);
STK_API const char           *stk_json_text(const stk_json_value *value, const char *default_value);
STK_API double                stk_json_number(const stk_json_value *value, double default_value);
STK_API bool                  stk_json_truth(const stk_json_value *value, bool default_value);
/* Accepts numbers and strings of digits, protobuf's JSON form of 64-bit integers. */
STK_API int64_t stk_json_integer(const stk_json_value *value, int64_t default_value);

STK_END_DECLS
#endif
