"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import pytest

# Here, because pytester forgets what a test imports: a second copy of the package would not know results of the first.
from ragauge.gates import check, rules  # noqa: F401

pytest_plugins = ["pytester"]

TEST = """
    ROWS = [{"id": f"q{i}", "answer": "yes", "references": ["yes" if i % 4 else "no"]} for i in range(40)]

    def test_good(ragauge):
        result = ragauge.evaluate(ROWS, "exact-match", resamples=100)
        ragauge.assert_passes(result, min={"exact-match": 0.7})
        ragauge.assert_not_worse(result, result)
        result.save("runs/main")
        assert ragauge.load("runs/main")["exact-match"].value == 0.75

    def test_bad(ragauge):
        result = ragauge.evaluate(ROWS, "exact-match", resamples=100)
        ragauge.assert_passes(result, min={"exact-match": 0.8})

    def test_worse(ragauge):
        wrong = [{**row, "answer": "no"} for row in ROWS]
        ragauge.assert_not_worse(ragauge.evaluate(wrong, "exact-match", resamples=0))

    def test_from_the_file(ragauge):
        ragauge.assert_passes("runs/main")
"""


@pytest.fixture
def arguments(pytestconfig: pytest.Config) -> list[str]:
    """Load the plugin by name where the package was installed before it had one."""
    named = [] if pytestconfig.pluginmanager.hasplugin("ragauge") else ["-p", "ragauge.pytest_plugin"]
    return ["-p", "no:cacheprovider", *named]


def test_asserts_fail_with_the_table(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makepyfile(TEST)
    pytester.makefile(".toml", ragauge='[gate.min]\n"exact-match" = 0.9\n')
    ran = pytester.runpytest(*arguments, "--ragauge-baseline", "runs/main")
    ran.assert_outcomes(passed=1, failed=3)
    ran.stdout.fnmatch_lines(
        [
            "*Gate failed: 1 of 1 checks",
            "*FAIL  exact-match at least 0.8 *0.750 *40/40",
            "*the score is 0.050 below the limit",
            "*FAIL  exact-match gets worse by at most 0, confidently*",
            "*0.750 -> 0.250 on 40 samples; the whole interval is beyond the limit",
            "*FAIL  exact-match at least 0.9 *0.750 *40/40",
        ]
    )
    ran.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_what_is_wrong_with_the_test_is_said(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makepyfile("""
        def test_nothing(ragauge):
            ragauge.assert_passes(ragauge.evaluate([{"answer": "a", "references": ["a"]}], "exact-match"))

        def test_no_baseline(ragauge):
            ragauge.assert_not_worse(ragauge.evaluate([{"answer": "a", "references": ["a"]}], "exact-match"))
    """)
    ran = pytester.runpytest(*arguments)
    ran.assert_outcomes(failed=2)
    ran.stdout.fnmatch_lines(["*the gate has no rules*", "*max_drop=* needs a baseline to compare with; got none*"])


def test_the_command_lines_baseline_wins_over_that_of_the_file(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makepyfile("""
        import ragauge as package

        def run(share):
            rows = [{"id": f"q{i}", "answer": "yes" if i < share else "no", "references": ["yes"]} for i in range(40)]
            return package.evaluate(rows, "exact-match", resamples=0)

        run(10).save("runs/poor", force=True)
        run(39).save("runs/good", force=True)

        def test_the_rules_of_the_file(ragauge):
            ragauge.assert_passes(run(11))

        def test_not_worse(ragauge):
            ragauge.assert_not_worse(run(11))
    """)
    pytester.makefile(".toml", ragauge='[gate]\nbaseline = "runs/poor"\n[gate.max-drop]\nexact-match = 0.1\n')
    pytester.runpytest(*arguments).assert_outcomes(passed=2)
    pytester.runpytest(*arguments, "--ragauge-baseline", "runs/good").assert_outcomes(failed=2)


def test_lost_samples_fail_unless_they_are_allowed(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makepyfile("""
        import ragauge as package

        ROWS = [{"id": f"q{i}", "answer": "yes", "references": ["yes"]} for i in range(20)]
        package.evaluate(ROWS, "exact-match", resamples=0).save("runs/old", force=True)
        HALF = package.evaluate(ROWS[:10], "exact-match", resamples=0)

        def test_half(ragauge):
            ragauge.assert_not_worse(HALF, "runs/old")

        def test_half_allowed(ragauge):
            ragauge.assert_not_worse(HALF, "runs/old", min_coverage="50%")

        def test_two_metrics(ragauge):
            ragauge.assert_not_worse(HALF, "runs/old", metrics=["exact-match", "chrf"])
    """)
    ran = pytester.runpytest(*arguments)
    ran.assert_outcomes(passed=1, failed=2)
    ran.stdout.fnmatch_lines(
        [
            "*run       10 samples from list of dicts",
            "*baseline  runs/old",
            "*10 of 20 samples are lost, more than 5 %; *",
            "*10 of 20 scored: 10 only in the baseline",
            "*unknown metric *: 'chrf'; available: exact-match",
        ]
    )


def test_a_metric_that_the_baseline_lacks_is_said_and_not_compared(
    pytester: pytest.Pytester, arguments: list[str]
) -> None:
    pytester.makepyfile("""
        import ragauge as package

        ROWS = [{"id": f"q{i}", "answer": "yes", "references": ["yes"]} for i in range(20)]
        package.evaluate(ROWS, "exact-match", resamples=0).save("runs/old", force=True)
        package.evaluate(ROWS, "bleu", resamples=0).save("runs/other", force=True)

        def test_new_metric(ragauge):
            ragauge.assert_not_worse(ragauge.evaluate(ROWS, ["exact-match", "chrf"], resamples=0), "runs/old")

        def test_nothing_in_common(ragauge):
            ragauge.assert_not_worse(ragauge.evaluate(ROWS, "exact-match", resamples=0), "runs/other")
    """)
    ran = pytester.runpytest(*arguments)
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(
        [
            "*the baseline has none of exact-match; it has bleu",
            "ragauge: the baseline lacks chrf, which was not compared",
        ]
    )
