import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./program.ts"

/** A program in a document: a block of `ts`. */
export interface Example {
  /** Such as `docs/client.md:24`. */
  readonly place: string
  readonly code: string
  /** Programs for a page, and those that `declare` what the reader has, are only compiled. */
  readonly runs: boolean
  /** Serves until it is told to stop. */
  readonly serves: boolean
  /** What it must print: the text after each `// prints`. */
  readonly prints: ReadonlyArray<string>
  /** Whether it needs the Node of the gateway, as SDKs of others do, and not only that of the client. */
  readonly needsGateway: boolean
}

const documents = ["README.md", "docs/*.md", "{packages,apps}/*/{README,TESTING}.md"]

const exampleOf = (place: string, code: string): Example => ({
  place,
  code,
  runs: !/^(export )?declare /m.test(code) && !/"@tollgate\/(browser|react)/.test(code),
  serves: code.includes("runMain("),
  prints: [...code.matchAll(/\/\/ prints (.*)$/gm)].map(([, text = ""]) => text),
  needsGateway: /"@tollgate\/(gateway|ledger|sandbox|server)|from "(?:ai|openai|@anthropic-ai\/sdk)"/.test(code)
})

const examplesIn = (document: string): ReadonlyArray<Example> => {
  const page = readFileSync(join(root, document), "utf8")
  return [...page.matchAll(/```ts(?: file=\S+)?\n(.*?)```/gs)].map(({ 1: code = "", index }) =>
    exampleOf(`${document}:${page.slice(0, index).split("\n").length}`, code)
  )
}

/** Every program in the documents that users read. */
export const examples: ReadonlyArray<Example> = documents
  .flatMap((pattern) => globSync(pattern, { cwd: root }).sort())
  .flatMap(examplesIn)
