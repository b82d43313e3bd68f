"""Who a paper comes from, where no label says it: the name that its head and foot speak for.

A name scores by what supports it: a legal form, an address under it, an e-mail or web address made
of it, being printed again further down, standing early.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, takewhile

from mailroom_desk.cloud.claude.offline.dates import find_dates
from mailroom_desk.cloud.claude.offline.keywords import TITLES
from mailroom_desk.cloud.claude.offline.label_finder import is_label_line, label_key
from mailroom_desk.cloud.claude.offline.labels import FIELDS
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.values import COMPANY, TOWN, is_address, party_name
from mailroom_desk.cloud.claude.offline.words import contains, phrases, plain, squeeze, word_set

LETTERHEAD_LINES = 12
ADDRESSED_LINES = 30
# A company, a department and a person may stand above their address.
ADDRESS_REACH = 3
LONGEST_NAME = 6
LEGAL_FORM, IN_DOMAIN, HAS_ADDRESS, AGAIN, EACH_LINE_DOWN = 2.0, 2.0, 0.7, 0.4, 0.3
# What stands first on a paper is its sender's more often than not.
STANDS_FIRST = 1.2
SHORTEST_NAME = 4
LONG_DOMAIN = 7
# What a house is, not what it is called: "Brasserie - Restaurant".
KINDS_OF_HOUSE = word_set(
    "bar bistro boutique brasserie cafe hotel market osteria pizzeria restaurant ristorante shop "
    "store supermarket trattoria and et und y e en"
)
ITEM_HEADERS = word_set(
    "description quantity qty item artikel bezeichnung beschreibung leistung position menge "
    "designation libelle quantite descripcion concepto descrizione quantita omschrijving aantal"
)
# One line may hold the whole sender: "Nordwind GmbH · Hafenweg 9 · 20457 Hamburg".
BETWEEN_PARTS = re.compile(r"\s[|·•]\s|,\s")
SHIP_TO = phrases(
    """
    ship to | shipped to | deliver to | delivery address | shipping address
    | lieferadresse | lieferanschrift | adresse de livraison | livre a | direccion de
    entrega | enviar a | indirizzo di consegna | destinazione | afleveradres
    | bezorgadres | endereco de entrega | versandadresse | warenempfanger | lieu de livraison
    | lugar de entrega | luogo di consegna | leveradres
    """
)
LEGAL_FORM_LAST = re.compile(
    r"\b(?:gmbh|ag|kg|ohg|ltd|limited|plc|inc|llc|s\.?a\.?s|s\.?a|sarl|s\.?l\.?u?|s\.?r\.?l|s\.?p\.?a|"
    r"b\.?v|n\.?v)\.?$"
)
# What stands over a price is sold, or labels it.
PRICED = re.compile(r"[$€£]?\s?\d+[.,]\d\d\b(?![.,]\d)")
HONORED = re.compile(r"\s*(?:御中|様|殿)$")
# Before a name in an address; it is no part of the name.
TITLE_OF_PERSON = re.compile(
    r"^(?!\S+\s(?:et|und|and|y|&)\s)(?:mrs?|ms|herrn?|frau|eheleute|familie|monsieur|madame|mme|m\.|sra?|dña|dhr|mevr(?:ouw)?|sig(?:\.ra)?)"
    r"(?:(?<=\.)|\b)\.?\s+(?=\w|$)",
    re.IGNORECASE,
)


def letterhead(sheet: Sheet, other: str | None = None) -> str | None:
    """The name near the top that most speaks for; `other` is known to be someone else."""
    names = dict.fromkeys(_top_names(sheet))
    others = core(other) if other else None
    long_enough = (name for name in names if len(squeeze(name)) >= SHORTEST_NAME)
    ranked = [name for name in long_enough if core(name) != others]
    addressed = {name for block in address_blocks(sheet) for name in block}
    scores = {
        name: _score(sheet, name) + HAS_ADDRESS * (name in addressed) - place * EACH_LINE_DOWN
        for place, name in enumerate(ranked)
    }
    for name in ranked[:1]:
        scores[name] += STANDS_FIRST
    best = max(scores, key=lambda name: scores[name], default=None)
    return _in_full(best, ranked) if best else None


def is_same_party(one: str, other: str) -> bool:
    """Whether two names are one party's: a logo says less than the name in full."""
    shorter, longer = sorted((core(one), core(other)), key=len)
    return longer.startswith(shorter)


def _in_full(name: str, names: list[str]) -> str:
    """The name with its legal form at the end, where one of the others goes on like that."""
    longer = (
        each
        for each in names
        if LEGAL_FORM_LAST.search(plain(each)) and squeeze(each).startswith(squeeze(name))
    )
    return name if LEGAL_FORM_LAST.search(plain(name)) else next(longer, name)


def address_blocks(sheet: Sheet) -> list[list[str]]:
    """The names over each street or town above the items; columns of tables are read as well."""
    above_items = list(takewhile(_is_above_items, sheet.lines[:ADDRESSED_LINES]))
    beside = list(columns(sheet))
    labels = {cell for column in beside if _holds_labels(column) for cell in column}
    readings = [[line for line in lines if line not in labels] for lines in (above_items, *beside)]
    found = [block for lines in readings for block in _blocks(sheet, lines)]
    return [block for place, block in enumerate(found) if block not in found[:place]]


def name_in(sheet: Sheet, line: str) -> str | None:
    """The name that a line of a letterhead or an address is; None for titles, labels, sentences."""
    comparable = plain(line)
    if is_label_line(comparable) or ":" in line or HONORED.search(line):
        return None
    if find_dates(line):  # "Flensburg, 27.02.2025"
        return None
    if COMPANY.fullmatch(comparable):  # a legal form whose company stands elsewhere
        return None
    words = re.findall(r"[^\W\d_]+", comparable)
    if len(words) > 1 and KINDS_OF_HOUSE.issuperset(words):
        return None
    if line.rstrip().endswith((",", ".")) and len(line) > 60:
        return None
    is_sentence = line.endswith(".") and not COMPANY.search(comparable) and len(line.split()) > 2
    is_town = TOWN.match(comparable) is not None
    if (
        is_town
        or is_address(BETWEEN_PARTS.split(line)[0])
        or is_sentence
        or _is_title(line, comparable)
    ):
        return None
    return party_name(line, sheet.locale)


def core(name: str) -> str:
    """What is left of a name without its legal form: how names are compared."""
    return squeeze(COMPANY.sub(" ", plain(name))) or squeeze(name)


def _top_names(sheet: Sheet) -> Iterator[str]:
    top = [*sheet.lines[:LETTERHEAD_LINES], ""]
    for number, (line, below) in enumerate(pairwise(top)):
        if label_key(line) in _recipient_labels():
            return
        name = None if number and PRICED.match(below) else name_in(sheet, line)
        if name:
            yield name


def _score(sheet: Sheet, name: str) -> float:
    key = core(name)
    first_words = squeeze(" ".join(plain(name).split()[:2]))
    made_of_it = any(
        key in domain
        or (len(domain) >= SHORTEST_NAME and first_words.startswith(domain))
        or (len(domain) >= LONG_DOMAIN and domain in key)
        for domain in sheet.domains
    )
    return (
        LEGAL_FORM * bool(COMPANY.search(plain(name)))
        + IN_DOMAIN * made_of_it
        + AGAIN * (sheet.squeezed.count(squeeze(name)) > 1)
    )


def _is_above_items(line: str) -> bool:
    return label_key(line) not in ITEM_HEADERS


def columns(sheet: Sheet) -> Iterator[list[str]]:
    """Two addresses side by side are a table to the eye: each of its columns is read downwards."""
    for table in sheet.document.tables[:3]:
        for column in zip(*table, strict=False):
            yield [cell for cell in column[:ADDRESSED_LINES] if cell]


def _holds_labels(column: list[str]) -> bool:
    """Whether a column is one of labels, whose values stand in the next."""
    return sum(is_label_line(plain(cell)) for cell in column) * 2 >= len(column)


def _blocks(sheet: Sheet, lines: list[str]) -> Iterator[list[str]]:
    """The names, up to ADDRESS_REACH, that stand straight above each address."""
    block: list[str] = []
    for line in lines:
        name = name_in(sheet, line)
        if name and any(map(is_address, BETWEEN_PARTS.split(line)[1:])):
            yield [name]
            block = []
            continue
        if name and len(name.split()) <= LONGEST_NAME:
            block.append(name)
            continue
        if block and is_address(line):
            yield block[-ADDRESS_REACH:]
        block = []


def _is_title(line: str, comparable: str) -> bool:
    squeezed = squeeze(line)
    if squeezed in _titles():
        return True
    if not any(c.isdigit() for c in line) and len(line.split()) > 3:
        return False
    return any(
        contains(comparable, squeezed, title)
        for name in ("invoice", "receipt")
        for title in TITLES[name]
    )


@cache
def _titles() -> frozenset[str]:
    return frozenset(squeeze(title) for titles in TITLES.values() for title in titles)


@cache
def _recipient_labels() -> frozenset[str]:
    """Labels after which the letterhead is over."""
    return frozenset(
        label_key(label)
        for label in (*SHIP_TO, *(each for each, _ in FIELDS["customer_name"].labels))
    )
