// SPDX-License-Identifier: Apache-2.0

//go:build !nogrpc

package plain

import (
	"strconv"
	"strings"
)

// A wireField is a field of a message: its number, its name in JSON, and what it holds.
type wireField struct {
	number int
	name   string
	kind   string // string, bytes, bool, int32, an enum or a message
	list   bool
	keyed  bool // a map from text
	set    bool // its default value is not its absence
}

// messageTable has a line for each message of the protocol: its fields as "number name kind". Before the kind stand list:,
// map: (from text) and set: (written also with its default value).
const messageTable = `
SendMessageConfiguration: 1 accepted_output_modes list:string, 2 task_push_notification_config TaskPushNotificationConfig, 3 history_length set:int32, 4 return_immediately bool
Task: 1 id string, 2 context_id string, 3 status TaskStatus, 4 artifacts list:Artifact, 5 history list:Message, 6 metadata Struct
TaskStatus: 1 state TaskState, 2 message Message, 3 timestamp Timestamp
Part: 1 text set:string, 2 raw set:bytes, 3 url set:string, 4 data set:Value, 5 metadata Struct, 6 filename string, 7 media_type string
Message: 1 message_id string, 2 context_id string, 3 task_id string, 4 role Role, 5 parts list:Part, 6 metadata Struct, 7 extensions list:string, 8 reference_task_ids list:string
Artifact: 1 artifact_id string, 2 name string, 3 description string, 4 parts list:Part, 5 metadata Struct, 6 extensions list:string
TaskStatusUpdateEvent: 1 task_id string, 2 context_id string, 3 status TaskStatus, 4 metadata Struct
TaskArtifactUpdateEvent: 1 task_id string, 2 context_id string, 3 artifact Artifact, 4 append bool, 5 last_chunk bool, 6 metadata Struct
AuthenticationInfo: 1 scheme string, 2 credentials string
AgentInterface: 1 url string, 2 protocol_binding string, 3 tenant string, 4 protocol_version string
AgentCard: 1 name string, 2 description string, 3 supported_interfaces list:AgentInterface, 4 provider AgentProvider, 5 version string, 6 documentation_url set:string, 7 capabilities AgentCapabilities, 8 security_schemes map:SecurityScheme, 9 security_requirements list:SecurityRequirement, 10 default_input_modes list:string, 11 default_output_modes list:string, 12 skills list:AgentSkill, 13 signatures list:AgentCardSignature, 14 icon_url set:string
AgentProvider: 1 url string, 2 organization string
AgentCapabilities: 1 streaming set:bool, 2 push_notifications set:bool, 3 extensions list:AgentExtension, 4 extended_agent_card set:bool
AgentExtension: 1 uri string, 2 description string, 3 required bool, 4 params Struct
AgentSkill: 1 id string, 2 name string, 3 description string, 4 tags list:string, 5 examples list:string, 6 input_modes list:string, 7 output_modes list:string, 8 security_requirements list:SecurityRequirement
AgentCardSignature: 1 protected string, 2 signature string, 3 header Struct
TaskPushNotificationConfig: 1 tenant string, 2 id string, 3 task_id string, 4 url string, 5 token string, 6 authentication AuthenticationInfo
StringList: 1 list list:string
SecurityRequirement: 1 schemes map:StringList
SecurityScheme: 1 api_key_security_scheme set:APIKeySecurityScheme, 2 http_auth_security_scheme set:HTTPAuthSecurityScheme, 3 oauth2_security_scheme set:OAuth2SecurityScheme, 4 open_id_connect_security_scheme set:OpenIdConnectSecurityScheme, 5 mtls_security_scheme set:MutualTlsSecurityScheme
APIKeySecurityScheme: 1 description string, 2 location string, 3 name string
HTTPAuthSecurityScheme: 1 description string, 2 scheme string, 3 bearer_format string
OAuth2SecurityScheme: 1 description string, 2 flows OAuthFlows, 3 oauth2_metadata_url string
OpenIdConnectSecurityScheme: 1 description string, 2 open_id_connect_url string
MutualTlsSecurityScheme: 1 description string
OAuthFlows: 1 authorization_code set:AuthorizationCodeOAuthFlow, 2 client_credentials set:ClientCredentialsOAuthFlow, 3 implicit set:ImplicitOAuthFlow, 4 password set:PasswordOAuthFlow, 5 device_code set:DeviceCodeOAuthFlow
AuthorizationCodeOAuthFlow: 1 authorization_url string, 2 token_url string, 3 refresh_url string, 4 scopes map:string, 5 pkce_required bool
ClientCredentialsOAuthFlow: 1 token_url string, 2 refresh_url string, 3 scopes map:string
ImplicitOAuthFlow: 1 authorization_url string, 2 refresh_url string, 3 scopes map:string
PasswordOAuthFlow: 1 token_url string, 2 refresh_url string, 3 scopes map:string
DeviceCodeOAuthFlow: 1 device_authorization_url string, 2 token_url string, 3 refresh_url string, 4 scopes map:string
SendMessageRequest: 1 tenant string, 2 message Message, 3 configuration SendMessageConfiguration, 4 metadata Struct
GetTaskRequest: 1 tenant string, 2 id string, 3 history_length set:int32
ListTasksRequest: 1 tenant string, 2 context_id string, 3 status TaskState, 4 page_size set:int32, 5 page_token string, 6 history_length set:int32, 7 status_timestamp_after Timestamp, 8 include_artifacts set:bool
ListTasksResponse: 1 tasks list:Task, 2 next_page_token string, 3 page_size int32, 4 total_size int32
CancelTaskRequest: 1 tenant string, 2 id string, 3 metadata Struct
GetTaskPushNotificationConfigRequest: 1 tenant string, 2 task_id string, 3 id string
DeleteTaskPushNotificationConfigRequest: 1 tenant string, 2 task_id string, 3 id string
SubscribeToTaskRequest: 1 tenant string, 2 id string
ListTaskPushNotificationConfigsRequest: 4 tenant string, 1 task_id string, 2 page_size int32, 3 page_token string
GetExtendedAgentCardRequest: 1 tenant string
SendMessageResponse: 1 task set:Task, 2 message set:Message
StreamResponse: 1 task set:Task, 2 message set:Message, 3 status_update set:TaskStatusUpdateEvent, 4 artifact_update set:TaskArtifactUpdateEvent
ListTaskPushNotificationConfigsResponse: 1 configs list:TaskPushNotificationConfig, 2 next_page_token string
ErrorInfo: 1 reason string, 2 domain string, 3 metadata map:string
BadRequest: 1 field_violations list:FieldViolation
FieldViolation: 1 field string, 2 description string
`

// enumTable has a line for each enum, the names of its values in the order of their numbers.
const enumTable = `
TaskState: TASK_STATE_UNSPECIFIED TASK_STATE_SUBMITTED TASK_STATE_WORKING TASK_STATE_COMPLETED TASK_STATE_FAILED TASK_STATE_CANCELED TASK_STATE_INPUT_REQUIRED TASK_STATE_REJECTED TASK_STATE_AUTH_REQUIRED
Role: ROLE_UNSPECIFIED ROLE_USER ROLE_AGENT
`

// methodTable has the messages of the methods of the service: what they take, and what they answer.
var methodTable = map[string]struct{ takes, answers string }{
	"SendMessage":                      {"SendMessageRequest", "SendMessageResponse"},
	"SendStreamingMessage":             {"SendMessageRequest", "StreamResponse"},
	"GetTask":                          {"GetTaskRequest", "Task"},
	"ListTasks":                        {"ListTasksRequest", "ListTasksResponse"},
	"CancelTask":                       {"CancelTaskRequest", "Task"},
	"SubscribeToTask":                  {"SubscribeToTaskRequest", "StreamResponse"},
	"CreateTaskPushNotificationConfig": {"TaskPushNotificationConfig", "TaskPushNotificationConfig"},
	"GetTaskPushNotificationConfig":    {"GetTaskPushNotificationConfigRequest", "TaskPushNotificationConfig"},
	"ListTaskPushNotificationConfigs":  {"ListTaskPushNotificationConfigsRequest", "ListTaskPushNotificationConfigsResponse"},
	"GetExtendedAgentCard":             {"GetExtendedAgentCardRequest", "AgentCard"},
	"DeleteTaskPushNotificationConfig": {"DeleteTaskPushNotificationConfigRequest", "Empty"},
}

var (
	wireMessages = readMessages()
	wireEnums    = readEnums()
)

func readMessages() map[string][]wireField {
	all := map[string][]wireField{}
	for line := range strings.Lines(strings.TrimSpace(messageTable)) {
		name, fields, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for text := range strings.SplitSeq(fields, ", ") {
			words := strings.Fields(text)
			number, err := strconv.Atoi(words[0])
			if err != nil {
				panic("bug: " + err.Error())
			}
			f := wireField{number: number, name: camel(words[1]), kind: words[2]}
			for prefix, flag := range map[string]*bool{"list:": &f.list, "map:": &f.keyed, "set:": &f.set} {
				if kind, is := strings.CutPrefix(f.kind, prefix); is {
					f.kind, *flag = kind, true
					break
				}
			}
			all[name] = append(all[name], f)
		}
	}
	return all
}

func readEnums() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(enumTable)) {
		name, values, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all[name] = strings.Fields(values)
	}
	return all
}

// camel is the JSON name of a proto name.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
