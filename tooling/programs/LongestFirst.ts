import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files that take longer than half a minute, the longest first. Where nothing is known of a file, vitest goes by its size. */
const longest = [
  "tooling/release/test/packed.test.ts",
  "packages/testing/test/console/playground.test.ts",
  "packages/testing/test/store/postgres.test.ts",
  "packages/testing/test/console/operatorAccounts.test.ts",
  "packages/testing/test/console/calls.test.ts",
  "apps/gateway/test/start.test.ts",
  "packages/testing/test/ledger/simulation.test.ts",
  "packages/testing/test/console/access.test.ts",
  "packages/testing/test/fleet/campaign.test.ts",
  "packages/testing/test/crash/crash.test.ts",
  "packages/testing/test/console/tasks.test.ts",
  "packages/testing/test/docs/chromium.test.ts",
  "packages/testing/test/store/postgresClient.test.ts"
]

/** Starts the longest files first, so that the workers end at the same time. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.indexOf(relative(this.ctx.config.root, moduleId))
      return at < 0 ? longest.length : at
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
