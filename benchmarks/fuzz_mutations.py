"""Good files turned into bad ones: a few bytes, a few words, a few nodes of JSON, or what stands behind a digest.

Every function takes the files of a case by name and a source of random numbers, and gives the files that result; the
same numbers give the same files.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import sqlite3
import struct
import zipfile
from collections.abc import Callable
from copy import deepcopy
from hashlib import blake2b
from random import Random
from typing import Any, TypeAlias

Files: TypeAlias = dict[str, bytes]
Way: TypeAlias = Callable[[Files, Random], Files]

_WORDS = (
    *("", " ", "0", "-1", "1", "2147483647", "2147483648", "-2147483649", "4294967296", "9007199254740993"),
    *("9223372036854775807", "18446744073709551616", "1" * 400, "1e307", "-1e308", "1e309", "5e-324", "nan", "NaN"),
    *("inf", "-inf", "NULL", "null", "true", "2000000000", "0x10", "1,5", "é", "\x00", "\ud7ff", '"', "#", ":", "qid:"),
)
_NODES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**53 + 1, 2**63, 10**400, 1e307, -1e308, 5e-324, float("nan")),
    *(float("inf"), "", "x", "1", "nan", "2000000000", "\ud800", [], {}, [[]], [None], {"": None}, [1, "a", {}]),
)


def bytes_of(files: Files, rng: Random) -> Files:
    """Bits, bytes and stretches: changed, doubled, moved, cut out, cut off."""
    name = rng.choice(list(files))
    content = bytearray(files[name])
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at, length = rng.randrange(len(content) + 1), rng.choice((1, 1, 2, 4, 8, 64, 1024))
        what = rng.randrange(8)
        if what == 0 and at < len(content):
            content[at] ^= 1 << rng.randrange(8)
        elif what == 1 and at < len(content):
            content[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        elif what == 2:
            del content[at : at + length]
        elif what == 3:
            content[at:at] = content[at : at + length]
        elif what == 4:
            content[at:at] = rng.randbytes(length)
        elif what == 5:
            content[at : at + length] = rng.choice((b"\0", b"\xff")) * length
        elif what == 6:
            other = rng.randrange(len(content) + 1)
            content[at:at] = content[other : other + length]
        elif rng.randrange(4) == 0:
            del content[at:]
    return {**files, name: bytes(content)}


def words_of(files: Files, rng: Random) -> Files:
    """Words and numbers of a text."""
    name = next(iter(files))
    return {**files, name: odd_words(files[name].decode("utf-8", "surrogateescape"), rng).encode("utf-8", "replace")}


def nodes_of(files: Files, rng: Random) -> Files:
    """Nodes of a JSON file, or of one line of JSON lines."""
    name = next(iter(files))
    lines = files[name].decode().splitlines(keepends=True)
    try:
        texts, place = [files[name].decode()], 0
        json.loads(texts[0])
    except ValueError:
        texts, place = lines, rng.randrange(len(lines))
    texts[place] = odd_json(texts[place], rng)
    return {**files, name: "\n".join(texts).encode("utf-8", "replace")}


def behind_digest(files: Files, rng: Random) -> Files:
    """What a saved ranker keeps under a digest (another library's model, arrays), with a digest that agrees."""
    name, *beside = files
    model = json.loads(files[name])
    files = dict(files)
    texts = [one for one in model["learned"].values() if isinstance(one, dict) and one.get("text")]
    if beside and rng.randrange(2):
        files[beside[0]] = rng.choice((arrays_of, bytes_of))({beside[0]: files[beside[0]]}, rng)[beside[0]]
        model["npz_digest"] = _digest(files[beside[0]])
    elif texts:
        one = rng.choice(texts)
        odd = odd_json if one["text"].startswith("{") and rng.randrange(2) else odd_words
        one["text"] = odd(one["text"], rng)
        one["digest"] = _digest(one["text"].encode("utf-8", "replace"))
    else:
        return nodes_of(files, rng)
    return {**files, name: json.dumps(model).encode("utf-8", "replace")}


def arrays_of(files: Files, rng: Random) -> Files:
    """An array of an .npz: its header, its values, its place in the archive, how it is packed."""
    name = next(iter(files))
    with zipfile.ZipFile(io.BytesIO(files[name])) as archive:
        entries = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    chosen = rng.choice(list(entries))
    inside, what = entries[chosen], rng.randrange(5)
    if what == 0:
        entries[chosen] = bytes_of({"": inside}, rng)[""]
    elif what == 1:  # the header is text of a length that stands before it
        (length,) = struct.unpack("<H", inside[8:10])
        header = odd_words(inside[10 : 10 + length].decode("latin-1"), rng).encode("latin-1", "replace")
        entries[chosen] = (
            inside[:8] + struct.pack("<H", min(len(header), 65535)) + header[:65535] + inside[10 + length :]
        )
    elif what == 2:
        del entries[chosen]
    elif what == 3:
        entries[rng.choice(list(entries))] = inside
    elif inside.startswith(b"\x93NUMPY") and b"{" in inside[128:]:
        entries[chosen] = inside[:128] + odd_json(inside[128:].decode("utf-8", "replace"), rng).encode(
            "utf-8", "replace"
        )
    else:
        entries[chosen] = inside[:-8] + struct.pack("<d", rng.choice((float("nan"), float("inf"), 1e308, -1.0)))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for entry, content in entries.items():
            archive.writestr(entry, content)
    content = packed.getvalue()
    if rng.randrange(8) == 0:  # an entry that says it is encrypted
        content = content.replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01", 1)
        content = content.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01", 1)
    return {**files, name: content}


def rows_of_journal(files: Files, rng: Random) -> Files:
    """A row of a journal: its JSON changed, or the row gone or renamed."""
    name = next(iter(files))
    content = bytearray(files[name])
    content[18:20] = b"\1\1"  # a write-ahead log cannot be in memory
    with_rows = sqlite3.connect(":memory:")
    with_rows.deserialize(bytes(content))
    table, columns = rng.choice((("about", ("value",)), ("tasks", ("task", "result", "seconds"))))
    rows = with_rows.execute(f"SELECT rowid, * FROM {table}").fetchall()
    row, column = rng.choice(rows), rng.choice(columns)
    if rng.randrange(6) == 0:
        with_rows.execute(f"DELETE FROM {table} WHERE rowid = ?", row[:1])
    else:
        (old,) = with_rows.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", row[:1]).fetchone()
        new: Any = rng.choice((b"\xff\x00", "", "x", 1.5, "nan")) if column == "seconds" else odd_json(old, rng)
        if isinstance(new, str):
            new = new.encode("utf-8", "replace").decode()
        with_rows.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, row[0]))
    with_rows.commit()
    changed = with_rows.serialize()
    with_rows.close()
    return {**files, name: changed}


def packed(way: Way) -> Way:
    """The same, then compressed with gzip."""

    def packed_way(files: Files, rng: Random) -> Files:
        name, *rest = way(files, rng).items()
        content = gzip.compress(name[1], 1, mtime=0)
        return dict([(f"{name[0]}.gz", bytes_of({"": content}, rng)[""] if rng.randrange(3) == 0 else content), *rest])

    return packed_way


def odd_words(text: str, rng: Random) -> str:
    """Some words or numbers of a text replaced, or lines doubled, moved and left out."""
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        words = list(re.finditer(r"[^\s,;:=\[\]{}()\"]+", text))
        if words and rng.randrange(4):
            word = rng.choice(words)
            new = rng.choice((*_WORDS, rng.choice(words)[0], str(rng.randrange(-9, 99)), word[0] * 2, "-" + word[0]))
            text = text[: word.start()] + new + text[word.end() :]
            continue
        lines = text.splitlines(keepends=True) or [""]
        at = rng.randrange(len(lines))
        line = lines.pop(at)
        for _ in range(rng.choice((0, 1, 2))):
            lines.insert(rng.randrange(len(lines) + 1), line)
        text = "".join(lines)
    return text


def odd_json(text: str, rng: Random) -> str:
    """Some nodes of JSON replaced, left out, doubled or nested very deep; words where it is no JSON."""
    try:
        content = json.loads(text)
    except ValueError:
        return odd_words(text, rng)
    if rng.randrange(40) == 0:
        deep = rng.choice(("[", '{"a":'))
        return deep * rng.choice((500, 5000, 200_000))
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        content = _odd_node(content, rng)
    return json.dumps(content, ensure_ascii=False)


def _odd_node(content: Any, rng: Random) -> Any:
    places: list[tuple[Any, Any]] = []
    stack = [content]
    while stack:
        node = stack.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        places += [(node, key) for key in keys]
        stack += [node[key] for key in keys]
    if not places or rng.randrange(50) == 0:
        return deepcopy(rng.choice(_NODES))
    # Long lists hold most places: every second time one near the top is taken.
    node, key = rng.choice(places if rng.randrange(2) else places[:60])
    what = rng.randrange(6)
    if what == 0:
        del node[key]
    elif what == 1 and isinstance(node, list):
        node.insert(rng.randrange(len(node) + 1), node[key])
    elif what == 2:
        other, there = rng.choice(places)
        if isinstance(other, dict) and there not in other:
            return content
        node[key] = json.loads(json.dumps(other[there] if isinstance(other, dict) or there < len(other) else None))
    elif what == 3 and type(node[key]) in (int, float) and abs(node[key]) < 1e300:
        node[key] = rng.choice((-node[key], node[key] + 1, node[key] * 2**20, str(node[key]), node[key] + 0.5))
    else:
        node[key] = deepcopy(rng.choice(_NODES))
    return content


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
