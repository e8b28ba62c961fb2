"""Files appear whole or not at all; what is no file is written through, and no input is written over."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading

import numpy as np
import pytest

from leanrank import FeatureGraph, RankingData, RankSVM, feature_graph, read_table, write_letor, write_parquet
from leanrank.data.tabular.csv_files import write_csv
from leanrank.data.whole_file import is_standard_stream, refuse_same_file, whole_file, write_whole
from leanrank.errors import DataError

DATA = RankingData([[0.5, 1.0], [2.0, 0.0], [1.0, 3.0]], [1, 0, 1], [0, 2, 3])


def mode(path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture
def umask_027():
    before = os.umask(0o027)
    yield
    os.umask(before)


def test_an_error_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    target = tmp_path / "features.json"
    write_whole(target, "old")
    with pytest.raises(RuntimeError, match="halfway"), whole_file(target) as file:
        file.write(b"new")
        raise RuntimeError("halfway")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are Linux's")
def test_a_killed_writer_leaves_nothing(tmp_path):
    write_whole(tmp_path / "x.json", "old")
    program = (
        "import os, signal, sys\n"
        "from leanrank.data.whole_file import whole_file\n"
        "with whole_file(sys.argv[1]) as file:\n"
        "    file.write(b'new')\n"
        "    file.flush()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "x.json")], check=False)
    assert done.returncode == -9
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
    assert (tmp_path / "x.json").read_text() == "old"


def test_where_every_file_has_a_name(tmp_path, monkeypatch):
    monkeypatch.delattr("os.O_TMPFILE", raising=False)
    target = tmp_path / "x.json"
    with whole_file(target) as file:
        file.write(b"new")
        assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
    assert target.read_text() == "new"


def test_where_a_file_cannot_be_named_afterwards(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refused)
    write_whole(tmp_path / "x.json", "a result" * 9999)
    assert (tmp_path / "x.json").read_text() == "a result" * 9999
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_text_is_utf8_and_bytes_are_bytes(tmp_path):
    write_whole(tmp_path / "a", "né")
    write_whole(tmp_path / "b", b"\xff")
    assert (tmp_path / "a").read_bytes() == b"n\xc3\xa9"
    assert (tmp_path / "b").read_bytes() == b"\xff"


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(DataError, match=r"cannot be written \(No such file or directory\)"):
        write_whole(tmp_path / "none" / "x.json", "x")


def test_a_folder_in_the_place_of_the_file_is_one_sentence(tmp_path):
    with pytest.raises(DataError, match=rf"^{tmp_path}: cannot be written \(Is a directory\)\.$"):
        write_whole(tmp_path, "x")


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path):
    with pytest.raises(DataError, match=r"x\.json: cannot be written \(No space left"), whole_file(tmp_path / "x.json"):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_an_error_names_the_target_and_not_the_temporary_file(tmp_path, monkeypatch):
    def refused(source, target):
        raise PermissionError(13, "Permission denied", source, None, target)

    writers = (lambda path: write_whole(path, "x"), feature_graph(DATA).save, RankSVM().fit(DATA).save)
    monkeypatch.setattr("os.replace", refused)  # only now: kernels that are compiled are put in their place by it too
    for save in writers:
        with pytest.raises(DataError, match=r"x\.json: cannot be written \(Permission denied\)\.$") as caught:
            save(tmp_path / "x.json")
        assert ".part" not in str(caught.value)
        assert list(tmp_path.iterdir()) == []


def test_trouble_with_another_file_is_not_ours(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"), whole_file(tmp_path / "x.json"):
        (tmp_path / "absent").read_bytes()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("umask_027")
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path):
    saves = {
        "text": lambda path: write_whole(path, "x"),
        "graph": feature_graph(DATA).save,
        "r": RankSVM().fit(DATA).save,
    }
    for name, save in saves.items():
        save(tmp_path / name)
        assert mode(tmp_path / name) == 0o640, name


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path):
    write_whole(tmp_path / "secret", "old")
    os.chmod(tmp_path / "secret", 0o600)
    with whole_file(tmp_path / "secret") as file:
        file.write(b"new")
        assert {mode(path) for path in tmp_path.iterdir()} == {0o600}  # what is beside, too
    assert (tmp_path / "secret").read_text() == "new"
    assert mode(tmp_path / "secret") == 0o600


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "runs").mkdir()
    write_whole(tmp_path / "runs" / "today.json", "old")
    (tmp_path / "latest.json").symlink_to("runs/today.json")
    (tmp_path / "next.json").symlink_to("runs/tomorrow.json")
    write_whole(tmp_path / "latest.json", "new")
    write_whole(tmp_path / "next.json", "first")
    assert (tmp_path / "latest.json").is_symlink()
    assert (tmp_path / "runs" / "today.json").read_text() == "new"
    assert (tmp_path / "next.json").is_symlink()
    assert (tmp_path / "runs" / "tomorrow.json").read_text() == "first"
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["today.json", "tomorrow.json"]


def test_a_long_name_leaves_room_for_the_file_beside(tmp_path):
    write_whole(tmp_path / ("x" * 255), "x")
    assert (tmp_path / ("x" * 255)).read_text() == "x"


def graph_of(path):
    return FeatureGraph.load(path).similarity


@pytest.mark.parametrize(
    ("write", "content"),
    [
        (write_letor, lambda path: path.read_bytes()),
        (write_csv, lambda path: path.read_bytes()),
        (write_parquet, lambda path: read_table(path).X),
        (lambda data, path: feature_graph(data).save(path), graph_of),
    ],
)
def test_a_pipe_is_written_through(tmp_path, write, content):
    write(DATA, tmp_path / "file")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: (tmp_path / "copy").write_bytes(pipe.read_bytes()))
    reader.start()
    write(DATA, pipe)
    reader.join(10)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    np.testing.assert_array_equal(content(tmp_path / "copy"), content(tmp_path / "file"))


def test_a_device_is_written_through_and_stays(tmp_path):
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        device.write_bytes(b"")
    except OSError as error:
        pytest.skip(f"a device cannot be made here: {error.strerror}")
    write_whole(device, "gone")
    assert stat.S_ISCHR(os.stat(device).st_mode)


def test_dev_null_is_still_a_device():
    write_whole(os.devnull, "gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_dev_stdout_is_written_through_wherever_it_leads(tmp_path):
    code = "print('one'); from leanrank.data.whole_file import write_whole as w; w('/dev/stdout', 'two\\n')"
    command = [sys.executable, "-c", code + "; print('three')"]
    piped = subprocess.run(command, capture_output=True, text=True, check=True)
    assert piped.stdout == "one\ntwo\nthree\n"
    (tmp_path / "log").write_text("zero\n")
    with (tmp_path / "log").open("a") as log:
        subprocess.run(command, stdout=log, check=True)
    assert (tmp_path / "log").read_text() == "zero\none\ntwo\nthree\n"
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_a_dash_is_standard_output(capsysbinary, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_standard_stream("-")
    assert not is_standard_stream("./-")
    write_whole("-", "text\n")
    write_letor(DATA, "-")
    write_letor(DATA, "as_file")
    assert capsysbinary.readouterr().out == b"text\n" + (tmp_path / "as_file").read_bytes()
    write_whole("./-", "a file")
    assert (tmp_path / "-").read_text() == "a file"


def test_a_reader_that_goes_away_is_a_broken_pipe(tmp_path):
    readable, writable = os.pipe()
    os.close(readable)
    with pytest.raises(BrokenPipeError):
        write_whole(f"/dev/fd/{writable}", b"x" * 100_000)
    os.close(writable)


class TestRefuseSameFile:
    @pytest.fixture
    def train(self, tmp_path):
        write_letor(DATA, tmp_path / "train.txt")
        return tmp_path / "train.txt"

    def test_other_files_and_no_files_pass(self, train, tmp_path):
        (tmp_path / "other.txt").write_text("x")
        for output in (None, "-", tmp_path / "new.txt", tmp_path / "other.txt", os.devnull, "/dev/stdout"):
            refuse_same_file(output, train, None, tmp_path / "absent.txt")
        refuse_same_file(os.devnull, os.devnull)

    def test_the_same_file_by_any_name_is_refused(self, train, tmp_path, monkeypatch):
        (tmp_path / "soft").symlink_to(train)
        os.link(train, tmp_path / "hard")
        monkeypatch.chdir(tmp_path)
        for output in (train, "train.txt", "./../" + tmp_path.name + "/train.txt", "soft", "hard"):
            with pytest.raises(DataError, match=rf"{output} is read here, and would be written over"):
                refuse_same_file(output, None, train)

    def test_a_folder_that_would_take_the_output_for_data(self, tmp_path):
        folder = tmp_path / "judged"
        folder.mkdir()
        write_parquet(DATA, folder / "a.parquet")
        with pytest.raises(DataError, match=r"a\.parquet is inside .*judged, which is read here"):
            refuse_same_file(folder / "a.parquet", folder)
        with pytest.raises(DataError, match="would be taken for more data"):
            refuse_same_file(folder / "later" / "b.pq", folder)
        with pytest.raises(DataError, match="would be written over"):
            refuse_same_file(folder, folder)
        refuse_same_file(folder / "features.json", folder)
        refuse_same_file(tmp_path / "judged.parquet", folder)
