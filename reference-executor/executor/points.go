// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"reflect"
	"slices"
	"unsafe"
)

// Edited names the points of behaviour that a fault changes ("tasks.cancel", "pty.join.role"), sorted. whole is true when
// it changes something that decides without being asked, a number or a switch, so that nobody can watch its use; and for
// a fault that does not exist.
func Edited(name string) (points []string, whole bool) {
	apply := fault(name)
	if apply == nil {
		return nil, true
	}
	was, is := conformant(), conformant()
	apply(is)
	kept := map[string]reflect.Value{}
	eachPoint(reflect.ValueOf(was).Elem(), "", func(point string, v reflect.Value) { kept[point] = v })
	eachPoint(reflect.ValueOf(is).Elem(), "", func(point string, v reflect.Value) {
		before, known := kept[point]
		delete(kept, point)
		switch {
		case v.Kind() != reflect.Func:
			whole = whole || !known || !reflect.DeepEqual(v.Interface(), before.Interface())
		case !known || closure(v) != closure(before):
			points = append(points, point)
		}
	})
	points = slices.AppendSeq(points, maps.Keys(kept)) // what the fault has taken out of a map
	slices.Sort(points)
	return points, whole
}

// watch has consulted called with the name of every point of b that is asked, before it answers.
func watch(b *behaviour, consulted func(point string)) {
	eachPoint(reflect.ValueOf(b).Elem(), "", func(point string, v reflect.Value) {
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

// eachPoint visits every field of a behaviour, the members of its maps of functions too. What it hands over can be set.
func eachPoint(v reflect.Value, name string, visit func(point string, v reflect.Value)) {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			// The fields are not exported, and reflect writes to those only through their address.
			field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
			eachPoint(field, join(name, v.Type().Field(i).Name), visit)
		}
	case v.Kind() == reflect.Map && v.Type().Elem().Kind() == reflect.Func && !v.IsNil():
		own := reflect.MakeMapWithSize(v.Type(), v.Len()) // the map may be shared with other executors
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
