import { shownUrl } from "./shown-url.js";

/**
 * Base of every package's error class: a `code` from a closed set, and data for the caller. A package declares a union
 * of details, discriminated by `code`, and extends this class once.
 */
export class CambiumError<Details extends { code: string }> extends Error {
  readonly details: Details;

  constructor(details: Details, options?: ErrorOptions) {
    super(describe(details), options);
    this.name = new.target.name;
    this.details = details;
  }

  get code(): Details["code"] {
    return this.details.code;
  }
}

/** Returns `CODE key=value …`, the one-line form used in logs and by the command line. URLs are shown without keys. */
function describe(details: { code: string }): string {
  const data = Object.entries(details)
    .filter(([key]) => key !== "code")
    .map(([key, value]) => `${key}=${render(value)}`);
  return [details.code, ...data].join(" ");
}

function render(value: unknown): string {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value.subarray(0, 64)).toString("hex")}`;
  return shownUrl(String(value));
}

/** Returns the message of what was thrown, which need not be an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
