import { build, type Plugin } from "esbuild"
import { createRequire } from "node:module"
import { join } from "node:path"

const app = join(import.meta.dirname, "../../apps/gateway")

/** The gateway's program, bundled from its sources: it starts in a fifth of the time, and tests start it some sixty times. */
export const gatewayProgram = join(app, ".bundle/main.js")

/** It is CommonJS and imported when it is needed: a bundle would lose the names of its exports. */
const redisAsItIs: Plugin = {
  name: "redis as it is",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^redis$/ }, ({ importer }) => ({
      path: createRequire(importer).resolve("redis"),
      external: true
    }))
}

export const bundleGateway = () =>
  build({
    absWorkingDir: app,
    entryPoints: {
      main: "src/main.ts",
      auditWorker: "src/store/auditWorker.ts",
      importWorker: "src/operations/import/importWorker.ts"
    },
    outdir: ".bundle",
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node22",
    // A CommonJS build of jsonc-parser loads its parts in a way that cannot be bundled.
    mainFields: ["module", "main"],
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
    },
    plugins: [redisAsItIs],
    logLevel: "warning"
  })
