import type { UserConfig } from "vite";

export default {
  root: `${import.meta.dirname}/web`,
  base: "./",
  build: {
    outDir: `${import.meta.dirname}/target`,
    emptyOutDir: true,
    target: "es2022",
    // The policy of the page forbids inline content.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
} satisfies UserConfig;
