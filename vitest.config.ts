import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./tooling/programs/LongestFirst.ts"

const report = process.env.TEST_REPORT

export default defineConfig({
  test: {
    globalSetup: ["tooling/programs/setup.ts"],
    // Tests often wait for programs that they start: with a worker for each core, a third of the machine is idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Test files share a process for each worker: to load the packages anew for each takes a quarter of the run.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // These bound only a failure: a test that passes does so on a busy machine too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ["{packages,apps,tooling}/*/test/**/*.test.ts"],
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] })
  }
})
