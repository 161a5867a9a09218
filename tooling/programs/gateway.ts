import { build, type BuildOptions, type Plugin } from "esbuild"
import { createRequire } from "node:module"
import { join } from "node:path"

const app = join(import.meta.dirname, "../../apps/gateway")

/** The gateway's program, bundled from its sources: it starts in a fifth of the time, and tests start it some sixty times. */
export const gatewayProgram = join(app, ".bundle/main.js")

/** It is CommonJS and imported when it is needed: in a bundle only what is exported by name keeps its name. */
const redisByName: Plugin = {
  name: "redis by name",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^redis$/ }, ({ importer, kind }) =>
      kind === "dynamic-import"
        ? { path: "redis", namespace: "redis", pluginData: createRequire(importer).resolve("redis") }
        : undefined
    )
    onLoad({ filter: /./, namespace: "redis" }, ({ pluginData }) => ({
      contents: `export { createClient } from ${JSON.stringify(pluginData)}`,
      resolveDir: app
    }))
  }
}

/** What main.js loads later, and what it shares with the programs of its threads, are files beside it. */
export const bundleGateway = (options: Pick<BuildOptions, "outdir" | "sourcemap" | "sourcesContent"> = {}) =>
  build({
    absWorkingDir: app,
    entryPoints: {
      main: "src/main.ts",
      auditWorker: "src/store/auditWorker.ts",
      importWorker: "src/operations/import/importWorker.ts"
    },
    outdir: ".bundle",
    chunkNames: "shared-[hash]",
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
    plugins: [redisByName],
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    ...options
  })
