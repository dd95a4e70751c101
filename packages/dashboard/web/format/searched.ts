/**
 * Returns the object that a search text names; undefined if it can be none. A hash is that of a block or of a
 * transaction.
 */
export function searched(text: string): { kind: "block" | "hash" | "address"; value: string } | undefined {
  const value = text
    .trim()
    .toLowerCase()
    .replace(/[,\s_]/g, "");
  if (/^\d{1,15}$/.test(value)) return { kind: "block", value };
  const digits = value.replace(/^0x/, "");
  if (!/^[0-9a-f]+$/.test(digits)) return undefined;
  if (digits.length === 64) return { kind: "hash", value: `0x${digits}` };
  if (digits.length === 40) return { kind: "address", value: `0x${digits}` };
  if (value.startsWith("0x") && digits.length <= 12) return { kind: "block", value: String(Number(value)) };
  return undefined;
}
