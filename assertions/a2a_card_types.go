// SPDX-License-Identifier: Apache-2.0

package assertions

// presence says when ProtoJSON writes a member (A2A 1.0 section 5.7; wire.md, section 2).
type presence byte

const (
	implicit presence = iota // left out when it has the default value
	required                 // always
	optional                 // exactly when it was set, to a default value too
	union                    // one of a group; and every entry of a map
)

// A cardMember is a member that the protocol defines.
type cardMember struct {
	presence presence
	kind     string // the type of an object, of the elements of a list, of a map; empty: neither
}

// freeForm is the type of objects that hold what their writers want.
const freeForm = "Struct"

// mapTypes are maps, with the type of their values.
var mapTypes = map[string]string{"SchemeMap": "SecurityScheme", "ScopeMap": "", "RequirementMap": "StringList"}

// cardTypes are the objects of an AgentCard (a2a.proto).
var cardTypes = map[string]map[string]cardMember{
	"AgentCard": {
		"name": {required, ""}, "description": {required, ""}, "supportedInterfaces": {required, "AgentInterface"},
		"provider": {implicit, "AgentProvider"}, "version": {required, ""}, "documentationUrl": {optional, ""},
		"capabilities": {required, "AgentCapabilities"}, "securitySchemes": {implicit, "SchemeMap"},
		"securityRequirements": {implicit, "SecurityRequirement"}, "defaultInputModes": {required, ""},
		"defaultOutputModes": {required, ""}, "skills": {required, "AgentSkill"}, "iconUrl": {optional, ""},
	},
	"AgentInterface": {"url": {required, ""}, "protocolBinding": {required, ""}, "tenant": {implicit, ""}, "protocolVersion": {required, ""}},
	"AgentProvider":  {"url": {required, ""}, "organization": {required, ""}},
	"AgentCapabilities": {
		"streaming": {optional, ""}, "pushNotifications": {optional, ""}, "extensions": {implicit, "AgentExtension"},
		"extendedAgentCard": {optional, ""},
	},
	"AgentExtension": {"uri": {implicit, ""}, "description": {implicit, ""}, "required": {implicit, ""}, "params": {implicit, freeForm}},
	"AgentSkill": {
		"id": {required, ""}, "name": {required, ""}, "description": {required, ""}, "tags": {required, ""}, "examples": {implicit, ""},
		"inputModes": {implicit, ""}, "outputModes": {implicit, ""}, "securityRequirements": {implicit, "SecurityRequirement"},
	},
	"SecurityRequirement": {"schemes": {implicit, "RequirementMap"}},
	"StringList":          {"list": {implicit, ""}},
	"SecurityScheme": {
		"apiKeySecurityScheme": {union, "APIKeySecurityScheme"}, "httpAuthSecurityScheme": {union, "HTTPAuthSecurityScheme"},
		"oauth2SecurityScheme": {union, "OAuth2SecurityScheme"}, "openIdConnectSecurityScheme": {union, "OpenIdConnectSecurityScheme"},
		"mtlsSecurityScheme": {union, "MutualTlsSecurityScheme"},
	},
	"APIKeySecurityScheme":        {"description": {implicit, ""}, "location": {required, ""}, "name": {required, ""}},
	"HTTPAuthSecurityScheme":      {"description": {implicit, ""}, "scheme": {required, ""}, "bearerFormat": {implicit, ""}},
	"OAuth2SecurityScheme":        {"description": {implicit, ""}, "flows": {required, "OAuthFlows"}, "oauth2MetadataUrl": {implicit, ""}},
	"OpenIdConnectSecurityScheme": {"description": {implicit, ""}, "openIdConnectUrl": {required, ""}},
	"MutualTlsSecurityScheme":     {"description": {implicit, ""}},
	"OAuthFlows": {
		"authorizationCode": {union, "AuthorizationCodeOAuthFlow"}, "clientCredentials": {union, "ClientCredentialsOAuthFlow"},
		"deviceCode": {union, "DeviceCodeOAuthFlow"}, "implicit": {union, "ImplicitOAuthFlow"}, "password": {union, "PasswordOAuthFlow"},
	},
	"AuthorizationCodeOAuthFlow": {
		"authorizationUrl": {required, ""}, "tokenUrl": {required, ""}, "refreshUrl": {implicit, ""}, "scopes": {required, "ScopeMap"},
		"pkceRequired": {implicit, ""},
	},
	"ClientCredentialsOAuthFlow": {"tokenUrl": {required, ""}, "refreshUrl": {implicit, ""}, "scopes": {required, "ScopeMap"}},
	"DeviceCodeOAuthFlow": {
		"deviceAuthorizationUrl": {required, ""}, "tokenUrl": {required, ""}, "refreshUrl": {implicit, ""}, "scopes": {required, "ScopeMap"},
	},
	"ImplicitOAuthFlow": {"authorizationUrl": {implicit, ""}, "refreshUrl": {implicit, ""}, "scopes": {implicit, "ScopeMap"}},
	"PasswordOAuthFlow": {"tokenUrl": {implicit, ""}, "refreshUrl": {implicit, ""}, "scopes": {implicit, "ScopeMap"}},
}
