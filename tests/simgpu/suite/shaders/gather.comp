// Reads the same words in every way a shader can: storage buffer, device address, texel buffer, uniform buffer.
#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Words { uint v[]; };
layout(set = 0, binding = 0, std430) readonly buffer Storage { uint v[]; } storage;
layout(set = 0, binding = 1, std140) uniform Uniform { uvec4 v[1024]; } uniforms;
layout(set = 0, binding = 2) uniform usamplerBuffer texels;
layout(set = 0, binding = 3, std430) writeonly buffer Out { uint v[]; } o;
layout(push_constant) uniform Push { Words words; uint count; } p;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    o.v[i] = storage.v[i];
    o.v[p.count + i] = p.words.v[i];
    o.v[2u * p.count + i] = texelFetch(texels, int(i)).x;
    if (i < 4096u)
        o.v[3u * p.count + i] = uniforms.v[i / 4u][i % 4u];
}
