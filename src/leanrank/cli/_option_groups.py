"""Options that several commands share, said once: a dataclass of them is one parameter of a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY


def option_groups(*, without: Iterable[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of its parameters that are dataclasses as options, in the place of the parameter.

    `without` names those that the command cannot obey.
    """
    unwanted = set(without)

    def decorator(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        groups: dict[str, Any] = {
            parameter.name: parameter.annotation
            for parameter in signature.parameters.values()
            if is_dataclass(parameter.annotation)
        }
        options = {name: _options(group, unwanted) for name, group in groups.items()}

        @wraps(command)
        def run(**given: Any) -> None:
            for name, group in groups.items():
                given[name] = group(**{option.name: given.pop(option.name) for option in options[name]})
            command(**given)

        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            parameters += options.get(parameter.name, [parameter.replace(kind=KEYWORD_ONLY)])
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorator


def _options(group: Any, unwanted: set[str]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(field.name, KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
        for field in fields(group)
        if field.name not in unwanted
    ]
