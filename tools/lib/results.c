/* SPDX-License-Identifier: MIT */
/*
 * results: reads what Meson writes about tests, for tools/test, which is a shell script.
 *
 *     results tests INTRO-TESTS.JSON    a line for each test there is: suite, name, tags
 *     results log TESTLOG.JSON          a line for each test that ran: result, suite, name, seconds
 *     results output TESTLOG.JSON NAME  the end of what that test printed
 *
 * Fields are separated by tabs. A test's suite is the first that its definition names, the others
 * are tags (separated by commas; "-" where there are none). Results are passed, failed or skipped.
 * A line of the log that can't be read counts as a failed test, and exit code 1 says that a file
 * could not be read.
 */
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much of a failed test's output is of use on a terminal. */
#define OUTPUT_TAIL_BYTES 4000u

static const char *get_string(struct json_object *object, const char *key)
{
    struct json_object *value;

    if (!json_object_object_get_ex(object, key, &value) || !value)
        return "";
    return json_object_get_string(value);
}

/* Meson writes suites as "project:suite". */
static const char *without_project(const char *suite)
{
    const char *colon = strchr(suite, ':');

    return colon ? colon + 1 : suite;
}

static int list_tests(const char *path)
{
    struct json_object *root = json_object_from_file(path), *suites;

    if (!json_object_is_type(root, json_type_array)) {
        fprintf(stderr, "results: '%s' is not Meson's list of tests\n", path);
        json_object_put(root);
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < json_object_array_length(root); i++) {
        struct json_object *test = json_object_array_get_idx(root, i);
        size_t count = 0;

        if (json_object_object_get_ex(test, "suite", &suites))
            count = json_object_array_length(suites);
        for (size_t k = 0; k < (count ? count : 1); k++) {
            const char *suite =
                count ? json_object_get_string(json_object_array_get_idx(suites, k)) : "none";

            suite = without_project(suite);
            if (k == 0)
                printf("%s\t%s\t%s", suite, get_string(test, "name"), count > 1 ? "" : "-");
            else
                printf("%s%s", suite, k + 1 < count ? "," : "");
        }
        printf("\n");
    }
    json_object_put(root);
    return EXIT_SUCCESS;
}

static const char *classify(const char *result)
{
    if (!strcmp(result, "OK") || !strcmp(result, "EXPECTEDFAIL"))
        return "passed";
    if (!strcmp(result, "SKIP"))
        return "skipped";
    return "failed"; /* FAIL, TIMEOUT, ERROR, INTERRUPT, UNEXPECTEDPASS and whatever comes */
}

/* "project:suite+tag / name" to its parts; a test without a suite is "project / name" or "name". */
static void split_name(const char *full, char *suite, size_t suite_size, const char **name)
{
    const char *slash = strstr(full, " / ");
    const char *start = without_project(full);

    *name = slash ? slash + 3 : full;
    if (!slash || start > slash) {
        snprintf(suite, suite_size, "none");
        return;
    }
    snprintf(suite, suite_size, "%.*s", (int)(slash - start), start);
    suite[strcspn(suite, "+")] = '\0';
}

static void print_result(struct json_object *test)
{
    struct json_object *duration = NULL;
    const char *name;
    char suite[128];

    split_name(get_string(test, "name"), suite, sizeof(suite), &name);
    json_object_object_get_ex(test, "duration", &duration);
    printf("%s\t%s\t%s\t%.1f\n", classify(get_string(test, "result")), suite, name,
           json_object_get_double(duration));
}

static void print_tail(const char *title, const char *text)
{
    size_t length = strlen(text);

    if (length == 0)
        return;
    printf("---- %s\n", title);
    if (length > OUTPUT_TAIL_BYTES) {
        printf("(the end of it) ");
        text += length - OUTPUT_TAIL_BYTES;
    }
    printf("%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

static void print_output(struct json_object *test, const char *wanted)
{
    const char *name;
    char suite[128];

    split_name(get_string(test, "name"), suite, sizeof(suite), &name);
    if (strcmp(name, wanted) != 0)
        return;
    printf("---- %s: %s, return code %s\n", name, get_string(test, "result"),
           get_string(test, "returncode"));
    print_tail("stdout", get_string(test, "stdout"));
    print_tail("stderr", get_string(test, "stderr"));
}

/* The log is one JSON object a line. */
static int read_log(const char *path, const char *wanted)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    bool ok;

    if (!file) {
        fprintf(stderr, "results: cannot read '%s'\n", path);
        return EXIT_FAILURE;
    }
    while (getline(&line, &size, file) > 0) {
        struct json_object *test = json_tokener_parse(line);

        if (json_object_is_type(test, json_type_object)) {
            if (wanted)
                print_output(test, wanted);
            else
                print_result(test);
        } else if (!wanted) {
            printf("failed\tnone\tunreadable line of %s\t0.0\n", path);
        }
        json_object_put(test);
    }
    ok = !ferror(file);
    free(line);
    fclose(file);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "tests"))
        return list_tests(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "log"))
        return read_log(argv[2], NULL);
    if (argc == 4 && !strcmp(argv[1], "output"))
        return read_log(argv[2], argv[3]);
    fprintf(stderr, "usage: results tests FILE | log FILE | output FILE NAME\n");
    return 2;
}
