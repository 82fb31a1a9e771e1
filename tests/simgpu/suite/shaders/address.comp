// Works on device addresses only: fills words with a pattern, or copies them.
#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint v[]; };
layout(push_constant) uniform Push {
    Words from; // mode 1
    Words to;
    uint words;
    uint seed;
    uint mode; // 0 fill, 1 copy
} p;

// The same as suite_hash() in C.
uint hash(uint seed, uint i)
{
    uint x = i * 0x9e3779b1u ^ seed;
    x ^= x >> 15;
    x *= 0x85ebca77u;
    x ^= x >> 13;
    return x;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= p.words)
        return;
    p.to.v[i] = p.mode == 0u ? hash(p.seed, i) : p.from.v[i];
}
