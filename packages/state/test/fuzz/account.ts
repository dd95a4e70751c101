import { assertSameBytes, decoding, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { decodeAccount, encodeAccount } from "../../src/account.js";
import { StateError } from "../../src/errors.js";

export const targets: Readonly<Record<string, FuzzTarget>> = {
  account: decoding({
    seeds: () =>
      [0n, 200n, 1n << 90n].map((balance) =>
        encodeAccount({ nonce: balance / 3n, balance, flags: Number(balance & 1n) }),
      ),
    decode: decodeAccount,
    refusals: [StateError],
    check: (account, input) => assertSameBytes(encodeAccount(account), input),
  }),
};
