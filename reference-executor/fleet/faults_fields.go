// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"slices"
	"strings"
)

var fieldFaults = map[string]func(*behaviour){
	"no-multiplexer-when-unset": func(b *behaviour) {
		b.fields.shown = func(_ *call, _ *agent, block object) { delete(block, "multiplexer") }
	},
	"role-class-is-null":  func(b *behaviour) { b.fields.roleClass = null },
	"role-class-is-empty": func(b *behaviour) { b.fields.roleClass = func(*call, *agent) any { return "" } },
	"cardinality-many":    func(b *behaviour) { b.fields.cardinality = func(*call, *agent) any { return "many" } },
	"singleton-with-hosts": func(b *behaviour) {
		b.fields.scheduling = func(*call, *agent) any { return object{"mode": singleton, "hosts": []any{"alpha"}} }
	},
	"multi-instance-on-no-host": func(b *behaviour) {
		b.fields.scheduling = func(*call, *agent) any { return object{"mode": multiInstance, "hosts": []any{}} }
	},
	"priority-of-numbers": func(b *behaviour) {
		b.fields.scheduling = func(c *call, a *agent) any {
			v := conformantFields.scheduling(c, a).(object)
			for _, name := range []string{"priority", "hosts"} {
				if _, has := v[name]; has {
					v[name] = []any{1}
				}
			}
			return v
		}
	},
	"mode-against-the-label": func(b *behaviour) {
		b.fields.cardinality = func(c *call, a *agent) any {
			switch conformantFields.cardinality(c, a) {
			case singleton:
				return multiInstance
			case multiInstance:
				return singleton
			}
			return nil
		}
	},
	"runtime-is-an-object": func(b *behaviour) {
		b.fields.runtime = func(_ *call, a *agent) any { return object{"name": a.spec.Spec.Runtime} }
	},
	"runtime-not-of-the-spec": func(b *behaviour) { b.fields.runtime = func(*call, *agent) any { return "screen-reader" } },
	"model-is-empty":          func(b *behaviour) { b.fields.model = func(*call, *agent) any { return "" } },
	"multiplexer-is-false":    func(b *behaviour) { b.fields.multiplexer = func(*call, *agent) any { return false } },
	"required-skills-as-text": func(b *behaviour) {
		b.fields.skills = func(_ *call, a *agent) any { return strings.Join(a.spec.required(), ",") }
	},
	"required-skills-with-blanks": func(b *behaviour) {
		b.fields.skills = func(_ *call, a *agent) any {
			required := a.spec.required()
			for i, name := range required {
				required[i] = " " + name
			}
			return list(required)
		}
		b.card.tags = func(_ *call, a *agent) []any {
			tags := []any{a.spec.role()}
			for _, name := range a.spec.required() {
				tags = append(tags, " "+name)
			}
			return tags
		}
	},
	"legacy-model-first": func(b *behaviour) {
		b.fields.model = func(c *call, a *agent) any {
			if old := a.spec.Spec.Model; old != "" {
				return old
			}
			return conformantFields.model(c, a)
		}
	},
	"hosts-are-ignored": func(b *behaviour) {
		b.fields.scheduling = func(_ *call, a *agent) any {
			if a.spec.Spec.Hosts != nil {
				return object{"mode": multiInstance, "hosts": []any{"somewhere"}}
			}
			return object{"mode": singleton, "priority": []any{}}
		}
	},
	"required-skills-of-the-label-alone": func(b *behaviour) {
		b.fields.skills = func(_ *call, a *agent) any {
			var all []string
			for _, name := range a.spec.required() {
				if !slices.Contains(a.spec.Spec.Skills.Required, name) {
					all = append(all, name)
				}
			}
			return list(all)
		}
	},
	"skills-label-split-at-blanks": func(b *behaviour) {
		split := func(a *agent) []string {
			all := append(strings.Fields(strings.ReplaceAll(a.spec.Metadata.Labels["skills"], ",", " ")), a.spec.Spec.Skills.Required...)
			slices.Sort(all)
			return slices.Compact(all)
		}
		b.fields.skills = func(_ *call, a *agent) any { return list(split(a)) }
		b.card.tags = func(_ *call, a *agent) []any { return list(append(split(a), a.spec.role())) }
	},
	"block-with-more": func(b *behaviour) {
		b.fields.shown = func(_ *call, _ *agent, block object) { block["notes"] = []any{"lawful"} }
	},
}

func null(*call, *agent) any { return nil }
