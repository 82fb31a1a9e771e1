/* SPDX-License-Identifier: MIT */
/*
 * gguf_writer: writes a small llama model in the GGUF format, with random f16 weights.
 *
 *     gguf_writer OUT [LAYERS]
 *
 * The demo and the client tests need a model that llama.cpp loads and that fills a simulated card;
 * what it says does not matter, only that it says the same on every card. The same arguments give
 * the same bytes on every machine: the generator is seeded with a constant and the sizes are fixed
 * (eight layers: 60 MB). The file appears under its name only when it is complete.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Shape of the model: that of llama, small. */
#define EMBEDDING_LENGTH    512u
#define FEED_FORWARD_LENGTH 1408u
#define HEAD_COUNT          8u
#define CONTEXT_LENGTH      2048u
#define VOCABULARY_SIZE     4096u
#define DEFAULT_LAYER_COUNT 8u
#define MAX_LAYER_COUNT     4096u

/*
 * Exponent of the f16 weights: about 1/sqrt(EMBEDDING_LENGTH), so that activations neither vanish
 * nor overflow on their way through the layers.
 */
#define WEIGHT_EXPONENT 11u

#define SEED               1u
#define GGUF_MAGIC         0x46554747u /* "GGUF" */
#define GGUF_VERSION       3u
#define GGUF_ALIGNMENT     32u
#define GGML_FILE_TYPE_F16 1u
#define BOS_TOKEN          1u
#define EOS_TOKEN          2u
#define UNKNOWN_TOKEN      0u

enum ggml_type { GGML_TYPE_F32 = 0, GGML_TYPE_F16 = 1 };

enum gguf_type {
    GGUF_TYPE_UINT32 = 4,
    GGUF_TYPE_INT32 = 5,
    GGUF_TYPE_FLOAT32 = 6,
    GGUF_TYPE_BOOL = 7,
    GGUF_TYPE_STRING = 8,
    GGUF_TYPE_ARRAY = 9,
};

/* llama.cpp's classes of vocabulary entries. */
enum token_type { TOKEN_NORMAL = 1, TOKEN_UNKNOWN = 2, TOKEN_CONTROL = 3, TOKEN_BYTE = 6 };

struct writer {
    FILE *file;
    uint64_t offset;    /* bytes written so far */
    uint64_t rng_state; /* splitmix64 */
};

struct tensor {
    char name[64];
    uint32_t columns;
    uint32_t rows; /* 0: a vector */
    enum ggml_type type;
};

/* ---- bytes ------------------------------------------------------------------------------- */

/* Errors are sticky in the FILE: main looks once, at the end. */
static void put(struct writer *w, const void *bytes, size_t size)
{
    fwrite(bytes, 1, size, w->file);
    w->offset += size;
}

static void put_u32(struct writer *w, uint32_t value)
{
    put(w, &value, sizeof(value));
}

static void put_u64(struct writer *w, uint64_t value)
{
    put(w, &value, sizeof(value));
}

static void put_f32(struct writer *w, float value)
{
    put(w, &value, sizeof(value));
}

static void put_string(struct writer *w, const char *text)
{
    put_u64(w, strlen(text));
    put(w, text, strlen(text));
}

static void put_padding(struct writer *w)
{
    static const char zeros[GGUF_ALIGNMENT];

    put(w, zeros, (GGUF_ALIGNMENT - w->offset % GGUF_ALIGNMENT) % GGUF_ALIGNMENT);
}

static uint64_t rng_next(struct writer *w)
{
    uint64_t z = (w->rng_state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* ---- key-value pairs --------------------------------------------------------------------- */

static void put_key_u32(struct writer *w, const char *key, uint32_t value)
{
    put_string(w, key);
    put_u32(w, GGUF_TYPE_UINT32);
    put_u32(w, value);
}

static void put_key_f32(struct writer *w, const char *key, float value)
{
    put_string(w, key);
    put_u32(w, GGUF_TYPE_FLOAT32);
    put_f32(w, value);
}

static void put_key_bool(struct writer *w, const char *key, bool value)
{
    uint8_t byte = value;

    put_string(w, key);
    put_u32(w, GGUF_TYPE_BOOL);
    put(w, &byte, 1);
}

static void put_key_string(struct writer *w, const char *key, const char *value)
{
    put_string(w, key);
    put_u32(w, GGUF_TYPE_STRING);
    put_string(w, value);
}

static void put_key_array(struct writer *w, const char *key, enum gguf_type type, uint64_t count)
{
    put_string(w, key);
    put_u32(w, GGUF_TYPE_ARRAY);
    put_u32(w, type);
    put_u64(w, count);
}

/* ---- vocabulary -------------------------------------------------------------------------- */

/* "▁", which stands for a space: without it llama.cpp spells spaces as bytes and warns. */
#define SPACE_MARK "\xe2\x96\x81"

#define FIRST_BYTE  3u
#define FIRST_SPACE (FIRST_BYTE + 256u)
#define FIRST_CHAR  (FIRST_SPACE + 1u)
#define CHAR_COUNT  94u /* printable ASCII but for the space */
#define FIRST_WORD  (FIRST_CHAR + CHAR_COUNT)

static enum token_type token_name(uint32_t token, char *name, size_t size)
{
    static const char *const control[] = {"<unk>", "<s>", "</s>"};
    static const char consonants[] = "bcdfghjklmnpqrstvwxz";
    static const char vowels[] = "aeiou";
    uint32_t word;

    if (token < FIRST_BYTE) {
        snprintf(name, size, "%s", control[token]);
        return token == UNKNOWN_TOKEN ? TOKEN_UNKNOWN : TOKEN_CONTROL;
    }
    if (token < FIRST_SPACE) {
        snprintf(name, size, "<0x%02X>", token - FIRST_BYTE);
        return TOKEN_BYTE;
    }
    if (token == FIRST_SPACE) {
        snprintf(name, size, SPACE_MARK);
        return TOKEN_NORMAL;
    }
    if (token < FIRST_WORD) {
        snprintf(name, size, "%c", (char)('!' + token - FIRST_CHAR));
        return TOKEN_NORMAL;
    }
    /* Words of two syllables: the number written in base 20, 5, 20, 5. */
    word = token - FIRST_WORD;
    snprintf(name, size, SPACE_MARK "%c%c%c%c", consonants[word % 20], vowels[word / 20 % 5],
             consonants[word / 100 % 20], vowels[word / 2000 % 5]);
    return TOKEN_NORMAL;
}

static void put_vocabulary(struct writer *w)
{
    char name[32];

    put_key_string(w, "tokenizer.ggml.model", "llama");
    put_key_array(w, "tokenizer.ggml.tokens", GGUF_TYPE_STRING, VOCABULARY_SIZE);
    for (uint32_t i = 0; i < VOCABULARY_SIZE; i++) {
        token_name(i, name, sizeof(name));
        put_string(w, name);
    }
    put_key_array(w, "tokenizer.ggml.scores", GGUF_TYPE_FLOAT32, VOCABULARY_SIZE);
    for (uint32_t i = 0; i < VOCABULARY_SIZE; i++)
        put_f32(w, i < FIRST_SPACE ? 0.0f : -(float)(i - FIRST_SPACE));
    put_key_array(w, "tokenizer.ggml.token_type", GGUF_TYPE_INT32, VOCABULARY_SIZE);
    for (uint32_t i = 0; i < VOCABULARY_SIZE; i++)
        put_u32(w, token_name(i, name, sizeof(name)));
    put_key_u32(w, "tokenizer.ggml.bos_token_id", BOS_TOKEN);
    put_key_u32(w, "tokenizer.ggml.eos_token_id", EOS_TOKEN);
    put_key_u32(w, "tokenizer.ggml.unknown_token_id", UNKNOWN_TOKEN);
    put_key_bool(w, "tokenizer.ggml.add_bos_token", true);
}

#define KEY_COUNT 21u

static void put_keys(struct writer *w, uint32_t layer_count)
{
    put_key_string(w, "general.architecture", "llama");
    put_key_string(w, "general.name", "Spillway's random llama");
    put_key_u32(w, "general.file_type", GGML_FILE_TYPE_F16);
    put_key_u32(w, "general.alignment", GGUF_ALIGNMENT);
    put_key_u32(w, "llama.context_length", CONTEXT_LENGTH);
    put_key_u32(w, "llama.embedding_length", EMBEDDING_LENGTH);
    put_key_u32(w, "llama.block_count", layer_count);
    put_key_u32(w, "llama.feed_forward_length", FEED_FORWARD_LENGTH);
    put_key_u32(w, "llama.attention.head_count", HEAD_COUNT);
    put_key_u32(w, "llama.attention.head_count_kv", HEAD_COUNT);
    put_key_f32(w, "llama.attention.layer_norm_rms_epsilon", 1e-5f);
    put_key_u32(w, "llama.rope.dimension_count", EMBEDDING_LENGTH / HEAD_COUNT);
    put_key_u32(w, "llama.vocab_size", VOCABULARY_SIZE);
    put_vocabulary(w); /* eight keys */
}

/* ---- tensors ----------------------------------------------------------------------------- */

#define TENSORS_PER_LAYER 9u

static const struct {
    const char *name;
    uint32_t columns, rows;
    enum ggml_type type;
} layer_tensors[TENSORS_PER_LAYER] = {
    {"attn_norm", EMBEDDING_LENGTH, 0, GGML_TYPE_F32},
    {"attn_q", EMBEDDING_LENGTH, EMBEDDING_LENGTH, GGML_TYPE_F16},
    {"attn_k", EMBEDDING_LENGTH, EMBEDDING_LENGTH, GGML_TYPE_F16},
    {"attn_v", EMBEDDING_LENGTH, EMBEDDING_LENGTH, GGML_TYPE_F16},
    {"attn_output", EMBEDDING_LENGTH, EMBEDDING_LENGTH, GGML_TYPE_F16},
    {"ffn_norm", EMBEDDING_LENGTH, 0, GGML_TYPE_F32},
    {"ffn_gate", EMBEDDING_LENGTH, FEED_FORWARD_LENGTH, GGML_TYPE_F16},
    {"ffn_up", EMBEDDING_LENGTH, FEED_FORWARD_LENGTH, GGML_TYPE_F16},
    {"ffn_down", FEED_FORWARD_LENGTH, EMBEDDING_LENGTH, GGML_TYPE_F16},
};

static uint32_t tensor_count(uint32_t layer_count)
{
    return layer_count * TENSORS_PER_LAYER + 3;
}

/* Tensors in file order: the embedding, the layers, the output's norm and matrix. */
static struct tensor tensor_get(uint32_t index, uint32_t layer_count)
{
    struct tensor t = {.columns = EMBEDDING_LENGTH, .rows = VOCABULARY_SIZE, .type = GGML_TYPE_F16};
    uint32_t in_layers = layer_count * TENSORS_PER_LAYER;

    if (index == 0) {
        snprintf(t.name, sizeof(t.name), "token_embd.weight");
    } else if (index <= in_layers) {
        uint32_t layer = (index - 1) / TENSORS_PER_LAYER, kind = (index - 1) % TENSORS_PER_LAYER;

        snprintf(t.name, sizeof(t.name), "blk.%" PRIu32 ".%s.weight", layer,
                 layer_tensors[kind].name);
        t.columns = layer_tensors[kind].columns;
        t.rows = layer_tensors[kind].rows;
        t.type = layer_tensors[kind].type;
    } else if (index == in_layers + 1) {
        snprintf(t.name, sizeof(t.name), "output_norm.weight");
        t.rows = 0;
        t.type = GGML_TYPE_F32;
    } else {
        snprintf(t.name, sizeof(t.name), "output.weight");
    }
    return t;
}

static uint64_t tensor_element_count(const struct tensor *t)
{
    return (uint64_t)t->columns * (t->rows ? t->rows : 1);
}

static uint64_t tensor_size_bytes(const struct tensor *t)
{
    return tensor_element_count(t) * (t->type == GGML_TYPE_F32 ? 4 : 2);
}

static void put_tensor_infos(struct writer *w, uint32_t layer_count)
{
    uint64_t offset = 0;

    for (uint32_t i = 0; i < tensor_count(layer_count); i++) {
        struct tensor t = tensor_get(i, layer_count);

        put_string(w, t.name);
        put_u32(w, t.rows ? 2 : 1);
        put_u64(w, t.columns);
        if (t.rows)
            put_u64(w, t.rows);
        put_u32(w, t.type);
        put_u64(w, offset);
        offset += (tensor_size_bytes(&t) + GGUF_ALIGNMENT - 1) / GGUF_ALIGNMENT * GGUF_ALIGNMENT;
    }
}

/* A random f16: sign and mantissa as they come, the exponent one of three, the largest likeliest.
 */
static uint16_t random_weight(uint16_t bits)
{
    unsigned pick = bits >> 10 & 3;
    unsigned exponent = WEIGHT_EXPONENT - (pick < 2 ? 0 : pick - 1);

    return (uint16_t)((bits & 0x83ff) | exponent << 10);
}

static void put_weights(struct writer *w, const struct tensor *t)
{
    uint16_t chunk[EMBEDDING_LENGTH]; /* every matrix is a multiple of it */

    for (uint64_t done = 0; done < tensor_element_count(t); done += EMBEDDING_LENGTH) {
        for (size_t i = 0; i < EMBEDDING_LENGTH; i += 4) {
            uint64_t bits = rng_next(w);

            for (size_t k = 0; k < 4; k++)
                chunk[i + k] = random_weight((uint16_t)(bits >> 16 * k));
        }
        put(w, chunk, sizeof(chunk));
    }
}

static void put_tensors(struct writer *w, uint32_t layer_count)
{
    for (uint32_t i = 0; i < tensor_count(layer_count); i++) {
        struct tensor t = tensor_get(i, layer_count);

        put_padding(w);
        if (t.type == GGML_TYPE_F32) {
            for (uint32_t k = 0; k < t.columns; k++)
                put_f32(w, 1.0f); /* norms are neutral */
        } else {
            put_weights(w, &t);
        }
    }
    put_padding(w);
}

/* ------------------------------------------------------------------------------------------ */

static bool write_model(const char *path, uint32_t layer_count)
{
    struct writer w = {.file = fopen(path, "wb"), .rng_state = SEED};
    bool ok;

    if (!w.file)
        return false;
    put_u32(&w, GGUF_MAGIC);
    put_u32(&w, GGUF_VERSION);
    put_u64(&w, tensor_count(layer_count));
    put_u64(&w, KEY_COUNT);
    put_keys(&w, layer_count);
    put_tensor_infos(&w, layer_count);
    put_tensors(&w, layer_count);
    ok = !ferror(w.file);
    if (fclose(w.file) != 0)
        ok = false;
    return ok;
}

int main(int argc, char **argv)
{
    unsigned long layer_count = argc == 3 ? strtoul(argv[2], NULL, 10) : DEFAULT_LAYER_COUNT;
    char *part = NULL;

    if (argc < 2 || argc > 3 || layer_count < 1 || layer_count > MAX_LAYER_COUNT) {
        fprintf(stderr, "usage: gguf_writer OUT [LAYERS]\n");
        return 2;
    }
    /* The process id keeps two writers of the same model apart; the last rename wins. */
    if (asprintf(&part, "%s.part.%ld", argv[1], (long)getpid()) < 0)
        return 1;
    if (!write_model(part, (uint32_t)layer_count) || rename(part, argv[1]) != 0) {
        fprintf(stderr, "gguf_writer: cannot write '%s': %s\n", argv[1], strerror(errno));
        unlink(part);
        free(part);
        return 1;
    }
    free(part);
    return 0;
}
