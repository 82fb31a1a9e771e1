/* SPDX-License-Identifier: MIT
 *
 * os/json_tree: what is JSON and what is not, with json-c as the judge of what is; lines; keys that
 * stand twice. */
#include "unit.h"

#include "host_alloc.h"
#include "json_tree.h"

#include <json-c/json.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct spw_json_tree *must_parse(const char *text)
{
    struct spw_json_tree *tree = NULL;
    struct spw_json_error error;
    enum spw_result result = spw_json_parse(text, strlen(text), &tree, &error);
    if (result != SPW_OK) {
        fail_msg("%s: line %u: %s", text, error.line, error.text);
    }
    return tree;
}

static void json_tree_takes_what_the_judge_takes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "[]",
        " { \"a\" : [ 1 , -2 , 0 , 0.5 , -0 , 1e9 , 1E-3 , 1.25e+7 ] } ",
        "[true,false,null,\"\"]",
        "\"top\"",
        "17",
        "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\\ud83d\\ude00\"]",
        "[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"]",
        "{\"\\u0061\":1}",
        "\xef\xbb\xbf{\"a\":1}",
        "[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]",
    };
    for (size_t i = 0; i < SPW_ARRAY_SIZE(texts); i++) {
        struct spw_json_tree *tree = must_parse(texts[i]);
        const char *rest = texts[i] + (strncmp(texts[i], "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
        struct json_tokener *tokener = json_tokener_new();
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
        struct json_object *judge = json_tokener_parse_ex(tokener, rest, (int)strlen(rest) + 1);
        assert_int_equal(json_tokener_get_error(tokener), json_tokener_success);
        json_object_put(judge);
        json_tokener_free(tokener);
        spw_json_destroy(tree);
    }
}

static void json_tree_refuses_the_rest_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *words;
    } cases[] = {
        {"", 1, "expected a value, not the end of the file"},
        {"{", 1, "expected a key in double quotes"},
        {"{\n\"a\"\n}", 3, "':' after the key, not '}'"},
        {"{\"a\":1,\n}", 2, "a comma before '}'"},
        {"[1,\n\n]", 3, "a comma before ']'"},
        {"[1 2]", 1, "',' or ']', not '2'"},
        {"{\"a\":1 \"b\":2}", 1, "',' or '}'"},
        {"{} x", 1, "the end of the file"},
        {"{'a':1}", 1, "double quotes"},
        {"{a:1}", 1, "a key in double quotes, not 'a'"},
        {"[tru]", 1, "'tru' is no value"},
        {"[TRUE]", 1, "'TRUE' is no value"},
        {"[NaN]", 1, "no value"},
        {"[Infinity]", 1, "no value"},
        {"[01]", 1, "cannot start with 0"},
        {"[1.]", 1, "a digit after the point"},
        {"[.5]", 1, "expected a value"},
        {"[+1]", 1, "expected a value"},
        {"[-]", 1, "a digit"},
        {"[1e]", 1, "exponent"},
        {"[0x10]", 1, "',' or ']'"},
        {"[\"a]", 1, "closing quote"},
        {"[\"a\n\"]", 1, "closing quote in the same line"},
        {"[\"\t\"]", 1, "control character"},
        {"[\"\\x\"]", 1, "no escape"},
        {"[\"\\u12g4\"]", 1, "hexadecimal"},
        {"[\"\\u0000\"]", 1, "\\u0000"},
        {"[\"\\ud800\"]", 1, "surrogate"},
        {"[\"\\ud800\\u0041\"]", 1, "surrogate"},
        {"[\"\\udc00\"]", 1, "surrogate"},
        {"\n\n[\"\xff\"]", 3, "0xff is not UTF-8"},
        {"[\"\xc0\xaf\"]", 1, "not UTF-8"},         /* overlong */
        {"[\"\xed\xa0\x80\"]", 1, "not UTF-8"},     /* a surrogate */
        {"[\"\xf4\x90\x80\x80\"]", 1, "not UTF-8"}, /* beyond Unicode */
        {"[\"\xe2\x82\"]", 1, "not UTF-8"},         /* cut off */
        {"// c\n{}", 1, "no comments"},
        {"{ /* c */ }", 1, "no comments"},
        {"# c\n{}", 1, "no comments"},
        {"\xff\xfe{", 1, "the byte 0xff"},
    };
    for (size_t i = 0; i < SPW_ARRAY_SIZE(cases); i++) {
        struct spw_json_tree *tree = NULL;
        struct spw_json_error error = {0};
        enum spw_result result =
            spw_json_parse(cases[i].text, strlen(cases[i].text), &tree, &error);
        if (result != SPW_INVALID || error.line != cases[i].line ||
            strstr(error.text, cases[i].words) == NULL) {
            fail_msg("%s: result %d, line %u: %s", cases[i].text, (int)result, error.line,
                     error.text);
        }
        assert_null(tree);
    }
}

static void json_tree_refuses_a_nul(void **state)
{
    (void)state;
    static const char *const texts[] = {"[1]\0", "[\"a\0b\"]", "{\0}"};
    static const size_t lengths[] = {4, 7, 3};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(texts); i++) {
        struct spw_json_tree *tree;
        struct spw_json_error error;
        assert_int_equal(spw_json_parse(texts[i], lengths[i], &tree, &error), SPW_INVALID);
    }
}

static void json_tree_knows_lines_and_texts(void **state)
{
    (void)state;
    struct spw_json_tree *tree = must_parse("{\n \"a\": [1,\n 2],\n\n \"b\\u0063\":\n \"x\\ny\"}");
    const struct spw_json *root = spw_json_root(tree), *a = root->first, *b = a->next;
    assert_int_equal(root->type, SPW_JSON_OBJECT);
    assert_int_equal(root->count, 2);
    assert_string_equal(a->key, "a");
    assert_int_equal(a->line, 2);
    assert_int_equal(a->count, 2);
    assert_string_equal(a->first->text, "1");
    assert_int_equal(a->first->next->line, 3);
    assert_string_equal(b->key, "bc");
    assert_int_equal(b->line, 5); /* where the key is */
    assert_string_equal(b->text, "x\ny");
    assert_null(b->next);
    spw_json_destroy(tree);
}

static void json_tree_decodes_escapes(void **state)
{
    (void)state;
    struct spw_json_tree *tree = must_parse(
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00E9\\u20ac\\ud83d\\uDE00\\udbff\\udfff\"");
    assert_string_equal(spw_json_root(tree)->text,
                        "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
    spw_json_destroy(tree);
}

static void json_tree_marks_keys_that_stand_twice(void **state)
{
    (void)state;
    struct spw_json_tree *tree =
        must_parse("{\"a\":1,\n\"b\":2,\n\"\\u0061\":3,\n\"a\":4, \"c\":{\"a\":5}}");
    const struct spw_json *a = spw_json_root(tree)->first;
    const struct spw_json *b = a->next, *a2 = b->next, *a3 = a2->next, *c = a3->next;
    assert_int_equal(a->repeated, 3);
    assert_false(a->again);
    assert_int_equal(b->repeated, 0);
    assert_int_equal(a2->repeated, 1);
    assert_true(a2->again);
    assert_int_equal(a3->repeated, 1);
    assert_true(a3->again);
    assert_int_equal(c->repeated, 0);
    assert_int_equal(c->first->repeated, 0); /* another object */
    spw_json_destroy(tree);
}

static enum spw_result parse_made(char *text, struct spw_json_error *error)
{
    struct spw_json_tree *tree = NULL;
    enum spw_result result = spw_json_parse(text, strlen(text), &tree, error);
    if (result == SPW_OK) {
        spw_json_destroy(tree);
    }
    return result;
}

static void json_tree_bounds_depth_and_width(void **state)
{
    (void)state;
    struct spw_json_error error;
    char *text = calloc(1, 200001);
    memset(text, '[', 200000);
    assert_int_equal(parse_made(text, &error), SPW_INVALID);
    assert_non_null(strstr(error.text, "deep"));

    strcpy(text, "{");
    for (int i = 0; i <= SPW_JSON_MAX_MEMBERS; i++) {
        sprintf(text + strlen(text), "%s\"k%d\":%d", i > 0 ? "," : "", i, i);
    }
    char *last = strrchr(text, ',');
    strcat(text, "}");
    assert_int_equal(parse_made(text, &error), SPW_INVALID);
    assert_non_null(strstr(error.text, "more than 256 keys"));
    strcpy(last, "}");
    assert_int_equal(parse_made(text, &error), SPW_OK);
    free(text);
}

static void json_tree_survives_lack_of_memory(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":[1,\"x\"]}";
    int64_t live = spw_host_alloc_live();
    unsigned failures = 0;
    for (uint32_t n = 1;; n++) {
        struct spw_json_tree *tree = NULL;
        struct spw_json_error error;
        spw_host_alloc_fail_nth(n);
        enum spw_result result = spw_json_parse(text, strlen(text), &tree, &error);
        bool failed = !spw_host_alloc_fail_pending();
        spw_host_alloc_fail_nth(0);
        assert_int_equal(result, failed ? SPW_NO_HOST_MEMORY : SPW_OK);
        if (!failed) {
            spw_json_destroy(tree);
            break;
        }
        failures++;
        assert_int_equal(spw_host_alloc_live(), live);
    }
    assert_int_equal(failures, 3);
    assert_int_equal(spw_host_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_tree_takes_what_the_judge_takes),
        cmocka_unit_test(json_tree_refuses_the_rest_with_its_line),
        cmocka_unit_test(json_tree_refuses_a_nul),
        cmocka_unit_test(json_tree_knows_lines_and_texts),
        cmocka_unit_test(json_tree_decodes_escapes),
        cmocka_unit_test(json_tree_marks_keys_that_stand_twice),
        cmocka_unit_test(json_tree_bounds_depth_and_width),
        cmocka_unit_test(json_tree_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
