import { type Common, Hardfork } from "@ethereumjs/common";

const TRANSACTION = 21_000;
const CREATION = 32_000;
const ZERO_BYTE = 4;
const INIT_CODE_WORD = 2;
/** EIP-7623: a byte other than zero is four tokens. */
const TOKENS_OF_BYTE = 4;
const FLOOR_OF_TOKEN = 10;

/** Gas that Ethereum charges a transaction without access list before it starts (Yellow Paper, EIP-2028, EIP-3860). */
export function ethereumIntrinsicGas(data: Uint8Array, isCreation: boolean, common: Common): number {
  const byte = common.gteHardfork(Hardfork.Istanbul) ? 16 : 68;
  const zeros = countZeros(data);
  const dataGas = zeros * ZERO_BYTE + (data.length - zeros) * byte;
  if (!isCreation) return TRANSACTION + dataGas;
  const words = common.isActivatedEIP(3860) ? Math.ceil(data.length / 32) : 0;
  return TRANSACTION + CREATION + dataGas + words * INIT_CODE_WORD;
}

/** The least gas that a transaction costs, however little it executes (EIP-7623); 0 before that rule. */
export function ethereumFloorGas(data: Uint8Array, common: Common): number {
  if (!common.isActivatedEIP(7623)) return 0;
  const zeros = countZeros(data);
  return TRANSACTION + (zeros + (data.length - zeros) * TOKENS_OF_BYTE) * FLOOR_OF_TOKEN;
}

/** Gas used after the refund, which is at most a half, since EIP-3529 a fifth. */
export function afterRefund(gasUsed: number, refund: number, common: Common): number {
  const most = Math.floor(gasUsed / (common.isActivatedEIP(3529) ? 5 : 2));
  return gasUsed - Math.min(refund, most);
}

function countZeros(data: Uint8Array): number {
  let zeros = 0;
  for (const byte of data) if (byte === 0) zeros++;
  return zeros;
}
