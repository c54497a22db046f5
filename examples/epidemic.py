"""An epidemic, fitted by gradients through an adaptive solver, rejected steps included."""

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import xlapy

DAYS = 60


# %% The model: susceptible, infectious, recovered.
def change(y, infection, recovery):
    """What changes in a day."""
    s, i, _ = y
    return np.array([-infection * s * i, infection * s * i - recovery * i, recovery * i])


def between(y, begin, end, tolerance, *rates):
    """The state at `end`, by steps of Heun's that are taken again, and shorter, where they are not exact enough."""
    t, dt = begin, 0.1
    while t < end:
        dt = min(dt, end - t)
        first = change(y, *rates)
        second = change(y + dt * first, *rates)
        error = np.abs(dt * (second - first)).max() / 2
        if error < tolerance:
            y, t = y + dt * (first + second) / 2, t + dt
        dt *= min(2.0, max(0.2, 0.9 * np.sqrt(tolerance / (error + 1e-300))))
    return y


@xlapy.jit
def infectious(parameters, days):
    """The infectious part of the population on some days."""
    rates = np.exp(parameters)
    y, found = np.array([0.999, 0.001, 0.0]), np.empty(len(days))
    for k in range(len(days)):
        if k > 0:
            y = between(y, days[k - 1], days[k], 1e-6, rates[0], rates[1])
        found[k] = y[1]
    return found


days = np.linspace(0.0, DAYS, 31)
truth = np.log([0.5, 0.12])
random = np.random.default_rng(0)
exact = np.asarray(infectious(truth, days))
np.testing.assert_allclose(exact, infectious.__wrapped__(truth, days), rtol=1e-9)
observed = exact * (1 + 0.05 * random.normal(size=len(days)))


# %% SciPy's minimiser gets the value and the gradient of a compiled function.
@xlapy.jit
def misfit(parameters):
    return np.sum((infectious(parameters, days) - observed) ** 2)


step = xlapy.value_and_grad(misfit)
value, slope = step(np.log([0.3, 0.2]))
more, less = (float(misfit(np.log([0.3, 0.2]) + h)) for h in (np.array([1e-5, 0.0]), np.array([-1e-5, 0.0])))
np.testing.assert_allclose(slope[0], (more - less) / 2e-5, rtol=1e-5)
found = minimize(lambda p: [np.asarray(part) for part in step(p)], np.log([0.3, 0.2]), jac=True, method="BFGS")
print(
    "infections and recoveries a day:", np.exp(found.x).round(3), "made with [0.5 0.12], in", found.nfev, "evaluations"
)
assert np.allclose(found.x, truth, atol=0.2)

# %%
plt.plot(days, observed, "o", label="observed")
plt.plot(days, np.asarray(infectious(found.x, days)), label="fitted")
plt.xlabel("days")
plt.legend()
plt.show()
