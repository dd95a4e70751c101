/** A request, and what a local network with two blocks answers; recorded by `npm run examples`. */
export interface Example {
  params: readonly unknown[];
  result: unknown;
}

export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  web3_sha3: [
    {
      params: ["0x68656c6c6f20776f726c64"],
      result: "0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad",
    },
  ],
  net_version: [
    {
      params: [],
      result: "33",
    },
  ],
  eth_chainId: [
    {
      params: [],
      result: "0x21",
    },
  ],
  eth_protocolVersion: [
    {
      params: [],
      result: "0x3e",
    },
  ],
  chain_protocolVersion: [
    {
      params: [],
      result: "0x3e",
    },
  ],
  eth_syncing: [
    {
      params: [],
      result: false,
    },
  ],
  eth_accounts: [
    {
      params: [],
      result: [],
    },
  ],
  eth_blockNumber: [
    {
      params: [],
      result: "0x2",
    },
  ],
  eth_getBalance: [
    {
      params: ["0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d", "latest"],
      result: "0x0",
    },
    {
      params: [
        "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
        {
          blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        },
      ],
      result: "0xc9f2c9cd04674edea3ffed4ab",
    },
  ],
  eth_getTransactionCount: [
    {
      params: ["0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826", "0x1"],
      result: "0x1",
    },
  ],
  eth_getStorageAt: [
    {
      params: ["0x77045e71a7a2c50903d88e564cd72fab11e82051", "0x0", "latest"],
      result: "0x0000000000000000000000000000000000000000000000000000000000000000",
    },
  ],
  eth_getStorageValues: [
    {
      params: [
        {
          "0x77045e71a7a2c50903d88e564cd72fab11e82051": ["0x0", "0x1"],
        },
        "latest",
      ],
      result: {
        "0x77045e71a7a2c50903d88e564cd72fab11e82051": [
          "0x0000000000000000000000000000000000000000000000000000000000000000",
          "0x0000000000000000000000000000000000000000000000000000000000000000",
        ],
      },
    },
  ],
  eth_fillTransaction: [
    {
      params: [
        {
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
          value: "0x1",
        },
      ],
      result: {
        raw: "0xdf80008254ff9477045e71a7a2c50903d88e564cd72fab11e820510180808080",
        tx: {
          hash: "0x9bb57000707587c07545ef97c5b97a0169a99d8fbda028d2f3e0afdb76faa048",
          nonce: "0x0",
          blockHash: null,
          blockNumber: null,
          blockTimestamp: null,
          transactionIndex: null,
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
          gas: "0x54ff",
          gasPrice: "0x0",
          value: "0x1",
          input: "0x",
          v: "0x0",
          r: "0x0",
          s: "0x0",
          type: "0x0",
        },
      },
    },
  ],
  eth_getCode: [
    {
      params: ["0x77045e71a7a2c50903d88e564cd72fab11e82051", "latest"],
      result: "0x604260006000a100",
    },
  ],
  eth_getBlockByNumber: [
    {
      params: ["0x2", false],
      result: {
        number: "0x2",
        hash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        parentHash: "0xe4945055e5dda54ec36f06e73d6367c772fc73deebd2a5f6fe02de6baf9d3ffc",
        mixHash: "0x0000000000000000000000000000000000000000000000000000000000000000",
        nonce: "0x0000000000000000",
        sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
        logsBloom:
          "0x00000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000008000000000000000000",
        transactionsRoot: "0x48e2a966ca95b96346b2dae8a6c72111290dd17452c373ed41a4cfdb818ca056",
        stateRoot: "0x1490ae56168642645f128da9eb60790e297612225f63f37f81a3c56d46c81f47",
        receiptsRoot: "0xbc4702d6bd9abcdb9225cbaedd1d6270339f0a892fe77091cc2dcb53feac2261",
        miner: "0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d",
        difficulty: "0x1",
        extraData: "0xc80186544553542d31",
        gasLimit: "0x984a3f",
        gasUsed: "0x54ff",
        timestamp: "0x6553f101",
        minimumGasPrice: "0x0",
        parentChainMergedMiningHeader:
          "0x000000200000000000000000000000000000000000000000000000000000000000000000f8d2cbe9b42bd4012595a462050f8b4b7b3bade9d6d0cfceca5409330bb2a22501f15365ffff7f2000000000",
        parentChainMergedMiningCoinbaseTransaction:
          "0x00000000000000006a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd1901000000010000000000000000000000000000000000000000000000000000000000000000ffffffff020000ffffffff0100000000000000002b6a2952534b424c4f434b3a1a44338f3fdbf6042fe1b82db82108073528f2b55542ccc09ad56b65d5cd421900000000",
        parentChainMergedMiningMerkleProof: "0x",
        hashForMergedMining: "0x1a44338f3fdbf6042fe1b82db82108073528f2b55542ccc09ad56b65d5cd4219",
        paidFees: "0x54ff",
        pteEdges: [],
        baseEvent: null,
        totalDifficulty: "0x3",
        cumulativeDifficulty: "0x1",
        size: "0x34e",
        transactions: [
          "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
          "0x2508efeddbab2f46ce53e0fb5ed61df9ac1ce696311941207833d7365194dacd",
        ],
        uncles: [],
      },
    },
    {
      params: ["0x9", false],
      result: null,
    },
  ],
  eth_getBlockByHash: [
    {
      params: ["0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa", true],
      result: {
        number: "0x2",
        hash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        parentHash: "0xe4945055e5dda54ec36f06e73d6367c772fc73deebd2a5f6fe02de6baf9d3ffc",
        mixHash: "0x0000000000000000000000000000000000000000000000000000000000000000",
        nonce: "0x0000000000000000",
        sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
        logsBloom:
          "0x00000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000008000000000000000000",
        transactionsRoot: "0x48e2a966ca95b96346b2dae8a6c72111290dd17452c373ed41a4cfdb818ca056",
        stateRoot: "0x1490ae56168642645f128da9eb60790e297612225f63f37f81a3c56d46c81f47",
        receiptsRoot: "0xbc4702d6bd9abcdb9225cbaedd1d6270339f0a892fe77091cc2dcb53feac2261",
        miner: "0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d",
        difficulty: "0x1",
        extraData: "0xc80186544553542d31",
        gasLimit: "0x984a3f",
        gasUsed: "0x54ff",
        timestamp: "0x6553f101",
        minimumGasPrice: "0x0",
        parentChainMergedMiningHeader:
          "0x000000200000000000000000000000000000000000000000000000000000000000000000f8d2cbe9b42bd4012595a462050f8b4b7b3bade9d6d0cfceca5409330bb2a22501f15365ffff7f2000000000",
        parentChainMergedMiningCoinbaseTransaction:
          "0x00000000000000006a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd1901000000010000000000000000000000000000000000000000000000000000000000000000ffffffff020000ffffffff0100000000000000002b6a2952534b424c4f434b3a1a44338f3fdbf6042fe1b82db82108073528f2b55542ccc09ad56b65d5cd421900000000",
        parentChainMergedMiningMerkleProof: "0x",
        hashForMergedMining: "0x1a44338f3fdbf6042fe1b82db82108073528f2b55542ccc09ad56b65d5cd4219",
        paidFees: "0x54ff",
        pteEdges: [],
        baseEvent: null,
        totalDifficulty: "0x3",
        cumulativeDifficulty: "0x1",
        size: "0x34e",
        transactions: [
          {
            hash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
            nonce: "0x1",
            blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
            blockNumber: "0x2",
            blockTimestamp: "0x6553f101",
            transactionIndex: "0x0",
            from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
            to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
            gas: "0x1e8480",
            gasPrice: "0x1",
            value: "0x0",
            input: "0x",
            v: "0x65",
            r: "0x369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2",
            s: "0x377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754ba",
            type: "0x0",
          },
          {
            hash: "0x2508efeddbab2f46ce53e0fb5ed61df9ac1ce696311941207833d7365194dacd",
            nonce: "0x1",
            blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
            blockNumber: "0x2",
            blockTimestamp: "0x6553f101",
            transactionIndex: "0x1",
            from: "0x0000000000000000000000000000000000000000",
            to: "0x0000000000000000000000000000000001000008",
            gas: "0x0",
            gasPrice: "0x0",
            value: "0x0",
            input: "0x",
            v: "0x0",
            r: "0x0",
            s: "0x0",
            type: "0x0",
          },
        ],
        uncles: [],
      },
    },
  ],
  eth_getHeaderByNumber: [
    {
      params: ["0x2"],
      result: {
        number: "0x2",
        hash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        parentHash: "0xe4945055e5dda54ec36f06e73d6367c772fc73deebd2a5f6fe02de6baf9d3ffc",
        mixHash: "0x0000000000000000000000000000000000000000000000000000000000000000",
        nonce: "0x0000000000000000",
        sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
        logsBloom:
          "0x00000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000008000000000000000000",
        transactionsRoot: "0x48e2a966ca95b96346b2dae8a6c72111290dd17452c373ed41a4cfdb818ca056",
        stateRoot: "0x1490ae56168642645f128da9eb60790e297612225f63f37f81a3c56d46c81f47",
        receiptsRoot: "0xbc4702d6bd9abcdb9225cbaedd1d6270339f0a892fe77091cc2dcb53feac2261",
        miner: "0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d",
        difficulty: "0x1",
        extraData: "0xc80186544553542d31",
        gasLimit: "0x984a3f",
        gasUsed: "0x54ff",
        timestamp: "0x6553f101",
        minimumGasPrice: "0x0",
        parentChainMergedMiningHeader:
          "0x000000200000000000000000000000000000000000000000000000000000000000000000f8d2cbe9b42bd4012595a462050f8b4b7b3bade9d6d0cfceca5409330bb2a22501f15365ffff7f2000000000",
        parentChainMergedMiningCoinbaseTransaction:
          "0x00000000000000006a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd1901000000010000000000000000000000000000000000000000000000000000000000000000ffffffff020000ffffffff0100000000000000002b6a2952534b424c4f434b3a1a44338f3fdbf6042fe1b82db82108073528f2b55542ccc09ad56b65d5cd421900000000",
        parentChainMergedMiningMerkleProof: "0x",
        hashForMergedMining: "0x1a44338f3fdbf6042fe1b82db82108073528f2b55542ccc09ad56b65d5cd4219",
        paidFees: "0x54ff",
        pteEdges: [],
        baseEvent: null,
        totalDifficulty: "0x3",
        cumulativeDifficulty: "0x1",
      },
    },
  ],
  eth_getHeaderByHash: [
    {
      params: ["0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa"],
      result: {
        number: "0x2",
        hash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        parentHash: "0xe4945055e5dda54ec36f06e73d6367c772fc73deebd2a5f6fe02de6baf9d3ffc",
        mixHash: "0x0000000000000000000000000000000000000000000000000000000000000000",
        nonce: "0x0000000000000000",
        sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
        logsBloom:
          "0x00000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000008000000000000000000",
        transactionsRoot: "0x48e2a966ca95b96346b2dae8a6c72111290dd17452c373ed41a4cfdb818ca056",
        stateRoot: "0x1490ae56168642645f128da9eb60790e297612225f63f37f81a3c56d46c81f47",
        receiptsRoot: "0xbc4702d6bd9abcdb9225cbaedd1d6270339f0a892fe77091cc2dcb53feac2261",
        miner: "0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d",
        difficulty: "0x1",
        extraData: "0xc80186544553542d31",
        gasLimit: "0x984a3f",
        gasUsed: "0x54ff",
        timestamp: "0x6553f101",
        minimumGasPrice: "0x0",
        parentChainMergedMiningHeader:
          "0x000000200000000000000000000000000000000000000000000000000000000000000000f8d2cbe9b42bd4012595a462050f8b4b7b3bade9d6d0cfceca5409330bb2a22501f15365ffff7f2000000000",
        parentChainMergedMiningCoinbaseTransaction:
          "0x00000000000000006a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd1901000000010000000000000000000000000000000000000000000000000000000000000000ffffffff020000ffffffff0100000000000000002b6a2952534b424c4f434b3a1a44338f3fdbf6042fe1b82db82108073528f2b55542ccc09ad56b65d5cd421900000000",
        parentChainMergedMiningMerkleProof: "0x",
        hashForMergedMining: "0x1a44338f3fdbf6042fe1b82db82108073528f2b55542ccc09ad56b65d5cd4219",
        paidFees: "0x54ff",
        pteEdges: [],
        baseEvent: null,
        totalDifficulty: "0x3",
        cumulativeDifficulty: "0x1",
      },
    },
  ],
  eth_getBlockTransactionCountByNumber: [
    {
      params: ["0x2"],
      result: "0x2",
    },
  ],
  eth_getBlockTransactionCountByHash: [
    {
      params: ["0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa"],
      result: "0x2",
    },
  ],
  eth_getUncleCountByBlockNumber: [
    {
      params: ["0x2"],
      result: "0x0",
    },
  ],
  eth_getUncleCountByBlockHash: [
    {
      params: ["0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa"],
      result: "0x0",
    },
  ],
  eth_getUncleByBlockNumberAndIndex: [
    {
      params: ["0x2", "0x0"],
      result: null,
    },
  ],
  eth_getUncleByBlockHashAndIndex: [
    {
      params: ["0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa", "0x0"],
      result: null,
    },
  ],
  eth_getTransactionByHash: [
    {
      params: ["0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04"],
      result: {
        hash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
        nonce: "0x1",
        blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        blockNumber: "0x2",
        blockTimestamp: "0x6553f101",
        transactionIndex: "0x0",
        from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
        to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        gas: "0x1e8480",
        gasPrice: "0x1",
        value: "0x0",
        input: "0x",
        v: "0x65",
        r: "0x369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2",
        s: "0x377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754ba",
        type: "0x0",
      },
    },
  ],
  eth_getTransactionByBlockNumberAndIndex: [
    {
      params: ["0x2", "0x0"],
      result: {
        hash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
        nonce: "0x1",
        blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        blockNumber: "0x2",
        blockTimestamp: "0x6553f101",
        transactionIndex: "0x0",
        from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
        to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        gas: "0x1e8480",
        gasPrice: "0x1",
        value: "0x0",
        input: "0x",
        v: "0x65",
        r: "0x369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2",
        s: "0x377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754ba",
        type: "0x0",
      },
    },
  ],
  eth_getTransactionByBlockHashAndIndex: [
    {
      params: ["0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa", "0x0"],
      result: {
        hash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
        nonce: "0x1",
        blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        blockNumber: "0x2",
        blockTimestamp: "0x6553f101",
        transactionIndex: "0x0",
        from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
        to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        gas: "0x1e8480",
        gasPrice: "0x1",
        value: "0x0",
        input: "0x",
        v: "0x65",
        r: "0x369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2",
        s: "0x377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754ba",
        type: "0x0",
      },
    },
  ],
  eth_getTransactionReceipt: [
    {
      params: ["0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04"],
      result: {
        transactionHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
        transactionIndex: "0x0",
        blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        blockNumber: "0x2",
        cumulativeGasUsed: "0x54ff",
        gasUsed: "0x54ff",
        contractAddress: null,
        logs: [
          {
            logIndex: "0x0",
            blockNumber: "0x2",
            blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
            blockTimestamp: "0x6553f101",
            transactionHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
            transactionIndex: "0x0",
            address: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
            data: "0x",
            topics: ["0x0000000000000000000000000000000000000000000000000000000000000042"],
            removed: false,
          },
        ],
        from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
        to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        status: "0x1",
        logsBloom:
          "0x00000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000008000000000000000000",
        type: "0x0",
        effectiveGasPrice: "0x1",
      },
    },
  ],
  eth_getBlockReceipts: [
    {
      params: ["0x2"],
      result: [
        {
          transactionHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
          transactionIndex: "0x0",
          blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
          blockNumber: "0x2",
          cumulativeGasUsed: "0x54ff",
          gasUsed: "0x54ff",
          contractAddress: null,
          logs: [
            {
              logIndex: "0x0",
              blockNumber: "0x2",
              blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
              blockTimestamp: "0x6553f101",
              transactionHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
              transactionIndex: "0x0",
              address: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
              data: "0x",
              topics: ["0x0000000000000000000000000000000000000000000000000000000000000042"],
              removed: false,
            },
          ],
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
          status: "0x1",
          logsBloom:
            "0x00000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000008000000000000000000",
          type: "0x0",
          effectiveGasPrice: "0x1",
        },
        {
          transactionHash: "0x2508efeddbab2f46ce53e0fb5ed61df9ac1ce696311941207833d7365194dacd",
          transactionIndex: "0x1",
          blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
          blockNumber: "0x2",
          cumulativeGasUsed: "0x54ff",
          gasUsed: "0x0",
          contractAddress: null,
          logs: [],
          from: "0x0000000000000000000000000000000000000000",
          to: "0x0000000000000000000000000000000001000008",
          status: "0x1",
          logsBloom:
            "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
          type: "0x0",
          effectiveGasPrice: "0x0",
        },
      ],
    },
  ],
  eth_getRawTransactionByHash: [
    {
      params: ["0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04"],
      result:
        "0xf8600101831e84809477045e71a7a2c50903d88e564cd72fab11e82051808065a0369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2a0377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754ba",
    },
  ],
  eth_getRawTransactionByBlockHashAndIndex: [
    {
      params: ["0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa", "0x0"],
      result:
        "0xf8600101831e84809477045e71a7a2c50903d88e564cd72fab11e82051808065a0369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2a0377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754ba",
    },
  ],
  eth_getRawTransactionByBlockNumberAndIndex: [
    {
      params: ["0x2", "0x0"],
      result:
        "0xf8600101831e84809477045e71a7a2c50903d88e564cd72fab11e82051808065a0369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2a0377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754ba",
    },
  ],
  eth_getBlocksByNumber: [
    {
      params: ["0x2"],
      result: [
        {
          hash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
          totalDifficulty: "0x3",
          inMainChain: true,
        },
      ],
    },
  ],
  eth_maxPriorityFeePerGas: [
    {
      params: [],
      result: "0x0",
    },
  ],
  eth_feeHistory: [
    {
      params: ["0x2", "latest", [25, 75]],
      result: {
        oldestBlock: "0x1",
        baseFeePerGas: ["0x0", "0x0", "0x0"],
        gasUsedRatio: [0.005492363292755376, 0.0021801558822978338],
        reward: [
          ["0x1", "0x1"],
          ["0x1", "0x1"],
        ],
      },
    },
  ],
  eth_call: [
    {
      params: [
        {
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        },
        "latest",
      ],
      result: "0x",
    },
  ],
  eth_estimateGas: [
    {
      params: [
        {
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        },
      ],
      result: "0x54ff",
    },
  ],
  eth_simulateV1: [
    {
      params: [
        {
          blockStateCalls: [
            {
              calls: [
                {
                  from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
                  to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
                },
              ],
            },
          ],
        },
        "latest",
      ],
      result: [
        {
          number: "0x3",
          hash: "0xc0c79230e1530bc204428d0105417932a9dd261bc1508351964cbd8fea5c78ce",
          parentHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
          mixHash: "0x0000000000000000000000000000000000000000000000000000000000000000",
          nonce: "0x0000000000000000",
          sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
          logsBloom:
            "0x00000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000008000000000000000000",
          transactionsRoot: "0x5adae15393e749b5e7aa28cfb83318b2362452a68507b4cab6d5e892f0c33643",
          stateRoot: "0x0000000000000000000000000000000000000000000000000000000000000000",
          receiptsRoot: "0x0f476bdb3a7bd535588041c6bac48ca0535ad15cc1f5f2226420522737b69e9a",
          miner: "0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d",
          difficulty: "0x1",
          extraData: "0x",
          gasLimit: "0x984a3f",
          gasUsed: "0x54ff",
          timestamp: "0x6553f10b",
          minimumGasPrice: "0x0",
          parentChainMergedMiningHeader: "0x",
          parentChainMergedMiningCoinbaseTransaction: "0x",
          parentChainMergedMiningMerkleProof: "0x",
          hashForMergedMining: "0xc0c79230e1530bc204428d0105417932a9dd261bc1508351964cbd8fea5c78ce",
          paidFees: "0x0",
          pteEdges: [],
          baseEvent: null,
          totalDifficulty: "0x4",
          cumulativeDifficulty: "0x1",
          size: "0x1fd",
          transactions: ["0xb5424b93a046c9f12322140034221c8d741c952e44d256bf9c8004f272e79818"],
          uncles: [],
          calls: [
            {
              returnData: "0x",
              logs: [
                {
                  logIndex: "0x0",
                  blockNumber: "0x3",
                  blockHash: "0xc0c79230e1530bc204428d0105417932a9dd261bc1508351964cbd8fea5c78ce",
                  blockTimestamp: "0x6553f10b",
                  transactionHash: "0xb5424b93a046c9f12322140034221c8d741c952e44d256bf9c8004f272e79818",
                  transactionIndex: "0x0",
                  address: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
                  data: "0x",
                  topics: ["0x0000000000000000000000000000000000000000000000000000000000000042"],
                  removed: false,
                },
              ],
              gasUsed: "0x54ff",
              status: "0x1",
            },
          ],
        },
      ],
    },
  ],
  eth_callMany: [
    {
      params: [
        [
          {
            transactions: [
              {
                from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
                to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
              },
              {
                to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
                data: "0x00",
              },
            ],
          },
        ],
        {
          blockNumber: "latest",
        },
      ],
      result: [
        [
          {
            value: "0x",
          },
          {
            value: "0x",
          },
        ],
      ],
    },
  ],
  eth_createAccessList: [
    {
      params: [
        {
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        },
        "latest",
      ],
      result: {
        accessList: [],
        gasUsed: "0x54ff",
      },
    },
  ],
  eth_getLogs: [
    {
      params: [
        {
          fromBlock: "0x1",
          toBlock: "latest",
          address: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        },
      ],
      result: [
        {
          logIndex: "0x0",
          blockNumber: "0x2",
          blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
          blockTimestamp: "0x6553f101",
          transactionHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
          transactionIndex: "0x0",
          address: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
          data: "0x",
          topics: ["0x0000000000000000000000000000000000000000000000000000000000000042"],
          removed: false,
        },
      ],
    },
    {
      params: [
        {
          blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
          topics: [null, "0x0000000000000000000000000000000000000000000000000000000000000000"],
        },
      ],
      result: [],
    },
  ],
  eth_uninstallFilter: [
    {
      params: ["0x1"],
      result: false,
    },
  ],
  eth_pendingTransactions: [
    {
      params: [],
      result: [],
    },
  ],
  txpool_status: [
    {
      params: [],
      result: {
        pending: 0,
        queued: 0,
      },
    },
  ],
  txpool_content: [
    {
      params: [],
      result: {
        pending: {},
        queued: {},
      },
    },
  ],
  txpool_contentFrom: [
    {
      params: ["0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826"],
      result: {
        pending: {},
        queued: {},
      },
    },
  ],
  txpool_inspect: [
    {
      params: [],
      result: {
        pending: {},
        queued: {},
      },
    },
  ],
  debug_getRawHeader: [
    {
      params: ["0x2"],
      result:
        "0xf9014fa0e4945055e5dda54ec36f06e73d6367c772fc73deebd2a5f6fe02de6baf9d3ffca01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794ec4ddeb4380ad69b3e509baad9f158cdf4e4681da01490ae56168642645f128da9eb60790e297612225f63f37f81a3c56d46c81f47a048e2a966ca95b96346b2dae8a6c72111290dd17452c373ed41a4cfdb818ca056a0bc4702d6bd9abcdb9225cbaedd1d6270339f0a892fe77091cc2dcb53feac2261a3e202a076bc44e0c20b9a0e0d1fd4388d6798b97cb09564010f58c8ce83b872798f168001028400984a3f8254ff846553f10189c80186544553542d318254ff008080b850000000200000000000000000000000000000000000000000000000000000000000000000f8d2cbe9b42bd4012595a462050f8b4b7b3bade9d6d0cfceca5409330bb2a22501f15365ffff7f2000000000",
    },
  ],
  debug_getRawBlock: [
    {
      params: ["0x2"],
      result:
        "0xf9034bf902c5a0e4945055e5dda54ec36f06e73d6367c772fc73deebd2a5f6fe02de6baf9d3ffca01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794ec4ddeb4380ad69b3e509baad9f158cdf4e4681da01490ae56168642645f128da9eb60790e297612225f63f37f81a3c56d46c81f47a048e2a966ca95b96346b2dae8a6c72111290dd17452c373ed41a4cfdb818ca056a0bc4702d6bd9abcdb9225cbaedd1d6270339f0a892fe77091cc2dcb53feac2261b901000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000800000000000000000000000000000000000000000000800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000800000000000000000001028400984a3f8254ff846553f10189c80186544553542d318254ff008080028080b850000000200000000000000000000000000000000000000000000000000000000000000000f8d2cbe9b42bd4012595a462050f8b4b7b3bade9d6d0cfceca5409330bb2a22501f15365ffff7f200000000080b89100000000000000006a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd1901000000010000000000000000000000000000000000000000000000000000000000000000ffffffff020000ffffffff0100000000000000002b6a2952534b424c4f434b3a1a44338f3fdbf6042fe1b82db82108073528f2b55542ccc09ad56b65d5cd421900000000f880f8600101831e84809477045e71a7a2c50903d88e564cd72fab11e82051808065a0369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2a0377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754badd0100009400000000000000000000000000000000010000088080808080c0",
    },
  ],
  debug_getRawReceipts: [
    {
      params: ["0x2"],
      result: [
        "0xf90147018254ffb9010000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000008000000000000000000f83af8389477045e71a7a2c50903d88e564cd72fab11e82051e1a00000000000000000000000000000000000000000000000000000000000000042808254ff01",
        "0xf9010a018254ffb9010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000c08001",
      ],
    },
  ],
  debug_getRawTransaction: [
    {
      params: ["0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04"],
      result:
        "0xf8600101831e84809477045e71a7a2c50903d88e564cd72fab11e82051808065a0369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2a0377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754ba",
    },
  ],
  eth_getProof: [
    {
      params: ["0x77045e71a7a2c50903d88e564cd72fab11e82051", [], "latest"],
      result: {
        address: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        accountProof: [
          "0x5c07008b14bfd264f42717e4ef788b9a0b7ca9f795be328688f5d316838af970a6ed95777a925fe6114c1ef42bd135993a5fd63c5cbac481e8fa5b7d8cad748410c5effd200c",
          "0x4c26e959617f691afa51b3e34eab40a3e8aff648112faf25934e993e7632e56e744832d7ee7717d84d57bfab880b07c59b63b6b57bc5b8ffaaf674a531bbf6cb62fd0d06",
          "0x4cc76ce31dabe2eb0595cc3a7e15d305510e52b2ae51dbc95428c08273cc8baf6a95cb97e7d71e063ca672b30bc83e4ab3622786c2f5a319fb04b6dad265b0f9c7fd2003",
          "0x4cc978503011ddc1a61e51bb177c7de60a68197b6d3cb31a687cb7acf187b3bb5e7cfba9a2b4758c2c4cc0c008380192435300293daef1d558477b39e063dc8515e3",
          "0x5f6c273804ba768b1e3fa6377045e71a7a2c50903d88e564cd72fab11e82051004500600010b500600604260006000a1000fc28000",
        ],
        balance: "0x0",
        codeHash: "0x9c4762b9db9a5c5fb9bb98ea13947e27869d50db2464be40dc4345fb710cc407",
        nonce: "0x0",
        storageHash: "0x196550c4c21ed1db8731b699b81b52a83ea6f08d4b99067f0459dc44796f9a8b",
        storageProof: [],
      },
    },
  ],
  eth_getAccount: [
    {
      params: ["0x77045e71a7a2c50903d88e564cd72fab11e82051", "latest"],
      result: {
        nonce: "0x0",
        balance: "0x0",
        codeHash: "0x9c4762b9db9a5c5fb9bb98ea13947e27869d50db2464be40dc4345fb710cc407",
        storageRoot: "0x196550c4c21ed1db8731b699b81b52a83ea6f08d4b99067f0459dc44796f9a8b",
      },
    },
  ],
  eth_getAccountInfo: [
    {
      params: ["0x77045e71a7a2c50903d88e564cd72fab11e82051", "latest"],
      result: {
        balance: "0x0",
        nonce: "0x0",
        code: "0x604260006000a100",
      },
    },
  ],
  eth_getTransactionBySenderAndNonce: [
    {
      params: ["0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826", "0x1"],
      result: {
        hash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
        nonce: "0x1",
        blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        blockNumber: "0x2",
        blockTimestamp: "0x6553f101",
        transactionIndex: "0x0",
        from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
        to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        gas: "0x1e8480",
        gasPrice: "0x1",
        value: "0x0",
        input: "0x",
        v: "0x65",
        r: "0x369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2",
        s: "0x377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754ba",
        type: "0x0",
      },
    },
  ],
  chain_getRawBlockHeaderByNumber: [
    {
      params: ["0x2"],
      result:
        "0xf90231a0e4945055e5dda54ec36f06e73d6367c772fc73deebd2a5f6fe02de6baf9d3ffca01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794ec4ddeb4380ad69b3e509baad9f158cdf4e4681da01490ae56168642645f128da9eb60790e297612225f63f37f81a3c56d46c81f47a048e2a966ca95b96346b2dae8a6c72111290dd17452c373ed41a4cfdb818ca056a0bc4702d6bd9abcdb9225cbaedd1d6270339f0a892fe77091cc2dcb53feac2261b901000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000800000000000000000000000000000000000000000000800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000800000000000000000001028400984a3f8254ff846553f10189c80186544553542d318254ff008080028080b850000000200000000000000000000000000000000000000000000000000000000000000000f8d2cbe9b42bd4012595a462050f8b4b7b3bade9d6d0cfceca5409330bb2a22501f15365ffff7f2000000000",
    },
  ],
  chain_getRawTransactionReceiptByHash: [
    {
      params: ["0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04"],
      result:
        "0xf90147018254ffb9010000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000008000000000000000000f83af8389477045e71a7a2c50903d88e564cd72fab11e82051e1a00000000000000000000000000000000000000000000000000000000000000042808254ff01",
    },
  ],
  chain_getTransactionReceiptNodesByHash: [
    {
      params: [
        "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
      ],
      result: [
        "0x7006009b1577b899a336634f627f202b63d3674c7a5a2b504bd8b3a8e179b5ea422e6a00014a",
        "0x4f26700602521173bb5b38220937b0ef2cda5daa4d672ce4730c8e1880be3cb604462c53f100010d267006009b1577b899a336634f627f202b63d3674c7a5a2b504bd8b3a8e179b5ea422e6a00014afda302",
      ],
    },
  ],
  debug_traceTransaction: [
    {
      params: [
        "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
        {
          tracer: "prestateTracer",
          tracerConfig: {
            diffMode: true,
          },
        },
      ],
      result: {
        pre: {
          "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826": {
            balance: "0xc9f2c9cd04674edea3fff29aa",
            nonce: 1,
          },
        },
        post: {
          "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826": {
            balance: "0xc9f2c9cd04674edea3ffed4ab",
            nonce: 2,
          },
        },
      },
    },
  ],
  debug_traceCall: [
    {
      params: [
        {
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        },
        "latest",
        {
          tracer: "callTracer",
        },
      ],
      result: {
        type: "CALL",
        from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
        to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        value: "0x0",
        gas: "0x989680",
        gasUsed: "0x54ff",
        input: "0x",
        output: "0x",
      },
    },
  ],
  debug_traceCallMany: [
    {
      params: [
        [
          {
            transactions: [
              {
                from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
                to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
              },
            ],
          },
        ],
        {
          blockNumber: "latest",
          transactionIndex: -1,
        },
        {
          tracer: "callTracer",
        },
      ],
      result: [
        [
          {
            type: "CALL",
            from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
            to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
            value: "0x0",
            gas: "0x989680",
            gasUsed: "0x54ff",
            input: "0x",
            output: "0x",
          },
        ],
      ],
    },
  ],
  trace_callMany: [
    {
      params: [
        [
          [
            {
              from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
              to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
            },
            ["trace"],
          ],
        ],
        "latest",
      ],
      result: [
        {
          output: "0x",
          stateDiff: null,
          trace: [
            {
              action: {
                callType: "call",
                from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
                to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
                gas: "0x989680",
                input: "0x",
                value: "0x0",
              },
              type: "call",
              subtraces: 0,
              traceAddress: [],
              result: {
                gasUsed: "0x54ff",
                output: "0x",
              },
            },
          ],
          vmTrace: null,
        },
      ],
    },
  ],
  trace_call: [
    {
      params: [
        {
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
        },
        ["trace"],
        "latest",
      ],
      result: {
        output: "0x",
        stateDiff: null,
        trace: [
          {
            action: {
              callType: "call",
              from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
              to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
              gas: "0x989680",
              input: "0x",
              value: "0x0",
            },
            type: "call",
            subtraces: 0,
            traceAddress: [],
            result: {
              gasUsed: "0x54ff",
              output: "0x",
            },
          },
        ],
        vmTrace: null,
      },
    },
  ],
  trace_rawTransaction: [
    {
      params: [
        "0xf8600101831e84809477045e71a7a2c50903d88e564cd72fab11e82051808065a0369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2a0377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754ba",
        ["trace"],
      ],
      result: {
        output: "0x",
        stateDiff: null,
        trace: [
          {
            action: {
              callType: "call",
              from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
              to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
              gas: "0x1e8480",
              input: "0x",
              value: "0x0",
            },
            type: "call",
            subtraces: 0,
            traceAddress: [],
            result: {
              gasUsed: "0x54ff",
              output: "0x",
            },
          },
        ],
        vmTrace: null,
      },
    },
  ],
  trace_replayTransaction: [
    {
      params: ["0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04", ["stateDiff"]],
      result: {
        output: "0x",
        stateDiff: {
          "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826": {
            balance: {
              "*": {
                from: "0xc9f2c9cd04674edea3fff29aa",
                to: "0xc9f2c9cd04674edea3ffed4ab",
              },
            },
            nonce: {
              "*": {
                from: "0x1",
                to: "0x2",
              },
            },
            code: "=",
            storage: {},
          },
        },
        trace: [],
        vmTrace: null,
      },
    },
  ],
  trace_replayBlockTransactions: [
    {
      params: ["0x2", ["trace"]],
      result: [
        {
          output: "0x",
          stateDiff: null,
          trace: [
            {
              action: {
                callType: "call",
                from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
                to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
                gas: "0x1e8480",
                input: "0x",
                value: "0x0",
              },
              type: "call",
              subtraces: 0,
              traceAddress: [],
              result: {
                gasUsed: "0x54ff",
                output: "0x",
              },
            },
          ],
          vmTrace: null,
          transactionHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
        },
        {
          output: "0x",
          stateDiff: null,
          trace: [
            {
              action: {
                callType: "call",
                from: "0x0000000000000000000000000000000000000000",
                to: "0x0000000000000000000000000000000001000008",
                gas: "0x0",
                input: "0x",
                value: "0x0",
              },
              type: "call",
              subtraces: 0,
              traceAddress: [],
              result: {
                gasUsed: "0x0",
                output: "0x",
              },
            },
          ],
          vmTrace: null,
          transactionHash: "0x2508efeddbab2f46ce53e0fb5ed61df9ac1ce696311941207833d7365194dacd",
        },
      ],
    },
  ],
  sco_banAddress: [
    {
      params: ["192.0.2.0/24"],
      result: null,
    },
  ],
  sco_bannedAddresses: [
    {
      params: [],
      result: ["192.0.2.0/24"],
    },
  ],
  sco_peerList: [
    {
      params: [],
      result: [
        {
          successfulHandshakes: 2,
          failedHandshakes: 0,
          invalidNetworks: 0,
          repeatedMessages: 1,
          validBlocks: 12,
          validTransactions: 5,
          invalidBlocks: 1,
          invalidTransactions: 0,
          invalidMessages: 0,
          timeoutMessages: 0,
          unexpectedMessages: 0,
          invalidHeader: 0,
          punishments: 1,
          score: -1,
          goodReputation: false,
          punishedUntil: 1795250633253,
          id: "b8f94fad",
          type: "node",
        },
        {
          successfulHandshakes: 2,
          failedHandshakes: 0,
          invalidNetworks: 0,
          repeatedMessages: 1,
          validBlocks: 12,
          validTransactions: 5,
          invalidBlocks: 1,
          invalidTransactions: 0,
          invalidMessages: 0,
          timeoutMessages: 0,
          unexpectedMessages: 0,
          invalidHeader: 0,
          punishments: 1,
          score: -1,
          goodReputation: false,
          punishedUntil: 1795250633253,
          id: "198.51.100.7",
          type: "address",
        },
      ],
    },
  ],
  sco_reputationSummary: [
    {
      params: [],
      result: {
        count: 2,
        successfulHandshakes: 4,
        failedHandshakes: 0,
        invalidNetworks: 0,
        repeatedMessages: 2,
        validBlocks: 24,
        validTransactions: 10,
        invalidBlocks: 2,
        invalidTransactions: 0,
        invalidMessages: 0,
        timeoutMessages: 0,
        unexpectedMessages: 0,
        invalidHeader: 0,
        punishments: 2,
        peersTotalScore: -2,
        goodReputationCount: 0,
        badReputationCount: 2,
      },
    },
  ],
  web3_clientVersion: [
    {
      params: [],
      result: "Cambium/0.1.0/linux/node20/RELEASE-1a2b3c4",
    },
  ],
  net_listening: [
    {
      params: [],
      result: true,
    },
  ],
  net_peerCount: [
    {
      params: [],
      result: "0x0",
    },
  ],
  net_peerList: [
    {
      params: [],
      result: [],
    },
  ],
  rpc_modules: [
    {
      params: [],
      result: {
        web3: "1.0",
        net: "1.0",
        rpc: "1.0",
        eth: "1.0",
        chain: "1.0",
        txpool: "1.0",
        personal: "1.0",
        debug: "1.0",
        trace: "1.0",
        sco: "1.0",
        admin: "1.0",
      },
    },
  ],
  eth_gasPrice: [
    {
      params: [],
      result: "0x0",
    },
  ],
  eth_hashrate: [
    {
      params: [],
      result: "0x0",
    },
  ],
  eth_mining: [
    {
      params: [],
      result: false,
    },
  ],
  eth_coinbase: [
    {
      params: [],
      result: "0x0000000000000000000000000000000000000000",
    },
  ],
  eth_bridgeState: [
    {
      params: [],
      result: {
        btcBlockchainBestChainHeight: 0,
        rskTxsWaitingForSignatures: [],
      },
    },
  ],
  chain_getRawBlockHeaderByHash: [
    {
      params: ["0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa"],
      result:
        "0xf90231a0e4945055e5dda54ec36f06e73d6367c772fc73deebd2a5f6fe02de6baf9d3ffca01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794ec4ddeb4380ad69b3e509baad9f158cdf4e4681da01490ae56168642645f128da9eb60790e297612225f63f37f81a3c56d46c81f47a048e2a966ca95b96346b2dae8a6c72111290dd17452c373ed41a4cfdb818ca056a0bc4702d6bd9abcdb9225cbaedd1d6270339f0a892fe77091cc2dcb53feac2261b901000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000800000000000000000000000000000000000000000000800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000800000000000000000001028400984a3f8254ff846553f10189c80186544553542d318254ff008080028080b850000000200000000000000000000000000000000000000000000000000000000000000000f8d2cbe9b42bd4012595a462050f8b4b7b3bade9d6d0cfceca5409330bb2a22501f15365ffff7f2000000000",
    },
  ],
  chain_getStorageBytesAt: [
    {
      params: ["0x77045e71a7a2c50903d88e564cd72fab11e82051", "0x0"],
      result: "0x0",
    },
  ],
  debug_traceBlockByHash: [
    {
      params: [
        "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        {
          tracer: "callTracer",
        },
      ],
      result: [
        {
          txHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
          result: {
            type: "CALL",
            from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
            to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
            value: "0x0",
            gas: "0x1e8480",
            gasUsed: "0x54ff",
            input: "0x",
            output: "0x",
          },
        },
        {
          txHash: "0x2508efeddbab2f46ce53e0fb5ed61df9ac1ce696311941207833d7365194dacd",
          result: {
            type: "CALL",
            from: "0x0000000000000000000000000000000000000000",
            to: "0x0000000000000000000000000000000001000008",
            value: "0x0",
            gas: "0x0",
            gasUsed: "0x0",
            input: "0x",
            output: "0x",
          },
        },
      ],
    },
  ],
  debug_traceBlockByNumber: [
    {
      params: [
        "0x2",
        {
          tracer: "callTracer",
        },
      ],
      result: [
        {
          txHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
          result: {
            type: "CALL",
            from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
            to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
            value: "0x0",
            gas: "0x1e8480",
            gasUsed: "0x54ff",
            input: "0x",
            output: "0x",
          },
        },
        {
          txHash: "0x2508efeddbab2f46ce53e0fb5ed61df9ac1ce696311941207833d7365194dacd",
          result: {
            type: "CALL",
            from: "0x0000000000000000000000000000000000000000",
            to: "0x0000000000000000000000000000000001000008",
            value: "0x0",
            gas: "0x0",
            gasUsed: "0x0",
            input: "0x",
            output: "0x",
          },
        },
      ],
    },
  ],
  debug_traceBlock: [
    {
      params: [
        "0xf9034bf902c5a0e4945055e5dda54ec36f06e73d6367c772fc73deebd2a5f6fe02de6baf9d3ffca01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794ec4ddeb4380ad69b3e509baad9f158cdf4e4681da01490ae56168642645f128da9eb60790e297612225f63f37f81a3c56d46c81f47a048e2a966ca95b96346b2dae8a6c72111290dd17452c373ed41a4cfdb818ca056a0bc4702d6bd9abcdb9225cbaedd1d6270339f0a892fe77091cc2dcb53feac2261b901000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000800000000000000000000000000000000000000000000800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000800000000000000000001028400984a3f8254ff846553f10189c80186544553542d318254ff008080028080b850000000200000000000000000000000000000000000000000000000000000000000000000f8d2cbe9b42bd4012595a462050f8b4b7b3bade9d6d0cfceca5409330bb2a22501f15365ffff7f200000000080b89100000000000000006a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd1901000000010000000000000000000000000000000000000000000000000000000000000000ffffffff020000ffffffff0100000000000000002b6a2952534b424c4f434b3a1a44338f3fdbf6042fe1b82db82108073528f2b55542ccc09ad56b65d5cd421900000000f880f8600101831e84809477045e71a7a2c50903d88e564cd72fab11e82051808065a0369983da90099fcd34023057df110e4b9ad013be667236936a1882d9c40ed0d2a0377a7dde06066c2b1b598fcfe08ab0c49331acebcb9df8a10e7423a137e754badd0100009400000000000000000000000000000000010000088080808080c0",
        {
          tracer: "callTracer",
        },
      ],
      result: [
        {
          txHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
          result: {
            type: "CALL",
            from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
            to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
            value: "0x0",
            gas: "0x1e8480",
            gasUsed: "0x54ff",
            input: "0x",
            output: "0x",
          },
        },
        {
          txHash: "0x2508efeddbab2f46ce53e0fb5ed61df9ac1ce696311941207833d7365194dacd",
          result: {
            type: "CALL",
            from: "0x0000000000000000000000000000000000000000",
            to: "0x0000000000000000000000000000000001000008",
            value: "0x0",
            gas: "0x0",
            gasUsed: "0x0",
            input: "0x",
            output: "0x",
          },
        },
      ],
    },
  ],
  debug_nodeStatus: [
    {
      params: [],
      result: {
        uptime: 86400,
        memory: {
          resident: 536870912,
          available: 4294967296,
          heapUsed: 134217728,
          heapLimit: 2147483648,
        },
        disk: {
          free: 200000000000,
          size: 500000000000,
        },
        submissions: {
          accepted: 3,
          refused: 1,
        },
      },
    },
  ],
  debug_wireProtocolQueueSize: [
    {
      params: [],
      result: "0x0",
    },
  ],
  trace_transaction: [
    {
      params: ["0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04"],
      result: [
        {
          action: {
            callType: "call",
            from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
            to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
            gas: "0x1e8480",
            input: "0x",
            value: "0x0",
          },
          blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
          blockNumber: 2,
          transactionHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
          transactionPosition: 0,
          type: "call",
          subtraces: 0,
          traceAddress: [],
          result: {
            gasUsed: "0x54ff",
            output: "0x",
          },
        },
      ],
    },
  ],
  trace_block: [
    {
      params: ["0x2"],
      result: [
        {
          action: {
            callType: "call",
            from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
            to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
            gas: "0x1e8480",
            input: "0x",
            value: "0x0",
          },
          blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
          blockNumber: 2,
          transactionHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
          transactionPosition: 0,
          type: "call",
          subtraces: 0,
          traceAddress: [],
          result: {
            gasUsed: "0x54ff",
            output: "0x",
          },
        },
        {
          action: {
            callType: "call",
            from: "0x0000000000000000000000000000000000000000",
            to: "0x0000000000000000000000000000000001000008",
            gas: "0x0",
            input: "0x",
            value: "0x0",
          },
          blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
          blockNumber: 2,
          transactionHash: "0x2508efeddbab2f46ce53e0fb5ed61df9ac1ce696311941207833d7365194dacd",
          transactionPosition: 1,
          type: "call",
          subtraces: 0,
          traceAddress: [],
          result: {
            gasUsed: "0x0",
            output: "0x",
          },
        },
      ],
    },
  ],
  trace_filter: [
    {
      params: [
        {
          fromBlock: "0x2",
          toBlock: "latest",
          toAddress: ["0x77045e71a7a2c50903d88e564cd72fab11e82051"],
        },
      ],
      result: [
        {
          action: {
            callType: "call",
            from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
            to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
            gas: "0x1e8480",
            input: "0x",
            value: "0x0",
          },
          blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
          blockNumber: 2,
          transactionHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
          transactionPosition: 0,
          type: "call",
          subtraces: 0,
          traceAddress: [],
          result: {
            gasUsed: "0x54ff",
            output: "0x",
          },
        },
      ],
    },
  ],
  trace_get: [
    {
      params: ["0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04", ["0x0"]],
      result: {
        action: {
          callType: "call",
          from: "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
          to: "0x77045e71a7a2c50903d88e564cd72fab11e82051",
          gas: "0x1e8480",
          input: "0x",
          value: "0x0",
        },
        blockHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        blockNumber: 2,
        transactionHash: "0x8e0a518ac4c4de76163204346d814c403ecbc337a69dbe0339b9ec52109a3c04",
        transactionPosition: 0,
        type: "call",
        subtraces: 0,
        traceAddress: [],
        result: {
          gasUsed: "0x54ff",
          output: "0x",
        },
      },
    },
  ],
  sco_unbanAddress: [
    {
      params: ["192.0.2.0/24"],
      result: null,
    },
  ],
  sco_clearPeerScoring: [
    {
      params: ["198.51.100.7"],
      result: [
        {
          successfulHandshakes: 2,
          failedHandshakes: 0,
          invalidNetworks: 0,
          repeatedMessages: 1,
          validBlocks: 12,
          validTransactions: 5,
          invalidBlocks: 1,
          invalidTransactions: 0,
          invalidMessages: 0,
          timeoutMessages: 0,
          unexpectedMessages: 0,
          invalidHeader: 0,
          punishments: 1,
          score: -1,
          goodReputation: false,
          punishedUntil: 1795250633253,
          id: "b8f94fad",
          type: "node",
        },
      ],
    },
  ],
  admin_nodeInfo: [
    {
      params: [],
      result: {
        id: "16Uiu2HAm4r9r1P3KmkHFXkTtiDyVMG8DkAJ4Bw3bgUoQgyFTjwbD",
        name: "Cambium/0.1.0/linux/node20/RELEASE-1a2b3c4",
        addresses: ["/ip4/198.51.100.2/tcp/30330/p2p/16Uiu2HAm4r9r1P3KmkHFXkTtiDyVMG8DkAJ4Bw3bgUoQgyFTjwbD"],
        network: "local",
        chainId: 33,
        genesis: "0x8ea789fabef0dd4946ed53f001e7b6f8a8d0c22a612a6099fc7f93c990af68fe",
        bestNumber: 2,
        bestHash: "0x2be7c693adeab6e883fcb4e3617cfd2212a52e3dad61fbfe368353a3ee6af2aa",
        totalDifficulty: "0x3",
        dataDir: "/var/lib/cambium",
      },
    },
  ],
  admin_datadir: [
    {
      params: [],
      result: "/var/lib/cambium",
    },
  ],
  admin_setLogLevel: [
    {
      params: ["info,p2p=debug"],
      result: true,
    },
  ],
  admin_reloadConfig: [
    {
      params: [],
      result: {
        applied: ["log.level", "rpc.limit"],
        needRestart: ["http.port"],
      },
    },
  ],
  admin_peers: [
    {
      params: [],
      result: [
        {
          id: "16Uiu2HAmRmzXtqzUZXEcmtBmFwhtPJc6Wy6C5yKqTrNSAmNh7VaR",
          scoringId: "b8f94fad",
          wire: "libp2p",
          address: "192.0.2.7:30330",
          direction: "outbound",
          trusted: false,
          client: "Cambium/0.1.0",
          bestNumber: 5,
          bestHash: "0x0505050505050505050505050505050505050505050505050505050505050505",
          totalDifficulty: "0x6",
        },
      ],
    },
  ],
  admin_addPeer: [
    {
      params: ["/ip4/192.0.2.7/tcp/30330/p2p/16Uiu2HAmRmzXtqzUZXEcmtBmFwhtPJc6Wy6C5yKqTrNSAmNh7VaR"],
      result: {
        id: "16Uiu2HAmRmzXtqzUZXEcmtBmFwhtPJc6Wy6C5yKqTrNSAmNh7VaR",
        scoringId: "b8f94fad",
        wire: "libp2p",
        address: "192.0.2.7:30330",
        direction: "outbound",
        trusted: false,
        client: "Cambium/0.1.0",
        bestNumber: 5,
        bestHash: "0x0505050505050505050505050505050505050505050505050505050505050505",
        totalDifficulty: "0x6",
      },
    },
  ],
  admin_removePeer: [
    {
      params: ["16Uiu2HAmRmzXtqzUZXEcmtBmFwhtPJc6Wy6C5yKqTrNSAmNh7VaR"],
      result: true,
    },
  ],
  admin_banPeer: [
    {
      params: ["16Uiu2HAmRmzXtqzUZXEcmtBmFwhtPJc6Wy6C5yKqTrNSAmNh7VaR"],
      result: "192.0.2.7",
    },
  ],
  admin_unbanPeer: [
    {
      params: ["192.0.2.7"],
      result: true,
    },
  ],
};
