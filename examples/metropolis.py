"""A Metropolis sampler for a curved distribution, with many chains side by side."""

# %%
import matplotlib.pyplot as plt
import numpy as np

import xlapy

STEPS, CHAINS = 2000, 50


# %% What is sampled: a banana.
def log_density(x, y):
    """The logarithm of a density, but for a constant."""
    return -0.5 * (x**2 / 2 + (y - x**2 + 1) ** 2 / 0.3)


@xlapy.jit
def chain(seed, steps, width):
    """The positions of one chain, and which part of its moves was accepted."""
    random = np.random.default_rng(seed)
    x, y, accepted = 0.0, 0.0, 0
    found = np.empty((steps, 2))
    for k in range(steps):
        new_x, new_y = x + width * random.normal(), y + width * random.normal()
        if np.log(random.random()) < log_density(new_x, new_y) - log_density(x, y):
            x, y = new_x, new_y
            accepted += 1
        found[k] = x, y
    return found, accepted / steps


one, part = chain(0, STEPS, 0.8)
print(f"{float(part):.0%} of the moves were accepted")
assert 0.05 < float(part) < 0.95

# %% Chains of other seeds, all at once.
many, parts = xlapy.vmap(lambda seed: chain(seed, STEPS, 0.8))(np.arange(CHAINS))
samples = np.asarray(many)[:, STEPS // 4 :].reshape(-1, 2)
print("mean of x:", samples[:, 0].mean().round(2), "variance:", samples[:, 0].var().round(2), "(exactly 0 and 2)")
assert abs(samples[:, 0].mean()) < 0.7

# %%
plt.hist2d(*samples.T, bins=80)
plt.plot(*np.asarray(one)[:100].T, "w-", linewidth=0.5)
plt.show()
