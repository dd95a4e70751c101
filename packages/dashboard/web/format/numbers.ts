const GROUPS = new Intl.NumberFormat("en");
const COIN_DIGITS = 18;

/** `12,345`. */
export function grouped(value: number | bigint): string {
  return GROUPS.format(value);
}

/** Wei in coins, exactly, with at most `digits` decimals: `1.5`, `<0.000001`. */
export function coins(wei: string | bigint, digits = 6): string {
  return decimal(BigInt(wei), COIN_DIGITS, digits);
}

/** Wei in units of 10^9 wei. */
export function gwei(wei: string | bigint): string {
  return decimal(BigInt(wei), 9, 4);
}

/** Formats `value / 10^scale`, with at most `digits` decimals, without trailing zeros. */
export function decimal(value: bigint, scale: number, digits: number): string {
  const sign = value < 0n ? "-" : "";
  const text = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  const whole = grouped(BigInt(text.slice(0, -scale || undefined)));
  const fraction = scale === 0 ? "" : text.slice(-scale);
  const shown = fraction.slice(0, digits).replace(/0+$/, "");
  if (whole === "0" && shown === "" && /[1-9]/.test(fraction)) {
    return digits === 0 ? `${sign}<1` : `${sign}<0.${"0".repeat(digits - 1)}1`;
  }
  return `${sign}${whole}${shown && `.${shown}`}`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** `12.3 MB`. */
export function byteCount(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ${UNITS[unit]}`;
}

const PREFIXES = ["", "k", "M", "G", "T", "P", "E", "Z"];

/** A large number with three digits, which a unit may follow: `1.23 G`. */
export function short(value: number): string {
  const power = value < 1000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), PREFIXES.length - 1);
  const scaled = value / 1000 ** power;
  const digits = scaled >= 100 || Number.isInteger(scaled) ? 0 : scaled >= 10 ? 1 : 2;
  return `${scaled.toFixed(digits)}${power === 0 ? "" : ` ${PREFIXES[power]}`}`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? "0 %" : `${((100 * part) / whole).toFixed(1)} %`;
}

/** A number with three digits that count: `0.0592`. */
export function significant(value: number): string {
  return value >= 1000 ? short(value) : String(Number(value.toPrecision(3)));
}
