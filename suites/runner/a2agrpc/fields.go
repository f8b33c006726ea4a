// SPDX-License-Identifier: Apache-2.0

//go:build !nogrpc

package a2agrpc

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	_ "google.golang.org/protobuf/types/known/emptypb" // what the messages of A2A are made of
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
)

// fieldTable names the messages of A2A 1.0 with their fields, the enums, and the methods of the service.
//
//go:embed fields.txt
var fieldTable string

// a2aSchema is what the table describes.
var a2aSchema = sync.OnceValue(func() protoreflect.ServiceDescriptor {
	file, err := protodesc.NewFile(readTable(fieldTable), protoregistry.GlobalFiles)
	if err != nil {
		panic("bug: the table of fields: " + err.Error())
	}
	return file.Services().Get(0)
})

// methodNamed is the method of an operation.
func methodNamed(operation string) protoreflect.MethodDescriptor {
	return a2aSchema().Methods().ByName(protoreflect.Name(operation))
}

// A schema is a file of protobuf that is being put together.
type schema struct {
	file     *descriptorpb.FileDescriptorProto
	messages map[string]*descriptorpb.DescriptorProto
	enums    map[string]*descriptorpb.EnumDescriptorProto
}

const schemaPackage = "lf.a2a.v1"

// readTable makes a file of the table. Its lines are "Message field number type [oneof:name]", "Enum VALUE number enum" and
// "Service Method (Request) Response".
func readTable(table string) *descriptorpb.FileDescriptorProto {
	s := &schema{
		file: &descriptorpb.FileDescriptorProto{
			Name: proto.String("a2a.proto"), Package: proto.String(schemaPackage), Syntax: proto.String("proto3"),
			Dependency: []string{"google/protobuf/empty.proto", "google/protobuf/struct.proto", "google/protobuf/timestamp.proto"},
		},
		messages: map[string]*descriptorpb.DescriptorProto{},
		enums:    map[string]*descriptorpb.EnumDescriptorProto{},
	}
	var lines [][]string
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) < 4 || words[0] == "#" {
			continue
		}
		if words[3] == "enum" {
			s.enumValue(words)
			continue
		}
		lines = append(lines, words)
	}
	for _, words := range lines {
		if strings.HasPrefix(words[2], "(") {
			s.method(words)
		} else {
			s.field(words)
		}
	}
	return s.file
}

func (s *schema) enumValue(words []string) {
	e := s.enums[words[0]]
	if e == nil {
		e = &descriptorpb.EnumDescriptorProto{Name: proto.String(words[0])}
		s.enums[words[0]] = e
		s.file.EnumType = append(s.file.EnumType, e)
	}
	e.Value = append(e.Value, &descriptorpb.EnumValueDescriptorProto{Name: proto.String(words[1]), Number: proto.Int32(fieldNumber(words[2]))})
}

func (s *schema) method(words []string) {
	if len(s.file.Service) == 0 {
		s.file.Service = []*descriptorpb.ServiceDescriptorProto{{Name: proto.String(words[0])}}
	}
	m := &descriptorpb.MethodDescriptorProto{Name: proto.String(words[1]), InputType: proto.String(fullName(strings.Trim(words[2], "()")))}
	m.OutputType = proto.String(fullName(words[len(words)-1]))
	if words[3] == "stream" {
		m.ServerStreaming = proto.Bool(true)
	}
	s.file.Service[0].Method = append(s.file.Service[0].Method, m)
}

func (s *schema) field(words []string) {
	m := s.messages[words[0]]
	if m == nil {
		m = &descriptorpb.DescriptorProto{Name: proto.String(words[0])}
		s.messages[words[0]] = m
		s.file.MessageType = append(s.file.MessageType, m)
	}
	f := &descriptorpb.FieldDescriptorProto{Name: proto.String(words[1]), Number: proto.Int32(fieldNumber(words[2])),
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
	m.Field = append(m.Field, f)
	kind := words[3]
	if inner, is := strings.CutPrefix(kind, "repeated:"); is {
		f.Label, kind = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum(), inner
	}
	if inner, is := strings.CutPrefix(kind, "optional:"); is {
		kind, f.Proto3Optional = inner, proto.Bool(true)
		f.OneofIndex = oneof(m, "_"+words[1])
	}
	if len(words) > 4 {
		f.OneofIndex = oneof(m, strings.TrimPrefix(words[4], "oneof:"))
	}
	if key, is := strings.CutPrefix(kind, "map<string,"); is {
		s.entry(m, f, strings.TrimSuffix(key, ">"))
		return
	}
	s.kind(f, kind)
}

// oneof is the index of a union of a message. Those of optional fields come last, as protobuf wants it: in A2A no message
// has both.
func oneof(m *descriptorpb.DescriptorProto, name string) *int32 {
	for i, known := range m.OneofDecl {
		if known.GetName() == name {
			return proto.Int32(int32(i))
		}
	}
	m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String(name)})
	return proto.Int32(int32(len(m.OneofDecl) - 1))
}

// entry makes a field a map from text to a kind.
func (s *schema) entry(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto, kind string) {
	var name strings.Builder
	for word := range strings.SplitSeq(f.GetName(), "_") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	name.WriteString("Entry")
	key := &descriptorpb.FieldDescriptorProto{Name: proto.String("key"), Number: proto.Int32(1),
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()}
	value := &descriptorpb.FieldDescriptorProto{Name: proto.String("value"), Number: proto.Int32(2),
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
	s.kind(value, kind)
	m.NestedType = append(m.NestedType, &descriptorpb.DescriptorProto{Name: proto.String(name.String()),
		Field: []*descriptorpb.FieldDescriptorProto{key, value}, Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}})
	f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), proto.String(fullName(m.GetName()+"."+name.String()))
}

func (s *schema) kind(f *descriptorpb.FieldDescriptorProto, kind string) {
	switch kind {
	case "string":
		f.Type = descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()
	case "bytes":
		f.Type = descriptorpb.FieldDescriptorProto_TYPE_BYTES.Enum()
	case "bool":
		f.Type = descriptorpb.FieldDescriptorProto_TYPE_BOOL.Enum()
	case "int32":
		f.Type = descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum()
	default:
		f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), proto.String(fullName(kind))
		if s.enums[kind] != nil {
			f.Type = descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum()
		}
	}
}

// fullName is a name of the package, or one that is full already.
func fullName(name string) string {
	if strings.HasPrefix(name, "google.") {
		return "." + name
	}
	return "." + schemaPackage + "." + name
}

func fieldNumber(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		panic(fmt.Sprintf("bug: the table of fields: %q is no number", text))
	}
	return int32(n)
}
