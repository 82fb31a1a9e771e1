// SPDX-License-Identifier: MIT
// The pattern of content_model.c, word for word: content_word(seed, index).
uint content_word(uint seed, uint index)
{
    uint x = index * 0x9E3779B1u + seed;
    x ^= x >> 16;
    x *= 0x85EBCA6Bu;
    x ^= x >> 13;
    x *= 0xC2B2AE35u;
    x ^= x >> 16;
    return x;
}

// One invocation does WORDS words; the group's words lie side by side.
const uint WORDS = 16u;
layout(local_size_x = 64) in;
layout(push_constant) uniform Push {
    uint seed;
    uint first_word; // of the resource, at the start of the bound range
    uint word_count; // in the bound range
    uint slot;       // of the results
} push;
