import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { withFolder } from "@cambium/test-utils/node-cli";
import { isInstalled, runIn } from "../tours/commands.js";
import { inEachMode } from "./chains.js";
import { projectOf } from "./program.js";

const ENVIRONMENT = join(projectOf("../build"), "ape");

/** Tests ape with its own provider for nodes: it deploys, calls, reads logs and names the reason of a failure. */
describe("ape", function () {
  this.timeout(1_200_000);
  if (!isInstalled("python3")) {
    it.skip("needs python3, not installed here");
    return;
  }

  before(async () => {
    mkdirSync(ENVIRONMENT, { recursive: true });
    await runIn(ENVIRONMENT, ["python3", "-m", "venv", "venv"]);
    const install = ["install", "--quiet", "--requirement", join(projectOf("ape"), "requirements.txt")];
    await runIn(ENVIRONMENT, ["venv/bin/pip", ...install]);
  });

  inEachMode("deploys, calls and sends", async ({ url, keys }) => {
    await withFolder(async (folder) => {
      await runIn(projectOf("ape"), [join(ENVIRONMENT, "venv/bin/python"), "-B", "tour.py"], {
        ...{ NODE_URL: url, KEY: keys[0]!, COUNTER_ABI: JSON.stringify(COUNTER_ABI), COUNTER_CODE },
        ...{ APE_DATA_FOLDER: folder, HOME: folder },
      });
    });
  });
});
