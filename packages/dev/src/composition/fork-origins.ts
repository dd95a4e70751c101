import { shownUrl } from "@cambium/primitives";
import { DevError, invalid } from "../errors.js";

/**
 * Origins of the endpoints that `hardhat_reset` may fork: those that the options name. Callers may be web pages, so
 * they must not choose where this node sends requests.
 */
export class ForkOrigins {
  private readonly origins = new Set<string>();

  /** `fork` is the first source, `allowed` are the sources of the option. Throws {@link DevError} `INVALID_OPTION`. */
  constructor(fork: string | undefined, allowed: readonly string[]) {
    if (fork !== undefined) this.origins.add(originOf(fork));
    for (const text of allowed) {
      if (text !== "*" && !isHttp(text)) {
        throw invalid("fork.allow", text, "origins such as https://rpc.example.org, or *");
      }
      this.origins.add(originOf(text));
    }
  }

  /** Throws {@link DevError} `FORK_REFUSED` for any other endpoint. `source` may be a folder, which is accepted. */
  require(source: string): void {
    const origin = originOf(source);
    if (!isHttp(source) || this.origins.has("*") || this.origins.has(origin)) return;
    throw new DevError({ code: "FORK_REFUSED", origin });
  }
}

function isHttp(source: string): boolean {
  return /^https?:\/\//.test(source);
}

/** Scheme, host and port of a URL. */
function originOf(source: string): string {
  return isHttp(source) && URL.canParse(source) ? new URL(source).origin : shownUrl(source);
}
