/* SPDX-License-Identifier: MIT
 * Word i * to_stride of one buffer becomes word i * from_stride of the other. One invocation a
 * workgroup: the drivers must not have idle lanes that touch anything. */
#version 450

layout(local_size_x = 1) in;

layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };

layout(push_constant) uniform Push
{
    uint from_stride;
    uint to_stride;
};

void main()
{
    uint i = gl_WorkGroupID.x;
    to[i * to_stride] = from[i * from_stride];
}
