"""A planetary system of objects: the bodies are instances, and their steps are methods."""

# %%
from __future__ import annotations

import time
from dataclasses import dataclass, field

import matplotlib.pyplot as plt
import numpy as np

import xlapy

STEPS = 20_000


# %% The model, as one writes it for CPython.
@dataclass
class Body:
    """A body with its mass in suns, in units of astronomical units and years."""

    name: str
    mass: float
    position: np.ndarray
    velocity: np.ndarray
    path: list = field(default_factory=list)

    def pulled_by(self, other: Body) -> np.ndarray:
        apart = other.position - self.position
        return 4 * np.pi**2 * other.mass * apart / np.linalg.norm(apart) ** 3


class System:
    """Bodies, and the time."""

    def __init__(self, bodies: list[Body]) -> None:
        self.bodies, self.time = bodies, 0.0

    def step(self, dt: float) -> None:
        for body in self.bodies:
            for other in self.bodies:
                if other is not body:
                    body.velocity += dt * body.pulled_by(other)
        for body in self.bodies:
            body.position += dt * body.velocity
        self.time += dt


@xlapy.jit
def run(system: System, steps: int, dt: float) -> None:
    """Move the system on, and note each hundredth position."""
    for k in range(steps):
        system.step(dt)
        if k % 100 == 0:
            for body in system.bodies:
                body.path.append(body.position.copy())


def solar_system() -> System:
    """The sun and planets on circles."""
    known = [("Venus", 0.72, 2.4e-6), ("Earth", 1.0, 3.0e-6), ("Mars", 1.52, 3.2e-7), ("Jupiter", 5.2, 9.5e-4)]
    bodies = [Body("Sun", 1.0, np.zeros(2), np.zeros(2))]
    for name, distance, mass in known:
        speed = 2 * np.pi / np.sqrt(distance)
        bodies.append(Body(name, mass, np.array([distance, 0.0]), np.array([0.0, speed])))
    return System(bodies)


# %% Objects that the caller holds change, as they do in CPython.
system, same = solar_system(), solar_system()
run(system, 101, 1e-3)
run.__wrapped__(same, 101, 1e-3)
for body, other in zip(system.bodies, same.bodies, strict=True):
    np.testing.assert_allclose(body.position, other.position, rtol=1e-12)
    assert len(body.path) == len(other.path) == 2

# %% The number of steps is no part of the program: it runs again, compiled.
begin = time.perf_counter()
run(system, STEPS, 1e-3)
print(f"{system.time:.1f} years in {time.perf_counter() - begin:.2f} s")
for body in system.bodies:
    plt.plot(*np.array(body.path).T, label=body.name)
plt.axis("equal")
plt.legend()
plt.show()
