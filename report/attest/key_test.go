// SPDX-License-Identifier: Apache-2.0

package attest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func block(kind string, der []byte, headers ...string) string {
	b := &pem.Block{Type: kind, Bytes: der, Headers: map[string]string{}}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		b.Headers[name] = value
	}
	return string(pem.EncodeToMemory(b))
}

func TestKeys(t *testing.T) {
	t.Parallel()
	ours, err := x509.MarshalPKCS8PrivateKey(testKey)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other, err := x509.MarshalPKCS8PrivateKey(curve)
	if err != nil {
		t.Fatal(err)
	}
	ourPublic, err := x509.MarshalPKIXPublicKey(public(testKey))
	if err != nil {
		t.Fatal(err)
	}
	otherPublic, err := x509.MarshalPKIXPublicKey(&curve.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, private, public string }{
		"ours":             {block("PRIVATE KEY", ours), "", "this is a private key"},
		"text around it":   {"a key\n" + block("PRIVATE KEY", ours) + "of mine\n", "", "this is a private key"},
		"ours, public":     {block("PUBLIC KEY", ourPublic), "this is a public key", ""},
		"encrypted":        {block("ENCRYPTED PRIVATE KEY", []byte("x")), "the private key is encrypted", "this is a private key"},
		"of OpenSSH":       {block("OPENSSH PRIVATE KEY", []byte("x")), "is one of OpenSSH, want PKCS #8", "this is a private key"},
		"old, encrypted":   {block("EC PRIVATE KEY", []byte("x"), "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,00"), "is encrypted, and of an old form", "want PUBLIC KEY"},
		"old":              {block("RSA PRIVATE KEY", []byte("x")), `the PEM block is "RSA PRIVATE KEY"`, "want PUBLIC KEY"},
		"another curve":    {block("PRIVATE KEY", other), "the private key is *ecdsa.PrivateKey, want Ed25519", "this is a private key"},
		"another, public":  {block("PUBLIC KEY", otherPublic), "this is a public key", "the public key is *ecdsa.PublicKey, want Ed25519"},
		"damaged":          {block("PRIVATE KEY", ours[:20]), "the private key is damaged", "this is a private key"},
		"damaged, public":  {block("PUBLIC KEY", ourPublic[:20]), "this is a public key", "the public key is damaged"},
		"a certificate":    {block("CERTIFICATE", []byte("x")), "a public key or a certificate", `the PEM block is "CERTIFICATE"`},
		"two keys":         {block("PRIVATE KEY", ours) + block("PRIVATE KEY", ours), "more than one PEM block", "more than one PEM block"},
		"a token, perhaps": {"hunter2", "there is no PEM block", "there is no PEM block"},
		"empty":            {"", "openssl genpkey -algorithm ed25519", "openssl pkey"},
	} {
		_, err := ParsePrivateKey([]byte(c.text))
		saysOf(t, name+", private", err, c.private)
		_, err = ParsePublicKey([]byte(c.text))
		saysOf(t, name+", public", err, c.public)
	}
}

// saysOf wants an error that says so, and repeats nothing of a key; "" is no error.
func saysOf(t *testing.T, name string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", name, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: says %v, want %q", name, err, want)
	case err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "MC4C")):
		t.Errorf("%s: repeats what was in the file: %v", name, err)
	}
}

// TestKeyID has a fingerprint that go-securesystemslib has made of the key in testdata.
func TestKeyID(t *testing.T) {
	t.Parallel()
	key, err := ParsePublicKey(fixture(t, "elsewhere.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := KeyID(key), "SHA256:lbmsoA0yIEcEiVDRnMWuzm+nV+3ZEEpVIURqFoeSspg"; got != want {
		t.Errorf("the fingerprint is %s, want %s", got, want)
	}
}

// TestKeysOfOpenSSL: the commands that the documentation names make keys that work here, the fingerprint is the one that
// they print, and what is signed here verifies there and the other way round.
func TestKeysOfOpenSSL(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("there is no openssl here; TestEnvelopeMadeElsewhere has a vector that was made with another program")
	}
	dir := t.TempDir()
	run := func(args ...string) []byte {
		t.Helper()
		c := exec.Command(path, args...)
		c.Dir = dir
		out, err := c.Output()
		if err != nil {
			t.Fatalf("openssl %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
	file := func(name string) []byte {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	run("genpkey", "-algorithm", "ed25519", "-out", "key.pem")
	run("pkey", "-in", "key.pem", "-pubout", "-out", "public.pem")
	private, err := ParsePrivateKey(file("key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	verifying, err := ParsePublicKey(file("public.pem"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := seal(PayloadType, []byte("{}"), private)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ParseEnvelope(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Verify(verifying); err != nil {
		t.Error(err)
	}
	der := run("pkey", "-pubin", "-in", "public.pem", "-outform", "DER")
	wire := "\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + string(der[len(der)-32:])
	if err := os.WriteFile(filepath.Join(dir, "wire"), []byte(wire), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := run("dgst", "-sha256", "-binary", "wire")
	if want := "SHA256:" + strings.TrimRight(base64.StdEncoding.EncodeToString(sum), "="); e.Signatures[0].KeyID != want {
		t.Errorf("the fingerprint is %s, that of openssl %s", e.Signatures[0].KeyID, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "pae"), preAuthEncoding(PayloadType, []byte("{}")), 0o600); err != nil {
		t.Fatal(err)
	}
	sig := run("pkeyutl", "-sign", "-inkey", "key.pem", "-rawin", "-in", "pae")
	if ours, err := decode(e.Signatures[0].Sig); err != nil || string(ours) != string(sig) {
		t.Errorf("the signature is %x, that of openssl %x: %v", ours, sig, err) // Ed25519 has one signature only
	}
	run("genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:hunter2", "-out", "encrypted.pem")
	_, err = ParsePrivateKey(file("encrypted.pem"))
	saysOf(t, "encrypted by openssl", err, "the private key is encrypted")
}
