/** A tour through a client library, in `test/tools/<folder>`. */
export interface LibraryTour {
  /** Name in docs/client-tools.md. */
  name: string;
  folder: string;
  /** Commands that must be installed. */
  needs: readonly string[];
  /** Commands that install dependencies and compile. `{build}` is the folder for output. */
  prepare: readonly (readonly string[])[];
  run: readonly string[];
}

export const INSTALL = ["npm", "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];

function javascript(name: string, folder: string): LibraryTour {
  return { name, folder, needs: ["npm"], prepare: [INSTALL], run: ["node", "tour.mjs"] };
}

export const LIBRARY_TOURS: readonly LibraryTour[] = [
  javascript("ethers 5", "ethers-5"),
  javascript("ethers 6", "ethers-6"),
  javascript("viem", "viem"),
  javascript("web3.js 1", "web3-1"),
  javascript("web3.js 4", "web3-4"),
  {
    name: "go-ethereum",
    folder: "ethclient",
    needs: ["go"],
    prepare: [["go", "build", "-o", "{build}/tour", "."]],
    run: ["{build}/tour"],
  },
  {
    name: "web3.py",
    folder: "web3-py",
    needs: ["python3"],
    prepare: [
      ["python3", "-m", "venv", "{build}/venv"],
      ["{build}/venv/bin/pip", "install", "--quiet", "--requirement", "requirements.txt"],
    ],
    run: ["{build}/venv/bin/python", "-B", "tour.py"],
  },
  {
    name: "alloy",
    folder: "alloy",
    needs: ["cargo"],
    prepare: [["cargo", "build", "--quiet", "--locked", "--target-dir", "{build}"]],
    run: ["{build}/debug/cambium-alloy-tour"],
  },
  {
    name: "web3j",
    folder: "web3j",
    needs: ["java", "mvn"],
    prepare: [["mvn", "--quiet", "--batch-mode", "-Dtour.build={build}", "compile", "dependency:copy-dependencies"]],
    run: ["java", "-classpath", "{build}/classes:{build}/dependency/*", "Tour"],
  },
];
