"""filterpy: Kalman filters, objects whose attributes are changed by every step."""

import numpy as np
from filterpy import common, kalman
from filterpy.kalman import KalmanFilter

from .cases import Cases

case = Cases("filterpy", tolerance=1e-9)


def tracker():
    """Position and velocity, of which the position is measured."""
    f = KalmanFilter(dim_x=2, dim_z=1)
    f.x = np.array([[2.0], [0.0]])
    f.F = np.array([[1.0, 1.0], [0.0, 1.0]])
    f.H = np.array([[1.0, 0.0]])
    f.P *= 100.0
    f.R = 5.0 * np.eye(1)
    f.Q = 0.1 * np.eye(2)
    return f


Z = np.array([1.0, 2.5, 2.9, 4.2])


@case("KalmanFilter.predict", lambda: (tracker(),))
def predict(f):
    f.predict()
    return f.x


@case("KalmanFilter.update", lambda: (tracker(), np.array([[1.5]])))
def update(f, z):
    f.update(z)
    return f.x


@case("KalmanFilter, predict and update in a loop", lambda: (tracker(), Z.copy()))
def track(f, zs):
    out = np.zeros((len(zs), 2))
    for i, z in enumerate(zs):
        f.predict()
        f.update(z)
        out[i] = f.x[:, 0]
    return out


@case("KalmanFilter.predict_steadystate, update_steadystate", lambda: (tracker(), np.array([[1.5]])))
def steady(f, z):
    f.predict()
    f.update(z)
    f.predict_steadystate()
    f.update_steadystate(z)
    return f.x


@case("KalmanFilter.residual_of, measurement_of_state", lambda: (tracker(), np.array([[1.5]])))
def residual(f, z):
    return f.residual_of(z), f.measurement_of_state(f.x)


@case("kalman.predict, kalman.update", lambda: (np.array([2.0, 0.0]), np.eye(2), 1.5))
def functions(x, p, z):
    f, h = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    x, p = kalman.predict(x, p, f, 0.1 * np.eye(2))
    return kalman.update(x, p, z, 5.0 * np.eye(1), h)


@case("common.Q_discrete_white_noise", lambda: (0.1,))
def noise(dt):
    return common.Q_discrete_white_noise(2, dt, 3.0)


@case("kalman.ExtendedKalmanFilter", lambda: (extended(), np.array([[1.5]])))
def extended_step(f, z):
    f.predict()
    f.update(z, lambda x: np.array([[2 * x[0, 0], 0.0]]), lambda x: np.array([[x[0, 0] ** 2]]))
    return f.x


def extended():
    f = kalman.ExtendedKalmanFilter(dim_x=2, dim_z=1)
    f.x = np.array([[1.0], [0.5]])
    f.F = np.array([[1.0, 0.1], [0.0, 1.0]])
    return f


@case("gh.GHFilter", lambda: (1.0, 0.1, Z.copy()))
def gh(x, dx, zs):
    from filterpy.gh import GHFilter

    f = GHFilter(x=x, dx=dx, dt=1.0, g=0.8, h=0.2)
    for z in zs:
        f.update(z)
    return f.x, f.dx


test_cases = case.test()
