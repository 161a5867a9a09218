import { defineConfig } from "vitest/config"

const report = process.env.TEST_REPORT

export default defineConfig({
  test: {
    globalSetup: ["tooling/programs/setup.ts"],
    include: ["{packages,apps,tooling}/*/test/**/*.test.ts"],
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] })
  }
})
