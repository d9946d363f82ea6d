"""Correlations between columns of tables that are joined by treebank."""

from levelhead.correlation.coefficients import CumulativeVariance, CumulativeVariances, cumulative_variance
from levelhead.correlation.correlate import Coefficient, Correlation, Pair
from levelhead.correlation.human_agreement import AgreementDifference, AgreementEstimate, HumanAgreement, Preferences
from levelhead.correlation.measurements import Measurements
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
    "cumulative_variance",
    "read_tables",
]
