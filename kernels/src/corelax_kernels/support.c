/* Whether this processor can run the kernels. Compiled for any processor, unlike all other files. */
#include "export.h"

/* Python and C agree on structures and arguments: raised with each change, here and in `library.py`. */
EXPORT int corelax_interface(void) { return 1; }

EXPORT int corelax_supported(void) {
#if defined(__x86_64__) && defined(__linux__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16");
#else
    return 0;
#endif
}
