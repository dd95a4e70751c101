import { DEVELOPMENT_EXAMPLES } from "./development-examples.js";
import type { Example } from "./examples.js";

/** Examples of methods that change something, or whose results differ from node to node; tests check their form. */
export const WRITTEN_EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  eth_netHashrate: [
    {
      params: [],
      result: 12345678901234,
    },
  ],
  eth_sendRawTransaction: [
    {
      params: [
        "0xf86501018252089477045e71a7a2c50903d88e564cd72fab11e8205101808065a01111111111111111111111111111111111111111111111111111111111111111a02222222222222222222222222222222222222222222222222222222222222222",
      ],
      result: "0xabababababababababababababababababababababababababababababababab",
    },
  ],
  eth_sendRawTransactionSync: [
    {
      params: [
        "0xf86501018252089477045e71a7a2c50903d88e564cd72fab11e8205101808065a01111111111111111111111111111111111111111111111111111111111111111a02222222222222222222222222222222222222222222222222222222222222222",
        30000,
      ],
      result: {
        transactionHash: "0xabababababababababababababababababababababababababababababababab",
        transactionIndex: "0x0",
        blockHash: "0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
        blockNumber: "0x3",
        cumulativeGasUsed: "0x5208",
        gasUsed: "0x5208",
        contractAddress: null,
        logs: [],
        from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
        to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        status: "0x1",
        logsBloom: `0x${"00".repeat(256)}`,
        type: "0x0",
        effectiveGasPrice: "0x1",
      },
    },
  ],
  eth_sendTransaction: [
    {
      params: [
        {
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
          gas: "0x5208",
          gasPrice: "0x1",
          value: "0x1",
        },
      ],
      result: "0xabababababababababababababababababababababababababababababababab",
    },
  ],
  eth_sign: [
    {
      params: ["0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826", "0x68656c6c6f"],
      result:
        "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c1b",
    },
  ],
  eth_newFilter: [
    {
      params: [
        {
          address: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
          topics: [["0x4242424242424242424242424242424242424242424242424242424242424242", null], null],
        },
      ],
      result: "0x7c1d1d9c6a0fd84fcd1f4e2a3b5c6d7e",
    },
  ],
  eth_newBlockFilter: [
    {
      params: [],
      result: "0x8d1d1d9c6a0fd84fcd1f4e2a3b5c6d7e",
    },
  ],
  eth_newPendingTransactionFilter: [
    {
      params: [],
      result: "0x9e1d1d9c6a0fd84fcd1f4e2a3b5c6d7e",
    },
  ],
  eth_getFilterChanges: [
    {
      params: ["0x8d1d1d9c6a0fd84fcd1f4e2a3b5c6d7e"],
      result: ["0x2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b"],
    },
  ],
  eth_getFilterLogs: [
    {
      params: ["0x7c1d1d9c6a0fd84fcd1f4e2a3b5c6d7e"],
      result: [],
    },
  ],
  eth_subscribe: [
    {
      params: ["newHeads"],
      result: "0x9cef478923ff08bf67fde6c64013158d",
    },
  ],
  eth_unsubscribe: [
    {
      params: ["0x9cef478923ff08bf67fde6c64013158d"],
      result: true,
    },
  ],
  "rpc.discover": [
    {
      params: [],
      result: {
        openrpc: "1.3.2",
        info: {
          title: "Node JSON-RPC service",
          version: "0.1.0",
        },
        methods: [],
        components: {
          schemas: {},
        },
      },
    },
  ],
  mnr_getWork: [
    {
      params: [],
      result: {
        blockHashForMergedMining: "0x1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d",
        target: "0x000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        feesPaidToMiner: "21000",
        notify: true,
        parentBlockHash: "0x2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e",
      },
    },
  ],
  mnr_rememberWork: [
    {
      params: ["0xf90200"],
      result: "0x1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d",
    },
  ],
  mnr_submitParentChainBlock: [
    {
      params: [
        "0101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101",
      ],
      result: {
        blockImportedResult: "0x494d504f525445445f42455354",
        blockHash: "0x1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d",
        blockIncludedHeight: "0x3",
      },
    },
  ],
  mnr_submitParentChainBlockTransactions: [
    {
      params: [
        "1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d",
        "0101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101",
        "020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202",
        "0303030303030303030303030303030303030303030303030303030303030303",
      ],
      result: {
        blockImportedResult: "0x494d504f525445445f42455354",
        blockHash: "0x1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d",
        blockIncludedHeight: "0x3",
      },
    },
  ],
  mnr_submitParentChainBlockPartialMerkle: [
    {
      params: [
        "1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d",
        "0101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101",
        "020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202",
        "0303030303030303030303030303030303030303030303030303030303030303 0404040404040404040404040404040404040404040404040404040404040404",
        "2",
      ],
      result: {
        blockImportedResult: "0x494d504f525445445f42455354",
        blockHash: "0x1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d",
        blockIncludedHeight: "0x3",
      },
    },
  ],
  eth_getWork: [
    {
      params: [],
      result: [
        "0x1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d",
        "0x2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e",
        "0x000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      ],
    },
  ],
  eth_submitWork: [
    {
      params: [
        "0x0000000000000001",
        "0x1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d",
        "0x2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e",
      ],
      result: true,
    },
  ],
  eth_submitHashrate: [
    {
      params: [
        "0x000000000000000000000000000000000000000000000000000000000007a120",
        "0x5959595959595959595959595959595959595959595959595959595959595959",
      ],
      result: true,
    },
  ],
  personal_newAccountWithSeed: [
    {
      params: ["cow"],
      result: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
    },
  ],
  personal_newAccount: [
    {
      params: ["a passphrase"],
      result: "0x09a1eda29f664ac8f68106f6567276df0c65d859",
    },
  ],
  personal_importRawKey: [
    {
      params: ["0xc85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4", "a passphrase"],
      result: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
    },
  ],
  personal_dumpRawKey: [
    {
      params: ["0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826"],
      result: "0xc85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4",
    },
  ],
  personal_listAccounts: [
    {
      params: [],
      result: ["0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826"],
    },
  ],
  personal_unlockAccount: [
    {
      params: ["0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826", "a passphrase", "0x493e0"],
      result: true,
    },
  ],
  personal_lockAccount: [
    {
      params: ["0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826"],
      result: true,
    },
  ],
  personal_sendTransaction: [
    {
      params: [
        {
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
          gas: "0x5208",
          gasPrice: "0x1",
          value: "0x1",
        },
        "a passphrase",
      ],
      result: "0xabababababababababababababababababababababababababababababababab",
    },
  ],
  personal_sign: [
    {
      params: ["0x68656c6c6f", "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826", "a passphrase"],
      result:
        "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c1b",
    },
  ],
  eth_requestAccounts: [
    {
      params: [],
      result: ["0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826"],
    },
  ],
  eth_signTypedData_v4: [
    {
      params: [
        "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
        {
          types: {
            EIP712Domain: [
              {
                name: "name",
                type: "string",
              },
            ],
            Mail: [
              {
                name: "text",
                type: "string",
              },
            ],
          },
          primaryType: "Mail",
          domain: {
            name: "A dapp",
          },
          message: {
            text: "hello",
          },
        },
      ],
      result:
        "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c1b",
    },
  ],
  eth_signTransaction: [
    {
      params: [
        {
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
          gas: "0x5208",
          gasPrice: "0x1",
          value: "0x1",
        },
      ],
      result: {
        raw: "0xf86501018252089477045e71a7a2c50903d88e564cd72fab11e8205101808065a01111111111111111111111111111111111111111111111111111111111111111a02222222222222222222222222222222222222222222222222222222222222222",
        tx: {
          hash: "0xabababababababababababababababababababababababababababababababab",
          nonce: "0x1",
          blockHash: null,
          blockNumber: null,
          blockTimestamp: null,
          transactionIndex: null,
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
          gas: "0x5208",
          gasPrice: "0x1",
          value: "0x1",
          input: "0x",
          v: "0x65",
          r: "0x1111111111111111111111111111111111111111111111111111111111111111",
          s: "0x2222222222222222222222222222222222222222222222222222222222222222",
          type: "0x0",
        },
      },
    },
  ],
  ...DEVELOPMENT_EXAMPLES,
};
