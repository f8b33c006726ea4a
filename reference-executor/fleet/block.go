// SPDX-License-Identifier: Apache-2.0

package fleet

// fieldsBehaviour is the block of an agent's card that the protocol does not have: what its operator's spec says.
type fieldsBehaviour struct {
	roleClass   func(c *call, a *agent) any
	cardinality func(c *call, a *agent) any
	scheduling  func(c *call, a *agent) any
	runtime     func(c *call, a *agent) any
	model       func(c *call, a *agent) any
	multiplexer func(c *call, a *agent) any
	skills      func(c *call, a *agent) any
	shown       func(c *call, a *agent, block object) // the last look at it
}

// The two ways to run an agent on the hosts of a fleet.
const (
	singleton     = "singleton"
	multiInstance = "multi-instance"
)

var conformantFields = fieldsBehaviour{
	roleClass:   func(_ *call, a *agent) any { return a.spec.role() },
	cardinality: func(_ *call, a *agent) any { return orNull(a.spec.Metadata.Labels["cardinality"]) },
	scheduling: func(_ *call, a *agent) any {
		if hosts := a.spec.Spec.Hosts; hosts != nil {
			return object{"mode": multiInstance, "hosts": list(*hosts)}
		}
		return object{"mode": singleton, "priority": list(a.spec.Spec.Host)}
	},
	runtime: func(_ *call, a *agent) any { return orNull(a.spec.Spec.Runtime) },
	model: func(_ *call, a *agent) any {
		if model := a.spec.Spec.Claude.Model; model != "" {
			return model
		}
		return orNull(a.spec.Spec.Model)
	},
	multiplexer: func(_ *call, a *agent) any { return orNull(a.spec.Spec.Multiplexer) },
	skills:      func(_ *call, a *agent) any { return list(a.spec.required()) },
	shown:       func(*call, *agent, object) {},
}

// blockOf makes the block of an agent's card.
func (c *call) blockOf(a *agent) object {
	b := &c.s.b.fields
	block := object{
		"role_class":      b.roleClass(c, a),
		"cardinality":     b.cardinality(c, a),
		"scheduling":      b.scheduling(c, a),
		"runtime":         b.runtime(c, a),
		"model":           b.model(c, a),
		"multiplexer":     b.multiplexer(c, a),
		"required_skills": b.skills(c, a),
		"isolation":       c.s.b.isolation.shown(c, a, c.isolationOf(a)),
	}
	b.shown(c, a, block)
	return block
}

// orNull is a text, and null where there is none.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
