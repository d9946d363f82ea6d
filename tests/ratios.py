"""Results in ratios, as second implementations compute them."""

from levelhead.significance import ComparedScore


def as_ratios(result: ComparedScore) -> ComparedScore:
    """Return a result whose percentages and points are divided by 100."""

    def ratio(value):
        if isinstance(value, tuple):
            return tuple(map(ratio, value))
        return None if value is None else value / 100

    names = ("value", "interval", "spread", "difference", "difference_interval", "detectable")
    influence = tuple(one._replace(value=ratio(one.value), interval=ratio(one.interval)) for one in result.influence)
    return result._replace(**{name: ratio(getattr(result, name)) for name in names}, influence=influence)
