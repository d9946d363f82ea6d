"""Gates on regressions in plain Python: from p-values, intervals and the power of a test to a verdict."""

from oracle import power


def verdict(difference, p_holm, interval, margin=None, *, level=0.95):
    """Whether the gate is met; differences, intervals and margins in points, higher is better."""
    if margin is not None:
        return "met" if interval[0] > -margin else "not met"
    return "not met" if p_holm < 1 - level and difference < 0 else "met"


def runs_decide(runs_of_baseline, runs_of_system, n_runs, distance, alpha=0.05):
    """Whether so many runs of each detect a difference of this size."""
    components = power.components(runs_of_baseline, runs_of_system)
    return power.detectable(components, len(runs_of_baseline[0]), n_runs, alpha) <= distance
