import { checksumAddress } from "viem";

/** Chains whose wallets mix the id of the chain into the checksum (RSKIP-60). */
const WITH_CHAIN_ID: readonly number[] = [30, 31];

/** An address with the capital letters that wallets of the chain check. Other texts are returned unchanged. */
export function checksummed(text: string, chainId: number | undefined): string {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) return text;
  return checksumAddress(
    text.toLowerCase() as `0x${string}`,
    WITH_CHAIN_ID.find((id) => id === chainId),
  );
}

/** The same for every address in a text. */
export function withChecksums(text: string, chainId: number | undefined): string {
  return text.replace(/\b0x[0-9a-f]{40}\b/gi, (address) => checksummed(address, chainId));
}
