import { keccak256, toUtf8Bytes, Wallet } from "ethers";

/** The funded accounts of the local network's genesis, whose keys are public. */
export const DEVELOPERS: readonly Wallet[] = Array.from({ length: 10 }, (_, i) => {
  return new Wallet(keccak256(toUtf8Bytes(i === 0 ? "cow" : `cow${i}`)));
});
