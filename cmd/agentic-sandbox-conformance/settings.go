// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// settings are the flags of run; environment and configuration file fill in what the command line leaves open.
type settings struct {
	executorURL, instance, adminURL, jwks, tenant, profile, implCommit string
	allInstances, production                                           bool
	outFlag                                                            string // the flag that names the folder of the reports; "": report-out

	token, tokenFile, adminToken, adminTokenFile string
	header, publicHeader, allowHost              []string

	caCert, cert, key                         string
	insecure                                  bool
	connectTimeout, timeout, maxTime, maxWait time.Duration
	rateLimit                                 float64

	run, skip, surface, level, suiteDir []string

	v1Sunset, v1Link string
	requireAuth      bool
	shared           bool
	protectedMetrics bool
	session          []string
	ptyDialect       string

	baseline, skipBudget string
	strict               bool

	targets, shard string
	onlyTargets    []string
	targetsAtOnce  int

	jobs              int
	seed              uint64
	shuffle, failFast bool
	timingTolerance   time.Duration
	timeFactor        float64

	formats                 []string
	out, evidence, title    string
	docsURL                 string
	redactKey               []string
	verbose, quiet, noColor bool

	config string

	flags      *pflag.FlagSet    // all of the above
	groups     []flagGroup       // the same, as help shows them
	configured config.Configured // what only the configuration file can give
}

// topicOfFlag is the annotation of a flag with the title of its group.
const topicOfFlag = "topic"

// A flagGroup is one heading of the help text.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// newSettings defines the flags, on the set of a command.
func newSettings(on *pflag.FlagSet) *settings {
	s := &settings{flags: on}
	s.group("Target", func(f *pflag.FlagSet) {
		f.StringVar(&s.executorURL, "executor-url", "", "deployment root or `URL` of one instance")
		f.StringVar(&s.instance, "instance", "", "`id` of the instance under test (default: the first ready one)")
		f.BoolVar(&s.allInstances, "all-instances", false, "run once for every instance, each with its own reports")
		f.StringVar(&s.adminURL, "admin-url", "", "`URL` of the admin surface (default: derived)")
		f.StringVar(&s.jwks, "jwks", "", "`URL` or file with the key set (default: derived)")
		f.StringVar(&s.tenant, "tenant", "", "tenant `id` for the requests")
		f.StringVar(&s.profile, "profile", defaultProfile, "`name` of the profile to test against; without it, run, init and doctor let a card decide that is unmistakable")
		f.BoolVar(&s.production, "production", false, "also test the production-only requirements")
		f.StringVar(&s.implCommit, "impl-commit", "", "`commit` of the implementation under test, for the report")
	})
	s.group("Credentials", func(f *pflag.FlagSet) {
		f.StringVar(&s.token, "token", "", "bearer `token` of the instance surface")
		f.StringVar(&s.tokenFile, "token-file", "", "`file` with that token; - is standard input")
		f.StringVar(&s.adminToken, "admin-token", "", "bearer `token` of the admin surface")
		f.StringVar(&s.adminTokenFile, "admin-token-file", "", "`file` with that token; - is standard input")
		f.StringArrayVar(&s.header, "header", nil, "`\"name: value\"` sent with every request except anonymous ones; repeatable")
		f.StringArrayVar(&s.publicHeader, "public-header", nil, "`\"name: value\"` that is not a credential, sent with anonymous requests too; repeatable")
		f.StringSliceVar(&s.allowHost, "allow-host", nil, "`host`, host:port or origin, other than the target's, that may receive credentials; repeatable")
	})
	s.group("Network", func(f *pflag.FlagSet) {
		f.StringVar(&s.caCert, "cacert", "", "PEM `file` with certificate authorities to trust as well")
		f.StringVar(&s.cert, "cert", "", "PEM `file` with the client certificate")
		f.StringVar(&s.key, "key", "", "PEM `file` with the key of --cert")
		f.BoolVar(&s.insecure, "insecure", false, "do not verify certificates; the report says so")
		f.DurationVar(&s.connectTimeout, "connect-timeout", 5*time.Second, "time limit for connecting")
		f.DurationVar(&s.timeout, "timeout", 10*time.Second, "time limit for one response")
		f.DurationVar(&s.maxTime, "max-time", 30*time.Minute, "time limit for the whole run; if you set it, the most important requirements are measured first")
		f.DurationVar(&s.maxWait, "max-wait", defaultMaxWait, "skip tests that have to wait longer than this")
		f.Float64Var(&s.rateLimit, "rate-limit", 0, "maximum number of requests per second, with --targets to all of them together; 0: the limit of the profile, usually none")
	})
	s.group("Choose", func(f *pflag.FlagSet) {
		f.StringSliceVar(&s.run, "run", nil, "run only tests whose id or name matches a `glob`")
		f.StringSliceVar(&s.skip, "skip", nil, "skip tests whose id or name matches a `glob`")
		f.StringSliceVar(&s.surface, "surface", nil, "run only tests of these `surfaces`")
		f.StringSliceVar(&s.level, "level", nil, "run only tests of requirements of these `levels`: must, should, may")
		f.StringArrayVar(&s.suiteDir, "suite-dir", nil, "`folder` with suites of your own; repeatable")
	})
	s.group("Expect", func(f *pflag.FlagSet) {
		f.StringVar(&s.v1Sunset, "v1-sunset", "", "announced `date` of the end of v1, as the Sunset header writes it")
		f.StringVar(&s.v1Link, "v1-link", "", "announced `URL` of the v1 migration notes")
		f.BoolVar(&s.requireAuth, "require-auth", false, "the deployment must refuse anonymous requests")
		f.BoolVar(&s.shared, "shared", false, "others use the target as well: its counters may grow by more than was sent")
		f.BoolVar(&s.protectedMetrics, "protected-metrics", false, "metrics require credentials by policy: a warning instead of a failure")
		f.StringSliceVar(&s.session, "session", nil, "`id` of a PTY session to attach to; repeatable")
	})
	s.group("Policy", func(f *pflag.FlagSet) {
		f.StringVar(&s.baseline, "baseline", "", "YAML `file` with failures that are known and accepted for now")
		f.StringVar(&s.skipBudget, "skip-budget", "", "YAML `file` that limits the skips for each reason")
		f.BoolVar(&s.strict, "strict", false, "treat warnings, and requirements that may apply and were not measured, as not passing")
	})
	s.group("Diagnose", func(f *pflag.FlagSet) {
		f.StringVar(&s.ptyDialect, "pty-dialect", "", "read this `dialect` of the terminals instead of pty-ws/v1: compact")
	})
	s.group("Many targets", func(f *pflag.FlagSet) {
		f.StringVar(&s.targets, "targets", "", "`file` with a list of targets, one URL a line or YAML: play them side by side, each with its own reports, and sum up")
		f.StringVar(&s.shard, "shard", "", "play only this `part` of the list: i/n, counted from 0; n alone takes i from JOB_COMPLETION_INDEX")
		f.StringSliceVar(&s.onlyTargets, "target", nil, "play only the targets of the list with these `names`")
		f.IntVar(&s.targetsAtOnce, "targets-at-once", 0, "`number` of targets played at once; 0: two for each processor, and at most 8")
	})
	s.group("Run", func(f *pflag.FlagSet) {
		f.IntVar(&s.jobs, "jobs", 16, "number of tests at work at once; others may begin while one only waits, unless this is 1; without it, 16, and more where the target is far and copes")
		f.Uint64Var(&s.seed, "seed", 0, "seed for random choices; 0: from the clock")
		f.BoolVar(&s.shuffle, "shuffle", false, "run the tests in a random order, which --seed fixes")
		f.BoolVar(&s.failFast, "fail-fast", false, "stop after the first failure")
		f.DurationVar(&s.timingTolerance, "timing-tolerance", 500*time.Millisecond, "tolerance of timing checks")
		f.Float64Var(&s.timeFactor, "time-factor", 1, "multiply every time limit by this")
	})
	s.group("Report", func(f *pflag.FlagSet) {
		f.StringSliceVar(&s.formats, "report-format", defaultFormats, "`formats` to write: "+strings.Join(formats.FormatNames(), ", "))
		f.StringVar(&s.out, "report-out", "conformance.report.md", "`file` to write to, with the other formats next to it; - is standard output; with --targets a folder (default: "+fleetFolder+")")
		f.StringVar(&s.evidence, "evidence", "failures", "`which` exchanges to keep in the report: failures, all or none")
		f.StringSliceVar(&s.redactKey, "redact-key", nil, "JSON member `names` whose values are secret")
		f.StringVar(&s.title, "title", "", "`title` of the report")
		f.StringVar(&s.docsURL, "docs-url", "", "`URL` of a version in the site of the documentation, which findings link to, or none (default: the files of the release on GitHub)")
		f.BoolVarP(&s.verbose, "verbose", "v", false, "show every test")
		f.BoolVarP(&s.quiet, "quiet", "q", false, "show only the last line")
		f.BoolVar(&s.noColor, "no-color", false, "no colours (NO_COLOR in the environment does the same)")
	})
	s.group("Config", func(f *pflag.FlagSet) {
		f.StringVar(&s.config, "config", "", "configuration `file` (default: "+config.FileName+", if there is one)")
	})
	return s
}

// defaultFormats are written when nobody asks for any.
var defaultFormats = []string{"markdown", "junit", "json"}

const defaultProfile = profiles.Default

// defaultMaxWait is how long a test may wait by its nature without being asked for.
const defaultMaxWait = 15 * time.Second

func (s *settings) group(title string, define func(*pflag.FlagSet)) {
	g := pflag.NewFlagSet(title, pflag.ContinueOnError)
	g.SortFlags = false
	define(g)
	g.VisitAll(func(f *pflag.Flag) { f.Annotations = map[string][]string{topicOfFlag: {title}} })
	s.groups = append(s.groups, flagGroup{title, g})
	s.flags.AddFlagSet(g)
}

// help is the flags by group.
func (s *settings) help() string {
	var b strings.Builder
	for _, g := range s.groups {
		fmt.Fprintf(&b, "%s:\n%s\n", g.title, g.flags.FlagUsages())
	}
	return strings.TrimRight(b.String(), "\n")
}

// resolve fills in what the command line left open, from the environment and then from the configuration file.
func (s *settings) resolve(a *app) (err error) {
	s.configured, err = config.Resolve(s.flags, a.env)
	return s.resolved(a, err)
}

// resolveWithoutFile fills in what the command line left open, from the environment alone.
func (s *settings) resolveWithoutFile(a *app) error {
	_, err := config.FromEnvironment(s.flags, a.env)
	return s.resolved(a, err)
}

// resolved has the program know its secrets before anything is said about a mistake.
func (s *settings) resolved(a *app, err error) error {
	a.secrets.learn(s.secrets())
	if err != nil {
		return usage("%w", err)
	}
	return nil
}
