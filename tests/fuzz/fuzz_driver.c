/* SPDX-License-Identifier: MIT
 *
 * A driver for LLVMFuzzerTestOneInput() that needs no libFuzzer: seeds and files of the command
 * line, mutated by a fixed sequence of random numbers, so that the same call does the same thing
 * anywhere. On a crash the input is still in the file that is named at the end of the message.
 *
 *   fuzz_… [--runs N] [--seed N] [--long] FILE...       --long: 10,000,000 runs */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_INPUT  8192
#define MAX_SEEDS  64
#define LONG_RUNS  10000000
#define USUAL_RUNS 300000

struct input {
    uint8_t bytes[MAX_INPUT];
    size_t size;
};

static struct input seeds[MAX_SEEDS], current;
static size_t seed_count;
static uint64_t state;

/* What a configuration is made of: put in whole, so that the mutations get past the first check. */
static const char *const pieces[] = {
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u0041",
    "\\ud83d\\ude00",
    "\\u0000",
    "\n",
    "true",
    "false",
    "null",
    "0",
    "-1",
    "1e9",
    "18446744073709551616",
    "0.5",
    "\"8GiB\"",
    "\"60%\"",
    "\"truthful\"",
    "\"auto\"",
    "\"enabled\":true",
    "\"mode\":",
    "\"report\":",
    "\"vram_limit\":",
    "\"log.level\":\"debug\"",
    "\"log.file\":\"/x\"",
    "\"stats\":\"exit\"",
    "\"paging.rebar\":\"hide\"",
    "\"defaults\":{",
    "\"profiles\":[",
    "\"match\":{\"executable\":\"*\"}",
    "\"match\":{\"engine\":[\"DXVK\"]}",
    "\"gpu.vendor\":\"nvidia\"",
    "\"gpu.device\":\"0x1\"",
    "\"steam_app_id\":620",
    "\"name\":\"a\"",
    "\"comment\":\"b\"",
    "\xef\xbb\xbf",
    "\xc3\xa9",
    "\xff",
    "\xed\xa0\x80",
    "spillway_overcommit.",
    "spillway_overcommit.mode = redirect\n",
    "#",
    " = ",
};

static const char *const built_in_seeds[] = {
    "{}",
    "[]",
    "{\"defaults\":{\"report\":\"truthful\",\"vram_limit\":\"4GiB\",\"log.level\":\"debug\"}}",
    "{\"profiles\":[{\"name\":\"x\",\"match\":{\"executable\":\"a*\",\"engine\":[\"b\",\"DXVK\"]},"
    "\"enabled\":false,\"overflow\":1024,\"stats\":null}]}",
    "{\"profiles\":[{\"match\":{\"gpu.vendor\":[\"nvidia\",4098],\"gpu.device\":\"0x1\","
    "\"steam_app_id\":620},\"reserve\":\"5%\"}]}",
    "{\"defaults\":{\"mode\":\"auto\",\"mode\":\"redirect\"},\"x\":[[[[1]]]],\"$schema\":\"s\"}",
    "# settings\nspillway_overcommit.mode = redirect\nkhronos_validation.x = 1\n"
    "spillway_overcommit.vram_limit = 60%\nspillway_overcommit.vram_limti=1",
};

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t below(size_t bound)
{
    return (size_t)(next_random() % bound);
}

/* Replaces `gone` bytes at `at` by others, as far as there is room. */
static void replace(size_t at, size_t gone, const void *bytes, size_t size)
{
    if (current.size - gone + size > MAX_INPUT) {
        return;
    }
    memmove(current.bytes + at + size, current.bytes + at + gone, current.size - at - gone);
    memcpy(current.bytes + at, bytes, size);
    current.size += size - gone;
}

static void mutate_once(void)
{
    size_t at = below(current.size + 1);
    size_t room = current.size - at;
    const char *piece = pieces[below(sizeof(pieces) / sizeof(pieces[0]))];
    uint8_t byte = (uint8_t)next_random();
    switch (below(8)) {
    case 0: /* another byte */
        if (room > 0) {
            current.bytes[at] = byte;
        }
        break;
    case 1: /* another bit */
        if (room > 0) {
            current.bytes[at] ^= (uint8_t)(1u << (byte & 7));
        }
        break;
    case 2:
        replace(at, 0, &byte, 1);
        break;
    case 3: { /* a run less */
        size_t gone = room > 0 ? 1 + below(room < 16 ? room : 16) : 0;
        replace(at, gone, "", 0);
        break;
    }
    case 4: { /* a run twice */
        uint8_t run[64];
        size_t size = room > 0 ? 1 + below(room < sizeof(run) ? room : sizeof(run)) : 0;
        memcpy(run, current.bytes + at, size);
        replace(at, 0, run, size);
        break;
    }
    case 5: { /* a run of another seed */
        const struct input *other = &seeds[below(seed_count)];
        size_t from = below(other->size + 1);
        size_t left = other->size - from;
        replace(at, 0, other->bytes + from, left > 0 ? below(left < 256 ? left + 1 : 256) : 0);
        break;
    }
    default:
        replace(at, 0, piece, strlen(piece));
        break;
    }
}

static void add_seed(const void *bytes, size_t size)
{
    if (seed_count < MAX_SEEDS && size <= MAX_INPUT) {
        memcpy(seeds[seed_count].bytes, bytes, size);
        seeds[seed_count++].size = size;
    }
}

static void add_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "cannot open '%s'\n", path);
        exit(2);
    }
    static uint8_t bytes[MAX_INPUT];
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    add_seed(bytes, size);
}

/* Writes down what did it; async-signal-safe calls only. */
static void keep_input(int number)
{
    static const char words[] = "the input that did it follows\n";
    ssize_t ignored = write(STDERR_FILENO, words, sizeof(words) - 1);
    ignored = write(STDERR_FILENO, current.bytes, current.size);
    ignored = write(STDERR_FILENO, "\n", 1);
    (void)ignored;
    signal(number, SIG_DFL);
    raise(number);
}

int main(int argc, char **argv)
{
    uint64_t runs = USUAL_RUNS;
    state = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < sizeof(built_in_seeds) / sizeof(built_in_seeds[0]); i++) {
        add_seed(built_in_seeds[i], strlen(built_in_seeds[i]));
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--long") == 0) {
            runs = LONG_RUNS;
        } else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
            runs = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            state += strtoull(argv[++i], NULL, 10) * 2; /* never 0 */
        } else {
            add_file(argv[i]);
        }
    }
    signal(SIGABRT, keep_input);
    signal(SIGSEGV, keep_input);
    for (size_t i = 0; i < seed_count; i++) {
        current = seeds[i];
        LLVMFuzzerTestOneInput(current.bytes, current.size);
    }
    for (uint64_t run = 0; run < runs; run++) {
        const struct input *seed = &seeds[below(seed_count)];
        current.size = seed->size;
        memcpy(current.bytes, seed->bytes, seed->size);
        for (size_t i = 1 + below(6); i > 0; i--) {
            mutate_once();
        }
        LLVMFuzzerTestOneInput(current.bytes, current.size);
    }
    printf("%llu runs\n", (unsigned long long)runs);
    return 0;
}
