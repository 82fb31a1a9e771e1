#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// Compares a range of a buffer with the pattern: how many words are wrong, and the first.
#include "content.glsl"
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Results { uint results[]; }; // per slot: wrong words, first of them

void main()
{
    uint first = gl_WorkGroupID.x * 64u * WORDS + gl_LocalInvocationID.x;
    for (uint k = 0u; k < WORDS; k++) {
        uint i = first + k * 64u;
        if (i < push.word_count && data[i] != content_word(push.seed, push.first_word + i)) {
            atomicAdd(results[push.slot * 2u], 1u);
            atomicMin(results[push.slot * 2u + 1u], push.first_word + i);
        }
    }
}
