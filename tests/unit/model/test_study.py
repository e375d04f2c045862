"""The study: what no part can check alone."""

import polars as pl
import pytest

import reident as ri

PUF = pl.DataFrame({"p": ["0", "1"], "x": ["a", "b"], "y": [1.0, 2.0]})
EIF = PUF.rename({"p": "e"})


def study(**details):
    return ri.Study(
        **{
            "puf": ri.PublicFile(PUF, key="p"),
            "eif": ri.IntruderFile(EIF, key="e"),
            "variables": [ri.categorical("x"), ri.numeric("y")],
            **details,
        }
    )


@pytest.mark.parametrize(
    ("details", "fault"),
    [
        ({"variables": []}, "variables: no linking variable"),
        ({"variables": [ri.numeric("y"), ri.categorical("y")]}, "variables.y: named twice"),
        ({"variables": [ri.categorical("p")]}, "a puf key column is used as linking variable"),
        ({"variables": [ri.categorical("x", eif="e")]}, "a eif key column is used"),
        ({"seed": -1}, "seed"),
        ({"nonsense": 1}, "nonsense: unknown name"),
        ({"attacks": {"a b": ri.Taxicab()}}, "a label with other signs"),
        ({"attacks": {"t": ri.Taxicab(variables=["z"])}}, "'z' is not a linking variable"),
        ({"attacks": {"a": ri.AdHoc({"x": {"equal": 5}})}}, "rules.y: no rule for this linking"),
        (
            {"attacks": {"a": ri.AdHoc({"x": {"equal": 5}, "y": {"equal": 5}, "z": {"equal": 1}})}},
            "rules.z: a rule for no linking variable",
        ),
        (
            {"attacks": {"a": ri.AdHoc({"x": {"difference": [[0, 5]]}, "y": {"equal": 5}})}},
            "rules.x: this rule does not judge a categorical variable",
        ),
        ({"limits": {"nobody": ri.Limits(suspected_rate=1)}}, "no attack has this label"),
        ({"limits": {"": ri.Limits(confirmed_rate=1)}}, "a limit that needs the truth"),
        (
            {"truth": ri.TruthFile(PUF, puf_key=["a", "b"], eif_key=["c"])},
            "iuf.puf_key: 2 columns",
        ),
        (
            {"eif": ri.IntruderFile(PUF, key="p"), "truth": ri.TruthFile(PUF)},
            "a PUF and an EIF key column share a name",
        ),
    ],
)
def test_a_fault_between_the_parts_is_refused_when_the_study_is_made(details, fault):
    with pytest.raises(ri.SpecError) as caught:
        study(**details)
    assert fault in str(caught.value)


def test_faults_between_the_parts_are_told_at_once():
    with pytest.raises(ri.SpecError) as caught:
        study(
            variables=[ri.categorical("p"), ri.categorical("x"), ri.numeric("x")],
            limits={"nobody": ri.Limits(suspected_rate=1)},
        )
    assert len(caught.value.faults) == 3


def test_unicity_takes_sixty_four_variables_and_no_more():
    names = [f"v{place}" for place in range(65)]
    variables = [ri.categorical(name) for name in names]
    with pytest.raises(ri.SpecError, match="Unicity takes at most 64"):
        study(variables=variables)
    study(variables=variables, attacks={"unicity": ri.Unicity(variables=names[:64])})
    study(variables=variables, attacks={"taxicab": ri.Taxicab()})


def test_an_attack_looks_at_its_variables_in_the_order_of_the_study():
    made = study()
    assert [v.name for v in made.linking(ri.Taxicab())] == ["x", "y"]
    assert [v.name for v in made.linking(ri.Taxicab(variables=["y", "x"]))] == ["x", "y"]
    assert [v.name for v in made.linking(ri.Taxicab(variables="y"))] == ["y"]


def test_several_labels_of_one_method_run_side_by_side():
    made = study(attacks={"loose": ri.Taxicab(threshold=2), "strict": ri.Taxicab()})
    result = made.run()
    assert list(result) == ["loose", "strict"]
    assert result["loose"].suspected >= result["strict"].suspected


@pytest.mark.parametrize(
    "attack", [ri.AdHoc({"x": {"equal": 5}}), ri.Taxicab(variables=["nosuch"])]
)
def test_attacks_handed_to_run_are_checked_as_those_of_the_study(attack):
    with pytest.raises(ri.SpecError):
        study().run(attack)


def test_two_attacks_of_one_method_are_not_lost_by_run():
    try:
        result = study().run(ri.Taxicab(), ri.Taxicab(keep=1))
    except ri.SpecError:
        return
    assert len(result.attacks) == 2


def test_a_study_that_names_no_attack_runs_the_default_ones():
    assert list(study(attacks={}).run()) == ["unicity", "taxicab", "euclidean"]


@pytest.mark.parametrize(
    "attack",
    [
        ri.Euclidean(threshold=10_000),
        ri.Taxicab(threshold=1e30),
        ri.AdHoc({"x": {"equal": 5}, "y": {"equal": 5}}, threshold=-1e15),
        ri.Taxicab(missing_score="0.500000001"),
    ],
    ids=["euclidean", "taxicab", "adhoc", "missing_score"],
)
def test_a_number_of_any_size_is_a_threshold_or_refused(attack):
    try:
        result = study().run(attack)
    except ri.SpecError:
        return
    assert result[attack.method].suspected == 2
