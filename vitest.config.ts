import { availableParallelism } from "node:os"
import { configDefaults, defineConfig } from "vitest/config"
import { isAll, slowFiles } from "./tooling/programs/counts.ts"
import { LongestFirst } from "./tooling/programs/LongestFirst.ts"

const report = process.env.TEST_REPORT

/** Who names files means them, slow ones too. */
const namesFiles = process.argv.slice(2).some((word) => word !== "run" && !word.startsWith("-"))

export default defineConfig({
  test: {
    globalSetup: ["tooling/programs/setup.ts"],
    // Tests often wait for timers and servers: with a worker for each core, a third of the machine is idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Test files share a process for each worker: to load the packages anew for each takes a quarter of the run.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // These bound only a failure: a test that passes does so on a busy machine too.
    testTimeout: 300_000,
    // Packing and installing all packages takes two minutes on an idle machine.
    hookTimeout: 1_200_000,
    expect: { poll: { timeout: 240_000 } },
    include: ["{packages,apps,tooling}/*/test/**/*.test.{ts,tsx}"],
    // Chromium, packed tarballs, campaigns, and most files that start a program or a server: `pnpm test:all` runs them.
    exclude: [...configDefaults.exclude, ...(isAll || namesFiles ? [] : [slowFiles])],
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] })
  }
})
