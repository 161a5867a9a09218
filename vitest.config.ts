import { defineConfig } from "vitest/config"

export default defineConfig({
  test: { include: ["{packages,apps,tooling}/*/test/**/*.test.ts"] }
})
