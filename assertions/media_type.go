// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"maps"
	"mime"
	"path"
	"slices"
	"strings"
)

var mediaTypeWord = Word{
	Name: "media_type",
	Means: "is this media type, or one of these, whatever its parameters; * matches any part of a name, as in " +
		"application/*+json. With {of, parameters} no other parameters may be there; their order and case do not matter",
	Takes: Literal,
	Schema: `{"$defs": {"texts": {"type": ["string", "array"], "items": {"type": "string"}, "minItems": 1}}, ` +
		`"anyOf": [{"$ref": "#/$defs/texts"}, {"type": "object", "required": ["of", "parameters"], "additionalProperties": false, ` +
		`"properties": {"of": {"$ref": "#/$defs/texts"}, "parameters": {"type": "array", "items": {"type": "string"}}}}]}`,
	Judge: func(got, want any) error {
		of, parameters := want, any(nil)
		if named, is := want.(map[string]any); is {
			of, parameters = named["of"], named["parameters"]
		}
		wanted, err := textOrList("media_type", of)
		if err != nil {
			return err
		}
		text, is := got.(string)
		if !is {
			return seen(got, listed(wanted, "or"))
		}
		essence, found, parseErr := mime.ParseMediaType(text)
		if parseErr != nil {
			return seen(got, listed(wanted, "or")+": "+strings.TrimPrefix(parseErr.Error(), "mime: "))
		}
		if !slices.ContainsFunc(wanted, func(w any) bool {
			fits, _ := path.Match(strings.ToLower(w.(string)), essence)
			return fits
		}) {
			return seen(got, listed(wanted, "or"))
		}
		if parameters == nil {
			return nil
		}
		return onlyParameters(got, found, parameters)
	},
}

func onlyParameters(got any, found map[string]string, parameters any) error {
	allowed, err := listArgument("media_type", parameters)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		parameter := name + "=" + strings.ToLower(found[name])
		if slices.ContainsFunc(allowed, func(a any) bool { return strings.EqualFold(fmt.Sprint(a), parameter) }) {
			continue
		}
		if len(allowed) == 0 {
			return seen(got, "no parameters")
		}
		return seen(got, "no parameters but "+listed(allowed, "and"))
	}
	return nil
}
