import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { build, type Metafile, type Plugin } from "esbuild"
import { licences } from "./licences.ts"
import { plainDeclarations } from "./plainDeclarations.ts"

// Bundles the entries of the package in this folder that need nothing beside them. `tsc` has built the others.

interface Bundled {
  readonly platform: "node" | "browser"
  /** Files of `src`, without their ending. */
  readonly entries: ReadonlyArray<string>
  /** Loaded when it is needed, by the entries that are not bundled too: with what it imports in it, it is a file of its own. */
  readonly later?: string
}

const packages: Readonly<Record<string, Bundled>> = {
  node: { platform: "node", entries: ["index", "opentelemetry"], later: "carrier/agent" },
  browser: { platform: "browser", entries: ["index", "signIn"] }
}

const folder = process.cwd()
const bundled = packages[basename(folder)]
if (bundled === undefined) throw new Error(`Not bundled: ${folder}`)
const { entries, later, platform } = bundled

const outside = ["@opentelemetry/api"]

/** What is a file of its own stays one. */
const apart: Plugin = {
  name: "apart",
  setup: ({ onResolve }) => {
    if (later === undefined) return
    onResolve({ filter: new RegExp(`/${basename(later)}\\.ts$`) }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `./${later}.js`, external: true } : { path: join(folder, "src", path) }
    )
  }
}

const helpers = "../client/src"

/**
 * The modules that a page's bundler drops if the page does not use them: as entries of their own they get files of their own,
 * since what two entries share is a file. In one file a bundler keeps every class and every call of a function.
 */
const parts = (): Record<string, string> => {
  if (platform === "node") return {}
  const exported = ["promises.ts", "common.ts"]
    .map((file) => readFileSync(join(folder, helpers, file), "utf8"))
    .join("")
  const modules = [...exported.matchAll(/^(?:export \{|\} from|import \*)[^\n]*"(\.\/[^"]+)\.ts"/gm)].map(
    ([, module]) => module!
  )
  return Object.fromEntries([
    ["part-Client", "src/Client.ts"],
    ...modules.map((module) => [`part-${basename(module)}`, `${helpers}/${module}.ts`])
  ])
}

const bundle = async (names: ReadonlyArray<string>, plugins: Array<Plugin>): Promise<Metafile> => {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: { ...parts(), ...Object.fromEntries(names.map((name) => [name, `src/${name}.ts`])) },
    outdir: "dist",
    chunkNames: "shared-[hash]",
    bundle: true,
    splitting: names.length > 1,
    format: "esm",
    platform,
    target: "es2022",
    external: outside,
    plugins,
    // Names stay, for stacks; a page's own bundler needs the annotations of what it may drop, which go with the white space.
    minifySyntax: true,
    minifyWhitespace: platform === "node",
    legalComments: "none",
    metafile: true,
    allowOverwrite: true,
    logLevel: "warning",
    ...(plugins.length === 0 && platform === "node"
      ? {
          banner: { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` }
        }
      : {})
  })
  return metafile
}

const made = [await bundle(entries, [apart]), ...(later === undefined ? [] : [await bundle([later], [])])]
for (const part of globSync("dist/part-*.js")) rmSync(part)
// The package has no side effects, and bundlers warn of an import for nothing else.
for (const file of globSync("dist/{index,signIn,shared-*}.js"))
  writeFileSync(file, readFileSync(file, "utf8").replace(/^import ?"\.\/shared-\w+\.js";\n/gm, ""))
writeFileSync("dist/LICENSES.txt", licences(folder, made))
for (const [file, { entryPoint, exports }] of made.flatMap(({ outputs }) => Object.entries(outputs))) {
  if (entryPoint === undefined || !entries.includes(basename(file, ".js"))) continue
  const declared = plainDeclarations(join(folder, entryPoint), join(folder, "tsconfig.json"), new Set(exports))
  writeFileSync(join(folder, file.replace(/\.js$/, ".d.ts")), declared)
}
