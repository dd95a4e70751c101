import type { IncomingMessage } from "node:http";
import { type DashboardFile, readDashboard } from "@cambium/dashboard";
import type { RpcConfig } from "../config.js";
import { acceptsGzip } from "./compression.js";
import { createNamedHostCheck } from "./own-page.js";
import type { HeaderList } from "./response.js";

const ROOT = "/dashboard/";

/** Headers of every file: the page loads from and connects to this server only, and no other page may embed it. */
const SECURITY: HeaderList = [
  "content-security-policy",
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options",
  "nosniff",
  "referrer-policy",
  "no-referrer",
  "cross-origin-resource-policy",
  "same-origin",
  "cross-origin-opener-policy",
  "same-origin",
];
const TEXT: HeaderList = ["content-type", "text/plain; charset=utf-8"];

export interface PageResponse {
  status: number;
  headers: HeaderList;
  body?: Buffer;
}

/** Serves the files of the web page. They are read at the first request for one of them. */
export class Dashboard {
  private readonly isKnownHost: (host: string | undefined) => boolean;
  private files: Promise<ReadonlyMap<string, DashboardFile>> | undefined;

  constructor(config: Pick<RpcConfig, "http" | "auth">) {
    this.isKnownHost = createNamedHostCheck(config);
  }

  /** The response to a request for the page; undefined for all other requests. */
  respond({ method, url = "", headers }: IncomingMessage): Promise<PageResponse> | undefined {
    if ((method !== "GET" && method !== "HEAD") || !this.isKnownHost(headers.host)) return undefined;
    const path = url.split("?", 1)[0]!;
    const isBrowser = path === "/" && headers.accept?.includes("text/html") === true;
    if (path === "/dashboard" || isBrowser) {
      return Promise.resolve({ status: 302, headers: [...SECURITY, "location", ROOT] });
    }
    return path.startsWith(ROOT) ? this.file(path.slice(ROOT.length) || "index.html", headers) : undefined;
  }

  private async file(path: string, headers: IncomingMessage["headers"]): Promise<PageResponse> {
    const files = await (this.files ??= readDashboard());
    const file = files.get(path);
    if (file === undefined) {
      const reason = files.size > 0 ? "no such file" : "the dashboard is not built; run npm run build";
      return { status: 404, headers: [...SECURITY, ...TEXT], body: Buffer.from(`${reason}\n`) };
    }
    const caching = file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache";
    const known = [...SECURITY, "etag", file.tag, "cache-control", caching, "vary", "Accept-Encoding"];
    if (headers["if-none-match"]?.includes(file.tag)) return { status: 304, headers: known };
    const isGzipped = acceptsGzip(headers["accept-encoding"] ?? "");
    const typed = [...known, "content-type", file.type, ...(isGzipped ? ["content-encoding", "gzip"] : [])];
    return { status: 200, headers: typed, body: isGzipped ? file.gzipped : file.bytes };
  }
}
