// SPDX-License-Identifier: Apache-2.0

package mutants

// deliveryKind begins the kinds of what a server sends to webhooks.
const deliveryKind = "DELIVERY"
