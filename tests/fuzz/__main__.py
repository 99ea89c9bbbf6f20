"""The command: python -m tests.fuzz --seconds 600."""

from __future__ import annotations

import argparse
import random
import resource
import sys
from pathlib import Path

import torch

from tests.fuzz.engine import FOUND, Outcome, failure_of, make_case, run
from tests.fuzz.targets import TARGETS

MEMORY = 8 << 30  # bytes of address space; torch alone takes some


def main() -> int:
    """Fuzzes and says what came of it; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--targets", nargs="*", choices=list(TARGETS), default=list(TARGETS))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--case", type=int, help="run one case of each target and no other")
    parser.add_argument("--found", type=Path, default=FOUND, help="where cases that failed go")
    options = parser.parse_args()
    torch.set_num_threads(1)  # tensors are small
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    targets = [TARGETS[name] for name in options.targets]
    print(f"seed {options.seed}", flush=True)
    if options.case is not None:
        failures = [failure_of(t, make_case(t, options.seed, options.case)) for t in targets]
        print(*(trace for _, trace in filter(None, failures)), sep="\n")
        return int(any(failures))

    seen: set[str] = set()
    outcome = Outcome()
    for outcome in run(targets, options.seconds, options.seed):
        for kind in outcome.faults.keys() - seen:
            seen.add(kind)
            fault = outcome.faults[kind]
            path = fault.save(options.found)
            print(f"\n{kind} (case {fault.number}), kept as {path}\n{fault.trace}", flush=True)
    print(f"\n{'target':20}{'tried':>10}{'failed':>10}")
    for target in targets:
        name = target.name
        print(f"{name:20}{outcome.tried[name]:10,}{outcome.failed[name]:10,}")
    print(f"{sum(outcome.tried.values()):,} cases, {len(outcome.faults)} kinds of faults")
    return int(bool(outcome.faults))


if __name__ == "__main__":
    sys.exit(main())
