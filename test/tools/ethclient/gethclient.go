package main

import (
	"math/big"
	"reflect"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/tracers"
	"github.com/ethereum/go-ethereum/ethclient/gethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

const goEthereum = "concerns the program go-ethereum"

func (t *tour) visitGethClient() {
	c, ctx := gethclient.New(t.http), t.ctx
	visit("gethclient", reflect.TypeOf(c), nil, append(t.gethCalls(c), append(t.gethSubscriptions(), []method{
		notApplicable("GCStats", goEthereum, func() error { _, err := c.GCStats(ctx); return err }),
		notApplicable("MemStats", goEthereum, func() error { _, err := c.MemStats(ctx); return err }),
		notApplicable("SetHead", goEthereum, func() error { return c.SetHead(ctx, big.NewInt(0)) }),
		notApplicable("GetNodeInfo", goEthereum, func() error { _, err := c.GetNodeInfo(ctx); return err }),
	}...)...))
}

func (t *tour) gethCalls(c *gethclient.Client) []method {
	ctx := t.ctx
	callTracer := "callTracer"
	return []method{
		call("CreateAccessList", func() error {
			list, gas, _, err := c.CreateAccessList(ctx, t.total())
			return expectTrue(err == nil && len(*list) == 1 && gas > 21_000, err)
		}),
		call("GetProof", func() error {
			proof, err := c.GetProof(ctx, t.counter, []string{common.Hash{}.Hex()}, t.number)
			return expectTrue(err == nil && proof.StorageProof[0].Value.Int64() == 42, err)
		}),
		call("CallContract", func() error { return is42(c.CallContract(ctx, t.total(), t.number, nil)) }),
		call("CallContractWithBlockOverrides", func() error {
			// NUMBER, PUSH0-free: MSTORE and RETURN of the block number.
			code := common.FromHex("0x4360005260206000f3")
			accounts := map[common.Address]gethclient.OverrideAccount{t.counter: {Code: code}}
			block := gethclient.BlockOverrides{Number: big.NewInt(42)}
			return is42(c.CallContractWithBlockOverrides(ctx, t.total(), t.number, &accounts, block))
		}),
		call("TraceTransaction", func() error {
			trace, err := c.TraceTransaction(ctx, t.transaction, &tracers.TraceConfig{Tracer: &callTracer})
			return expectTrue(trace != nil, err)
		}),
		call("TraceBlock", func() error {
			trace, err := c.TraceBlock(ctx, t.block, &tracers.TraceConfig{Tracer: &callTracer})
			return expectTrue(trace != nil, err)
		}),
		call("TraceTransactionWithCallTracer", func() error {
			frame, err := c.TraceTransactionWithCallTracer(ctx, t.transaction, nil)
			return expectTrue(err == nil && frame.From == t.nodeAccount, err)
		}),
		call("TraceCallWithCallTracer", func() error {
			at := rpc.BlockNumberOrHashWithHash(t.block, false)
			frame, err := c.TraceCallWithCallTracer(ctx, t.total(), at, nil, nil, nil)
			if err != nil {
				return err
			}
			return is42(frame.Output, nil)
		}),
	}
}

func (t *tour) gethSubscriptions() []method {
	c, ctx := gethclient.New(t.ws), t.ctx
	return []method{
		call("SubscribePendingTransactions", func() error {
			return notified(t, func(to chan<- common.Hash) (ethereum.Subscription, error) {
				return c.SubscribePendingTransactions(ctx, to)
			}, func(hash common.Hash) bool { return hash != common.Hash{} })
		}),
		call("SubscribeFullPendingTransactions", func() error {
			return notified(t, func(to chan<- *types.Transaction) (ethereum.Subscription, error) {
				return c.SubscribeFullPendingTransactions(ctx, to)
			}, func(transaction *types.Transaction) bool { return *transaction.To() == t.counter })
		}),
	}
}
