/* Tables: quoting, roles of columns, types, messages with line and column. */
#include "source_support.h"

#include <locale.h>
#include <math.h>

static stk_source *open_text(const char *name, const char *text)
{
    return open_source(put(name, text), NULL);
}

static void refuse_text(stk_status status, const char *text, const char *message)
{
    stk_error err;
    refuse(status, put("refused.csv", text), NULL, &err);
    EXPECT_CONTAINS(message, err.message);
    EXPECT_CONTAINS("refused.csv", err.where);
}

static const stk_sample *read_one(stk_source_cursor *cursor, uint64_t index)
{
    stk_error         err;
    const stk_sample *sample;
    EXPECT_OK(stk_source_read(cursor, index, &sample, &err));
    return sample;
}

STK_TEST(a_manifest_names_images_labels_and_splits)
{
    stk_error          err;
    stk_source_item    item;
    stk_source_cursor *cursor;
    put("m/img/a.png", "first");
    put("m/img/b,c.png", "second");
    stk_source *source =
        open_text("m/list.csv", "Image_Path,Label,SUBSET,width,score,note\r\n"
                                "img/a.png,dog,train,640,0.5,plain\r\n"
                                "\"img/b,c.png\",cat,test,480,2,\"say \"\"hi\"\"\r\nthere\"\r\n");
    EXPECT_STR_EQ("csv", stk_source_kind_name(source));
    EXPECT_INT_EQ(2, stk_source_count(source));
    EXPECT_STR_EQ("test", stk_source_split_name(source, 0));
    EXPECT_STR_EQ("png", find_feature(source, "image")->encoding);
    EXPECT_STR_EQ("cat", find_feature(source, "label")->class_names[0]);
    EXPECT_INT_EQ(STK_DTYPE_I64, find_feature(source, "width")->dtype);
    EXPECT_INT_EQ(STK_DTYPE_F32, find_feature(source, "score")->dtype);
    EXPECT_INT_EQ(STK_DTYPE_BYTES, find_feature(source, "note")->dtype);
    stk_source_item_at(source, 1, &item);
    EXPECT_STR_EQ("img/b,c.png", item.name);
    EXPECT_INT_EQ(6, item.bytes);
    EXPECT_INT_EQ(0, item.label);
    EXPECT_INT_EQ(0, item.split);
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    const stk_sample *sample = read_one(cursor, 1);
    expect_text_field(sample, "image", "second");
    expect_text_field(sample, "image/filename", "img/b,c.png");
    expect_int_field(sample, "label", 0);
    expect_int_field(sample, "width", 480);
    expect_text_field(sample, "note", "say \"hi\"\r\nthere");
    EXPECT(*(const float *)find_field(sample, "score")->data == 2.0f);
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(a_table_without_paths_is_samples_itself)
{
    stk_error          err;
    stk_source_item    item;
    stk_source_cursor *cursor;
    stk_source *source = open_text("t.csv", "\xef\xbb\xbfx,y,class\n\n1,-2.5e1,7\n2,NaN,3\n\n");
    EXPECT_INT_EQ(2, stk_source_count(source));
    EXPECT_INT_EQ(8, find_feature(source, "label")->class_count);
    EXPECT_STR_EQ("7", find_feature(source, "label")->class_names[7]);
    stk_source_item_at(source, 1, &item);
    EXPECT_STR_EQ("t.csv", item.name);
    EXPECT_INT_EQ(1, item.record);
    EXPECT_INT_EQ(3, item.label);
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    const stk_sample *sample = read_one(cursor, 0);
    expect_int_field(sample, "x", 1);
    EXPECT(*(const float *)find_field(sample, "y")->data == -25.0f);
    EXPECT(isnan(*(const float *)find_field(read_one(cursor, 1), "y")->data));
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(edges_of_cells_are_kept)
{
    stk_error          err;
    stk_source_cursor *cursor;
    stk_source *source = open_text("edges.csv", "a,b\n\"\",\"\"\"\"\n x ,y\rz\n\"1\n2\",end");
    EXPECT_INT_EQ(3, stk_source_count(source));
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    expect_text_field(read_one(cursor, 0), "a", "");
    expect_text_field(read_one(cursor, 0), "b", "\"");
    expect_text_field(read_one(cursor, 1), "a", " x ");
    expect_text_field(read_one(cursor, 1), "b", "y\rz");
    expect_text_field(read_one(cursor, 2), "a", "1\n2");
    expect_text_field(read_one(cursor, 2), "b", "end");
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(a_broken_table_is_refused_with_line_and_column)
{
    refuse_text(STK_E_FORMAT, "", "is empty");
    refuse_text(STK_E_NOTFOUND, "a,b\n", "no rows follow");
    refuse_text(STK_E_FORMAT, "label,path\nx,\n", "line 2, column 2 ('path') is empty");
    refuse_text(STK_E_FORMAT, "a,\n1,2\n", "line 1, column 2 has no name");
    refuse_text(STK_E_FORMAT, "a;b\n1;2\n", "are cells separated by semicolons?");
    refuse_text(STK_E_FORMAT, "a,b\n1,2\n1,2,3\n", "line 3 has 3 columns, but the header has 2");
    refuse_text(STK_E_FORMAT, "a,b\n\"1\n2\",3\n4\n", "line 4 has 1 column,");
    refuse_text(STK_E_FORMAT, "a,b\n1,\"2\n3,4\n", "line 2, column 2: the quote opened here");
    refuse_text(STK_E_FORMAT, "a,b\n1,\"2\"x\n",
                "line 2, column 2: text follows the closing quote");
    refuse_text(STK_E_FORMAT, "a,label\n1,x\n2,\n", "line 3, column 2 ('label') is empty");
    refuse_text(STK_E_FORMAT, "a,a\n1,2\n", "two parts of each item would be the field 'a'");
    refuse_text(STK_E_NOTFOUND, "label,path\nx,gone.jpg\n",
                "line 2, column 2 ('path'): there is no file");
    stk_error err;
    refuse(STK_E_FORMAT, put_bytes("utf16.csv", "a\0,\0b\0\n\0", 8), NULL, &err);
    EXPECT_CONTAINS("is it UTF-16?", err.message);
}

/* A locale with a comma, where the machine has one; else the test shows the C locale's result. */
STK_TEST(numbers_keep_their_point_in_every_locale)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "tr_TR.UTF-8", "C"};
    stk_error                err;
    stk_source_cursor       *cursor;
    for (size_t i = 0; i < COUNT_OF(locales); i++) {
        if (!setlocale(LC_ALL, locales[i])) continue;
        put("p/A.GIF", "image");
        stk_source *source = open_text("p/l.csv", "FILE,score,comma\nA.GIF,-2.5e-1,\"1,5\"\n");
        setlocale(LC_ALL, "C");
        EXPECT_INT_EQ(STK_DTYPE_F32, find_feature(source, "score")->dtype);
        EXPECT_INT_EQ(STK_DTYPE_BYTES, find_feature(source, "comma")->dtype);
        EXPECT_INT_EQ(STK_MEANING_IMAGE, find_feature(source, "image")->meaning);
        EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
        const stk_field *field = find_field(read_one(cursor, 0), "score");
        EXPECT(*(const float *)field->data == -0.25f);
        stk_source_cursor_free(cursor);
        stk_source_free(source);
    }
}

STK_TEST(a_table_survives_every_failed_allocation)
{
    put("f/a.jpg", "x");
    put("f/list.csv", "path,label,split,n\na.jpg,cat,train,1\na.jpg,dog,test,2\n");
    stk_test_fail_each_allocation(read_everything, (void *)stk_test_path("f/list.csv"));
}
