package main

import (
	"encoding/hex"
	"math/big"
	"reflect"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

func (t *tour) visitClient() {
	methods := append(t.blocks(), t.transactions()...)
	methods = append(methods, t.accounts()...)
	methods = append(methods, t.execution()...)
	methods = append(methods, t.fees()...)
	methods = append(methods, t.subscriptions()...)
	visit("Client", reflect.TypeOf(t.client), []string{"Client", "Close"}, methods)
}

func (t *tour) isBlock(block *types.Block, err error) error {
	if err != nil {
		return err
	}
	return expect(block.Transactions()[0].Hash(), t.transaction, nil)
}

func (t *tour) isHeader(header *types.Header, err error) error {
	if err != nil {
		return err
	}
	return expect(header.Root, common.HexToHash(chain.Block.StateRoot), nil)
}

func (t *tour) isReceipt(receipt *types.Receipt, err error) error {
	if err != nil {
		return err
	}
	wanted := receipt.Status == types.ReceiptStatusSuccessful && receipt.GasUsed == chain.Transaction.GasUsed
	return expectTrue(wanted && len(receipt.Logs) == 1, nil)
}

func (t *tour) isTransaction(transaction *types.Transaction, err error) error {
	if err != nil {
		return err
	}
	return expect("0x"+hex.EncodeToString(transaction.Data()), chain.Transaction.Input, nil)
}

func (t *tour) blocks() []method {
	c, ctx := t.client, t.ctx
	return []method{
		call("ChainID", func() error {
			id, err := c.ChainID(ctx)
			return expectTrue(err == nil && id.Int64() == 33, err)
		}),
		call("NetworkID", func() error {
			id, err := c.NetworkID(ctx)
			return expectTrue(err == nil && id.Int64() == 33, err)
		}),
		call("PeerCount", func() error { count, err := c.PeerCount(ctx); return expect(count, 0, err) }),
		call("SyncProgress", func() error { progress, err := c.SyncProgress(ctx); return expect(progress, nil, err) }),
		call("BlockNumber", func() error {
			number, err := c.BlockNumber(ctx)
			return expectTrue(number >= t.number.Uint64(), err)
		}),
		call("BlockByHash", func() error { return t.isBlock(c.BlockByHash(ctx, t.block)) }),
		call("BlockByNumber", func() error { return t.isBlock(c.BlockByNumber(ctx, t.number)) }),
		call("HeaderByHash", func() error { return t.isHeader(c.HeaderByHash(ctx, t.block)) }),
		call("HeaderByNumber", func() error {
			for _, tag := range []rpc.BlockNumber{rpc.PendingBlockNumber, rpc.SafeBlockNumber, rpc.FinalizedBlockNumber} {
				if _, err := c.HeaderByNumber(ctx, big.NewInt(tag.Int64())); err != nil {
					return err
				}
			}
			return t.isHeader(c.HeaderByNumber(ctx, t.number))
		}),
		call("BlockReceipts", func() error {
			receipts, err := c.BlockReceipts(ctx, rpc.BlockNumberOrHashWithHash(t.block, false))
			if err != nil {
				return err
			}
			return t.isReceipt(receipts[0], nil)
		}),
	}
}

func (t *tour) transactions() []method {
	c, ctx := t.client, t.ctx
	return []method{
		call("TransactionByHash", func() error {
			transaction, pending, err := c.TransactionByHash(ctx, t.transaction)
			if pending {
				return expectTrue(false, nil)
			}
			return t.isTransaction(transaction, err)
		}),
		call("TransactionInBlock", func() error { return t.isTransaction(c.TransactionInBlock(ctx, t.block, 0)) }),
		call("TransactionCount", func() error { count, err := c.TransactionCount(ctx, t.block); return expect(count, 2, err) }),
		call("TransactionSender", func() error {
			transaction, err := c.TransactionInBlock(ctx, t.block, 0)
			if err != nil {
				return err
			}
			sender, err := c.TransactionSender(ctx, transaction, t.block, 0)
			return expect(sender, t.nodeAccount, err)
		}),
		call("TransactionReceipt", func() error { return t.isReceipt(c.TransactionReceipt(ctx, t.transaction)) }),
		call("PendingTransactionCount", func() error {
			_, err := c.PendingTransactionCount(ctx)
			return err
		}),
		call("SendTransaction", t.send),
		call("SendTransactionSync", func() error {
			transaction, err := t.signed()
			if err != nil {
				return err
			}
			receipt, err := c.SendTransactionSync(ctx, transaction, nil)
			return expectTrue(err == nil && receipt.Status == 1, err)
		}),
		call("SendRawTransactionSync", func() error {
			transaction, err := t.signed()
			if err != nil {
				return err
			}
			wait := timeout
			receipt, err := c.SendRawTransactionSync(ctx, must(transaction.MarshalBinary()), &wait)
			return expectTrue(err == nil && receipt.Status == 1, err)
		}),
		call("FilterLogs", func() error {
			query := ethereum.FilterQuery{Addresses: []common.Address{t.counter}, FromBlock: big.NewInt(0), ToBlock: t.number}
			logs, err := c.FilterLogs(ctx, query)
			return expect(len(logs), 2, err)
		}),
	}
}

func (t *tour) accounts() []method {
	c, ctx := t.client, t.ctx
	cell := common.Hash{}
	isRich := func(balance *big.Int, err error) error {
		return expectTrue(err == nil && balance.Cmp(big.NewInt(1e18)) > 0, err)
	}
	isCode := func(code []byte, err error) error {
		return expect("0x"+hex.EncodeToString(code), chain.Counter.Runtime, err)
	}
	return []method{
		call("BalanceAt", func() error { return isRich(c.BalanceAt(ctx, t.account, t.number)) }),
		call("BalanceAtHash", func() error { return isRich(c.BalanceAtHash(ctx, t.account, t.block)) }),
		call("PendingBalanceAt", func() error { return isRich(c.PendingBalanceAt(ctx, t.account)) }),
		call("StorageAt", func() error { return is42(c.StorageAt(ctx, t.counter, cell, t.number)) }),
		call("StorageAtHash", func() error { return is42(c.StorageAtHash(ctx, t.counter, cell, t.block)) }),
		call("PendingStorageAt", func() error { return is42(c.PendingStorageAt(ctx, t.counter, cell)) }),
		call("CodeAt", func() error { return isCode(c.CodeAt(ctx, t.counter, t.number)) }),
		call("CodeAtHash", func() error { return isCode(c.CodeAtHash(ctx, t.counter, t.block)) }),
		call("PendingCodeAt", func() error { return isCode(c.PendingCodeAt(ctx, t.counter)) }),
		call("NonceAt", func() error { nonce, err := c.NonceAt(ctx, t.nodeAccount, t.number); return expect(nonce, 3, err) }),
		call("NonceAtHash", func() error {
			nonce, err := c.NonceAtHash(ctx, t.nodeAccount, t.block)
			return expect(nonce, 3, err)
		}),
		call("PendingNonceAt", func() error { nonce, err := c.PendingNonceAt(ctx, t.nodeAccount); return expect(nonce, 3, err) }),
	}
}

func (t *tour) execution() []method {
	c, ctx := t.client, t.ctx
	payment := ethereum.CallMsg{From: t.account, To: &t.nodeAccount, Value: big.NewInt(1)}
	isPayment := func(gas uint64, err error) error { return expect(gas, 21_000, err) }
	return []method{
		call("CallContract", func() error { return is42(c.CallContract(ctx, t.total(), t.number)) }),
		call("CallContractAtHash", func() error { return is42(c.CallContractAtHash(ctx, t.total(), t.block)) }),
		call("PendingCallContract", func() error { return is42(c.PendingCallContract(ctx, t.total())) }),
		call("EstimateGas", func() error { return isPayment(c.EstimateGas(ctx, payment)) }),
		call("EstimateGasAtBlock", func() error { return isPayment(c.EstimateGasAtBlock(ctx, payment, t.number)) }),
		call("EstimateGasAtBlockHash", func() error { return isPayment(c.EstimateGasAtBlockHash(ctx, payment, t.block)) }),
		call("SimulateV1", func() error {
			blocks := []ethclient.SimulateBlock{{Calls: []ethereum.CallMsg{t.total()}}}
			at := rpc.BlockNumberOrHashWithHash(t.block, false)
			results, err := c.SimulateV1(ctx, ethclient.SimulateOptions{BlockStateCalls: blocks}, &at)
			if err != nil {
				return err
			}
			return is42(results[0].Calls[0].ReturnValue, nil)
		}),
	}
}

func (t *tour) fees() []method {
	c, ctx := t.client, t.ctx
	return []method{
		call("SuggestGasPrice", func() error {
			price, err := c.SuggestGasPrice(ctx)
			return expectTrue(err == nil && price.Sign() >= 0, err)
		}),
		call("SuggestGasTipCap", func() error {
			tip, err := c.SuggestGasTipCap(ctx)
			return expectTrue(err == nil && tip.Sign() >= 0, err)
		}),
		call("FeeHistory", func() error {
			history, err := c.FeeHistory(ctx, 2, t.number, []float64{50})
			return expectTrue(err == nil && len(history.Reward) == 2 && len(history.BaseFee) == 0, err)
		}),
		notApplicable("BlobBaseFee", "no blobs on this chain", func() error { _, err := c.BlobBaseFee(ctx); return err }),
	}
}

func (t *tour) subscriptions() []method {
	c, ctx := t.socket, t.ctx
	return []method{
		call("SubscribeNewHead", func() error {
			return notified(t, func(to chan<- *types.Header) (ethereum.Subscription, error) {
				return c.SubscribeNewHead(ctx, to)
			}, func(head *types.Header) bool { return head.Number.Cmp(t.number) > 0 })
		}),
		call("SubscribeFilterLogs", func() error {
			query := ethereum.FilterQuery{Addresses: []common.Address{t.counter}}
			return notified(t, func(to chan<- types.Log) (ethereum.Subscription, error) {
				return c.SubscribeFilterLogs(ctx, query, to)
			}, func(log types.Log) bool { return log.Address == t.counter })
		}),
		notApplicable("SubscribeTransactionReceipts", "a subscription of go-ethereum only", func() error {
			_, err := c.SubscribeTransactionReceipts(ctx, nil, make(chan []*types.Receipt))
			return err
		}),
	}
}
