// SPDX-License-Identifier: Apache-2.0

// Package points breaks, reads and watches the behaviour of a reference server: a struct of functions, in which every
// member is a point at which the server can be made to break its contract. The members may stand in structs within, and in maps.
package points

import (
	"maps"
	"reflect"
	"slices"
	"unsafe"
)

// Edited names the points that two behaviours of one type do not have in common ("tasks.cancel", "pty.join.role"), sorted.
// whole is true when they differ in something that decides without being asked, a number or a switch, so that nobody can
// watch its use. was and is are pointers to structs.
func Edited(was, is any) (changed []string, whole bool) {
	kept := map[string]reflect.Value{}
	each(reflect.ValueOf(was).Elem(), "", func(point string, v reflect.Value) { kept[point] = v })
	each(reflect.ValueOf(is).Elem(), "", func(point string, v reflect.Value) {
		before, known := kept[point]
		delete(kept, point)
		switch {
		case v.Kind() != reflect.Func:
			whole = whole || !known || !reflect.DeepEqual(v.Interface(), before.Interface())
		case !known || closure(v) != closure(before):
			changed = append(changed, point)
		}
	})
	changed = slices.AppendSeq(changed, maps.Keys(kept)) // what was taken out of a map
	slices.Sort(changed)
	return changed, whole
}

// Watch has consulted called with the name of every point of a behaviour that is asked, before it answers. b is a pointer
// to a struct; other behaviours of its type, and the functions that it was made of, are not watched.
func Watch(b any, consulted func(point string)) {
	each(reflect.ValueOf(b).Elem(), "", func(point string, v reflect.Value) {
		if v.Kind() != reflect.Func || v.IsNil() {
			return
		}
		// A copy of the function: v itself is about to be the watched one.
		asked := reflect.New(v.Type()).Elem()
		asked.Set(v)
		v.Set(reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
			consulted(point)
			if v.Type().IsVariadic() {
				return asked.CallSlice(args)
			}
			return asked.Call(args)
		}))
	})
}

// All names the points of a behaviour: those that can be watched, and the rest, which decide without being asked. b is a
// pointer to a struct.
func All(b any) (watchable, rest []string) {
	each(reflect.ValueOf(b).Elem(), "", func(point string, v reflect.Value) {
		if v.Kind() == reflect.Func {
			watchable = append(watchable, point)
		} else {
			rest = append(rest, point)
		}
	})
	return watchable, rest
}

// each visits every field of a behaviour, the members of its maps of functions too. What it hands over can be set.
func each(v reflect.Value, name string, visit func(point string, v reflect.Value)) {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			// The fields are not exported, and reflect writes to those only through their address.
			field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
			each(field, join(name, v.Type().Field(i).Name), visit)
		}
	case v.Kind() == reflect.Map && v.Type().Elem().Kind() == reflect.Func && !v.IsNil():
		own := reflect.MakeMapWithSize(v.Type(), v.Len()) // the map may be shared with other servers
		for key, member := range v.Seq2() {
			settable := reflect.New(member.Type()).Elem()
			settable.Set(member)
			visit(join(name, key.String()), settable)
			own.SetMapIndex(key, settable)
		}
		v.Set(own)
	default:
		visit(name, v)
	}
}

func join(name, member string) string {
	if name == "" {
		return member
	}
	return name + "." + member
}

// closure tells functions apart: two that share code but have caught other variables are not the same.
func closure(f reflect.Value) unsafe.Pointer { return *(*unsafe.Pointer)(f.Addr().UnsafePointer()) }
