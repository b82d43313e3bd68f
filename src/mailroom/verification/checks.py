"""The checks that a class declares of its own fields: sums, products, dates in order, checksums.

A declaration is an object of the classes file:

    {"rule": "sum", "total": "total", "parts": ["subtotal", "tax"], "plus": ["tip"], "minus": []}
    {"rule": "sum", "total": ["subtotal", "total"], "items": "line_items.amount"}
    {"rule": "product", "items": "line_items", "factors": ["quantity", "unit_price"],
     "product": "amount"}
    {"rule": "order", "fields": ["invoice_date", "due_date"]}
    {"rule": "checksum", "kind": "iban", "field": "iban"}
    {"rule": "present", "field": "currency", "with": "total"}

`tolerance` (text, in the amounts' unit, 0.02 without it) is for what rounding adds. A rule whose
fields are not all there says nothing, save `plus` and `minus`: these count as zero where they are
missing. Where `total` names several fields, one of them must hold the sum. `kind` is a module of
python-stdnum, with "_" for its dots: "iban", "eu_vat", "us_ein".

What the document itself has wrong is a reason as well: whoever pays it should know.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from importlib import import_module
from itertools import pairwise
from typing import Any

from mailroom.classes import Schema

Declaration = Mapping[str, Any]

_TOLERANCE = "0.02"
_NAMES = 3  # line items that are named in one reason
_KEYS = {
    "sum": {"total", "parts", "plus", "minus", "items", "tolerance"},
    "product": {"items", "factors", "product", "tolerance"},
    "order": {"fields"},
    "checksum": {"kind", "field"},
    "present": {"field", "with"},
}
_LISTS = ("parts", "plus", "minus", "factors", "fields")
_NAMED = ("total", "items", "product", "kind", "field", "with")


def broken(declarations: Iterable[Declaration], fields: dict[str, Any]) -> list[str]:
    """Why the fields break the checks: a sentence for each, with the names of rule and fields."""
    return [
        reason
        for declaration in declarations
        for reason in _RULES[declaration["rule"]](declaration, fields)
    ]


def problems(declaration: Declaration, schema: Schema) -> list[str]:
    """What is wrong with a declaration, by the class's schema; nothing where it can be used."""
    rule = declaration.get("rule")
    if rule not in _RULES:
        return [f"There is no rule {rule!r}."]
    found = [f"{rule} knows no {key!r}." for key in declaration.keys() - _KEYS[rule] - {"rule"}]
    for key in sorted(_needed(declaration) - declaration.keys()):
        found.append(f"{rule} needs {key!r}.")
    found += [f"{key!r} of {rule} is no name." for key in sorted(_misshapen(declaration))]
    if found:
        return found
    if "tolerance" in declaration and not _is_amount(declaration["tolerance"]):
        found.append(f"The tolerance of {rule} is no amount.")
    if rule == "checksum" and _checker(declaration["kind"]) is None:
        found.append("python-stdnum has no module for the kind of checksum.")
    for path in _paths(declaration):
        if not _leads_somewhere(path, schema):
            found.append(f"{rule} names {path!r}, which is not in the schema.")
    return found


def _sum(rule: Declaration, fields: dict[str, Any]) -> Iterator[str]:
    totals = [name for name in _listed(rule["total"]) if name in fields]
    if "items" in rule:
        parts = _column(fields, rule["items"])
        named = rule["items"]
    else:
        parts = [fields.get(name) for name in rule["parts"]]
        named = _joined(rule["parts"])
    if not totals or not parts or any(part is None for part in parts):
        return
    result = sum((Decimal(part) for part in parts if part is not None), Decimal())
    result += sum((Decimal(fields.get(name, 0)) for name in rule.get("plus", ())), Decimal())
    # A discount is printed with a minus and without one.
    result -= sum((abs(Decimal(fields.get(name, 0))) for name in rule.get("minus", ())), Decimal())
    if all(abs(Decimal(fields[name]) - result) > _tolerance(rule) for name in totals):
        yield f"The sum of {named} is not {_joined(totals, 'or')}."


def _product(rule: Declaration, fields: dict[str, Any]) -> Iterator[str]:
    wrong = []
    for index, item in enumerate(fields.get(rule["items"]) or ()):
        if not all(name in item for name in (*rule["factors"], rule["product"])):
            continue
        result = Decimal(1)
        for name in rule["factors"]:
            result *= Decimal(item[name])
        off = abs(abs(result) - abs(Decimal(item[rule["product"]])))
        if off > max(_tolerance(rule), _rounding([item[name] for name in rule["factors"]])):
            wrong.append(index + 1)
    if wrong:
        named = ", ".join(map(str, wrong[:_NAMES])) + (", …" if len(wrong) > _NAMES else "")
        factors = " times ".join(rule["factors"])
        yield f"In {rule['items']} {factors} is not {rule['product']}: number {named}."


def _order(rule: Declaration, fields: dict[str, Any]) -> Iterator[str]:
    there = [name for name in rule["fields"] if name in fields]
    for first, second in pairwise(there):
        if date.fromisoformat(fields[first]) > date.fromisoformat(fields[second]):
            yield f"{second} lies before {first}."


def _checksum(rule: Declaration, fields: dict[str, Any]) -> Iterator[str]:
    value = fields.get(rule["field"])
    kind = rule["kind"]
    if value is None or (kind == "eu_vat" and not _is_european(value)):
        return
    checker = _checker(kind)
    if checker and not checker(value):
        yield f"The checksum ({kind}) of {rule['field']} is wrong."


def _present(rule: Declaration, fields: dict[str, Any]) -> Iterator[str]:
    if rule["with"] in fields and rule["field"] not in fields:
        yield f"No {rule['field']} was found for {rule['with']}."


_RULES: dict[str, Callable[[Declaration, dict[str, Any]], Iterator[str]]] = {
    "sum": _sum,
    "product": _product,
    "order": _order,
    "checksum": _checksum,
    "present": _present,
}


def _rounding(factors: list[str]) -> Decimal:
    """What half a unit of a factor's last digit makes of the product, as prices are rounded."""
    numbers = [Decimal(factor) for factor in factors]
    most = Decimal()
    for index, number in enumerate(numbers):
        exponent = int(number.as_tuple().exponent)
        if exponent >= 0:
            continue  # a whole number was counted, not rounded
        others = Decimal(1)
        for place, other in enumerate(numbers):
            others *= abs(other) if place != index else 1
        most = max(most, Decimal(5).scaleb(exponent - 1) * others)
    return most


def _column(fields: dict[str, Any], path: str) -> list[str | None]:
    name, _, part = path.partition(".")
    return [item.get(part) for item in fields.get(name) or ()]


def _checker(kind: str) -> Callable[[str], bool] | None:
    """The check of a kind of number, by python-stdnum; None where it knows none."""
    if not re.fullmatch(r"[a-z]\w*", kind):
        return None
    for name in (kind.replace("_", ".", 1), kind):
        try:
            module = import_module(f"stdnum.{name}")
        except ImportError:
            continue
        checker: Callable[[str], bool] | None = getattr(module, "is_valid", None)
        if checker:
            return checker
    return None


def _is_european(number: str) -> bool:
    """A VAT number with the prefix of a member state; others follow other rules."""
    states = import_module("stdnum.eu.vat").MEMBER_STATES
    return re.sub(r"\W", "", number)[:2].casefold().replace("el", "gr") in states


def _misshapen(rule: Declaration) -> Iterator[str]:
    """Keys that hold neither names nor, where several are taken, a list of names."""
    for key in rule.keys() & {*_LISTS, *_NAMED}:
        value = rule[key]
        several = isinstance(value, list) and value and all(isinstance(v, str) for v in value)
        empty = value == [] and key in ("plus", "minus")
        named = isinstance(value, str) or (key == "total" and several)
        if not (several or empty if key in _LISTS else named):
            yield key


def _needed(rule: Declaration) -> set[str]:
    if rule["rule"] == "sum":
        return {"total", "items" if "items" in rule else "parts"}
    return _KEYS[rule["rule"]] - {"tolerance"}


def _paths(rule: Declaration) -> Iterator[str]:
    if rule["rule"] == "product":
        yield from (f"{rule['items']}.{name}" for name in (*rule["factors"], rule["product"]))
        return
    for key in ("total", "parts", "plus", "minus", "items", "fields", "field", "with"):
        yield from _listed(rule.get(key, ()))


def _leads_somewhere(path: str, schema: Schema) -> bool:
    name, _, part = path.partition(".")
    below = schema.get("properties", {}).get(name)
    if below is None or not part:
        return below is not None
    return part in below.get("items", {}).get("properties", {})


def _listed(names: str | list[str] | tuple[str, ...]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _joined(names: list[str], word: str = "and") -> str:
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _tolerance(rule: Declaration) -> Decimal:
    return Decimal(rule.get("tolerance", _TOLERANCE))


def _is_amount(text: Any) -> bool:
    return isinstance(text, str) and bool(re.fullmatch(r"\d+(?:\.\d+)?", text))
