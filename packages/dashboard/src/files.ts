import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** A file of the web page, as served. */
export interface DashboardFile {
  /** Media type. */
  type: string;
  bytes: Buffer;
  gzipped: Buffer;
  /** Entity tag, with its quotation marks. */
  tag: string;
  /** Whether the name contains a hash of the content. */
  isImmutable: boolean;
}

/**
 * Folder of the page. The path is the same from `src`, from `lib` and from the bundle of the command line
 * (`packages/cli/bundle`), unless npm has installed this package below that one.
 */
const BESIDE = new URL("../../dashboard/target/", import.meta.url);

function builtPage(): string {
  if (existsSync(BESIDE)) return fileURLToPath(BESIDE);
  try {
    return dirname(fileURLToPath(import.meta.resolve("@cambium/dashboard/target/index.html")));
  } catch {
    return fileURLToPath(BESIDE);
  }
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Reads the files of the built page by their paths, such as `index.html` and `assets/index-1a2b3c.js`; none if the page
 * is not built. Other paths cannot be requested, wherever they lead.
 */
export async function readDashboard(folder = builtPage()): Promise<ReadonlyMap<string, DashboardFile>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const paths = names.map((name) => name.replaceAll("\\", "/")).filter((path) => TYPES[extname(path)] !== undefined);
  const entries = paths.map(
    async (path) => [path, await dashboardFile(path, await readFile(join(folder, path)))] as const,
  );
  return new Map(await Promise.all(entries));
}

async function dashboardFile(path: string, bytes: Buffer): Promise<DashboardFile> {
  const digest = createHash("sha256").update(bytes).digest("base64url");
  return {
    type: TYPES[extname(path)]!,
    bytes,
    gzipped: await promisify(gzip)(bytes, { level: 9 }),
    tag: `"${digest.slice(0, 22)}"`,
    isImmutable: path.startsWith("assets/"),
  };
}
