// The tour through go-ethereum's ethclient, gethclient and bind. See ../tours.test.ts.
package main

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"math/big"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

const timeout = time.Minute

// tour is what the methods of all types need.
type tour struct {
	ctx         context.Context
	http        *rpc.Client
	ws          *rpc.Client
	client      *ethclient.Client
	socket      *ethclient.Client
	key         *ecdsa.PrivateKey
	account     common.Address
	nodeAccount common.Address
	counter     common.Address
	abi         abi.ABI
	number      *big.Int
	block       common.Hash
	transaction common.Hash
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	readChain()
	ctx := context.Background()
	t := &tour{
		ctx:         ctx,
		http:        must(rpc.DialContext(ctx, chain.URL)),
		ws:          must(rpc.DialContext(ctx, chain.WsURL)),
		key:         must(crypto.HexToECDSA(strings.TrimPrefix(chain.PrivateKey, "0x"))),
		nodeAccount: common.HexToAddress(chain.NodeAccount),
		counter:     common.HexToAddress(chain.Counter.Address),
		abi:         must(abi.JSON(strings.NewReader(chain.Counter.Abi))),
		number:      big.NewInt(chain.Block.Number),
		block:       common.HexToHash(chain.Block.Hash),
		transaction: common.HexToHash(chain.Transaction.Hash),
	}
	t.client, t.socket = ethclient.NewClient(t.http), ethclient.NewClient(t.ws)
	t.account = crypto.PubkeyToAddress(t.key.PublicKey)
	t.visitClient()
	t.visitGethClient()
	t.visitBind()
}

// total is the call of the counter's total().
func (t *tour) total() ethereum.CallMsg {
	return ethereum.CallMsg{From: t.account, To: &t.counter, Data: must(t.abi.Pack("total"))}
}

func is42(output []byte, err error) error {
	return expect(new(big.Int).SetBytes(output).Int64(), 42, err)
}

// signed is a call of the counter's add(0), ready to be sent.
func (t *tour) signed() (*types.Transaction, error) {
	nonce, err := t.client.PendingNonceAt(t.ctx, t.account)
	if err != nil {
		return nil, err
	}
	data := must(t.abi.Pack("add", big.NewInt(0)))
	add := &types.LegacyTx{Nonce: nonce, GasPrice: big.NewInt(1), Gas: 100_000, To: &t.counter, Data: data}
	return types.SignNewTx(t.key, types.NewEIP155Signer(big.NewInt(33)), add)
}

func (t *tour) send() error {
	transaction, err := t.signed()
	if err != nil {
		return err
	}
	return t.client.SendTransaction(t.ctx, transaction)
}

// notified subscribes, sends a transaction, and checks the first notification.
func notified[T any](
	t *tour, subscribe func(chan<- T) (ethereum.Subscription, error), plausible func(T) bool,
) error {
	received := make(chan T, 16)
	subscription, err := subscribe(received)
	if err != nil {
		return err
	}
	defer subscription.Unsubscribe()
	if err := t.send(); err != nil {
		return err
	}
	select {
	case value := <-received:
		return expectTrue(plausible(value), nil)
	case err := <-subscription.Err():
		return err
	case <-time.After(timeout):
		return errors.New("no notification")
	}
}
