import { parse } from "acorn";

// Module customization hook: adds a counter to every branch in the sources of the packages (docs/decisions/0013).

const SOURCE = /\/packages\/(?!test-utils\/)[^/]+\/src\/.*\.ts$/;
/** Calls the counter of coverage.ts. */
const COUNT = "$count";

let branches = 0;

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (!SOURCE.test(url) || loaded.source == null) return loaded;
  return { ...loaded, source: instrumented(String(loaded.source)) };
}

/** Returns the source with a call at each branch. Line numbers do not change. */
function instrumented(source) {
  const insertions = [];
  visit(parse(source, { ecmaVersion: "latest", sourceType: "module" }), insertions);
  insertions.sort((a, b) => a.at - b.at || a.rank - b.rank);
  let text = `const ${COUNT} = globalThis.$countBranch;`;
  let from = 0;
  for (const { at, inserted } of insertions) {
    text += source.slice(from, at) + inserted;
    from = at;
  }
  return text + source.slice(from);
}

function visit(node, insertions) {
  if (node.type === "SwitchCase" && node.consequent.length > 0) {
    insertions.push({
      at: node.consequent[0].start,
      inserted: `${COUNT}(${branches++});`,
      rank: insertions.length + 1,
    });
  }
  for (const branch of branchesOf(node)) {
    if (branch != null) count(branch, insertions);
  }
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const inner of value) if (typeof inner?.type === "string") visit(inner, insertions);
    } else if (typeof value?.type === "string") {
      visit(value, insertions);
    }
  }
}

/** The parts of a node that are not always executed. */
function branchesOf(node) {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "CatchClause":
      return [node.body];
    case "IfStatement":
    case "ConditionalExpression":
      return [node.consequent, node.alternate];
    case "LogicalExpression":
      return [node.right];
    default:
      return [];
  }
}

function count(node, insertions) {
  const { type, start, end } = node;
  const call = `${COUNT}(${branches++})`;
  // Nodes are visited from the outside to the inside. At one position, inner ones end first and begin last.
  const rank = insertions.length + 1;
  const wrap = (opening, closing) =>
    insertions.push({ at: start, inserted: opening, rank }, { at: end, inserted: closing, rank: -rank });
  if (type === "BlockStatement") insertions.push({ at: start + 1, inserted: `${call};`, rank });
  else if (type.endsWith("Statement")) wrap(`{${call};`, "}");
  else wrap(`(${call},`, ")");
}
