"""All targets by name."""

from tests.fuzz.target import Target
from tests.fuzz.targets import losses, readers, recipes, reference, writers

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        *readers.TARGETS,
        reference.TARGET,
        writers.TARGET,
        losses.TARGET,
        recipes.TARGET,
    )
}
