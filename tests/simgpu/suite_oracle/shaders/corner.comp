/* SPDX-License-Identifier: MIT
 * The texel at each workgroup's place, by a nearest sampler with unnormalised coordinates. */
#version 450

layout(local_size_x = 1) in;

layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };

layout(push_constant) uniform Push
{
    float texel_width;
    float texel_height;
};

void main()
{
    vec2 at = (vec2(gl_WorkGroupID.xy) + 0.5) * vec2(texel_width, texel_height);
    to[gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] = packUnorm4x8(textureLod(image, at, 0.0));
}
