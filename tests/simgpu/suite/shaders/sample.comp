// Samples every texel of every mip level, and writes the level's texels one after the other.
#version 450
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1, std430) writeonly buffer Out { uint v[]; } o;
layout(push_constant) uniform Push { uint width, height, mips; } p;

void main()
{
    uint i = gl_GlobalInvocationID.x, first = 0u;
    for (uint mip = 0u; mip < p.mips; mip++) {
        uint width = max(p.width >> mip, 1u), height = max(p.height >> mip, 1u);
        if (i < width * height) {
            vec2 at = (vec2(i % width, i / width) + 0.5) / vec2(width, height);
            o.v[first + i] = packUnorm4x8(textureLod(image, at, float(mip)));
        }
        first += width * height;
    }
}
