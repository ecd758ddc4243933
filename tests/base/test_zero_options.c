/* Zeros are the defaults of options: the structs of codecs, record files, charts, traces and
 * meters. Those of pipelines are in pipeline/test_zero_options.c. */
#include "harness.h"

#include <string.h>

enum { SIDE = 24 };

static uint8_t samples[SIDE * SIDE * 3];

static stk_pixels image(void)
{
    for (size_t i = 0; i < sizeof samples; i++)
        samples[i] = (uint8_t)(i * 7 % 251);
    return (stk_pixels){samples, SIDE, SIDE, 3, SIDE * 3};
}

static void expect_same_blobs(stk_blob blobs[2])
{
    EXPECT(blobs[0].size > 0);
    EXPECT_INT_EQ(blobs[0].size, blobs[1].size);
    EXPECT_MEM_EQ(blobs[0].data, blobs[1].data, blobs[0].size);
    stk_blob_release(&blobs[0]);
    stk_blob_release(&blobs[1]);
}

STK_TEST(zeros_are_the_defaults_of_encoders_and_decoders)
{
    const stk_jpeg_write_options write = {0};
    const stk_decode_options     read = {0};
    const stk_pixels             pixels = image();
    stk_error                    err;
    stk_blob                     jpeg[2], decoded[2];
    for (int zeros = 0; zeros < 2; zeros++) {
        stk_decoder *decoder;
        stk_pixels   out;
        stk_blob_init(&jpeg[zeros], NULL, STK_MEMORY_OUTPUT);
        stk_blob_init(&decoded[zeros], NULL, STK_MEMORY_OUTPUT);
        EXPECT_OK(stk_image_write_jpeg(&jpeg[zeros], &pixels, zeros ? &write : NULL, &err));
        EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
        EXPECT_OK(stk_image_decode(decoder, stk_blob_bytes(&jpeg[zeros]), NULL, 1,
                                   zeros ? &read : NULL, &out, NULL, &err));
        EXPECT_INT_EQ(3, out.channels);
        for (int32_t y = 0; y < out.height; y++)
            EXPECT_OK(stk_blob_append(&decoded[zeros], out.data + (size_t)y * out.stride,
                                      (size_t)(out.width * out.channels), &err));
        stk_decoder_free(decoder);
    }
    expect_same_blobs(jpeg);
    expect_same_blobs(decoded);
}

STK_TEST(zeros_are_the_defaults_of_record_files)
{
    const stk_tfrecord_options options = {0};
    stk_error                  err;
    stk_bytes                  files[2];
    for (int zeros = 0; zeros < 2; zeros++) {
        stk_tfrecord_writer *writer;
        const char          *path = stk_test_path(zeros ? "zeros" : "null");
        EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, zeros ? &options : NULL, &err));
        EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_text("a record"), &err));
        EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
        stk_tfrecord_writer_free(writer);
        files[zeros] = stk_test_read_file(path);
    }
    EXPECT(stk_bytes_equal(files[0], files[1]));
}

STK_TEST(zeros_are_the_defaults_of_meters_and_traces)
{
    stk_error err;
    for (int zeros = 0; zeros < 2; zeros++) {
        stk_meter              *meter;
        stk_trace              *trace;
        const stk_meter_options metering = {0};
        const stk_trace_options tracing = {0};
        EXPECT_OK(stk_meter_new(&meter, zeros ? &metering : NULL, &err));
        EXPECT_OK(stk_trace_new(&trace, zeros ? &tracing : NULL, &err));
        EXPECT_INT_EQ(STK_TRACE_OPS, stk_trace_get_level(trace));
        stk_meter_free(meter);
        stk_trace_free(trace);
    }
}
