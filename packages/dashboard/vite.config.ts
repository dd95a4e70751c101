import type { UserConfig } from "vite";

/** Where `node-cli dev` serves JSON-RPC, for `npx vite packages/dashboard`. */
const NODE = "http://127.0.0.1:4444";

export default {
  root: `${import.meta.dirname}/web`,
  base: "./",
  build: {
    outDir: `${import.meta.dirname}/target`,
    emptyOutDir: true,
    target: "es2022",
    // The policy of the page forbids what is inline.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
  server: { proxy: { "/rpc": { target: NODE, ws: true } } },
} satisfies UserConfig;
