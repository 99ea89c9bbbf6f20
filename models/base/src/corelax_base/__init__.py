"""The model `base` of corelax. This folder holds data only: `corelax resolve --model base` reads it."""
