"""Correlations between columns of tables that are joined by treebank."""

from levelhead.correlation.coefficients import (
    CumulativeVariance,
    CumulativeVariances,
    cumulative_variance,
    cumulative_variances,
)
from levelhead.correlation.correlate import Coefficient, Correlation, Pair, correlate
from levelhead.correlation.human_agreement import (
    AgreementDifference,
    AgreementEstimate,
    HumanAgreement,
    Preferences,
    compare_agreement,
    human_agreement,
    preferences,
)
from levelhead.correlation.measurements import Measurements, join
from levelhead.correlation.tables import read_tables

__all__ = [
    "AgreementDifference",
    "AgreementEstimate",
    "Coefficient",
    "Correlation",
    "CumulativeVariance",
    "CumulativeVariances",
    "HumanAgreement",
    "Measurements",
    "Pair",
    "Preferences",
    "compare_agreement",
    "correlate",
    "cumulative_variance",
    "cumulative_variances",
    "human_agreement",
    "join",
    "preferences",
    "read_tables",
]
