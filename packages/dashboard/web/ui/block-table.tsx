import { coins, grouped } from "../format/numbers.js";
import { blockAge } from "../format/time.js";
import type { Block } from "../node/types.js";
import { coinName } from "./coins.js";
import { BlockLink, Hash, Table } from "./parts.js";

export function BlockTable({ blocks }: { blocks: readonly Block[] }) {
  return (
    <Table
      caption="Blocks"
      empty="No blocks yet"
      rows={blocks}
      keyOf={({ hash }) => hash}
      columns={[
        { title: "Block", cell: ({ number }) => <BlockLink number={Number(number)} /> },
        { title: "Hash", cell: ({ hash }) => <Hash value={hash} page="block" /> },
        { title: "Age", cell: (block) => blockAge(block) },
        { title: "Transactions", isNumber: true, cell: ({ transactions }) => grouped(transactions.length) },
        { title: "Gas used", isNumber: true, cell: ({ gasUsed }) => grouped(BigInt(gasUsed)) },
        { title: `Fees (${coinName()})`, isNumber: true, cell: ({ paidFees }) => coins(paidFees ?? 0n) },
        { title: "Miner", cell: ({ miner }) => <Hash value={miner} page="address" /> },
      ]}
    />
  );
}
