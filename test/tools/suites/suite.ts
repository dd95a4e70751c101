/** Report of a suite about one chain. */
export interface SuiteReport {
  /** Full names of tests. */
  passed: readonly string[];
  failed: readonly FailedTest[];
}

export interface FailedTest {
  test: string;
  why: string;
}

/** A suite of tests that runs against any chain for developers. */
export interface Suite {
  /** Name in docs/client-tools.md. */
  name: string;
  /** Reason why the suite cannot run on this machine, if it cannot. */
  missing?: string | undefined;
  /** Names of the chains to run it on; all by default. */
  chains?: readonly string[];
  run(url: string): Promise<SuiteReport>;
}

interface MochaReport {
  passes: readonly { fullTitle: string }[];
  failures: readonly { fullTitle: string; err: { message?: string } }[];
}

/** Parses the JSON of mocha's reporter `json`. */
export function parseMochaReport(text: string): SuiteReport {
  const { passes, failures } = JSON.parse(text) as MochaReport;
  return {
    passed: passes.map(({ fullTitle }) => fullTitle),
    failed: failures.map(({ fullTitle, err }) => ({ test: fullTitle, why: err.message ?? "" })),
  };
}

/** A test of a suite that has no test runner. */
export type NamedTest = readonly [name: string, test: () => Promise<void>];

/** Runs tests one after another. */
export async function reportOf(tests: readonly NamedTest[]): Promise<SuiteReport> {
  const passed: string[] = [];
  const failed: FailedTest[] = [];
  for (const [name, test] of tests) {
    try {
      await test();
      passed.push(name);
    } catch (error) {
      failed.push({ test: name, why: (error as Error).message });
    }
  }
  return { passed, failed };
}
