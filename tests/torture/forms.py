"""The commands that are tortured: what each needs, leaves behind, and how one goes on after it failed."""
import re
import shutil

import results
from world import TRAIN

TRAIN_LOUD = [word for word in TRAIN if word != "-q"]


class Form:
    """A command in a case's folder that can be run again as it is, and then leaves what it should.
    outputs are the files that it makes; exact says that their bytes, and stdout's, are known; reports,
    that what is wrong is its result, on stdout."""

    def __init__(self, name, argv, outputs=(), exact=True, stdout=True, env=None, seconds=60, timed=(), reports=False):
        self.name, self.argv, self.outputs, self.exact = name, list(map(str, argv)), outputs, exact
        self.stdout, self.env, self.seconds = stdout, env or {}, seconds
        self.timed, self.reports = timed, reports

    def setup(self, case):
        """Puts into the folder what the command changes."""

    def done(self, case, reference, ending):
        """Problems after the command said that it succeeded."""
        problems = []
        for name in self.outputs:
            if not (case / name).exists():
                problems.append(f"success without its file: {name}")
            elif self.exact:
                problems += results.same_bytes(case / name, reference / name)
        if self.stdout and self.exact and ending.out:
            known = (reference.parent / (reference.name + ".out")).read_bytes()
            if self.plain(ending.out, case) != self.plain(known, reference):
                problems.append("differs: what it printed")
        return problems

    def plain(self, text, case):
        text = text.decode("utf-8", "replace").replace(str(case), "CASE")
        for pattern in self.timed:
            text = re.sub(pattern, "", text)
        return text

    def failed(self, case, reference, killed):
        """Problems after it failed, or was killed."""
        return results.flaws(case, killed)

    def again(self, case):
        """The command that repairs what it left: by itself, the same."""
        return self.argv

    def recovered(self, case, reference, ending):
        """Problems after it. A temporary file that a kill left beside an output is nobody's to remove."""
        return self.done(case, reference, ending)


class Watch(Form):
    """The exit code is the watched command's; where it cannot be watched, that is said."""

    def done(self, case, reference, ending):
        said = "without being watched" in ending.err or re.search(r"^stoker watch: ", ending.err, re.M)
        said = said or (ending.err and "stoker watch: ".startswith(ending.err))  # files end there: fsize
        return [] if said else super().done(case, reference, ending)


class Pack(Form):
    def __init__(self, name, argv):
        super().__init__(name, argv, stdout=False)

    def done(self, case, reference, ending):
        if not (case / "out").is_dir():
            return ["success without its folder: out"]
        return results.same_tree(case / "out", reference / "out")

    def failed(self, case, reference, killed):
        if (case / "out").exists():
            return ["too early: " + p for p in results.same_tree(case / "out", reference / "out")]
        return []

    def recovered(self, case, reference, ending):
        problems = self.done(case, reference, ending) + results.leftovers(case)
        return problems + (["left over: out.partial"] if (case / "out.partial").exists() else [])


class Train(Form):
    def __init__(self, name, argv, **more):
        super().__init__(name, argv, stdout=False, **more)

    def done(self, case, reference, ending):
        # What a run tells of its speed may be missing where that was said.
        said = re.search(r"could (not )?be (written|drawn)", ending.err)
        return results.same_run(case / "run", reference / "run", all_files=not said)

    def failed(self, case, reference, killed):
        return results.flaws(case / "run", killed)

    def again(self, case):
        if (case / "run" / "recipe.yaml").exists():
            return ["train", "--resume", "run"]
        shutil.rmtree(case / "run", ignore_errors=True)
        return self.argv

    def recovered(self, case, reference, ending):
        return results.same_run(case / "run", reference / "run", all_files=False) + results.leftovers(case)


class Tune(Form):
    """Measures, so what it finds is not known; but its files are whole, and a search that ended goes on at once."""

    def __init__(self, name, argv, **more):
        super().__init__(name, argv, ["tuned/tune.jsonl", "tuned/tuned.yaml", "tuned/report.html"], exact=False, **more)

    def done(self, case, reference, ending):
        problems = super().done(case, reference, ending)
        ledger = case / "tuned/tune.jsonl"
        if ledger.exists() and '"event":"end"' not in ledger.read_text().splitlines()[-1]:
            problems.append("success without an end in its ledger")
        if (case / "tuned/tune-runs").exists():
            problems.append("left over: tuned/tune-runs")
        return problems

    def again(self, case):
        return self.argv + (["--resume"] if (case / "tuned/tune.jsonl").exists() else [])


class Resume(Train):
    """Goes on with a run that was killed."""

    def __init__(self, world):
        super().__init__("resume", ["train", "--resume", "run"])
        self.world = world

    def setup(self, case):
        shutil.copytree(self.world.killed, case / "run")

    def done(self, case, reference, ending):
        return results.same_run(case / "run", reference / "run", all_files=False)


def all_forms(world):
    """Every form that can be run here, by name."""
    photos, packed, run, trace = world.photos, world.packed, world.run, world.traced / "trace.json.gz"
    images = [photos / "class0", photos / "class1"]
    train = ["train", packed, *TRAIN_LOUD, "-o", "run"]
    forms = [
        Pack("pack-folder", ["pack", photos, "out", "--shard-mb", "0.003", "--threads", "2"]),
        Pack("pack-tar", ["pack", world.tar, "out", "--shard-mb", "0.003", "--splits", "train=0.8,test=0.2"]),
        Pack("pack-zstd", ["pack", photos, "out", "--compression", "zstd", "--keep-order"]),
        Pack("pack-resize", ["pack", photos, "out", "--resize", "4", "--format", "raw"]),
        Train("train-cpu", train + ["--backend", "cpu"]),
        Train("train-ref", train + ["--backend", "ref"]),
        Train("train-folder", ["train", photos, *TRAIN_LOUD, "-o", "run", "--on-bad", "stop"]),
        Train("train-cache-memory", train + ["--cache", "memory"]),
        Train("train-cache-disk", train + ["--cache", "disk"]),
        Train("train-cache-kept", train + ["--cache", "disk", "--set", "data.cache_folder=cache"]),
        Train("train-trace", train + ["--trace", "on"]),
        Train("train-threads", train + ["--threads", "2", "--input-threads", "3"]),
        Train("train-ema", train + ["--ema", "0.9", "--optimizer", "adamw", "--schedule", "plateau"]),
        Train("train-serve", train + ["--serve=0"]),
        Resume(world),
        Form("eval", ["eval", run, "--json", "--csv", "e.csv", "--confusion", "c.png"],
             ["e.csv", "c.png"], timed=[r'"(seconds|images_per_s)": .*']),
        Form("predict", ["predict", run, *images, "--csv", "p.csv", "--jsonl", "p.jsonl", "--sheet", "p.png"],
             ["p.csv", "p.jsonl", "p.png"], timed=[r"[\d.,]+ (ms|s|img/s)\b"]),
        Form("inspect", ["inspect", "--verify", packed, "--json"], reports=True),
        Form("show", ["show", packed, "-o", "sheet.png"], ["sheet.png"]),
        Form("replay", ["replay", packed, "--preset", "cifar", "--index", "3", "-o", "r.png"], ["r.png"]),
        Form("lr-find", ["lr-find", packed, "--model", "mlp", "--width", "0.25", "--batch", "8", "--threads", "1", "--steps",
                         "12", "--csv", "l.csv", "--plot", "l.svg"], ["l.csv", "l.svg"], timed=[r"[\d.,]+ (ms|s)\b"]),
        Tune("tune", ["tune", packed, "--trivial-model", "--batch", "8", "--threads", "1", "--input-threads", "1", "--no-packs",
                      "--only", "eager", "--budget", "0.01", "-o", "tuned", "-q"]),
        Form("lint", ["lint", packed, "--json"], exact=False),
        Watch("watch", ["watch", "-q", "-i", "0.1", "--csv", "w.csv", "--csv-interval", "0.1", "--summary", "w.json",
                       "--", "sleep", "0.3"], ["w.csv", "w.json"], exact=False),
        Form("trace-merge", ["trace", "merge", "all.json", trace, trace], ["all.json"]),
        Form("trace-merge-gz", ["trace", "merge", "all.json.gz", trace, trace], ["all.json.gz"]),
        Form("trace-ops", ["trace", "ops", trace, "--json"]),
        Form("bench-save", ["bench", "compute", "mlp", "--batch", "4", "--size", "8", "--classes", "3", "--threads", "1",
                            "--seconds", "0.1", "--save", "base.json"], ["base.json"], exact=False),
        Form("compare", ["compare", run, world.traced, run / "profile.json", "--json"]),
        Form("diagnose", ["diagnose", run, "-o", "page.html"], ["page.html"]),
        Form("diagnose-trace", ["diagnose", trace, "-o", "page.html", "--json"], ["page.html"]),
    ]
    if world.emulator.exists():
        argv = ["train", packed, "--model", "mlp", "--width", "0.25", "--trivial-model", "--steps", "3", "--batch",
                "8", "--threads", "1", "--checkpoint-every", "1", "--log-every", "1", "--backend", "cuda", "-o", "run"]
        forms.append(Train("train-cuda", argv, env={"STOKER_PLUGIN_CUDA": str(world.emulator)}, seconds=120))
    return {form.name: form for form in forms}
