import { defineConfig } from "vitest/config"

const report = process.env.TEST_REPORT

export default defineConfig({
  test: {
    globalSetup: ["tooling/programs/setup.ts"],
    // One core is left free by default; the tests mostly wait for programs that they start.
    maxWorkers: "100%",
    // For a machine that is busy with others of them.
    testTimeout: 20_000,
    include: ["{packages,apps,tooling}/*/test/**/*.test.ts"],
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] })
  }
})
