/* Descriptions of data sets: reading TensorFlow Datasets' own, writing, round trips, refusals. */
#include "source_support.h"

#include <stdio.h>
#include <unistd.h>

#define TINY STK_TEST_DATA "/tfds/tiny/1.0.0"

static const stk_feature_info *feature_of(const stk_dataset_info *info, const char *name)
{
    const stk_feature_info *feature = stk_dataset_info_feature(info, name);
    if (!feature) fail_msg("there is no feature %s", name);
    return feature;
}

static void expect_shape(const stk_feature_info *feature, const char *shape)
{
    char text[64];
    EXPECT_STR_EQ(shape, stk_shape_text(&feature->shape, text, sizeof text));
}

STK_TEST(what_tensorflow_datasets_writes_is_read)
{
    stk_error        err;
    stk_dataset_info info;
    EXPECT_OK(stk_dataset_info_read(&info, NULL, TINY, &err));
    EXPECT_STR_EQ("tiny", info.name);
    EXPECT_STR_EQ("1.0.0", info.version);
    EXPECT_INT_EQ(2, info.split_count);
    EXPECT_STR_EQ("train", info.splits[0].name);
    EXPECT_INT_EQ(1, info.splits[0].shard_count);
    EXPECT_INT_EQ(5, info.splits[0].shard_lengths[0]);
    EXPECT(info.splits[0].bytes > 1000);
    EXPECT_INT_EQ(2, info.splits[1].shard_lengths[0]);
    EXPECT_INT_EQ(10, info.feature_count);

    const stk_feature_info *image = feature_of(&info, "image");
    EXPECT_INT_EQ(STK_MEANING_IMAGE, image->meaning);
    EXPECT_STR_EQ("jpeg", image->encoding);
    expect_shape(image, "[-1,-1,3]");
    EXPECT_INT_EQ(STK_MEANING_TEXT, feature_of(&info, "image/filename")->meaning);
    const stk_feature_info *label = feature_of(&info, "label");
    EXPECT_INT_EQ(STK_MEANING_LABEL, label->meaning);
    EXPECT_INT_EQ(2, label->class_count);
    EXPECT_STR_EQ("dog", label->class_names[1]);
    EXPECT_INT_EQ(3, feature_of(&info, "numbered")->class_count);
    EXPECT(feature_of(&info, "numbered")->class_names == NULL);
    EXPECT_STR_EQ("bytes", feature_of(&info, "raw")->encoding);
    EXPECT_INT_EQ(STK_DTYPE_U8, feature_of(&info, "raw")->dtype);
    EXPECT_INT_EQ(STK_DTYPE_F32, feature_of(&info, "vector")->dtype);
    expect_shape(feature_of(&info, "vector"), "[3]");
    EXPECT_INT_EQ(STK_MEANING_TENSOR, feature_of(&info, "words")->meaning);
    EXPECT_INT_EQ(STK_DTYPE_BYTES, feature_of(&info, "words")->dtype);
    expect_shape(feature_of(&info, "words"), "[-1]");
    EXPECT_INT_EQ(STK_DTYPE_F32, feature_of(&info, "box")->dtype);
    expect_shape(feature_of(&info, "box"), "[4]");
    EXPECT_INT_EQ(STK_DTYPE_I64, feature_of(&info, "meta/id")->dtype);
    EXPECT_STR_EQ("b", feature_of(&info, "meta/kind")->class_names[1]);
    EXPECT(stk_dataset_info_feature(&info, "none") == NULL);
    stk_dataset_info_release(&info);
    EXPECT(info.features == NULL);
}

static stk_feature_info features[] = {
    {.name = "image", .meaning = STK_MEANING_IMAGE, .dtype = STK_DTYPE_BYTES, .encoding = "png"},
    {.name = "pixels",
     .meaning = STK_MEANING_TENSOR,
     .dtype = STK_DTYPE_U8,
     .shape = {3, {28, 28, 1}}},
    {.name = "a/label",
     .meaning = STK_MEANING_LABEL,
     .dtype = STK_DTYPE_I64,
     .class_names = (char *[]){"T-shirt/top", "gr\xc3\xb6\xc3\x9f"
                                              "e \"x\""},
     .class_count = 2},
    {.name = "text", .meaning = STK_MEANING_TEXT, .dtype = STK_DTYPE_BYTES},
    {.name = "numbers",
     .meaning = STK_MEANING_TENSOR,
     .dtype = STK_DTYPE_F32,
     .shape = {2, {-1, 4}}},
};

static stk_split_info splits[] = {
    {.name = "train", .shard_lengths = (uint64_t[]){3, 4}, .shard_count = 2, .bytes = 1u << 31},
    {.name = "test", .shard_lengths = (uint64_t[]){9007199254740993}, .shard_count = 1},
};

static const stk_dataset_info sample_info = {
    .name = "sample",
    .version = "2.1.0",
    .features = features,
    .feature_count = COUNT_OF(features),
    .splits = splits,
    .split_count = COUNT_OF(splits),
};

STK_TEST(what_is_written_is_read_back)
{
    stk_error        err;
    stk_dataset_info info;
    put("back/keep", "");
    EXPECT_OK(stk_dataset_info_write(&sample_info, NULL, stk_test_path("back"), &err));
    EXPECT_OK(stk_dataset_info_read(&info, NULL, stk_test_path("back"), &err));
    EXPECT_STR_EQ("sample", info.name);
    EXPECT_STR_EQ("2.1.0", info.version);
    EXPECT_INT_EQ(COUNT_OF(features), info.feature_count);
    for (size_t i = 0; i < info.feature_count; i++) {
        const stk_feature_info *wrote = &features[i], *read = &info.features[i];
        EXPECT_STR_EQ(wrote->name, read->name);
        EXPECT_INT_EQ(wrote->meaning, read->meaning);
        EXPECT_INT_EQ(wrote->dtype, read->dtype);
        EXPECT_INT_EQ(wrote->class_count, read->class_count);
        for (size_t j = 0; j < read->class_count; j++)
            EXPECT_STR_EQ(wrote->class_names[j], read->class_names[j]);
    }
    EXPECT_STR_EQ("png", info.features[0].encoding);
    expect_shape(&info.features[0], "[-1,-1,3]");
    expect_shape(&info.features[1], "[28,28,1]");
    expect_shape(&info.features[4], "[-1,4]");
    EXPECT_INT_EQ(1u << 31, info.splits[0].bytes);
    EXPECT_INT_EQ(4, info.splits[0].shard_lengths[1]);
    EXPECT_INT_EQ(9007199254740993, info.splits[1].shard_lengths[0]);
    stk_dataset_info_release(&info);
    const stk_bytes names = stk_test_read_file(stk_test_path("back/a.label.labels.txt"));
    EXPECT_MEM_EQ("T-shirt/top\n", names.data, 12);
}

static void refuse_info(stk_status status, const char *folder, const char *message)
{
    stk_error        err = {0};
    stk_dataset_info info;
    EXPECT_STATUS(status, stk_dataset_info_read(&info, NULL, stk_test_path(folder), &err));
    EXPECT_CONTAINS(message, err.message);
    EXPECT(info.features == NULL && info.splits == NULL && info.name == NULL);
}

STK_TEST(either_file_alone_is_enough)
{
    stk_error        err;
    stk_dataset_info info;
    put("one/dataset_info.json", "{\"name\": \"x\", \"splits\": []}");
    EXPECT_OK(stk_dataset_info_read(&info, NULL, stk_test_path("one"), &err));
    EXPECT_STR_EQ("x", info.name);
    EXPECT(info.version == NULL);
    stk_dataset_info_release(&info);
    put("two/features.json", "{\"featuresDict\": {\"features\": {\"t\": {\"text\": {}}}}}");
    EXPECT_OK(stk_dataset_info_read(&info, NULL, stk_test_path("two"), &err));
    EXPECT_INT_EQ(1, info.feature_count);
    stk_dataset_info_release(&info);
    put("neither/x", "");
    refuse_info(STK_E_NOTFOUND, "neither", "neither features.json nor dataset_info.json");
}

STK_TEST(descriptions_that_contradict_themselves_are_refused)
{
    put("names/features.json", "{\"featuresDict\": {\"features\": {\"l\": {\"classLabel\": "
                               "{\"numClasses\": \"3\"}}}}}");
    put("names/l.labels.txt", "a\nb\n");
    refuse_info(STK_E_FORMAT, "names",
                "has 2 class names, but features.json says that 'l' has 3 classes");
    put("many/features.json", "{\"featuresDict\": {\"features\": {\"l\": {\"classLabel\": "
                              "{\"numClasses\": \"99999999999\"}}}}}");
    refuse_info(STK_E_FORMAT, "many", "'l' has 99999999999 classes");
    put("lengths/dataset_info.json",
        "{\"splits\": [{\"name\": \"a\", \"shardLengths\": [\"-1\"]}]}");
    refuse_info(STK_E_FORMAT, "lengths", "a shard's length is not a number of 0 or more");
    put("rank/features.json",
        "{\"featuresDict\": {\"features\": {\"t\": {\"tensor\": {\"dtype\": \"int64\", \"shape\": "
        "{\"dimensions\": [1,1,1,1,1,1,1,1,1]}}}}}}");
    refuse_info(STK_E_UNSUPPORTED, "rank", "feature 't' has 9 dimensions, more than 8");
    put("cut/features.json", "{\"featuresDict\": ");
    refuse_info(STK_E_FORMAT, "cut", "");
}

static void refuse_file(stk_status status, const char *folder, const char *file,
                        const char *message, const char *advice)
{
    stk_error        err = {0};
    stk_dataset_info info;
    char             path[128];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    EXPECT_STATUS(status, stk_dataset_info_read(&info, NULL, stk_test_path(folder), &err));
    EXPECT_STR_EQ(stk_test_path(path), err.where);
    EXPECT_CONTAINS(message, err.message);
    EXPECT_CONTAINS(advice, err.message);
}

static const char label_features[] =
    "{\"featuresDict\": {\"features\": {\"l\": {\"classLabel\": {\"numClasses\": \"3\"}}}}}";
static const char if_other[] = "or remove it if it is not about this data";
static const char mend_names[] = "mend the file: the classes of 'l' have their names from it";

/* Without the names of classes other classes may be taken for the same: nobody is told to remove
 * them. */
STK_TEST(the_file_that_is_damaged_is_the_one_that_is_named)
{
    put("cut-one/features.json", "{\"featuresDict\": ");
    refuse_file(STK_E_FORMAT, "cut-one", "features.json", "", if_other);
    put("cut-two/features.json", label_features);
    put("cut-two/dataset_info.json", "[]");
    refuse_file(STK_E_FORMAT, "cut-two", "dataset_info.json", "no JSON object", if_other);
    put("cut-three/features.json", label_features);
    put("cut-three/l.labels.txt", "a\n");
    refuse_file(STK_E_FORMAT, "cut-three", "l.labels.txt", "has 1 class names", mend_names);
    put("cut-four/features.json", label_features);
    put("cut-four/l.labels.txt/x", "a folder");
    refuse_file(STK_E_INVALID, "cut-four", "l.labels.txt", "is a folder", mend_names);
}

/* Without it the data would be read in another way, and nobody would hear of it. */
STK_TEST(a_link_that_leads_nowhere_is_not_a_missing_file)
{
    static const char nowhere[] = "is a link that leads nowhere";
    put("link-one/dataset_info.json", "{\"name\": \"x\", \"splits\": []}");
    EXPECT_INT_EQ(0, symlink("gone", stk_test_path("link-one/features.json")));
    refuse_file(STK_E_INVALID, "link-one", "features.json", nowhere, if_other);
    put("link-two/features.json", label_features);
    EXPECT_INT_EQ(0, symlink("gone/x", stk_test_path("link-two/dataset_info.json")));
    refuse_file(STK_E_INVALID, "link-two", "dataset_info.json", nowhere, if_other);
    put("link-three/features.json", label_features);
    EXPECT_INT_EQ(0, symlink("features.json/x", stk_test_path("link-three/l.labels.txt")));
    refuse_file(STK_E_INVALID, "link-three", "l.labels.txt", nowhere, mend_names);
}

STK_TEST(a_class_name_with_a_line_break_cannot_be_written)
{
    stk_error        err;
    stk_feature_info feature = {.name = "l",
                                .meaning = STK_MEANING_LABEL,
                                .class_names = (char *[]){"a\nb"},
                                .class_count = 1};
    stk_dataset_info info = {.name = "x", .features = &feature, .feature_count = 1};
    put("break/keep", "");
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_info_write(&info, NULL, stk_test_path("break"), &err));
    EXPECT_CONTAINS("class 0 has a line break", err.message);
}

static stk_status write_and_read(void *context, stk_error *err)
{
    stk_dataset_info info;
    STK_TRY(stk_dataset_info_write(&sample_info, NULL, context, err));
    STK_TRY(stk_dataset_info_read(&info, NULL, context, err));
    stk_dataset_info_release(&info);
    return STK_OK;
}

static stk_status read_tiny(void *context, stk_error *err)
{
    stk_dataset_info info;
    STK_TRY(stk_dataset_info_read(&info, NULL, context, err));
    stk_dataset_info_release(&info);
    return STK_OK;
}

STK_TEST(descriptions_survive_every_failed_allocation)
{
    put("failing/keep", "");
    stk_test_fail_each_allocation(write_and_read, (void *)stk_test_path("failing"));
    stk_test_fail_each_allocation(read_tiny, (void *)TINY);
}
