/* SPDX-License-Identifier: MIT
 *
 * os/config where memory runs out: every allocation of loading and resolving fails once. No crash,
 * no leak, something is said, and what holds in the end is a value that some source has. */
#include "unit.h"

#include "config.h"
#include "host_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void count_words(void *user, enum spw_log_level level, const char *message)
{
    (void)message;
    size_t *count = user;
    *count += level == SPW_LOG_WARN;
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

/* Every source, each with a value of its own. */
static void make_sources(const char *folder, char *path, size_t size)
{
    char user[128];
    snprintf(user, sizeof(user), "%s/spillway", folder);
    assert_int_equal(mkdir(user, 0755), 0);
    write_file(user, "a.json", "{\"defaults\": {\"log.file\": \"/a\", \"overflow\": 1}}");
    write_file(user, "b.json",
               "{\"profiles\": [{\"name\": \"x\", \"match\": {\"engine\": \"E\"}, "
               "\"log.file\": \"/b\", \"overflow\": 2}]}");
    write_file(folder, "vk_layer_settings.txt",
               "spillway_overcommit.log.file = /c\nspillway_overcommit.overflow = 3\n");
    write_file(folder, "named", "{\"defaults\": {\"log.file\": \"/d\", \"overflow\": 4}}");
    setenv("SPILLWAY_TEST_CONFIG_ROOT", folder, 1);
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("VK_LAYER_SETTINGS_PATH", folder, 1);
    snprintf(path, size, "%s/named", folder);
    setenv("SPILLWAY_CONFIG", path, 1);
    setenv("SPILLWAY_LOG_FILE", "/e", 1);
    setenv("SPILLWAY_OVERFLOW", "5", 1);
}

struct run {
    bool loaded, resolved;
    size_t words;
    struct spw_effective effective;
};

static void load_and_resolve(struct run *run)
{
    *run = (struct run){0};
    struct spw_api_setting setting = {"log.file", "/api"};
    const struct spw_api_settings api = {&setting, 1};
    struct spw_config *config = spw_config_load(count_words, &run->words);
    run->loaded = config != NULL;
    if (config == NULL) {
        return;
    }
    struct spw_program program;
    spw_program_init_self(&program);
    program.engine = "E";
    run->resolved = spw_config_resolve(config, &program, NULL, &api, &run->effective, count_words,
                                       &run->words) == SPW_OK;
    spw_program_finish(&program);
    if (run->resolved) {
        uint64_t overflow = run->effective.settings.overflow.bytes;
        assert_true(overflow <= 5);
        const char *file = run->effective.settings.log_file;
        assert_true(file == NULL || (file[0] == '/' && strchr("abcde", file[1]) != NULL));
        spw_effective_finish(&run->effective);
    }
    spw_config_destroy(config);
}

static void config_survives_lack_of_memory(void **state)
{
    (void)state;
    clearenv();
    char folder[64], path[128], command[128];
    unit_make_folder(folder);
    make_sources(folder, path, sizeof(path));
    struct run run;
    load_and_resolve(&run);
    assert_true(run.loaded && run.resolved && run.words == 0);
    int64_t live = spw_host_alloc_live();
    uint32_t n = 1, silent = 0;
    for (;; n++) {
        spw_host_alloc_fail_nth(n);
        load_and_resolve(&run);
        bool failed = !spw_host_alloc_fail_pending();
        spw_host_alloc_fail_nth(0);
        assert_int_equal(spw_host_alloc_live(), live);
        if (!failed) {
            break;
        }
        /* Said, or an error. Not the names of folders and of the program, without which nothing
         * more is known than where there are none. */
        silent += run.loaded && run.resolved && run.words == 0;
    }
    assert_true(n > 40);
    assert_true(silent <= 10);
    snprintf(command, sizeof(command), "/bin/rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(config_survives_lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
