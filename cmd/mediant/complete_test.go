package main

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"
)

// TestCommandsAreLetGo: a process that runs many command lines, as studies do, keeps none of their flags (cobra keeps those that a shell completes).
func TestCommandsAreLetGo(t *testing.T) {
	root := newRoot("version")
	held := weak.Make(root)
	root = nil
	runtime.GC()
	if held.Value() != nil {
		t.Error("the commands are still there")
	}
}

// offersOfShell is what a shell is offered for the last argument, in a line, and the directive for it.
func offersOfShell(t *testing.T, args ...string) (offers, directive string) {
	t.Helper()
	got := invoke(append([]string{"__completeNoDesc"}, args...)...)
	if got.status != statusDone || strings.Count(got.stderr, "\n") != 1 || !strings.HasPrefix(got.stderr, "Completion ended with directive: ") {
		t.Fatalf("%q: %+v", args, got)
	}
	lines := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
	return strings.Join(lines[:len(lines)-1], " "), lines[len(lines)-1]
}

// TestCompletion: a shell is offered commands, flags, values and the columns of the files that the line names, and errors of these are silent.
func TestCompletion(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "age,income,\"a,b\",ward\n1,2,3,4\nbroken\n")
	write(t, "semi.csv", "age;u\n1;2\n")
	write(t, "uy.jsonl", "{\"ward\":1,\"score\":2}\n")
	write(t, "run.yaml", "xu: xu.csv\nuy: uy.jsonl\n")
	write(t, "broken.yaml", "xu: [\n")
	const files, none, noSpace = ":0", ":4", ":6"
	for _, c := range []struct{ line, offers, directive string }{
		{"pre|", "predict", none},
		{"comp|", "completion", none},
		{"study cov|", "coverage", none},
		{"fit --meth|", "--method", none},
		{"fit --method |", "auto joint 2step naive cme", none},
		{"fit --method 2step --task c|", "classify", none},
		{"fit --method=j|", "joint", none},
		{"fit --copies |", "keep one weight", none},
		{"fit --phi quasi:matern|", "quasi:matern12 quasi:matern32 quasi:matern52 quasi:matern:", none},
		{"fit --phi tensor|", "tensorsketch:", noSpace},
		{"fit --accept later-u|", "later-unit", none},
		{"fit --delimiter-xu t|", "tab", none},
		{"reproduce images --set cifar1|", "cifar10 cifar100", none},
		{"fit --lambda |", "", none},
		{"fit --w |", "", none},
		{"fit --xu |", "", files},
		{"predict |", "", files},
		{"fit --xu xu.csv --uy uy.jsonl --x |", "age income a,b ward", none},
		{"fit --xu xu.csv --uy uy.jsonl --x i|", "income", none},
		{"fit --xu xu.csv --uy uy.jsonl --u |", "age income a,b ward score", none},
		{"fit --xu xu.csv --uy uy.jsonl --y=s|", "score", none},
		{"fit --xu xu.csv --x age,|", `age,income age,"a,b" age,ward`, none},
		{"fit --xu xu.csv --x a,|", "a,b", none}, // a name, not a list
		{"fit --xu xu.csv --rename age=years --ignore y|", "years", none},
		{"fit --xu xu.csv --rename i|", "income=", noSpace},
		{"fit --xu semi.csv --delimiter ; --x |", "age u", none},
		{"fit --config run.yaml --y |", "ward score", none},
		{"fit --config broken.yaml --y |", "", none},
		{"effect --xu xu.csv --treatment wa|", "ward", none},
		{"instrument --xu xu.csv --controls wa|", "ward", none},
		{"evaluate --xu xu.csv --uy uy.jsonl --predictions in|", "income", none},
		{"predict m.mediant xu.csv --dates a|", "age a,b", none},
		{"check --xu none.csv --x |", "", none},
		{"check --xu . --x |", "", none},
		{"check --xu - --x |", "", none},
	} {
		args := strings.Split(strings.TrimSuffix(c.line, "|"), " ")
		if offers, directive := offersOfShell(t, args...); offers != c.offers || directive != c.directive {
			t.Errorf("%s: offered %q %s, want %q %s", c.line, offers, directive, c.offers, c.directive)
		}
	}
}

// TestCompletionOfLargeFiles: a file of many rows, or a pipe, is not waited for.
func TestCompletionOfLargeFiles(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "age,u\n"+strings.Repeat("1,2\n", 4<<20))
	offersOfShell(t, "fit", "--xu", "xu.csv", "--x", "") // which loads the program
	start := time.Now()
	if offers, _ := offersOfShell(t, "fit", "--xu", "xu.csv", "--x", ""); offers != "age u" {
		t.Errorf("offered %q", offers)
	}
	if took := time.Since(start); took > 2*completionTime {
		t.Errorf("took %v", took)
	}
}

// TestCompletionScripts: each shell has a script; bash, which is everywhere, takes it and gets offers by it.
func TestCompletionScripts(t *testing.T) {
	inFolder(t)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if script := succeed(t, "completion", shell); !strings.Contains(script, "__complete") || !strings.Contains(script, "mediant") {
			t.Errorf("%s: %.100q", shell, script)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("there is no bash on this system, as in small containers: %v", err)
	}
	write(t, "script", succeed(t, "completion", "bash"))
	if out, err := exec.Command(bash, "-n", "script").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
