import assert from "node:assert/strict";
import { createChainEvm } from "@cambium/chain";
import { toHex, utf8 } from "@cambium/primitives";
import { type FuzzTarget, fileOf } from "@cambium/test-utils/fuzz-target";
import { emptyChain, NOW, network, transfer } from "@cambium/test-utils/mined-chains";
import { Transaction, TypesError } from "@cambium/types";
import { openTransactionPool, TransactionJournal, type TransactionPool } from "../../src/index.js";

const KINDS = ["pending", "queued", "refused"];
const line = (transaction: Transaction) => `\n${toHex(transaction.encoded)}\n`;

let opened: Promise<TransactionPool> | undefined;
const pool = () =>
  (opened ??= emptyChain().then((chain) =>
    openTransactionPool({ chain, evm: createChainEvm(network), now: () => NOW }),
  ));

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** Any transaction that decodes is admitted or refused. */
  admission: {
    seeds: () => [transfer(0n), transfer(1n), transfer(9n)].map(({ encoded }) => encoded),
    async run(input) {
      let transaction: Transaction;
      try {
        transaction = Transaction.decode(input);
      } catch (error) {
        if (error instanceof TypesError) return;
        throw error;
      }
      const { kind } = (await pool()).add(transaction, { local: input.length % 2 === 0 });
      assert(KINDS.includes(kind));
      (await pool()).clear();
    },
  },
  journal: {
    seeds: () => [
      utf8(line(transfer(0n)) + line(transfer(1n))),
      utf8(`${line(transfer(0n))}\n00ff\nzz\nclear\ndrop 00\ndrop ${"5a".repeat(32)}\n`),
    ],
    run(input) {
      const journal = new TransactionJournal(fileOf(input, "journal"));
      for (const transaction of journal.load()) Transaction.decode(transaction.encoded);
    },
  },
};
