/* SPDX-License-Identifier: MIT
 *
 * os/text_file: whole files, refusals, and what a privileged process believes. That a FIFO or a
 * device does not hold anybody up is in test_config. */
#include "unit.h"

#include "host_alloc.h"
#include "text_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    char folder[64];
    int fd;
    char reason[SPW_TEXT_FILE_REASON];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    unit_make_folder(f->folder);
    f->fd = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(f->fd >= 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    close(f->fd);
    unit_remove_folder(f->folder);
    free(f);
    return 0;
}

static void write_file(struct fixture *f, const char *name, size_t size)
{
    int fd = openat(f->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    char *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)('a' + i % 23);
    }
    assert_int_equal(write(fd, bytes, size), size);
    free(bytes);
    close(fd);
}

static enum spw_result try_read(struct fixture *f, const char *name, bool root_only)
{
    struct spw_text_file file = {0};
    enum spw_result result = spw_text_file_read(f->fd, name, root_only, &file, f->reason);
    spw_text_file_finish(&file);
    return result;
}

static void text_file_gives_all_of_it(void **state)
{
    struct fixture *f = *state;
    static const size_t sizes[] = {0, 1, 4094, 4095, 4096, 100000, SPW_TEXT_FILE_MAX};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(sizes); i++) {
        write_file(f, "a", sizes[i]);
        struct spw_text_file file;
        assert_int_equal(spw_text_file_read(f->fd, "a", false, &file, f->reason), SPW_OK);
        assert_int_equal(file.length, sizes[i]);
        assert_int_equal(file.text[sizes[i]], '\0');
        for (size_t k = 0; k < sizes[i]; k++) {
            if (file.text[k] != (char)('a' + k % 23)) {
                fail_msg("byte %zu of %zu", k, sizes[i]);
            }
        }
        spw_text_file_finish(&file);
    }
    write_file(f, "a", SPW_TEXT_FILE_MAX + 1);
    assert_int_equal(try_read(f, "a", false), SPW_IO);
    assert_non_null(strstr(f->reason, "larger"));
    assert_int_equal(try_read(f, "b", false), SPW_NOT_FOUND);
}

/* stat says 0 there. */
static void text_file_reads_files_without_a_size(void **state)
{
    struct fixture *f = *state;
    struct spw_text_file file;
    assert_int_equal(spw_text_file_read(AT_FDCWD, "/proc/self/maps", false, &file, f->reason),
                     SPW_OK);
    assert_true(file.length > 100);
    spw_text_file_finish(&file);
}

static void text_file_privileged_believes_root_alone(void **state)
{
    struct fixture *f = *state;
    if (geteuid() != 0) {
        skip(); /* needs files of root's and of another's */
    }
    write_file(f, "a", 10);
    assert_int_equal(try_read(f, "a", true), SPW_OK);
    assert_int_equal(fchmodat(f->fd, "a", 0664, 0), 0);
    assert_int_equal(try_read(f, "a", true), SPW_IO);
    assert_non_null(strstr(f->reason, "others than root may write it"));
    assert_int_equal(fchmodat(f->fd, "a", 0646, 0), 0);
    assert_int_equal(try_read(f, "a", true), SPW_IO);
    assert_int_equal(try_read(f, "a", false), SPW_OK);
    assert_int_equal(fchmodat(f->fd, "a", 0644, 0), 0);
    assert_int_equal(fchownat(f->fd, "a", 1, 0, 0), 0);
    assert_int_equal(try_read(f, "a", true), SPW_IO);
    write_file(f, "b", 10);
    assert_int_equal(symlinkat("b", f->fd, "c"), 0);
    assert_int_equal(try_read(f, "c", true), SPW_IO);
    assert_non_null(strstr(f->reason, "symbolic link"));
    assert_int_equal(try_read(f, "c", false), SPW_OK);

    enum spw_result result;
    int fd = spw_folder_open(f->folder, true, &result, f->reason);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(chmod(f->folder, 0777), 0);
    assert_int_equal(spw_folder_open(f->folder, true, &result, f->reason), -1);
    assert_int_equal(result, SPW_IO);
}

static void text_file_lists_folders_in_order(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"b.json", "a.json", "B.json", "x.txt", ".c.json", ".json"};
    static const char *const expected[] = {"B.json", "a.json", "b.json"};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(names); i++) {
        write_file(f, names[i], 1);
    }
    char **list;
    size_t count;
    bool cut_off;
    for (int round = 0; round < 2; round++) { /* the descriptor is as good as new */
        assert_int_equal(spw_folder_list(f->fd, ".json", &list, &count, &cut_off), SPW_OK);
        if (round == 0) {
            assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
        }
        assert_int_equal(count, 3);
        assert_false(cut_off);
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(list[i], expected[i]);
            spw_free(list[i]);
        }
        spw_free(list);
    }
}

static void text_file_survives_lack_of_memory(void **state)
{
    struct fixture *f = *state;
    write_file(f, "a.json", 100000);
    int64_t live = spw_host_alloc_live();
    for (uint32_t n = 1;; n++) {
        char **list;
        size_t count;
        bool cut_off;
        spw_host_alloc_fail_nth(n);
        enum spw_result first = spw_folder_list(f->fd, ".json", &list, &count, &cut_off);
        lseek(f->fd, 0, SEEK_SET);
        if (first == SPW_OK) {
            spw_free(list[0]);
            spw_free(list);
            first = try_read(f, "a.json", false);
        }
        bool failed = !spw_host_alloc_fail_pending();
        spw_host_alloc_fail_nth(0);
        assert_int_equal(first, failed ? SPW_NO_HOST_MEMORY : SPW_OK);
        assert_int_equal(spw_host_alloc_live(), live);
        if (!failed) {
            assert_true(n > 4);
            return;
        }
    }
}

int main(void)
{
#define FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        FIXTURE(text_file_gives_all_of_it),
        FIXTURE(text_file_reads_files_without_a_size),
        FIXTURE(text_file_privileged_believes_root_alone),
        FIXTURE(text_file_lists_folders_in_order),
        FIXTURE(text_file_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
