/* Fields of a sample replaced and added. */
#include "storage/pack/pack_convert.h"

#include "storage/pack/pack_image.h"

#include <stdlib.h>
#include <string.h>

typedef struct image {
    stk_blob  bytes, restarts;
    stk_bytes values[2]; /* the data of the fields */
} image;

struct stk_pack_converter {
    const stk_pack_schema *schema;
    stk_pack_images        options;
    stk_image_maker       *maker;
    image                 *images; /* one per feature of the source */
    stk_blob               fields; /* stk_field[] */
};

stk_status stk_pack_converter_new(stk_pack_converter **out, const stk_pack_schema *schema,
                                  const stk_pack_images *images, stk_ledger *ledger, stk_error *err)
{
    stk_pack_converter *c = *out = calloc(1, sizeof *c);
    if (!c) return stk_fail(err, STK_E_NOMEM, "pack", NULL, "no memory for a converter");
    c->schema = schema;
    c->options = *images;
    c->images = calloc(schema->source_count, sizeof *c->images);
    stk_blob_init(&c->fields, ledger, STK_MEMORY_DECODE);
    for (size_t i = 0; c->images && i < schema->source_count; i++) {
        stk_blob_init(&c->images[i].bytes, ledger, STK_MEMORY_DECODE);
        stk_blob_init(&c->images[i].restarts, ledger, STK_MEMORY_DECODE);
    }
    const stk_status st = c->images
                              ? stk_image_maker_new(&c->maker, ledger, err)
                              : stk_fail(err, STK_E_NOMEM, "pack", NULL, "no memory for images");
    if (!st) return STK_OK;
    stk_pack_converter_free(c);
    *out = NULL;
    return st;
}

void stk_pack_converter_free(stk_pack_converter *c)
{
    if (!c) return;
    for (size_t i = 0; c->images && i < c->schema->source_count; i++) {
        stk_blob_release(&c->images[i].bytes);
        stk_blob_release(&c->images[i].restarts);
    }
    stk_image_maker_free(c->maker);
    stk_blob_release(&c->fields);
    free(c->images);
    free(c);
}

static stk_field *fields_of(const stk_pack_converter *c)
{
    return (stk_field *)(void *)c->fields.data;
}

/* The field of that name, added if missing: the array is large enough. */
static stk_field *field_named(const stk_pack_converter *c, stk_sample *sample, const char *name)
{
    stk_field *fields = fields_of(c);
    for (size_t i = 0; i < sample->field_count; i++)
        if (!strcmp(fields[i].name, name)) return &fields[i];
    fields[sample->field_count] = (stk_field){.name = name};
    return &fields[sample->field_count++];
}

static void set_bytes(stk_field *field, stk_bytes *value, stk_bytes bytes)
{
    *value = bytes;
    field->dtype = STK_DTYPE_BYTES;
    field->shape = stk_shape_scalar();
    field->data = value;
    field->count = 1;
}

/* A list of images, or none, stays as it is. */
static bool has_image(const stk_field *field)
{
    return field && field->dtype == STK_DTYPE_BYTES && field->count == 1;
}

static stk_status convert_feature(stk_pack_converter *c, size_t index, const stk_field *field,
                                  stk_sample *out, stk_pack_tally *tally, stk_error *err)
{
    image          *p = &c->images[index];
    stk_image_made  made;
    stk_pack_images images = c->options;
    const stk_bytes source = *(const stk_bytes *)field->data;
    images.no_restarts = !c->schema->source_features[index].seekable;
    images.no_png = !c->schema->source_features[index].foreign;
    STK_TRY(stk_image_make(c->maker, &images, source, &p->bytes, &p->restarts, &made, err));
    set_bytes(field_named(c, out, c->schema->features[index].name), &p->values[0], made.bytes);
    tally->bytes_in += source.size;
    tally->bytes_out += made.bytes.size + p->restarts.size;
    tally->seekable += made.seekable;
    tally->encoded += made.encoded && !made.converted;
    tally->converted += made.converted;
    return STK_OK;
}

stk_status stk_pack_convert(stk_pack_converter *c, const stk_sample *sample, bool images,
                            stk_sample *out, stk_pack_tally *tally, stk_error *err)
{
    const stk_pack_schema *schema = c->schema;
    const size_t           capacity = sample->field_count + schema->source_count;
    STK_TRY(stk_blob_reserve(&c->fields, capacity * sizeof(stk_field), err));
    memcpy(c->fields.data, sample->fields, sample->field_count * sizeof(stk_field));
    *out = *sample;
    out->fields = fields_of(c);
    for (size_t i = 0; i < schema->source_count; i++) {
        const stk_pack_feature *feature = &schema->source_features[i];
        const stk_field        *field = stk_sample_field(sample, schema->features[i].name);
        image                  *p = &c->images[i];
        if (feature->checked && images && has_image(field))
            STK_TRY(stk_image_check(c->maker, *(const stk_bytes *)field->data, err));
        if (!feature->image) continue;
        p->restarts.size = 0;
        if (images && has_image(field)) STK_TRY(convert_feature(c, i, field, out, tally, err));
        if (feature->restarts != STK_NO_FEATURE)
            set_bytes(field_named(c, out, schema->features[feature->restarts].name), &p->values[1],
                      stk_blob_bytes(&p->restarts));
    }
    return STK_OK;
}
