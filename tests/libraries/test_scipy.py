"""scipy: the routines that are written in Python."""

import numpy as np
from scipy import integrate, interpolate, optimize, signal, stats
from scipy.integrate._ivp.rk import RK23, RK45, rk_step
from scipy.optimize import _optimize

from .cases import Cases

case = Cases("scipy")
Y = np.array([1.0, 0.5])


def oscillator(t, y):
    return np.array([y[1], -y[0] + 0.1 * t])


def valley(x):
    return (x - 1.5) ** 2 + 0.1 * x**4


def rosenbrock(x):
    return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


@case("integrate: rk_step of RK45", lambda: (Y.copy(), 0.1))
def step_45(y, h):
    k = np.empty((RK45.n_stages + 1, 2))
    return rk_step(oscillator, 0.0, y, oscillator(0.0, y), h, RK45.A, RK45.B, RK45.C, k)


@case("integrate: rk_step of RK23 in a loop", lambda: (Y.copy(), 0.1, 20))
def steps_23(y, h, n):
    k = np.empty((RK23.n_stages + 1, 2))
    f = oscillator(0.0, y)
    for i in range(n):
        y, f = rk_step(oscillator, i * h, y, f, h, RK23.A, RK23.B, RK23.C, k)
    return y


@case("integrate: RK45 objects, one step", lambda: (Y.copy(),))
def solver_step(y):
    solver = RK45(oscillator, 0.0, y, 1.0)
    solver.step()
    return solver.t, solver.y


@case("integrate: RK45 objects, to the end", lambda: (Y.copy(),))
def solver_loop(y):
    solver = RK45(oscillator, 0.0, y, 3.0)
    while solver.status == "running":
        solver.step()
    return solver.t, solver.y


@case("integrate: solve_ivp", lambda: (Y.copy(),))
def ivp(y):
    result = integrate.solve_ivp(oscillator, (0.0, 3.0), y)
    return result.y[:, -1]


@case("integrate: solve_ivp, RK23, with arguments", lambda: (Y.copy(), 3.0))
def ivp_with_arguments(y, end):
    return integrate.solve_ivp(lambda t, y, k: -k * y, (0.0, end), y, method="RK23", rtol=1e-6, args=(0.5,))


@case("integrate: solve_ivp, DOP853", lambda: (Y.copy(),))
def ivp_of_high_order(y):
    return integrate.solve_ivp(oscillator, (0.0, 3.0), y, method="DOP853")


@case("integrate: solve_ivp, LSODA", lambda: (Y.copy(),), refused="compiled code")
def ivp_lsoda(y):
    return integrate.solve_ivp(oscillator, (0.0, 3.0), y, method="LSODA").y[:, -1]


@case("integrate: solve_ivp, t_eval", lambda: (Y.copy(),))
def ivp_at(y):
    return integrate.solve_ivp(oscillator, (0.0, 3.0), y, t_eval=np.linspace(0.0, 3.0, 7)).y


@case("integrate: quad", lambda: (1.3,))
def quad(a):
    return integrate.quad(lambda x: np.exp(-a * x * x), 0, 2)[0]


@case("integrate: quad, to infinity", lambda: (1.3,), tolerance=1e-9)
def quad_to_infinity(a):
    return integrate.quad(lambda x, b: np.exp(-b * x * x), 0, np.inf, args=(a,))[0]


@case("integrate: trapezoid", lambda: (np.linspace(0.0, 1.0, 9) ** 2,))
def trapezoid(y):
    return integrate.trapezoid(y, dx=0.125)


@case("integrate: simpson", lambda: (np.linspace(0.0, 1.0, 9) ** 2,))
def simpson(y):
    return integrate.simpson(y, dx=0.125)


@case("integrate: cumulative_trapezoid", lambda: (np.linspace(0.0, 1.0, 9) ** 2,))
def cumulative(y):
    return integrate.cumulative_trapezoid(y, dx=0.125, initial=0)


@case("integrate: fixed_quad", lambda: (2.0,))
def quadrature(b):
    return integrate.fixed_quad(lambda x: x**3 + 1, 0.0, b, n=5)[0]


@case("optimize: golden", lambda: (0.0, 3.0))
def golden(a, b):
    return optimize.golden(valley, brack=(a, b))


@case("optimize: brent", lambda: (0.0, 3.0))
def brent(a, b):
    return optimize.brent(valley, brack=(a, b))


@case("optimize: bracket", lambda: (0.0, 1.0))
def bracket(a, b):
    return optimize.bracket(valley, a, b)


@case("optimize: fminbound", lambda: (0.0, 3.0))
def bounded(a, b):
    return optimize.fminbound(valley, a, b)


@case("optimize: minimize_scalar", lambda: (0.0, 3.0))
def scalar(a, b):
    return optimize.minimize_scalar(valley, bracket=(a, b)).x


@case("optimize: minimize_scalar, no bracket", lambda: (1e300, 2e300))
def scalar_fails(a, b):
    result = optimize.minimize_scalar(valley, bracket=(a, b))
    return result.x, result.fun, result.success, result.nfev


@case("optimize: minimize_scalar, golden", lambda: (0.0, 3.0))
def scalar_golden(a, b):
    return optimize.minimize_scalar(valley, bracket=(a, b), method="golden").x


@case("optimize: minimize_scalar, bounded", lambda: (0.0, 3.0))
def scalar_bounded(a, b):
    return optimize.minimize_scalar(valley, bounds=(a, b), method="bounded")


@case("optimize: newton", lambda: (2.0,))
def newton(x):
    return optimize.newton(lambda x: x**3 - 2.0, x, fprime=lambda x: 3 * x**2)


@case("optimize: secant", lambda: (2.0,))
def secant(x):
    return optimize.newton(lambda x: x**3 - 2.0, x)


def cube(x, c=2.0):
    return x**3 - c


@case("optimize: bisect", lambda: (0.0, 2.0))
def bisect(a, b):
    return optimize.bisect(cube, a, b)


@case("optimize: brentq", lambda: (0.0, 2.0))
def brentq(a, b):
    return optimize.brentq(cube, a, b), optimize.brentq(cube, a, b, args=(3.0,), full_output=True, xtol=1e-4)


@case("optimize: brentq in a loop", lambda: (np.linspace(1.0, 4.0, 40),))
def brentq_in_a_loop(levels):
    roots = np.empty(len(levels))
    for i in range(len(levels)):
        roots[i] = optimize.brentq(lambda x: cube(x, levels[i]), 0.0, 4.0)
    return roots


@case("optimize: brenth and ridder", lambda: (0.0, 2.0))
def brenth_and_ridder(a, b):
    return optimize.brenth(cube, a, b, full_output=True), optimize.ridder(cube, a, b, full_output=True)


@case("optimize: root_scalar, brentq", lambda: (0.0, 2.0))
def root_between(a, b):
    return optimize.root_scalar(cube, bracket=(a, b))


@case("optimize: root_scalar, newton", lambda: (2.0,))
def root_by_newton(x):
    return optimize.root_scalar(cube, x0=x, fprime=lambda x: 3 * x**2, method="newton")


@case("optimize: root_scalar, secant", lambda: (2.0, 1.0))
def root_by_secants(a, b):
    return optimize.root_scalar(cube, x0=a, x1=b, method="secant")


@case("optimize: root_scalar, halley", lambda: (2.0,))
def root_by_halley(x):
    first, second = lambda x: 3 * x**2, lambda x: 6 * x
    return optimize.root_scalar(cube, x0=x, fprime=first, fprime2=second, method="halley")


@case("optimize: leastsq", lambda: (np.array([1.0, 1.0, 0.0]), np.linspace(0.0, 3.0, 9)), tolerance=1e-7)
def least_squares_of_minpack(p, t):
    y = 2.5 * np.exp(-1.3 * t) + 0.5
    return optimize.leastsq(lambda p: p[0] * np.exp(-p[1] * t) + p[2] - y, p)[0]


@case("optimize: fsolve", lambda: (np.array([1.0, 1.0]),), refused="compiled code")
def system(x):
    return optimize.fsolve(lambda x: np.array([x[0] + x[1] - 3, x[0] ** 2 + x[1] - 5]), x)


@case("optimize: minimize, BFGS", lambda: (np.array([-1.2, 1.0]),), refused="None as an array")
def minimize_by_gradients(x):
    return optimize.minimize(rosenbrock, x, method="BFGS").x


@case("optimize: _minimize_neldermead", lambda: (np.array([-1.2, 1.0]),))
def nelder_mead(x):
    return _optimize._minimize_neldermead(rosenbrock, x, maxiter=60).x


@case("optimize: minimize, Nelder-Mead", lambda: (np.array([-1.2, 1.0]),))
def minimize_simplex(x):
    return optimize.minimize(rosenbrock, x, method="Nelder-Mead", options={"maxiter": 60}).x


@case("optimize: minimize, Nelder-Mead, to the end", lambda: (np.array([-1.2, 1.0]),), tolerance=1e-6)
def minimize_to_the_end(x):
    return optimize.minimize(rosenbrock, x, method="Nelder-Mead")


@case("optimize: approx_fprime", lambda: (np.array([-1.2, 1.0]),), tolerance=1e-6)
def gradient(x):
    return optimize.approx_fprime(x, rosenbrock, 1e-6)


@case("optimize: rosen and rosen_der", lambda: (np.array([-1.2, 1.0, 0.5]),))
def rosen(x):
    return optimize.rosen(x), optimize.rosen_der(x)


@case("interpolate: interp1d, krogh_interpolate", lambda: (np.linspace(0.0, 3.0, 7), np.array([0.1, 1.3, 2.9])))
def interpolation(x, points):
    y = np.sin(x)
    return interpolate.interp1d(x, y)(points), interpolate.krogh_interpolate(x, y, points)


@case("interpolate: CubicSpline", lambda: (np.linspace(0.0, 3.0, 7), np.array([0.1, 1.3])))
def spline(x, points):
    return interpolate.CubicSpline(x, np.sin(x))(points)


SAMPLE, OTHER = np.random.default_rng(0).normal(size=(2, 20))
SIGNAL = np.sin(np.arange(64.0) / 3) + 0.1 * np.cos(np.arange(64.0) ** 2)


@case("stats: ttest_ind", lambda: (SAMPLE, OTHER))
def of_two_samples(a, b):
    return stats.ttest_ind(a, b)


@case("stats: ttest_rel", lambda: (SAMPLE, OTHER))
def of_pairs(a, b):
    return stats.ttest_rel(a, b)


@case("stats: ttest_1samp", lambda: (SAMPLE,))
def of_one_sample(a):
    return stats.ttest_1samp(a, 0.1)


@case("stats: linregress", lambda: (SAMPLE, OTHER))
def line(a, b):
    found = stats.linregress(a, b)
    return found, found.intercept_stderr


@case("stats: spearmanr", lambda: (SAMPLE, OTHER))
def of_ranks(a, b):
    return stats.spearmanr(a, b)


@case("stats: pearsonr", lambda: (SAMPLE, OTHER))
def of_numbers(a, b):
    found = stats.pearsonr(a, b)
    return found.statistic, found.pvalue


@case("stats: chisquare", lambda: (np.array([16.0, 18, 16, 14, 12, 12]),))
def of_counts(a):
    return stats.chisquare(a)


@case("stats: ks_2samp", lambda: (SAMPLE, OTHER), refused="np.errstate that raises")
def of_distributions(a, b):
    return stats.ks_2samp(a, b)


@case("stats: wilcoxon", lambda: (SAMPLE, OTHER), refused="a shape must be known at compile time")
def of_signed_ranks(a, b):
    return stats.wilcoxon(a, b)


@case("stats: kendalltau", lambda: (np.arange(12.0) % 5, np.arange(12.0) % 7))
def kendall(x, y):
    return stats.kendalltau(x, y)[0]


@case("stats: gaussian_kde", lambda: (np.arange(12.0) % 5, np.linspace(0.0, 4.0, 7)))
def density(x, at):
    return stats.gaussian_kde(x)(at)


@case("stats: mannwhitneyu", lambda: (np.arange(9.0) % 5, np.arange(10.0) % 7))
def mann_whitney(x, y):
    return tuple(stats.mannwhitneyu(x, y))


@case("stats: quantiles", lambda: (np.array([0.05, 0.5, 0.975]),))
def quantiles(p):
    return stats.t.ppf(p, 7)


@case("stats: frozen norm, gamma, poisson", lambda: (1.5, np.array([0.3, 1.0, 2.0])))
def frozen(k, x):
    return stats.norm(k, 2.0).cdf(x), stats.gamma(k, scale=2.0).pdf(x), stats.poisson(k).pmf(np.arange(4))


@case("signal: lfilter and sosfilt", lambda: (SIGNAL,))
def filtered(x):
    sections = np.array([[0.2, 0.4, 0.2, 1.0, -0.4, 0.2], [1.0, 2.0, 1.0, 1.0, -0.5, 0.5]])
    return signal.lfilter([0.1, 0.2], [1.0, -0.5, 0.1], x), signal.sosfilt(sections, x)


@case("signal: filtfilt", lambda: (SIGNAL,))
def filtered_twice(x):
    return signal.filtfilt([0.1, 0.2], [1.0, -0.5, 0.1], x)


@case("signal: welch, coherence", lambda: (SIGNAL,))
def spectra(x):
    return signal.welch(x, nperseg=16), signal.coherence(x, x * x, nperseg=16)


@case("signal: stft and istft", lambda: (SIGNAL,))
def there_and_back(x):
    times, places, values = signal.stft(x, nperseg=16)
    return values, signal.istft(values, nperseg=16)


@case("signal: step of a transfer function", lambda: (np.array([1.0]), np.array([1.0, 0.5, 1.0])))
def stepped(b, a):
    return signal.step((b, a), T=np.linspace(0.0, 3.0, 7))


@case("stats: norm, expon, gamma, poisson", lambda: (np.linspace(0.1, 2.0, 7),))
def distributions(x):
    normal = stats.norm.pdf(x), stats.norm.cdf(x, loc=0.5, scale=2.0), stats.norm.ppf(x / 4), stats.norm.logpdf(x)
    return normal, stats.expon.pdf(x), stats.gamma.pdf(x, 2.0), stats.poisson.pmf(np.arange(5), 2.0)


test_cases = case.test()
