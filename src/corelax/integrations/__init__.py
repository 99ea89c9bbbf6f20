"""corelax inside other libraries. Each file here imports the library that it serves."""
