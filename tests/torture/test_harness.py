#!/usr/bin/env python3
"""The torture's own tests: it finds what it is for. test_harness.py FAULTS, the library to preload."""
import gzip
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

import attacks
import judge
import known
import mutate
import results
import whole
import world
from case import Case
from process import Ending

FAULTS = ""
WRITES = "import os,sys; f=os.open(sys.argv[1],os.O_WRONLY|os.O_CREAT); os.write(f,b'x'*1000); {}; os.rename(sys.argv[1],sys.argv[2])"


def preloaded(folder, fault, *argv):
    env = {**os.environ, "LD_PRELOAD": FAULTS, "STK_FAULT": fault, "STK_FAULT_BELOW": str(folder),
           "STK_FAULT_LOG": str(folder) + ".log"}
    return subprocess.run([sys.executable, "-c", *argv], env=env, cwd=folder, capture_output=True, text=True)


class Faults(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve() / "f"
        self.folder.mkdir()

    def test_the_chosen_call_fails_with_the_chosen_error(self):
        done = preloaded(self.folder, "write:2:ENOSPC", "f=open('a','wb',0); f.write(b'1'); f.write(b'2')")
        self.assertIn("No space left", done.stderr)
        self.assertEqual((self.folder / "a").read_bytes(), b"1")

    def test_files_elsewhere_are_left_alone(self):
        inside = self.folder / "inside"
        inside.mkdir()
        done = preloaded(inside, "write:1:EIO", "open('../a','wb',0).write(b'1')".replace("..", str(self.folder)))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_name_chooses_the_file(self):
        done = preloaded(self.folder, "open@b:1:EMFILE", "open('a','w'); open('b','w')")
        self.assertIn("Too many open files: 'b'", done.stderr)

    def test_a_short_write_moves_half(self):
        preloaded(self.folder, "write:1:short", "open('a','wb',0).write(b'12345678')")
        self.assertEqual((self.folder / "a").read_bytes(), b"1234")

    def test_a_kill_in_the_middle_leaves_half(self):
        done = preloaded(self.folder, "write:1:middle", "open('a','wb',0).write(b'12345678')")
        self.assertEqual(done.returncode, -9)
        self.assertEqual((self.folder / "a").read_bytes(), b"1234")

    def test_without_a_sync_the_power_takes_what_was_written(self):
        for sync, left in (("0", 0), ("os.fsync(f)", 1000)):
            done = preloaded(self.folder, "mkdir:1:power", WRITES.format(sync) + "; os.mkdir('d')", "a", "b")
            self.assertEqual(done.returncode, -9, done.stderr)
            self.assertEqual((self.folder / "b").stat().st_size, left)
            (self.folder / "b").unlink()

    def test_a_library_that_memory_was_refused_to_and_that_ends_is_named(self):
        for words, named in (("THEIRS TAKEN", "in oneDNN"), ("THEIRS", ""), ("OURS TAKEN", "")):
            log = pathlib.Path(f"{self.folder}.log")
            log.unlink(missing_ok=True)
            env = {**os.environ, "LD_PRELOAD": FAULTS, "STK_FAULT": "malloc:1:ENOMEM:on",
                   "STK_FAULT_BELOW": str(self.folder), "STK_FAULT_LOG": str(log)}
            done = subprocess.run([pathlib.Path(FAULTS).parent / "torture_ending", *words.split()], env=env)
            self.assertEqual(done.returncode, -6)
            self.assertEqual(known.met_on(log.read_text()), named, words)

    def test_a_wrong_request_is_refused(self):
        self.assertEqual(preloaded(self.folder, "write:x:ENOSPC", "0").returncode, 99)


class Whole(unittest.TestCase):
    def test_what_is_torn_is_found_by_its_kind(self):
        header = json.dumps({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}}).encode()
        record = struct.pack("<Q", 3)
        record += struct.pack("<I", whole.masked_crc(record)) + b"abc" + struct.pack("<I", whole.masked_crc(b"abc"))
        files = {"a.safetensors": struct.pack("<Q", len(header)) + header + b"1234", "a.json": b'{"a": [1, 2]}',
                 "a.csv": b"a,b\n1,2\n", "a.json.gz": gzip.compress(b'{"a": 1}'), "a.html": b"<html></html>",
                 "a.png": world.make_png(random.Random(1), 4, 0), "a.tfrecord-00000-of-00001": record}
        with tempfile.TemporaryDirectory() as folder:
            for name, data in files.items():
                path = pathlib.Path(folder) / name
                path.write_bytes(data)
                self.assertIsNone(whole.flaw(path), name)
                path.write_bytes(data[:-2])
                self.assertIsNotNone(whole.flaw(path), name)
                path.write_bytes(b"")
                if not name.endswith(("csv", "00001")):
                    self.assertIsNotNone(whole.flaw(path), name)

    def test_a_row_that_is_lost_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            one, other = pathlib.Path(folder) / "one", pathlib.Path(folder) / "other"
            one.write_text("step,loss,seconds\n1,2,0.5\n2,1,0.6\n")
            other.write_text("step,loss,seconds\n1,2,0.7\n2,1,0.1\n")
            self.assertEqual(results.same_metrics(one, other), [])
            one.write_text("step,loss,seconds\n2,1,0.6\n")
            self.assertIn("steps 1 are lost", results.same_metrics(one, other)[0])


class Judged(unittest.TestCase):
    def judged(self, attack, code, err="", log="", hung=False):
        ending = Ending(code, b"", err, 0, 0, hung)
        return judge.of_code(attack, ending) + judge.of_message(attack, ending, log)

    def test_only_promised_endings_pass(self):
        said = "stoker train: write: r/best.x: cannot write: No space left on device\n"
        log = "write 1 ENOSPC /x/run/.best.x.12-0.tmp\n"
        self.assertEqual(self.judged("fault:write:1:ENOSPC", 1, said, log), [])
        self.assertEqual(self.judged("kill:write:1:before", -9), [])
        self.assertEqual(self.judged("signal:INT:0.1", 130), [])
        for attack, code, err in (("fault:write:1:ENOSPC", -11, ""), ("fault:write:1:ENOSPC", 1, ""),
                                  ("fault:write:1:ENOSPC", 1, "stoker train: write: r/best.x: no idea\n"),
                                  ("fault:write:1:ENOSPC", 1, "stoker train: x: No space left on device\n"),
                                  ("fault:malloc:1:ENOMEM", 1, "stoker train: x: failed\n"),
                                  ("signal:INT:0.1", -9, ""), ("fault:write:1:EIO", 77, ""),
                                  ("mutate", 0, "==1==ERROR: AddressSanitizer: heap-use-after-free\n")):
            self.assertNotEqual(self.judged(attack, code, err, log), [], (attack, code, err))
        self.assertEqual(self.judged("nofile:9", -9, hung=True), ["hangs"])

    def test_only_named_problems_are_left_out(self):
        known.LEFT_OUT.append(("form", "fault:write*run/a", "differs", "a reason"))
        case = Case("form", "fault:write:1:EIO", file="/x/run/a", problems=["differs: b", "hangs"])
        self.assertEqual(known.sift(case), (["hangs"], ["a reason"]))
        known.LEFT_OUT.pop()

    def test_an_attack_is_the_same_with_the_same_seed(self):
        class Facts:
            counts, seconds, bytes, takes_memory = {"write": 9, "malloc": 99}, 0.1, 1000, True
        kinds = list(attacks.WEIGHTS)
        one = [attacks.choose(random.Random(i), Facts, kinds) for i in range(50)]
        self.assertEqual(one, [attacks.choose(random.Random(i), Facts, kinds) for i in range(50)])
        self.assertGreater(len(set(one)), 20)

    def test_damage_is_the_same_with_the_same_seed(self):
        def damaged(seed):
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / "a").write_bytes(b"a: 1, b: 2\n" * 9)
                mutate.mutate(random.Random(seed), root, lambda path: True)
                return str([(p.name, p.is_file() and not p.is_symlink() and p.read_bytes()) for p in root.rglob("*")])
        self.assertEqual([damaged(i) for i in range(20)], [damaged(i) for i in range(20)])
        self.assertGreater(len({damaged(i) for i in range(20)}), 10)


if __name__ == "__main__":
    FAULTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()
