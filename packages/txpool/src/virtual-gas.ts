/** What the virtual gas of a transaction depends on (`spec/08 §6`). */
export interface VirtualGasInput {
  nonce: bigint;
  gasLimit: bigint;
  gasPrice: bigint;
  /** Encoded bytes. */
  size: number;
  /** Next nonce of the sender, its pending transactions counted. */
  expectedNonce: bigint;
  /** Gas price of the pending transaction to be replaced. */
  replacedGasPrice: bigint | undefined;
  blockGasLimit: bigint;
  blockMinimumGasPrice: bigint;
  /** What transactions usually pay; undefined while gas need not be competed for. */
  averageGasPrice: bigint | undefined;
}

/** The product of the largest factors, for where the real one is infinite (`spec/08 §11`, P11). */
const LARGEST_FACTOR = 1900;

/** Gas limit times factors that make a transaction expensive which is likely to be a burden. In doubles, as deployed. */
export function virtualGas(input: VirtualGasInput): number {
  const gasLimit = Number(input.gasLimit);
  const future = input.nonce === input.expectedNonce ? 1 : 2;
  const nonce = 1 + 4 / (Number(input.expectedNonce) + 1);
  const size = 1 + input.size / 25000;
  const limit = 1 + (4 * gasLimit) / Number(input.blockGasLimit);
  const product = gasLimit * (future * lowPrice(input) * nonce * size * replacement(input) * limit);
  return product === Number.POSITIVE_INFINITY ? gasLimit * LARGEST_FACTOR : product;
}

function lowPrice({ gasPrice, averageGasPrice: average, blockMinimumGasPrice }: VirtualGasInput): number {
  if (average === undefined || gasPrice >= average) return 1;
  return 1 + (3 * Number(average - gasPrice)) / Number(average - blockMinimumGasPrice);
}

function replacement({ gasPrice, replacedGasPrice }: VirtualGasInput): number {
  if (replacedGasPrice === undefined) return 1;
  const ratio = Number(gasPrice) / Number(replacedGasPrice);
  return ratio > 0 ? 1 + 1 / ratio : 1;
}
