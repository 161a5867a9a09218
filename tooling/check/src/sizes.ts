import { globSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { gzipSync } from "node:zlib"
import { build, type Metafile } from "esbuild"
import { root } from "../../release/src/program.ts"
import { lines } from "./Check.ts"
import { consoleSizes } from "./consoleSizes.ts"

interface Page {
  readonly name: string
  /** The code of the page. */
  readonly source: string
  /** Limit in kB (1,000 bytes). Missing for a bundle that is only there for comparison. */
  readonly limit?: number
  /** The only operation that the bundle may contain. */
  readonly operation?: string
  /** Packages that are not counted. */
  readonly without?: ReadonlyArray<string>
}

const run = (call: string): string => `
  import { Client, FetchCarrier, chatCompletions, chatCompletionsStream, rerank } from "@tollgate/client"
  import * as Effect from "effect/Effect"
  import * as Layer from "effect/Layer"
  import * as Stream from "effect/Stream"
  const client = (credential) => Client.layer({ credential }).pipe(Layer.provide(FetchCarrier.layer))
  export const main = (credential, input, use) =>
    Effect.runPromise(${call}.pipe(Effect.provide(client(credential))))`

/** A new operation makes the whole client larger by 0.2 to 0.3 kB. */
const perOperation = 0.3
const operations = globSync("packages/contract/src/operations/*.ts", { cwd: root }).length

const pages: ReadonlyArray<Page> = [
  { name: "one operation", source: run("rerank(input)"), limit: 48.4, operation: "rerank" },
  {
    name: "one stream",
    source: run("Stream.runForEach(chatCompletionsStream(input), use)"),
    limit: 51.6,
    operation: "chatCompletions"
  },
  {
    name: "the whole client",
    source: `export { createClient } from "@tollgate/browser"`,
    limit: 55 + perOperation * operations
  },
  {
    name: "react hooks",
    source: `export * from "@tollgate/react"`,
    limit: 3,
    without: ["react", "effect", "@tollgate/client"]
  },
  {
    name: "models for ai",
    source: `export * from "@tollgate/ai"`,
    limit: 20.5,
    without: ["@ai-sdk/provider", "effect", "@tollgate/client"]
  },
  {
    name: "models for Effect",
    source: `export * from "@tollgate/ai/effect"`,
    limit: 19,
    without: ["effect", "@tollgate/client"]
  },
  { name: "openai", source: `export { OpenAI } from "openai"` }
]

/** A package that has everything measured here installed. */
const resolveDir = join(root, "packages/testing")

interface Measured {
  readonly kB: number
  readonly inputs: Metafile["outputs"][string]["inputs"]
}

/** As a page would load it: minified and gzipped. */
const measure = async ({ name, source, without = [] }: Page): Promise<Measured> => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: source, resolveDir },
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    platform: "browser",
    external: without.flatMap((name) => [name, `${name}/*`]),
    legalComments: "none",
    logLevel: "silent"
  })
  const [output] = Object.values(metafile.outputs)
  const [file] = outputFiles
  if (output === undefined || file === undefined) throw new Error(`${name}: esbuild wrote no output`)
  return { kB: gzipSync(file.contents, { level: 9 }).length / 1000, inputs: output.inputs }
}

const isOwn = (file: string): boolean => !file.includes("node_modules/")

const inTotal = (sizes: ReadonlyArray<readonly [file: string, bytes: number]>): string =>
  kilobytes(sizes.reduce((sum, [, bytes]) => sum + bytes, 0))

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1).padStart(8)} kB`

/** The largest files in the bundle, before compression: the workspace's own, which a change makes larger, and the others. */
const largest = ({ inputs }: Measured): ReadonlyArray<string> => {
  const sizes = Object.entries(inputs).map(([file, { bytesInOutput }]) => [file, bytesInOutput] as const)
  return [true, false].flatMap((own) => {
    const some = sizes.filter(([file]) => isOwn(file) === own).toSorted(([, a], [, b]) => b - a)
    return [
      `${inTotal(some)}  before compression, ${own ? "files of the workspace" : "packages"}:`,
      ...some.slice(0, 10).map(([file, bytes]) => `  ${kilobytes(bytes)}  ${shortened(file)}`)
    ]
  })
}

/** Where the limit of a page is written. */
const placeOf = ({ name }: Page): string => {
  const before = readFileSync(import.meta.filename, "utf8").split(`name: "${name}"`)[0] ?? ""
  return `${relative(root, import.meta.filename)}:${before.split("\n").length}`
}

/** Operations in the bundle that the page does not use: their line lacks its `@__PURE__` annotation. */
const unusedOperations = ({ operation }: Page, { inputs }: Measured): ReadonlyArray<string> =>
  Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => {
    const [, name] = /contract\/src\/operations\/(\w+)\.ts$/.exec(file) ?? []
    const isUsed = operation === undefined || name === undefined || name === operation
    return isUsed || bytesInOutput === 0 ? [] : [name]
  })

const shortened = (file: string): string => file.split("node_modules/").at(-1) ?? file

/** Prints the size of each bundle and checks it against its limit. */
export const sizes = async (): Promise<string> => {
  const problems: Array<string> = []
  for (const page of pages) {
    const measured = await measure(page)
    const kB = measured.kB.toFixed(1)
    console.log(
      `  ${page.name.padEnd(18)}${kB.padStart(6)} kB${page.limit === undefined ? "" : ` of ${page.limit.toFixed(1)}`}`
    )
    for (const name of unusedOperations(page, measured))
      problems.push(`${page.name}: contains ${name}, which is unused.`)
    if (page.limit === undefined || measured.kB <= page.limit) continue
    problems.push(`${page.name}: ${kB} kB is over the limit of ${page.limit.toFixed(1)} kB (${placeOf(page)}).`)
    problems.push(...largest(measured))
  }
  return lines([...problems, ...(await consoleSizes())])
}
