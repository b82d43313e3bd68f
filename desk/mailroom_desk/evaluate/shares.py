"""Shares with their uncertainty, and whether two runs differ by more than chance."""

from dataclasses import dataclass
from math import comb, sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
"""How often an interval made this way holds the true share."""

_Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)


@dataclass(frozen=True)
class Share:
    """`count` of `of`. Without any, the value is None: nothing was measured."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's score interval: it stays within 0 and 1 and holds for few cases as well.

        E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
        Journal of the American Statistical Association 22 (1927), 209–212.
        """
        if not self.of:
            return None
        share, square = self.count / self.of, _Z * _Z
        scale = 1 + square / self.of
        centre = (share + square / (2 * self.of)) / scale
        half = _Z * sqrt(share * (1 - share) / self.of + square / (4 * self.of**2)) / scale
        return max(0.0, centre - half), min(1.0, centre + half)


def mcnemar(better: int, worse: int) -> float:
    """How likely a difference this large is by chance, 0 to 1: McNemar's test, exact, two-sided.

    Of the cases that changed, each is as likely to be better as worse if the runs are alike.
    Q. McNemar, "Note on the Sampling Error of the Difference Between Correlated Proportions or
    Percentages", Psychometrika 12 (1947), 153–157.
    """
    changed = better + worse
    tail: int = sum(comb(changed, number) for number in range(min(better, worse) + 1))
    return min(1.0, float(2 * tail / 2**changed))
