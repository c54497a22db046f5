"""A Kalman filter that follows a moving point, and whose noise is fitted by the gradient of its likelihood."""

# %%
import matplotlib.pyplot as plt
import numpy as np

import xlapy

LENGTH, ITERATIONS = 300, 200


# %% A track, and what was measured of it.
random = np.random.default_rng(0)
velocity = np.cumsum(0.05 * random.normal(size=LENGTH))
track = np.cumsum(velocity)
measured = track + 2.0 * random.normal(size=LENGTH)


# %% The filter: matrices that are written in place, in a loop over measurements, some of which are missing.
@xlapy.jit
def filtered(z, log_noise):
    """Estimates of the positions, and minus the logarithm of the likelihood."""
    q, r = np.exp(2 * log_noise)
    f = np.array([[1.0, 1.0], [0.0, 1.0]])
    x, p = np.zeros(2), 100.0 * np.eye(2)
    noise = q * np.array([[1 / 3, 1 / 2], [1 / 2, 1.0]])
    found = np.empty(len(z))
    loss = 0.0
    for k in range(len(z)):
        x = f @ x
        p[:] = f @ p @ f.T + noise
        if not np.isnan(z[k]):
            surprise, s = z[k] - x[0], p[0, 0] + r
            gain = p[:, 0] / s
            x = x + gain * surprise
            p -= np.outer(gain, p[0])
            loss += 0.5 * (np.log(s) + surprise**2 / s)
        found[k] = x[0]
    return found, loss


gaps = measured.copy()
gaps[LENGTH // 2 : LENGTH // 2 + 20] = np.nan
start = np.log([0.5, 0.5])
before, _ = filtered(gaps, start)
np.testing.assert_allclose(before, filtered.__wrapped__(gaps, start)[0], rtol=1e-8)


# %% The noise that makes the measurements most likely, by gradients through the filter.
@xlapy.jit
def fitted(z, guess, iterations):
    """Descend along the gradient, with a step that shrinks where it does not help."""
    rate, loss = 0.01, filtered(z, guess)[1]
    for _ in range(iterations):
        tried = guess - rate * xlapy.grad(lambda g: filtered(z, g)[1])(guess)
        new = filtered(z, tried)[1]
        if new < loss:
            guess, loss, rate = tried, new, 1.2 * rate
        else:
            rate = 0.5 * rate
    return guess, loss


noise, loss = fitted(gaps, start, ITERATIONS)
assert float(loss) <= float(filtered(gaps, start)[1])
print("standard deviations of moves and measurements:", np.exp(np.asarray(noise)).round(3), "made with [0.05 2]")

# %%
plt.plot(measured, ".", color="lightgray", label="measured")
plt.plot(track, label="track")
plt.plot(np.asarray(filtered(gaps, np.asarray(noise))[0]), label="filtered")
plt.legend()
plt.show()
