"""All that is public is in ``limit_pruning`` itself; no module shares a name with a function."""

from __future__ import annotations

import pkgutil

import limit_pruning


def test_every_module_is_private() -> None:
    names = [module.name for module in pkgutil.iter_modules(limit_pruning.__path__)]
    assert len(names) > 10
    assert [name for name in names if not name.startswith("_")] == []


def test_the_package_has_the_public_names_and_no_others() -> None:
    public = {name for name in vars(limit_pruning) if not name.startswith("_")}
    assert public == set(limit_pruning.__all__) - {"__version__"}
    assert sorted(limit_pruning.__all__) == limit_pruning.__all__


def test_errors_have_one_base_class_and_their_public_name() -> None:
    errors = [
        error
        for name in limit_pruning.__all__
        if isinstance(error := getattr(limit_pruning, name), type)
        and issubclass(error, BaseException)
    ]
    assert len(errors) == 9
    for error in errors:
        assert issubclass(error, limit_pruning.LimitPruningError)
        assert error.__module__ == "limit_pruning"
