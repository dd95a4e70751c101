import type { ReputationSummary, ScoringReport } from "./interface.js";

/** Sums over all entries: a peer counts once as a node and once as an address (`spec/07 §C.5`). */
export function summarizeReputation(reports: readonly ScoringReport[]): ReputationSummary {
  const sum = (of: (report: ScoringReport) => number) => reports.reduce((total, report) => total + of(report), 0);
  const goodReputationCount = sum(({ goodReputation }) => Number(goodReputation));
  return {
    count: reports.length,
    successfulHandshakes: sum((report) => report.successfulHandshakes),
    failedHandshakes: sum((report) => report.failedHandshakes),
    invalidHeader: sum((report) => report.invalidHeader),
    validBlocks: sum((report) => report.validBlocks),
    invalidBlocks: sum((report) => report.invalidBlocks),
    validTransactions: sum((report) => report.validTransactions),
    invalidTransactions: sum((report) => report.invalidTransactions),
    invalidNetworks: sum((report) => report.invalidNetworks),
    invalidMessages: sum((report) => report.invalidMessages),
    repeatedMessages: sum((report) => report.repeatedMessages),
    timeoutMessages: sum((report) => report.timeoutMessages),
    unexpectedMessages: sum((report) => report.unexpectedMessages),
    peersTotalScore: sum((report) => report.score),
    punishments: sum((report) => report.punishments),
    goodReputationCount,
    badReputationCount: reports.length - goodReputationCount,
  };
}
