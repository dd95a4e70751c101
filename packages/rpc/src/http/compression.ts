import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

const compress = promisify(gzip);

/** Minimum length of a compressed body; shorter ones are sent uncompressed (`spec/09 §1.1`). */
const THRESHOLD = 1024;

/** Whether a body is long enough to compress and the client accepts gzip. */
export function worthCompressing(body: string, acceptEncoding: string | undefined): boolean {
  return body.length > THRESHOLD && acceptEncoding !== undefined && acceptsGzip(acceptEncoding);
}

export const COMPRESSION = { level: constants.Z_BEST_SPEED };

export function gzipped(body: string): Promise<Buffer> {
  return compress(body, COMPRESSION);
}

/** Whether an Accept-Encoding header admits gzip. */
export function acceptsGzip(header: string): boolean {
  return header.split(",").some((entry) => {
    const [coding, ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    return coding === "gzip" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
