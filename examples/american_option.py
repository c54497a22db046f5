"""The price of an American put on a binomial tree, and its Greeks by derivatives of the program."""

# %%
import matplotlib.pyplot as plt
import numpy as np

import xlapy

STEPS, PRICES = 500, 41


# %% The tree: from its leaves to its root, with the decision to exercise at each node.
@xlapy.jit
def american_put(spot, strike, rate, volatility, years, steps):
    """The price of the right to sell at `strike` until then."""
    dt = years / steps
    up = np.exp(volatility * np.sqrt(dt))
    chance = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    discount = np.exp(-rate * dt)
    values = np.empty(steps + 1)
    for k in range(steps + 1):
        values[k] = max(strike - spot * up ** (2 * k - steps), 0.0)
    for n in range(steps - 1, -1, -1):
        for k in range(n + 1):
            kept = discount * (chance * values[k + 1] + (1 - chance) * values[k])
            values[k] = max(kept, strike - spot * up ** (2 * k - n))
    return values[0]


price = float(american_put(100.0, 100.0, 0.05, 0.2, 1.0, 40))
np.testing.assert_allclose(price, american_put.__wrapped__(100.0, 100.0, 0.05, 0.2, 1.0, 40), rtol=1e-12)

# %% Greeks are derivatives of the price with respect to an argument.
market = (100.0, 100.0, 0.05, 0.2, 1.0)
value, (delta, rho, vega) = xlapy.value_and_grad(american_put, argnums=(0, 2, 3))(*market, STEPS)
print(f"price {float(value):.3f}, delta {float(delta):.3f}, rho {float(rho):.2f}, vega {float(vega):.2f}")
assert -1.0 < float(delta) < 0.0 < float(vega)

# %% Prices and deltas for many spots at once.
spots = np.linspace(70.0, 140.0, PRICES)
of_spot = xlapy.vmap(lambda s: xlapy.value_and_grad(american_put)(s, 100.0, 0.05, 0.2, 1.0, STEPS // 5))
prices, deltas = of_spot(spots)
assert np.all(np.asarray(prices) >= np.maximum(100.0 - spots, 0.0) - 1e-9)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
left.plot(spots, np.asarray(prices), label="American put")
left.plot(spots, np.maximum(100.0 - spots, 0.0), "--", label="exercised now")
left.legend()
right.plot(spots, np.asarray(deltas), label="delta")
right.legend()
plt.show()
