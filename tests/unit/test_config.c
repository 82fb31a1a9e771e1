/* SPDX-License-Identifier: MIT
 *
 * os/config: where a configuration comes from, which source wins, and what becomes of files that
 * are no configuration. Each test has a system of its own below a temporary folder
 * (SPILLWAY_TEST_CONFIG_ROOT), and a user's home. */
#include "unit.h"

#include "config.h"
#include "host_alloc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_HEARD 32

/* Somebody who owns nothing: "nobody" on Debian. */
#define OTHER_USER 65534

struct fixture {
    char root[64];
    char shipped[256], etc[256], user[256], data[256];
    size_t count;
    enum spw_log_level levels[MAX_HEARD];
    char texts[MAX_HEARD][1100];
};

static void hear(void *user, enum spw_log_level level, const char *message)
{
    struct fixture *f = user;
    assert_true(f->count < MAX_HEARD);
    f->levels[f->count] = level;
    snprintf(f->texts[f->count++], sizeof(f->texts[0]), "%s", message);
}

static void make_folders(const char *path)
{
    char copy[512];
    snprintf(copy, sizeof(copy), "%s", path);
    for (char *c = copy + 1; *c != '\0'; c++) {
        if (*c == '/') {
            *c = '\0';
            mkdir(copy, 0755);
            *c = '/';
        }
    }
    assert_int_equal(mkdir(copy, 0755), 0);
}

static int set_up(void **state)
{
    clearenv();
    struct fixture *f = calloc(1, sizeof(*f));
    unit_make_folder(f->root);
    chmod(f->root, 0755);
    setenv("SPILLWAY_TEST_CONFIG_ROOT", f->root, 1);
    struct spw_config *config = spw_config_load(NULL, NULL);
    snprintf(f->shipped, sizeof(f->shipped), "%s", spw_config_folder(config, SPW_PLACE_SHIPPED));
    snprintf(f->etc, sizeof(f->etc), "%s", spw_config_folder(config, SPW_PLACE_ETC));
    spw_config_destroy(config);
    snprintf(f->user, sizeof(f->user), "%s/home/.config/spillway", f->root);
    snprintf(f->data, sizeof(f->data), "%s/home/.local/share/vulkan/settings.d", f->root);
    make_folders(f->shipped);
    make_folders(f->etc);
    make_folders(f->user);
    make_folders(f->data);
    char home[128];
    snprintf(home, sizeof(home), "%s/home", f->root);
    setenv("HOME", home, 1);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[128];
    snprintf(command, sizeof(command), "/bin/rm -rf '%s'", f->root);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static void write_bytes(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    write_bytes(folder, name, text, strlen(text));
}

static struct spw_config *load(struct fixture *f)
{
    f->count = 0;
    struct spw_config *config = spw_config_load(hear, f);
    assert_non_null(config);
    return config;
}

static void assert_quiet(struct fixture *f)
{
    if (f->count != 0) {
        fail_msg("%s", f->texts[0]);
    }
}

static char program_path[] = "/usr/bin/game";
static const struct spw_program usual_program = {
    .executable = program_path, .application = "App", .engine = "Engine"};

/* "value from origin" */
static const char *effective(const struct spw_config *config, const struct spw_program *program,
                             const struct spw_gpu *gpu, const struct spw_api_settings *api,
                             const char *key)
{
    static char text[1024];
    struct spw_effective e;
    char value[256] = "", from[512] = "";
    assert_int_equal(spw_config_resolve(config, program, gpu, api, &e, NULL, NULL), SPW_OK);
    assert_true(spw_settings_get(&e.settings, key, value, sizeof(value)));
    for (size_t i = 0; i < SPW_SETTING_COUNT; i++) {
        if (strcmp(spw_setting_info(i).key, key) == 0) {
            spw_origin_print(&e.origins[i], key, from, sizeof(from));
        }
    }
    snprintf(text, sizeof(text), "%s from %s", value, from);
    spw_effective_finish(&e);
    return text;
}

/* What holds now, and from where, without the folder of the test. */
static void assert_effective(struct fixture *f, const struct spw_api_settings *api, const char *key,
                             const char *expected)
{
    struct spw_config *config = load(f);
    assert_quiet(f);
    const char *text = effective(config, &usual_program, NULL, api, key);
    const char *root = strstr(text, f->root);
    char shortened[1024];
    snprintf(shortened, sizeof(shortened), "%.*s%s", root != NULL ? (int)(root - text) : 0, text,
             root != NULL ? root + strlen(f->root) : text);
    const char *tail = strstr(expected, " from ") + strlen(" from ");
    if (strncmp(shortened, expected, strlen(expected) - strlen(tail)) != 0 ||
        strstr(shortened, tail) == NULL) {
        fail_msg("'%s', not '%s'", shortened, expected);
    }
    spw_config_destroy(config);
}

/* ---- precedence ---- */

#define SET(key, value) "{\n\"defaults\": {\"" key "\": " value "}}"
#define PROFILED(key, value)                                                                       \
    "{\"profiles\": [{\"name\": \"P\", \"match\": {\"executable\": \"game\"},\n\"" key             \
    "\": " value "}]}"

static void config_later_sources_win(void **state)
{
    struct fixture *f = *state;
    assert_effective(f, NULL, "overflow", " from built-in default");
    write_file(f->shipped, "b.json", SET("overflow", "1"));
    assert_effective(f, NULL, "overflow", "1 from /b.json:2");
    write_file(f->shipped, "c.json", SET("overflow", "2"));
    assert_effective(f, NULL, "overflow", "2 from /c.json:2");
    write_file(f->shipped, "a.json", SET("overflow", "3")); /* by name */
    assert_effective(f, NULL, "overflow", "2 from /c.json:2");
    write_file(f->etc, "a.json", SET("overflow", "4"));
    assert_effective(f, NULL, "overflow", "4 from /etc/spillway/a.json:2");
    write_file(f->user, "a.json", SET("overflow", "5"));
    assert_effective(f, NULL, "overflow", "5 from /home/.config/spillway/a.json:2");
    /* All profiles after all defaults. */
    write_file(f->shipped, "p.json", PROFILED("overflow", "6"));
    assert_effective(f, NULL, "overflow", "6 from /p.json:2 (profile 'P')");
    write_file(f->etc, "p.json", PROFILED("overflow", "7"));
    assert_effective(f, NULL, "overflow", "7 from /etc/spillway/p.json:2 (profile 'P')");
    write_file(f->user, "p.json", PROFILED("overflow", "8"));
    assert_effective(f, NULL, "overflow", "8 from /home/.config/spillway/p.json:2 (profile 'P')");
    struct spw_api_setting setting = {"overflow", "9"};
    struct spw_api_settings api = {&setting, 1};
    assert_effective(f, &api, "overflow", "9 from VK_EXT_layer_settings");
    write_file(f->data, "vk_layer_settings.txt", "# c\nspillway_overcommit.overflow = 10\n");
    assert_effective(f, &api, "overflow", "10 from /vk_layer_settings.txt:2");
    write_file(f->root, "named", SET("overflow", "11"));
    char path[128];
    snprintf(path, sizeof(path), "%s/named", f->root);
    setenv("SPILLWAY_CONFIG", path, 1);
    assert_effective(f, &api, "overflow", "11 from /named:2");
    write_file(f->root, "named",
               "{\"profiles\": [{\"match\": {\"executable\": \"game\"}, \"overflow\": 12}],\n"
               "\"defaults\": {\"overflow\": 11}}");
    assert_effective(f, &api, "overflow", "12 from /named:1 (a profile)");
    setenv("SPILLWAY_OVERFLOW", "13", 1);
    assert_effective(f, &api, "overflow", "13 from SPILLWAY_OVERFLOW");
}

static void config_home_is_where_xdg_says(void **state)
{
    struct fixture *f = *state;
    char path[160], elsewhere[128];
    write_file(f->user, "a.json", SET("overflow", "1"));
    snprintf(elsewhere, sizeof(elsewhere), "%s/xdg", f->root);
    snprintf(path, sizeof(path), "%s/spillway", elsewhere);
    make_folders(path);
    write_file(path, "a.json", SET("overflow", "2"));
    setenv("XDG_CONFIG_HOME", elsewhere, 1);
    assert_effective(f, NULL, "overflow", "2 from /xdg/spillway/a.json:2");
    setenv("XDG_CONFIG_HOME", "", 1);
    assert_effective(f, NULL, "overflow", "1 from /home/.config/spillway/a.json:2");
    unsetenv("HOME");
    assert_effective(f, NULL, "overflow", " from built-in default");
}

static void config_nothing_comes_from_the_working_directory(void **state)
{
    struct fixture *f = *state;
    char here[512], path[128];
    assert_non_null(getcwd(here, sizeof(here)));
    snprintf(path, sizeof(path), "%s/cwd/spillway", f->root);
    make_folders(path);
    write_file(path, "a.json", SET("overflow", "1"));
    snprintf(path, sizeof(path), "%s/cwd", f->root);
    write_file(path, "vk_layer_settings.txt", "spillway_overcommit.overflow = 1\n");
    write_file(path, "named.json", SET("overflow", "1"));
    assert_int_equal(chdir(path), 0);
    setenv("XDG_CONFIG_HOME", ".", 1);
    setenv("HOME", ".", 1);
    setenv("XDG_DATA_HOME", ".", 1);
    setenv("VK_LAYER_SETTINGS_PATH", "vk_layer_settings.txt", 1);
    assert_effective(f, NULL, "overflow", " from built-in default");
    setenv("SPILLWAY_CONFIG", "named.json", 1);
    struct spw_config *config = load(f);
    assert_int_equal(f->count, 1);
    assert_non_null(strstr(f->texts[0], "SPILLWAY_CONFIG: 'named.json' is not an absolute path"));
    assert_int_equal(spw_config_file_count(config), 0);
    spw_config_destroy(config);
    assert_int_equal(chdir(here), 0);
}

static void config_layer_settings_are_found_where_others_look(void **state)
{
    struct fixture *f = *state;
    char path[256];
    write_file(f->root, "vk_layer_settings.txt", "spillway_overcommit.overflow=1\n");
    setenv("VK_LAYER_SETTINGS_PATH", f->root, 1);
    assert_effective(f, NULL, "overflow", "1 from /vk_layer_settings.txt:1");
    snprintf(path, sizeof(path), "%s/other.txt", f->root);
    write_file(f->root, "other.txt",
               "khronos_validation.overflow = 9\r\nspillway_overcommit.overflow = 2 # two\r\n");
    setenv("VK_LAYER_SETTINGS_PATH", path, 1);
    assert_effective(f, NULL, "overflow", "2 from /other.txt:2");
    write_file(f->data, "vk_layer_settings.txt",
               "spillway_overcommit.overflow = 3\nspillway_overcommit.overflow = 4\n"
               "spillway_overcommit.reserve =\nno line\n");
    assert_effective(f, NULL, "overflow", "4 from /settings.d/vk_layer_settings.txt:2");
    write_file(f->data, "vk_layer_settings.txt",
               "spillway_overcommit.mdoe = auto\nspillway_overcommit.mode = fast\n"
               "spillway_overcommit.trace = /x\n");
    spw_config_destroy(load(f));
    assert_int_equal(f->count, 3);
    assert_non_null(strstr(f->texts[0], "vk_layer_settings.txt:1: mdoe: "));
    assert_non_null(strstr(f->texts[0], "did you mean 'mode'?"));
    assert_non_null(strstr(f->texts[1], "vk_layer_settings.txt:2: mode: 'fast' is not auto"));
    assert_int_equal(f->levels[2], SPW_LOG_DEBUG);
}

static void config_api_settings_are_checked(void **state)
{
    struct fixture *f = *state;
    struct spw_config *config = load(f);
    struct spw_api_setting list[] = {{"mdoe", "auto"}, {"mode", "fast"}, {"overflow", "7"}};
    struct spw_api_settings api = {list, 3};
    struct spw_effective e;
    assert_int_equal(spw_config_resolve(config, &usual_program, NULL, &api, &e, hear, f), SPW_OK);
    assert_int_equal(f->count, 2);
    assert_non_null(strstr(f->texts[0], "VK_EXT_layer_settings: there is no setting 'mdoe'"));
    assert_non_null(strstr(f->texts[1], "VK_EXT_layer_settings: 'fast' is not auto"));
    assert_int_equal(e.settings.overflow.bytes, 7);
    spw_effective_finish(&e);
    spw_config_destroy(config);
}

/* ---- files that are none ---- */

/* One complaint about that file, and the one beside it still holds. */
static void assert_refused(struct fixture *f, const char *name, const char *words)
{
    write_file(f->user, "z.json", SET("overflow", "77"));
    struct spw_config *config = load(f);
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", f->user, name);
    if (f->count != 1 || strncmp(f->texts[0], path, strlen(path)) != 0 ||
        strstr(f->texts[0], words) == NULL) {
        fail_msg("%zu complaints, not '%s': %s", f->count, words, f->texts[0]);
    }
    const char *text = effective(config, &usual_program, NULL, NULL, "overflow");
    assert_int_equal(strncmp(text, "77 from ", 8), 0);
    spw_config_destroy(config);
    remove(path);
}

static void config_what_is_no_file_is_refused(void **state)
{
    struct fixture *f = *state;
    char path[512];
    snprintf(path, sizeof(path), "%s/a.json", f->user);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(f, "a.json", "cannot be read: it is a FIFO"); /* and does not wait for it */
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(f, "a.json", "cannot be read: it is a folder");
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_refused(f, "a.json", "cannot be read: it is a device");
    assert_int_equal(symlink("a.json", path), 0);
    assert_refused(f, "a.json", "cannot be read: Too many levels");
}

static void config_what_is_no_configuration_is_refused(void **state)
{
    struct fixture *f = *state;
    write_file(f->user, "a.json", "");
    assert_refused(f, "a.json", "it is empty");
    write_file(f->user, "a.json", "{\"defaults\":\n{\"overflow\": 1,}}");
    assert_refused(f, "a.json", "a.json:2: a comma before '}'; nothing in this file is used");
    write_file(f->user, "a.json", "{\n\"comment\": \"\xe9\"}");
    assert_refused(f, "a.json", "a.json:2: the byte 0xe9 is not UTF-8");
    write_bytes(f->user, "a.json", "\xff\xfe{\0}\0", 6);
    assert_refused(f, "a.json", "a.json:1: expected a value, not the byte 0xff");
    size_t size = 2u << 20;
    char *bytes = malloc(size);
    memset(bytes, ' ', size);
    write_bytes(f->user, "a.json", bytes, size);
    assert_refused(f, "a.json", "larger than 1 MiB");
    memset(bytes, '[', size);
    write_bytes(f->user, "a.json", bytes, 1u << 20);
    assert_refused(f, "a.json", "a.json:1: nested more than 16 deep");
    free(bytes);
}

static void config_many_complaints_are_cut_short(void **state)
{
    struct fixture *f = *state;
    char text[4096] = "{\"defaults\": {\"a0\": 1";
    for (int i = 1; i < 40; i++) {
        sprintf(text + strlen(text), ", \"a%d\": 1", i);
    }
    strcat(text, "}}");
    write_file(f->user, "a.json", text);
    spw_config_destroy(load(f));
    assert_int_equal(f->count, 11);
    assert_non_null(strstr(f->texts[10], "30 more complaints; 'spillway config check'"));
}

static void config_unreadable_files_and_folders_are_told(void **state)
{
    struct fixture *f = *state;
    if (geteuid() != 0) {
        skip(); /* needs to become somebody else */
    }
    char path[512];
    write_file(f->user, "a.json", SET("overflow", "1"));
    snprintf(path, sizeof(path), "%s/a.json", f->user);
    chmod(path, 0600);
    assert_int_equal(seteuid(OTHER_USER), 0);
    struct spw_config *config = load(f);
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(f->count, 1);
    assert_non_null(strstr(f->texts[0], "a.json: it cannot be read: Permission denied"));
    assert_false(spw_config_file_info(config, 0).usable);
    spw_config_destroy(config);
    chmod(f->user, 0700);
    assert_int_equal(seteuid(OTHER_USER), 0);
    spw_config_destroy(load(f));
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(f->count, 1);
    assert_non_null(strstr(f->texts[0], "spillway: it cannot be read: Permission denied"));
}

static void config_a_named_file_must_be_there(void **state)
{
    struct fixture *f = *state;
    char path[128];
    snprintf(path, sizeof(path), "%s/none.json", f->root);
    setenv("SPILLWAY_CONFIG", path, 1);
    setenv("SPILLWAY_OVERFLOW", "3", 1);
    struct spw_config *config = load(f);
    assert_int_equal(f->count, 1);
    assert_non_null(strstr(f->texts[0], "none.json: it cannot be read: No such file"));
    assert_int_equal(strncmp(effective(config, &usual_program, NULL, NULL, "overflow"), "3 ", 2),
                     0);
    spw_config_destroy(config);
}

static void config_other_names_are_not_looked_at(void **state)
{
    struct fixture *f = *state;
    write_file(f->user, ".a.json", "x");
    write_file(f->user, "a.json~", "x");
    write_file(f->user, "a.json.bak", "x");
    write_file(f->user, ".json", "x");
    write_file(f->user, "README", "x");
    struct spw_config *config = load(f);
    assert_quiet(f);
    assert_int_equal(spw_config_file_count(config), 0);
    spw_config_destroy(config);
}

static void config_lists_its_files(void **state)
{
    struct fixture *f = *state;
    write_file(f->user, "a.json", PROFILED("overflow", "1"));
    write_file(f->shipped, "b.json", "{");
    struct spw_config *config = load(f);
    assert_int_equal(spw_config_file_count(config), 2);
    struct spw_config_file_info info = spw_config_file_info(config, 0);
    assert_int_equal(info.place, SPW_PLACE_SHIPPED);
    assert_false(info.usable);
    info = spw_config_file_info(config, 1);
    assert_int_equal(info.place, SPW_PLACE_USER);
    assert_true(info.usable);
    assert_int_equal(info.profile_count, 1);
    assert_string_equal(spw_config_folder(config, SPW_PLACE_USER), f->user);
    spw_config_destroy(config);
}

static void config_check_file_says_all(void **state)
{
    struct fixture *f = *state;
    char path[512];
    snprintf(path, sizeof(path), "%s/a.json", f->user);
    assert_int_equal(spw_config_check_file(path, hear, f), SPW_IO);
    assert_int_equal(f->count, 1);
    write_file(f->user, "a.json", SET("overflow", "1"));
    assert_int_equal(spw_config_check_file(path, hear, f), SPW_OK);
    assert_int_equal(f->count, 1);
    write_file(f->user, "a.json", "{");
    assert_int_equal(spw_config_check_file(path, hear, f), SPW_INVALID);
    assert_int_equal(f->count, 2);
    char text[4096] = "{\"defaults\": {\"a0\": 1";
    for (int i = 1; i < 20; i++) {
        sprintf(text + strlen(text), ", \"a%d\": 1", i);
    }
    strcat(text, "}}");
    write_file(f->user, "a.json", text);
    assert_int_equal(spw_config_check_file(path, hear, f), SPW_INVALID);
    assert_int_equal(f->count, 22);
}

/* ---- profiles ---- */

struct match_case {
    const char *match;
    bool expected;
};

static void assert_matches(struct fixture *f, const struct spw_program *program,
                           const struct spw_gpu *gpu, const struct match_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[512];
        snprintf(text, sizeof(text), "{\"profiles\": [{\"match\": {%s}, \"overflow\": 1}]}",
                 cases[i].match);
        write_file(f->user, "m.json", text);
        struct spw_config *config = load(f);
        assert_quiet(f);
        bool matches = strncmp(effective(config, program, gpu, NULL, "overflow"), "1 ", 2) == 0;
        if (matches != cases[i].expected) {
            fail_msg("%s %s", cases[i].match, matches ? "matches" : "does not match");
        }
        spw_config_destroy(config);
    }
}

static void config_profiles_match_programs(void **state)
{
    static const struct match_case cases[] = {
        {"\"executable\": \"game\"", true},
        {"\"executable\": \"Game\"", false},
        {"\"executable\": \"ga*\"", true},
        {"\"executable\": \"g?me\"", true},
        {"\"executable\": \"bin\"", false},
        {"\"executable\": \"/usr/bin/game\"", true},
        {"\"executable\": \"/usr/*\"", true},
        {"\"executable\": \"usr/bin/game\"", false},
        {"\"executable\": [\"x\", \"game\"]", true},
        {"\"executable\": [\"x\", \"y\"]", false},
        {"\"application\": \"app\"", true}, /* names: without regard to case */
        {"\"application\": \"App2\"", false},
        {"\"engine\": \"*gin*\"", true},
        {"\"engine\": \"\\u0045ngine\"", true},
        {"\"engine\": \"Engine\", \"application\": \"no\"", false}, /* all must hold */
        {"\"engine\": \"Engine\", \"application\": \"App\", \"executable\": \"game\"", true},
        {"\"steam_app_id\": 620", false}, /* not known: holds for nothing */
        {"\"gpu.vendor\": 4318", false},
    };
    assert_matches(*state, &usual_program, NULL, cases, SPW_ARRAY_SIZE(cases));
    const struct spw_program unknown = {0};
    static const struct match_case nothing[] = {{"\"executable\": \"*\"", false},
                                                {"\"application\": \"*\"", false},
                                                {"\"engine\": \"*\"", false}};
    assert_matches(*state, &unknown, NULL, nothing, SPW_ARRAY_SIZE(nothing));
}

static void config_profiles_match_windows_programs_and_steam(void **state)
{
    char exe[] = "Z:\\Games\\Game Two\\Game.EXE", id[] = "620", game_id[] = "12345678901234567890";
    const struct spw_program program = {
        .executable = exe, .windows = true, .steam_ids = {id, game_id}};
    static const struct match_case cases[] = {
        {"\"executable\": \"game.exe\"", true},
        {"\"executable\": \"GAME.*\"", true},
        {"\"executable\": \"*\\\\game two\\\\*.exe\"", true},
        {"\"executable\": \"*/game two/game.exe\"", true},
        {"\"executable\": \"game two\"", false},
        {"\"steam_app_id\": 620", true},
        {"\"steam_app_id\": \"620\"", true},
        {"\"steam_app_id\": [1, 12345678901234567890]", true},
        {"\"steam_app_id\": 62", false},
    };
    assert_matches(*state, &program, NULL, cases, SPW_ARRAY_SIZE(cases));
}

static void config_profiles_match_gpus(void **state)
{
    struct fixture *f = *state;
    const struct spw_gpu gpu = {
        .vendor_id = 0x10de, .device_id = 0x2684, .name = "NVIDIA GeForce RTX 4090"};
    static const struct match_case cases[] = {
        {"\"gpu.vendor\": \"nvidia\"", true},
        {"\"gpu.vendor\": \"NVIDIA\"", true},
        {"\"gpu.vendor\": \"amd\"", false},
        {"\"gpu.vendor\": \"0x10DE\"", true},
        {"\"gpu.vendor\": 4318", true},
        {"\"gpu.vendor\": [\"amd\", \"nvidia\"]", true},
        {"\"gpu.device\": \"0x2684\"", true},
        {"\"gpu.device\": 9860", true},
        {"\"gpu.device\": \"0x2685\"", false},
        {"\"gpu.name\": \"*rtx 4090\"", true},
        {"\"gpu.name\": \"*4080*\"", false},
        {"\"gpu.vendor\": \"nvidia\", \"executable\": \"game\"", true},
        {"\"gpu.vendor\": \"nvidia\", \"executable\": \"other\"", false},
    };
    assert_matches(f, &usual_program, &gpu, cases, SPW_ARRAY_SIZE(cases));
}

static void count_match(void *user, const struct spw_match *match)
{
    size_t *count = user;
    count[match->needs_gpu]++;
}

static void config_visits_matching_profiles(void **state)
{
    struct fixture *f = *state;
    write_file(f->user, "a.json",
               "{\"profiles\": [{\"match\": {\"executable\": \"game\"}},"
               "{\"match\": {\"gpu.vendor\": \"amd\"}},"
               "{\"match\": {\"gpu.vendor\": \"amd\", \"executable\": \"other\"}},"
               "{\"match\": {\"executable\": \"other\"}}]}");
    struct spw_config *config = load(f);
    size_t count[2] = {0};
    spw_config_for_each_match(config, &usual_program, NULL, count_match, count);
    assert_int_equal(count[0], 1);
    assert_int_equal(count[1], 1); /* on some GPU */
    const struct spw_gpu nvidia = {.vendor_id = 0x10de};
    memset(count, 0, sizeof(count));
    spw_config_for_each_match(config, &usual_program, &nvidia, count_match, count);
    assert_int_equal(count[0], 1);
    assert_int_equal(count[1], 0);
    spw_config_destroy(config);
}

/* ---- privileged processes ---- */

/* In a copy of this program that belongs to somebody else and has the set-user-id bit. */
static _Noreturn void run_privileged(void)
{
    struct fixture f = {0};
    struct spw_config *config = spw_config_load(hear, &f);
    for (size_t i = 0; i < spw_config_file_count(config); i++) {
        printf("file %d\n", (int)spw_config_file_info(config, i).place);
    }
    printf("user folder '%s'\n", spw_config_folder(config, SPW_PLACE_USER));
    printf("machine's folder '%s'\n", spw_config_folder(config, SPW_PLACE_ETC));
    printf("%s\n", effective(config, &usual_program, NULL, NULL, "overflow"));
    spw_config_destroy(config);
    fflush(stdout);
    _exit(0); /* the leak checker cannot work in a set-user-id program */
}

static bool copy_program(const char *to)
{
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    struct stat status;
    if (from < 0 || fd < 0 || fstat(from, &status) != 0) {
        return false;
    }
    for (off_t left = status.st_size; left > 0;) {
        ssize_t sent = sendfile(fd, from, NULL, (size_t)left);
        if (sent <= 0) {
            return false;
        }
        left -= sent;
    }
    close(from);
    return close(fd) == 0;
}

static void read_output(const char *command, char *output, size_t size)
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(output, 1, size - 1, pipe);
    output[length] = '\0';
    pclose(pipe);
}

static void config_privileged_process_reads_nobodys_files(void **state)
{
    struct fixture *f = *state;
    if (geteuid() != 0) {
        skip(); /* needs to become somebody else */
    }
    char path[128], command[512], output[1024];
    write_file(f->user, "a.json", SET("overflow", "1"));
    write_file(f->data, "vk_layer_settings.txt", "spillway_overcommit.overflow = 2\n");
    write_file(f->root, "named.json", SET("overflow", "3"));
    snprintf(path, sizeof(path), "%s/named.json", f->root);
    setenv("SPILLWAY_CONFIG", path, 1);
    setenv("SPILLWAY_OVERFLOW", "4", 1);
    snprintf(path, sizeof(path), "%s/program", f->root);
    assert_true(copy_program(path));
    snprintf(command, sizeof(command), "%s --privileged 2>&1", path);
    read_output(command, output, sizeof(output));
    assert_non_null(strstr(output, "4 from SPILLWAY_OVERFLOW"));
    assert_int_equal(chown(path, OTHER_USER, OTHER_USER), 0);
    assert_int_equal(chmod(path, 04755), 0);
    read_output(command, output, sizeof(output));
    /* Of the machine's own only, and not of where a variable says. */
    if (strstr(output, "user folder ''\n") == NULL ||
        strstr(output, "machine's folder '/etc/spillway'\n") == NULL ||
        strstr(output, " from built-in default") == NULL || strstr(output, "file 2") != NULL ||
        strstr(output, "file 3") != NULL || strstr(output, "file 4") != NULL) {
        fail_msg("%s", output);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--privileged") == 0) {
        run_privileged();
    }
#define FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        FIXTURE(config_later_sources_win),
        FIXTURE(config_home_is_where_xdg_says),
        FIXTURE(config_nothing_comes_from_the_working_directory),
        FIXTURE(config_layer_settings_are_found_where_others_look),
        FIXTURE(config_api_settings_are_checked),
        FIXTURE(config_what_is_no_file_is_refused),
        FIXTURE(config_what_is_no_configuration_is_refused),
        FIXTURE(config_many_complaints_are_cut_short),
        FIXTURE(config_unreadable_files_and_folders_are_told),
        FIXTURE(config_a_named_file_must_be_there),
        FIXTURE(config_other_names_are_not_looked_at),
        FIXTURE(config_lists_its_files),
        FIXTURE(config_check_file_says_all),
        FIXTURE(config_profiles_match_programs),
        FIXTURE(config_profiles_match_windows_programs_and_steam),
        FIXTURE(config_profiles_match_gpus),
        FIXTURE(config_visits_matching_profiles),
        FIXTURE(config_privileged_process_reads_nobodys_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
