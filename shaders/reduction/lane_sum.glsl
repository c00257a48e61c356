// Sum of one lane's share of a vector, loaded sixteen bytes at a time. Needs dtype.glsl.
layout(std430, binding = 0) readonly restrict buffer In { V units16[]; };

#if defined(PARALLAX_F64)
const uint kV = 2;
// Zeroes all but the first `count` elements, of which there is at least one.
V keep(V v, uint count) { return V(v.x, count > 1 ? v.y : T(0)); }
T fold(V v) { return v.x + v.y; }
#else
const uint kV = 4;
V keep(V v, uint count) {
  return V(v.x, count > 1 ? v.y : T(0), count > 2 ? v.z : T(0), count > 3 ? v.w : T(0));
}
T fold(V v) { return (v.x + v.y) + (v.z + v.w); }
#endif

// Each component is an accumulator of its own. The last unit of n elements may hold padding.
T lane_sum(uint n) {
  const uint stride = gl_NumWorkGroups.x * 256u;
  const uint whole = n / kV;
  const uint units = whole + uint(n % kV > 0);
  uint i = gl_WorkGroupID.x * 256u + gl_LocalInvocationID.x;
  V sum = V(0);
  for (; i + 3 * stride < whole; i += 4 * stride) {
    // Four loads in flight before the first addition waits for one.
    const V a = units16[i];
    const V b = units16[i + stride];
    const V c = units16[i + 2 * stride];
    const V d = units16[i + 3 * stride];
    sum = add_vector(add_vector(add_vector(add_vector(sum, a), b), c), d);
  }
  for (; i < units; i += stride) sum = add_vector(sum, keep(units16[i], n - i * kV));
  return fold(sum);
}
