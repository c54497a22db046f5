"""How to heat the ends of a rod so that it has a wanted temperature: by the gradient through all steps."""

# %%
import matplotlib.pyplot as plt
import numpy as np

import xlapy

STEPS, ITERATIONS = 1000, 150


# %% The rod, heated at its ends by a schedule of a few values.
@xlapy.jit
def heated(schedule, cells, steps):
    """Temperatures after all steps."""
    u = np.zeros(cells)
    for k in range(steps):
        u[0], u[-1] = schedule[k * len(schedule) // steps]
        u[1:-1] += 0.4 * (u[:-2] - 2 * u[1:-1] + u[2:])
    return u


wanted = np.sin(np.linspace(0.0, np.pi, 30)) * np.linspace(0.5, 1.0, 30)
start = np.ones((8, 2))
np.testing.assert_allclose(heated(start, 30, 50), heated.__wrapped__(start, 30, 50), rtol=1e-12)


# %% Descent with momentum. Its loop, the loop of the rod, and that backwards through it are one program.
@xlapy.jit
def controlled(schedule, wanted, steps, iterations):
    """A better schedule, and how the error went down."""

    def error(schedule):
        return np.sum((heated(schedule, len(wanted), steps) - wanted)[1:-1] ** 2)

    speed, errors = np.zeros(schedule.shape), np.empty(iterations)
    for k in range(iterations):
        errors[k], slope = xlapy.value_and_grad(error)(schedule)
        speed = 0.9 * speed - 0.02 * slope
        schedule = schedule + speed
    return schedule, errors


schedule, errors = map(np.asarray, controlled(start, wanted, STEPS, ITERATIONS))
print(f"error {errors[0]:.2f} at first, {errors[-1]:.4f} at last")
assert errors[-1] < 0.5 * errors[0]

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
left.plot(wanted, "k--", label="wanted")
left.plot(np.asarray(heated(schedule, len(wanted), STEPS)), label="controlled")
left.legend()
right.step(range(len(schedule)), schedule, label=["left end", "right end"])
right.legend()
plt.show()
