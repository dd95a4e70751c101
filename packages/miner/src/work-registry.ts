import { equalBytes, toHex } from "@cambium/primitives";
import type { BlockTemplate, Work } from "./interface.js";

/** From when on higher fees are worth announcing (`spec/03 §6.6`). */
export interface NotifyPolicy {
  /** Value of a wei in the unit of `minimumFees`. */
  weiValue?: number;
  minimumFees?: number;
}

/** Templates that can still be solved. */
const KEPT_TEMPLATES = 20;
/** Per cent of the last announced fees that new ones must exceed. */
const NOTIFY_FEES = 110n;

/** The templates given out lately, and the work that is given out now (`spec/03 §6.6`). */
export class WorkRegistry {
  /** By hash for merged mining, in order of arrival. */
  private readonly templates = new Map<string, BlockTemplate>();
  private work: Work | undefined;
  private template: BlockTemplate | undefined;
  private announcedFees = 0n;

  constructor(private readonly policy: NotifyPolicy = {}) {}

  /** What is worked on now. */
  get current(): BlockTemplate | undefined {
    return this.template;
  }

  /** Makes a template the current work, and keeps it for solutions until twenty others have come. */
  add(template: BlockTemplate): void {
    const key = toHex(template.hashForMergedMining);
    // An entry that is there already keeps its age.
    if (!this.templates.has(key)) this.templates.set(key, template);
    if (this.templates.size > KEPT_TEMPLATES) this.templates.delete(this.templates.keys().next().value!);
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
  }

  /** Whether miners should hear of a template at once: another parent, or notably higher fees than those announced. */
  isWorthNotice({ header }: BlockTemplate): boolean {
    if (this.template === undefined || !equalBytes(header.parentHash, this.template.header.parentHash)) return true;
    const { weiValue = 0, minimumFees = 0 } = this.policy;
    const threshold = (this.announcedFees * NOTIFY_FEES) / 100n;
    return header.paidFees > threshold && Number(header.paidFees) * weiValue >= minimumFees;
  }

  /** The current work. `notify` is for the first one who asks. */
  take(): Work | undefined {
    const { work } = this;
    if (work !== undefined) this.work = { ...work, notify: false };
    return work;
  }

  find(hashForMergedMining: Uint8Array): BlockTemplate | undefined {
    return this.templates.get(toHex(hashForMergedMining));
  }

  /** Forgets what is worked on now; templates given out can still be solved. */
  clearCurrent(): void {
    this.work = undefined;
    this.template = undefined;
  }
}
