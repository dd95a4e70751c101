import { equalBytes, toHex } from "@cambium/primitives";
import type { BlockTemplate, Work } from "../interface.js";

/** Threshold from which higher fees are announced (`spec/03 §6.6`). */
export interface NotifyPolicy {
  /** Value of a wei in the unit of `minimumFees`. */
  weiValue?: number;
  minimumFees?: number;
}

/** Number of own templates whose solutions are accepted. */
const KEPT_TEMPLATES = 20;
/** Number of remembered templates: those of other nodes, and of this node before a restart. */
const REMEMBERED_TEMPLATES = 60;
/** Percentage of the last announced fees that new fees must exceed. */
const NOTIFY_FEES = 110n;

/** The current work and the templates of recent work (`spec/03 §6.6`). */
export class WorkRegistry {
  /** Templates by hash for merged mining, in insertion order. */
  private readonly templates = new Map<string, BlockTemplate>();
  private readonly remembered = new Map<string, BlockTemplate>();
  private work: Work | undefined;
  private template: BlockTemplate | undefined;
  private announcedFees = 0n;

  constructor(private readonly policy: NotifyPolicy = {}) {}

  /** The template of the current work. */
  get current(): BlockTemplate | undefined {
    return this.template;
  }

  /** Makes a template the current work, and keeps it for solutions until twenty others are added. Returns the work. */
  add(template: BlockTemplate): Work {
    const key = toHex(template.hashForMergedMining);
    // An existing entry keeps its age.
    if (!this.templates.has(key)) this.templates.set(key, template);
    removeOldest(this.templates, KEPT_TEMPLATES);
    const notify = this.isWorthNotice(template);
    const { paidFees, parentHash } = template.header;
    if (notify) this.announcedFees = paidFees;
    this.template = template;
    this.work = {
      hashForMergedMining: template.hashForMergedMining,
      target: template.target,
      feesPaidToMiner: paidFees,
      notify,
      parentBlockHash: parentHash,
    };
    return this.work;
  }

  /** Whether miners should switch to a template: another parent, or considerably higher fees than announced. */
  isWorthNotice({ header }: BlockTemplate): boolean {
    if (this.template === undefined || !equalBytes(header.parentHash, this.template.header.parentHash)) return true;
    const { weiValue = 0, minimumFees = 0 } = this.policy;
    const threshold = (this.announcedFees * NOTIFY_FEES) / 100n;
    return header.paidFees > threshold && Number(header.paidFees) * weiValue >= minimumFees;
  }

  /** The current work. `notify` is set for the first caller only. */
  take(): Work | undefined {
    const { work } = this;
    if (work !== undefined) this.work = { ...work, notify: false };
    return work;
  }

  /** Keeps a template of another node or an earlier run for solutions, until sixty later ones are kept. */
  remember(template: BlockTemplate): void {
    this.remembered.set(toHex(template.hashForMergedMining), template);
    removeOldest(this.remembered, REMEMBERED_TEMPLATES);
  }

  find(hashForMergedMining: Uint8Array): BlockTemplate | undefined {
    const key = toHex(hashForMergedMining);
    return this.templates.get(key) ?? this.remembered.get(key);
  }

  /** Clears the current work; solutions of earlier templates are still accepted. */
  clearCurrent(): void {
    this.work = undefined;
    this.template = undefined;
  }
}

function removeOldest(templates: Map<string, BlockTemplate>, most: number): void {
  if (templates.size > most) templates.delete(templates.keys().next().value!);
}
