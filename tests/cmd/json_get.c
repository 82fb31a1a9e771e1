/* SPDX-License-Identifier: MIT
 *
 * json_get FILE POINTER: prints what a JSON pointer (RFC 6901, "/loaders/0/gpus/0/mode") names:
 * texts as they are, arrays and objects as their number of entries. Exit status 1 where there is no
 * such thing, 2 where the file is not one JSON value. */
#include <json-c/json.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    json_object *root = json_object_from_file(argv[1]), *found = NULL;
    if (root == NULL) {
        fprintf(stderr, "json_get: %s: %s", argv[1], json_util_get_last_err());
        return 2;
    }
    if (json_pointer_get(root, argv[2], &found) != 0)
        return 1;
    if (json_object_is_type(found, json_type_array))
        printf("%zu\n", json_object_array_length(found));
    else if (json_object_is_type(found, json_type_object))
        printf("%d\n", json_object_object_length(found));
    else
        printf("%s\n", found != NULL ? json_object_get_string(found) : "null");
    return 0;
}
