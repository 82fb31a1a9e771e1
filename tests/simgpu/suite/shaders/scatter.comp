// Writes in every way a shader can: storage buffer, device address, texel buffer.
#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Words { uint v[]; };
layout(set = 0, binding = 0, std430) writeonly buffer Storage { uint v[]; } storage;
layout(set = 0, binding = 1, r32ui) writeonly uniform uimageBuffer texels;
layout(set = 0, binding = 2, std430) readonly buffer Params { uint seed; } params;
layout(push_constant) uniform Push { Words words; } p;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    storage.v[i] = params.seed * 3u + i;
    p.words.v[i] = params.seed * 5u + i;
    imageStore(texels, int(i), uvec4(params.seed * 7u + i));
}
