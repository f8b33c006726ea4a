// SPDX-License-Identifier: Apache-2.0

package attest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
)

// KeyID is the fingerprint by which a key is told, as SSH prints it: "SHA256:", and the SHA-256 in base64 of the name
// ssh-ed25519 and the key, each behind its length (RFC 4253, 6.6; RFC 8709, 4). It is what go-securesystemslib
// takes for the id of a key that has no other, and it skips a signature that names another id.
func KeyID(key ed25519.PublicKey) string {
	const kind = "ssh-ed25519"
	wire := binary.BigEndian.AppendUint32(nil, uint32(len(kind)))
	wire = append(wire, kind...)
	wire = binary.BigEndian.AppendUint32(wire, uint32(len(key)))
	sum := sha256.Sum256(append(wire, key...))
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

const makeKey = "`openssl genpkey -algorithm ed25519 -out key.pem` makes one"

// ParsePrivateKey reads the key to sign with: Ed25519, PKCS #8, PEM. Errors repeat nothing of the text.
func ParsePrivateKey(text []byte) (ed25519.PrivateKey, error) {
	block, err := onlyBlock(text)
	if err != nil {
		return nil, fmt.Errorf("%w; want a private key, and %s", err, makeKey)
	}
	switch block.Type {
	case "PRIVATE KEY":
	case "ENCRYPTED PRIVATE KEY":
		return nil, errors.New("the private key is encrypted; `openssl pkey -in key.pem` prints it decrypted, and /dev/stdin can take the place of the file")
	case "OPENSSH PRIVATE KEY":
		return nil, errors.New("the private key is one of OpenSSH, want PKCS #8; " + makeKey)
	case "PUBLIC KEY", "CERTIFICATE":
		return nil, errors.New("this is a public key or a certificate; reports are signed with the private key")
	default:
		if block.Headers["DEK-Info"] != "" {
			return nil, errors.New("the private key is encrypted, and of an old form; want Ed25519 in PKCS #8, and " + makeKey)
		}
		return nil, fmt.Errorf("the PEM block is %q, want an Ed25519 key in PKCS #8 (PRIVATE KEY); %s", block.Type, makeKey)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the private key is damaged, or of a kind that is not known; want Ed25519 in PKCS #8, and " + makeKey)
	}
	key, is := parsed.(ed25519.PrivateKey)
	if !is {
		return nil, fmt.Errorf("the private key is %T, want Ed25519; %s", parsed, makeKey)
	}
	return key, nil
}

const makePublic = "`openssl pkey -in key.pem -pubout -out public.pem` makes it from the private one"

// ParsePublicKey reads the key to verify with: Ed25519, SubjectPublicKeyInfo, PEM. Errors repeat nothing of the text.
func ParsePublicKey(text []byte) (ed25519.PublicKey, error) {
	block, err := onlyBlock(text)
	if err != nil {
		return nil, fmt.Errorf("%w; want a public key, and %s", err, makePublic)
	}
	switch block.Type {
	case "PUBLIC KEY":
	case "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY":
		return nil, errors.New("this is a private key; verify needs the public key; " + makePublic)
	default:
		return nil, fmt.Errorf("the PEM block is %q, want PUBLIC KEY; %s", block.Type, makePublic)
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the public key is damaged, or of a kind that is not known; want Ed25519")
	}
	key, is := parsed.(ed25519.PublicKey)
	if !is {
		return nil, fmt.Errorf("the public key is %T, want Ed25519", parsed)
	}
	return key, nil
}

// onlyBlock is the one PEM block of a text.
func onlyBlock(text []byte) (*pem.Block, error) {
	block, rest := pem.Decode(text)
	if block == nil {
		return nil, errors.New("there is no PEM block")
	}
	if second, _ := pem.Decode(rest); second != nil {
		return nil, errors.New("there is more than one PEM block, and which one is meant cannot be known")
	}
	return block, nil
}
