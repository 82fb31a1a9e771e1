#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// Writes the pattern into a range of a buffer.
#include "content.glsl"
layout(set = 0, binding = 0) writeonly buffer Data { uint data[]; };

void main()
{
    uint first = gl_WorkGroupID.x * 64u * WORDS + gl_LocalInvocationID.x;
    for (uint k = 0u; k < WORDS; k++) {
        uint i = first + k * 64u;
        if (i < push.word_count)
            data[i] = content_word(push.seed, push.first_word + i);
    }
}
