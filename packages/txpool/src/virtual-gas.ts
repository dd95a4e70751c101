/** Inputs to the virtual gas of a transaction (`spec/08 §6`). */
export interface VirtualGasInput {
  nonce: bigint;
  gasLimit: bigint;
  gasPrice: bigint;
  /** Encoded size in bytes. */
  size: number;
  /** Next nonce of the sender after its pending transactions. */
  expectedNonce: bigint;
  /** Gas price of the pending transaction to be replaced. */
  replacedGasPrice: bigint | undefined;
  blockGasLimit: bigint;
  blockMinimumGasPrice: bigint;
  /** Usual gas price; undefined without a fee market. */
  averageGasPrice: bigint | undefined;
}

/** Product of the largest factors, used if the computed one is infinite (`spec/08 §11`, P11). */
const LARGEST_FACTOR = 1900;

/**
 * Returns the gas limit times factors for properties that burden the network, in double precision like the deployed
 * client.
 */
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
