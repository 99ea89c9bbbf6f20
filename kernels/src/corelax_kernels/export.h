/* What Python calls; all else stays inside the library. */
#ifndef CORELAX_EXPORT_H
#define CORELAX_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

#endif
