package main

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// visitBind sends and reads through the layer below generated bindings, which needs the pending block.
func (t *tour) visitBind() {
	contract := bind.NewBoundContract(t.counter, t.abi, t.client, t.client, t.socket)
	local := []string{"Address", "UnpackLog", "UnpackLogIntoMap"}
	visit("BoundContract", reflect.TypeOf(contract), local, append(t.contractCalls(contract), t.contractSends(contract)...))
	visit("bind", reflect.TypeOf(struct{}{}), nil, t.functions(contract))
}

func (t *tour) options() *bind.TransactOpts {
	options := bind.NewKeyedTransactor(t.key, big.NewInt(33))
	options.Context = t.ctx
	return options
}

func (t *tour) mined(transaction *types.Transaction, err error) error {
	if err != nil {
		return err
	}
	receipt, err := bind.WaitMined(t.ctx, t.client, transaction.Hash())
	return expectTrue(err == nil && receipt.Status == 1, err)
}

func (t *tour) contractCalls(contract *bind.BoundContract) []method {
	return []method{
		call("Call", func() error {
			for _, pending := range []bool{false, true} {
				var results []any
				if err := contract.Call(&bind.CallOpts{Pending: pending}, &results, "total"); err != nil {
					return err
				}
				if results[0].(*big.Int).Int64() != 42 {
					return fmt.Errorf("total %v", results[0])
				}
			}
			return nil
		}),
		call("CallRaw", func() error {
			return is42(contract.CallRaw(&bind.CallOpts{BlockNumber: t.number}, t.total().Data))
		}),
		call("FilterLogs", func() error {
			end := t.number.Uint64()
			logs, subscription, err := contract.FilterLogs(&bind.FilterOpts{End: &end}, "Added")
			if err != nil {
				return err
			}
			defer subscription.Unsubscribe()
			added := struct{ Total *big.Int }{}
			if err := contract.UnpackLog(&added, "Added", <-logs); err != nil {
				return err
			}
			return expect(added.Total.Int64(), 5, nil)
		}),
		call("WatchLogs", func() error {
			logs, subscription, err := contract.WatchLogs(nil, "Added")
			if err != nil {
				return err
			}
			defer subscription.Unsubscribe()
			if err := t.send(); err != nil {
				return err
			}
			select {
			case log := <-logs:
				return expect(log.Address, t.counter, nil)
			case <-time.After(timeout):
				return errors.New("no log")
			}
		}),
	}
}

func (t *tour) contractSends(contract *bind.BoundContract) []method {
	add := must(t.abi.Pack("add", big.NewInt(0)))
	return []method{
		call("GetNonce", func() error {
			options := t.options()
			options.From = t.nodeAccount
			nonce, err := contract.GetNonce(options)
			return expect(nonce, 3, err)
		}),
		call("Transact", func() error { return t.mined(contract.Transact(t.options(), "add", big.NewInt(0))) }),
		call("RawTransact", func() error { return t.mined(contract.RawTransact(t.options(), add)) }),
		call("RawCreationTransact", func() error {
			return t.mined(contract.RawCreationTransact(t.options(), common.FromHex(chain.Counter.Code)))
		}),
		call("Transfer", func() error {
			options := t.options()
			options.Value, options.GasLimit = big.NewInt(1), 21_000
			payable := must(abi.JSON(strings.NewReader(`[{"type": "receive", "stateMutability": "payable"}]`)))
			return t.mined(bind.NewBoundContract(t.nodeAccount, payable, t.client, t.client, t.socket).Transfer(options))
		}),
	}
}

// functions of the package that reach a node.
func (t *tour) functions(contract *bind.BoundContract) []method {
	add := must(t.abi.Pack("add", big.NewInt(0)))
	var created *types.Transaction
	return []method{
		call("DeployContract", func() error {
			_, transaction, err := bind.DeployContract(t.options(), common.FromHex(chain.Counter.Code), t.client, nil)
			created = transaction
			return err
		}),
		call("WaitDeployed", func() error {
			address, err := bind.WaitDeployed(t.ctx, t.client, created.Hash())
			return expectTrue(address != common.Address{}, err)
		}),
		call("WaitMined", func() error { return t.mined(created, nil) }),
		call("WaitAccepted", func() error { return bind.WaitAccepted(t.ctx, t.client, created.Hash()) }),
		call("Call", func() error {
			unpack := func(output []byte) (int64, error) { return new(big.Int).SetBytes(output).Int64(), nil }
			total, err := bind.Call(contract, &bind.CallOpts{}, t.total().Data, unpack)
			return expect(total, 42, err)
		}),
		call("Transact", func() error { return t.mined(bind.Transact(contract, t.options(), add)) }),
	}
}
