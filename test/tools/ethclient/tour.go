package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
)

// chain is the chain that the tour visits, as ../tours/chain.ts prepared it.
var chain struct {
	URL         string `json:"url"`
	WsURL       string `json:"wsUrl"`
	PrivateKey  string `json:"privateKey"`
	NodeAccount string `json:"nodeAccount"`
	Counter     struct{ Address, Abi, Code, Runtime string }
	Transaction struct {
		Hash, Input string
		Nonce       uint64
		GasUsed     uint64
	}
	Block struct {
		Number                      int64
		Hash, ParentHash, StateRoot string
		Timestamp                   uint64
	}
}

// method is one call of the library with a check of its result. With a reason it is not applicable, and must fail.
type method struct {
	name   string
	call   func() error
	reason string
}

func call(name string, call func() error) method { return method{name, call, ""} }

func notApplicable(name, reason string, call func() error) method { return method{name, call, reason} }

func readChain() {
	if err := json.Unmarshal([]byte(os.Getenv("TOUR_CHAIN")), &chain); err != nil {
		panic(err)
	}
}

// visit runs the methods of a type in order and prints a line for each. All exported methods of the type must be there, except
// those in local, which send no request.
func visit(group string, library reflect.Type, local []string, methods []method) {
	missing := map[string]bool{}
	for i := range library.NumMethod() {
		missing[library.Method(i).Name] = true
	}
	for _, name := range local {
		delete(missing, name)
	}
	for _, method := range methods {
		fmt.Println(method.visit(group + "." + method.name))
		delete(missing, method.name)
	}
	for name := range missing {
		fmt.Printf("failed %s.%s: not in the tour\n", group, name)
	}
}

func (m method) visit(name string) string {
	err := m.call()
	switch {
	case m.reason == "" && err == nil:
		return "passed " + name
	case m.reason == "":
		return "failed " + name + ": " + strings.Join(strings.Fields(err.Error()), " ")
	case err == nil:
		return "failed " + name + ": passed, but is listed as not applicable"
	default:
		return "not applicable " + name + ": " + m.reason
	}
}

// expect returns an error unless got is want.
func expect[T comparable](got, want T, err error) error {
	if err == nil && got != want {
		err = fmt.Errorf("%v instead of %v", got, want)
	}
	return err
}

// expectTrue returns an error unless a condition holds.
func expectTrue(holds bool, err error) error {
	if err == nil && !holds {
		err = errors.New("an implausible result")
	}
	return err
}
