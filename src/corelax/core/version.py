"""The version of corelax and of the models that are published with it. Nothing else states it."""

VERSION = "0.1.0"
