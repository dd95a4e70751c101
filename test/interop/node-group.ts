import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CambiumNode, startCambiumNode } from "./cambium-node.js";
import type { InteropNode } from "./interop-node.js";
import { REFERENCE_COMMAND, type ReferenceNode, type ReferenceOptions, startReferenceNode } from "./reference-node.js";

/** The nodes of a suite, with a folder for their data. */
export class NodeGroup {
  private root: string | undefined;
  private readonly nodes = new Set<InteropNode>();

  get folder(): string {
    this.root ??= mkdtempSync(join(tmpdir(), "cambium-interop-"));
    return this.root;
  }

  /** Starts a node of the deployed client; by default with its data in the folder `name`. */
  async reference(name: string, options: Partial<ReferenceOptions> = {}): Promise<ReferenceNode> {
    return this.add(await startReferenceNode(name, { folder: this.folderOf(name), ...options }));
  }

  /** Starts a node of this project, with its data in the folder `name`. */
  async cambium(name: string, ...flags: string[]): Promise<CambiumNode> {
    return this.add(await startCambiumNode(name, this.folderOf(name), ...flags));
  }

  folderOf(name: string): string {
    return join(this.folder, name);
  }

  async stop(...nodes: readonly InteropNode[]): Promise<void> {
    for (const node of nodes) this.nodes.delete(node);
    await Promise.all(nodes.map((node) => node.stop()));
  }

  /** Ends nodes like a loss of power. */
  async kill(...nodes: readonly InteropNode[]): Promise<void> {
    for (const node of nodes) this.nodes.delete(node);
    await Promise.all(nodes.map((node) => node.stop("SIGKILL")));
  }

  printOutput(): void {
    for (const node of this.nodes) console.log(`--- ${node.name}:\n${node.recentOutput()}`);
  }

  async close(): Promise<void> {
    await this.stop(...this.nodes);
    if (this.root !== undefined) rmSync(this.root, { recursive: true, force: true });
  }

  private add<Node extends InteropNode>(node: Node): Node {
    this.nodes.add(node);
    return node;
  }
}

/**
 * Returns the nodes of a suite, which are stopped after it; call it in the suite. A failing test prints their logs.
 * Without `CAMBIUM_REFERENCE` all tests of the suite are skipped.
 */
export function useNodes(): NodeGroup {
  const group = new NodeGroup();
  before("needs CAMBIUM_REFERENCE", function () {
    if (REFERENCE_COMMAND !== undefined) return;
    console.log(
      "Skipped: CAMBIUM_REFERENCE, the command that starts a deployed node, is not set (see CONTRIBUTING.md)",
    );
    this.skip();
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") group.printOutput();
  });
  after(() => group.close());
  return group;
}
