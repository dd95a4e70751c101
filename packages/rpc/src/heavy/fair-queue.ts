/** Compares clients: negative if the first one precedes the second. */
export type ClientOrder = (one: string, other: string) => number;

/** Queued jobs by client; those of one client in the order of arrival. */
export class FairQueue<Job extends { readonly share: string }> {
  private readonly byClient = new Map<string, Job[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  countOf(client: string): number {
    return this.byClient.get(client)?.length ?? 0;
  }

  clients(): IterableIterator<string> {
    return this.byClient.keys();
  }

  add(job: Job): void {
    const jobs = this.byClient.get(job.share);
    if (jobs === undefined) this.byClient.set(job.share, [job]);
    else jobs.push(job);
    this.count++;
  }

  /** Returns whether the job was queued. */
  delete(job: Job): boolean {
    const jobs = this.byClient.get(job.share);
    const position = jobs?.indexOf(job) ?? -1;
    if (position < 0) return false;
    jobs!.splice(position, 1);
    if (jobs!.length === 0) this.byClient.delete(job.share);
    this.count--;
    return true;
  }

  /** The oldest job of the client that precedes all others; among equal ones, of the one that has waited longest. */
  first(order: ClientOrder): Job | undefined {
    let best: string | undefined;
    for (const client of this.byClient.keys()) if (best === undefined || order(client, best) < 0) best = client;
    return best === undefined ? undefined : this.byClient.get(best)![0];
  }

  newestOf(client: string): Job | undefined {
    return this.byClient.get(client)?.at(-1);
  }

  /** Removes and returns all jobs. */
  clear(): Job[] {
    const jobs = [...this.byClient.values()].flat();
    this.byClient.clear();
    this.count = 0;
    return jobs;
  }
}
