// SPDX-License-Identifier: Apache-2.0

// Package wire is the connections to a target and the bytes that pass on them: how they are opened, why they end, the handshake of
// a WebSocket and its frames as they stood on the wire, lawful or not. What is in an answer, and whether it is right, is for others
// to say.
package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// TLSProblem begins every sentence about a connection that could not be secured.
const TLSProblem = "TLS: "

// ConnectionRefused is said where nobody listens.
const ConnectionRefused = "connection refused"

// What is said of a connection that ended before there was an answer.
const (
	closedUnanswered = "the connection was closed without an answer"
	connectionReset  = "the connection was reset"
	endedInTheMiddle = "the connection ended in the middle"
)

// IsCut says whether a problem, as [Why] puts it, is that the other side ended the connection.
func IsCut(problem string) bool {
	return problem == closedUnanswered || problem == connectionReset || problem == endedInTheMiddle
}

// Why says in words of the outside world why there was no answer, or why it ended early. limit is the bound that ran
// out, if it was one.
func Why(err error, limit time.Duration) string {
	var (
		dns       *net.DNSError
		certified *tls.CertificateVerificationError
		alert     tls.AlertError
		record    tls.RecordHeaderError
		unknownCA x509.UnknownAuthorityError
		host      x509.HostnameError
		timeout   net.Error
		op        *net.OpError
	)
	switch {
	case err == nil:
		return ""
	case errors.As(err, &op) && op.Op == "dial" && op.Timeout():
		return "no connection could be made in time"
	case errors.As(err, &dns):
		return fmt.Sprintf("no address for %s", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return ConnectionRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return connectionReset
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "the network does not lead there"
	case errors.As(err, &unknownCA):
		return TLSProblem + Last(err) + "; --cacert names a file with the authority to trust"
	case errors.As(err, &certified), errors.As(err, &host), errors.As(err, &alert):
		return TLSProblem + Last(err)
	case errors.As(err, &op) && op.Op == "remote error": // crypto/tls calls so what the other side's alert says
		return TLSProblem + refusedByAlert(Last(err))
	case errors.As(err, &record):
		return TLSProblem + "the other side does not speak TLS"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer within " + limit.String()
	case errors.Is(err, context.Canceled):
		return "the request was given up"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return endedInTheMiddle
	case errors.Is(err, io.EOF), strings.Contains(err.Error(), "server closed idle connection"),
		errors.Is(err, net.ErrClosed), strings.Contains(err.Error(), "EOF"):
		return closedUnanswered
	case strings.Contains(err.Error(), "readLoopPeekFail"): // net/http has no name for it
		return "the other side spoke before it was asked"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no connection within the time allowed"
	}
	return Last(err)
}

// TimedOut says whether an error that [Why] puts into words is that a bound of time ran out.
func TimedOut(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// Last is the innermost part of an error, which names no address of ours.
func Last(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// IsOurs says whether an error is the fault of the machine the harness runs on, and says nothing about the target.
func IsOurs(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.EADDRNOTAVAIL) ||
		errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM)
}

// refusedByAlert says what to do about an alert by which the other side ended the handshake. TLS 1.2 has no alert for a
// client certificate that is missing, so servers send handshake_failure or bad_certificate (RFC 5246, 7.4.6; RFC 8446, 6.2).
func refusedByAlert(alert string) string {
	said := "the other side refused the connection, " + alert
	switch {
	case strings.HasSuffix(alert, "certificate required"):
		return said + "; it wants a client certificate (--cert and --key)"
	case strings.HasSuffix(alert, "handshake failure"):
		return said + "; it may want a client certificate, or another one (--cert and --key)"
	case strings.Contains(alert, "certificate"):
		return said + "; it does not take the client certificate, or wants one (--cert and --key)"
	}
	return said
}
