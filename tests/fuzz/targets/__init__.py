"""All targets by name."""

from tests.fuzz.target import Target
from tests.fuzz.targets import commands, folders, losses, readers, recipes, reference, writers

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        *readers.TARGETS,
        reference.TARGET,
        writers.TARGET,
        losses.TARGET,
        recipes.TARGET,
        *folders.TARGETS,
        commands.TARGET,
    )
}
