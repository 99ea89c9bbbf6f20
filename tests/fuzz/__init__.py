"""Fuzzing: random inputs for as long as one likes, each of which must keep what the project promises.

    make fuzz SECONDS=600                              all targets
    python -m tests.fuzz --seconds 60 --targets losses
    python -m tests.fuzz --seed 7 --targets losses --case 1234    one case again

A target makes a case, which is bytes, from random numbers, and checks it. Whatever the check raises is a
fault. A case that failed is made smaller as long as it fails in the same way, and kept in `found/`, where the
ordinary tests check it from then on. To add a target, write a file in `targets/` that ends with a `Target`,
and name it in `targets/__init__.py`.
"""
