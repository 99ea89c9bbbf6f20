"""The model `small` of corelax. This folder holds data only: `corelax resolve --model small` reads it."""
