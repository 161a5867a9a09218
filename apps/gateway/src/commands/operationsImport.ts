import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { listTools } from "@tollgate/gateway/operator"
import { UpstreamCarrier } from "@tollgate/server"
import { baseUrlProblem } from "../config/text/values.ts"
import { configPath } from "../settings/Settings.ts"
import { noAddress } from "../operations/import/configured.ts"
import type { Imported } from "../operations/import/imported.ts"
import { formatFile, parseOld } from "../operations/import/OperationsFile.ts"
import { fileNameOf, type ImportPrice, parsePrice, prefixOf, prefixPattern } from "../operations/import/Options.ts"
import { type Given, importText, outcomeOf } from "../operations/import/outcome.ts"
import { serverNote, upstreamsIn, usableServer } from "../operations/import/servers.ts"
import { nameOf, readSource } from "../operations/import/document.ts"
import { field, textOf } from "../operations/import/values.ts"
import * as Print from "../terminal/print.ts"
import { onFile } from "../terminal/onFile.ts"
import { withProgress } from "../terminal/progress.ts"
import { withoutRefused } from "../operations/import/acceptable.ts"
import { importTools } from "../operations/mcp/importTools.ts"
import { mcpUpstream } from "../operations/mcp/mcpUpstream.ts"
import { optionalText, toggle, argument, textFlag } from "./inputs.ts"

const document = argument("document", "An OpenAPI document, 3.0 to 3.2, JSON or YAML: a file, or an address with https")

const upstream = textFlag("upstream", "name", "The upstream of the configuration that executes the operations")

const price = Flag.String("price").pipe(
  Flag.withMetavar("usd"),
  Flag.filterMap(parsePrice, () => "an amount of USD with at most nine decimals, such as 0.002, or free"),
  Flag.withDescription("What each call costs, in USD, or free; without it calls are refused"),
  Flag.optional
)

export const only = Flag.atLeast(
  textFlag(
    "only",
    "pattern",
    "Only operations whose id, path, method and path, or tag is this; * stands for any text; repeatable"
  ),
  0
)

const out = optionalText(
  "out",
  "file",
  "The file to write; default: <upstream>.operations.json beside the configuration"
)

const prefix = Flag.String("prefix").pipe(
  Flag.withMetavar("name"),
  Flag.filterMap(
    (text) => (prefixPattern.test(text) ? Option.some(text) : Option.none()),
    () => "lower-case letters, digits, _ and -"
  ),
  Flag.withDescription("The first part of ids, and of paths after /apis/v1/; default: the upstream's name"),
  Flag.optional
)

const update = toggle("update", "Change an existing file; without it the differences are only shown")

/** The message may quote a document of others. */
const fail = (message: string) => Print.fail(Print.escaped(message))

interface Asked {
  readonly out: Option.Option<string>
  readonly prefix: Option.Option<string>
  readonly only: ReadonlyArray<string>
  readonly update: boolean
}

/** The file to write, by default beside the configuration, with what an earlier import has put into it. */
const targetOf = Effect.fnUntraced(function* ({ only, out, prefix, update }: Asked, upstream: string) {
  const config = Option.getOrUndefined(yield* configPath)
  const file = Option.getOrElse(out, () => join(config === undefined ? "." : dirname(config), fileNameOf(upstream)))
  const text = yield* onFile(file, "read", () => (existsSync(file) ? readFileSync(file, "utf8") : undefined))
  const old = text === undefined ? undefined : parseOld(file, text, upstream, "Name another file with --out.")
  if (old !== undefined && Result.isFailure(old)) return yield* fail(old.failure)
  const options = { upstream, prefix: Option.getOrElse(prefix, () => prefixOf(upstream)), only }
  return { config, file, old: old?.success, options, update, upstream }
})

/** All or nothing: a gateway may read the file meanwhile. */
const writeFile = (file: string, text: string) =>
  onFile(file, "written", () => {
    const part = `${file}.part`
    writeFileSync(part, text)
    renameSync(part, file)
  })

const entryOf = (name: string, protocol: "json" | "mcp", baseUrl: string, isPrivate: boolean): string => {
  const shown = `"protocol": "${protocol}", "baseUrl": ${JSON.stringify(baseUrl)}${isPrivate ? ', "private": true' : ""}`
  return `${JSON.stringify(name)}: { ${shown} }`
}

const notesOf = ({ server }: Imported, name: string, config: string | undefined): ReadonlyArray<string> => {
  const upstreams = upstreamsIn(config)
  if (upstreams === undefined) return []
  if (!Object.hasOwn(upstreams, name)) {
    const usable = usableServer(server)
    const isPrivate = usable !== undefined && baseUrlProblem(usable, { private: false, insecure: true }) !== undefined
    return [
      `${config} has no upstream ${JSON.stringify(name)} yet. Add it to "upstreams", with a "credential" if it needs one:`,
      `  ${entryOf(name, "json", usable ?? noAddress, isPrivate)}`
    ]
  }
  const note = serverNote(server, textOf(field(upstreams[name], "baseUrl")))
  return note === undefined ? [] : [note]
}

const nextSteps = (file: string, config: string | undefined): ReadonlyArray<string> => {
  const path = config === undefined ? basename(file) : relative(dirname(resolve(config)), resolve(file))
  return [
    "",
    `Add this line to "operations" in ${config ?? "your configuration file"}:`,
    `  { "file": ${JSON.stringify(path)} }`,
    `Then check it: ${Print.typed.program} config check ${config ?? "<file>"}`
  ]
}

const print = (lines: ReadonlyArray<string>) => Print.line(lines.join("\n"))

type Conclusion = Given & Pick<Effect.Success<ReturnType<typeof targetOf>>, "config" | "file" | "update">

/** Writes a new file, or compares with the one that exists. */
const conclude = Effect.fnUntraced(function* ({ config, file, update, ...given }: Conclusion) {
  const outcome = outcomeOf(given)
  if (outcome.kind === "nothing") return yield* Effect.andThen(print(outcome.lines), fail("Nothing was written."))
  if (outcome.kind === "new" || (outcome.kind === "changed" && update)) {
    yield* writeFile(file, formatFile(outcome.file))
  }
  if (outcome.kind === "new") {
    return yield* print([...outcome.lines, "", `Wrote ${file}.`, ...nextSteps(file, config)])
  }
  const end =
    outcome.kind === "same"
      ? `${file} is up to date.`
      : update
        ? `Updated ${file}.`
        : `${file} was not changed. With --update these changes are made; prices, limits and other changes by hand stay.`
  return yield* print([...outcome.lines, "", end])
})

export const importOperations = Command.make(
  "import",
  { document, upstream, price, only, out, prefix, update },
  Effect.fnUntraced(function* (given) {
    const target = yield* targetOf(given, given.upstream)
    const name = nameOf(given.document)
    const source = yield* withProgress(`Reading ${name}`, readSource(given.document))
    const read = yield* withProgress(
      `Importing ${name}`,
      Effect.sync(() =>
        importText(source, { ...target.options, price: Option.getOrElse(given.price, (): ImportPrice => "pending") })
      )
    )
    if (Result.isFailure(read)) return yield* fail(`${name} ${read.failure}.`)
    const imported = read.success
    const notes = notesOf(imported, given.upstream, target.config)
    return yield* conclude({ ...target, imported, notes, isPriced: Option.isSome(given.price) })
  })
).pipe(Command.withDescription("Write the operations of an OpenAPI document into a file for the configuration"))

const address = argument(
  "address",
  "The address of an MCP server that speaks streamable HTTP, such as https://host/mcp"
)

const toolUpstream = optionalText(
  "upstream",
  "name",
  "The upstream of the configuration that calls the tools, and whose credential reads them; default: the server's host"
)

type ToolPrice = readonly [tool: string | undefined, price: ImportPrice]

const toolPriceOf = (text: string): Option.Option<ToolPrice> => {
  const at = text.lastIndexOf("=")
  return Option.map(
    parsePrice(text.slice(at + 1)),
    (price) => [at === -1 ? undefined : text.slice(0, at), price] as const
  )
}

const toolPrice = Flag.String("price").pipe(
  Flag.withMetavar("usd"),
  Flag.filterMap(toolPriceOf, () => "an amount of USD such as 0.002, or free, or both for one tool: echo=0.01"),
  Flag.withDescription(
    "What each call costs, in USD, or free; tool=0.01 for one tool; repeatable; without it calls are refused"
  ),
  Flag.atLeast(0)
)

const unsafeName = /[^A-Za-z0-9_-]+/g

const serverNameOf = (address: string): string =>
  (URL.parse(address)?.hostname ?? "").replaceAll(unsafeName, "-").replaceAll(/^-+|-+$/g, "") || "mcp"

export const importMcp = Command.make(
  "mcp",
  { address, upstream: toolUpstream, price: toolPrice, only, out, prefix, update },
  Effect.fnUntraced(function* (given) {
    const name = Option.getOrElse(given.upstream, () => serverNameOf(given.address))
    const target = yield* targetOf(given, name)
    const { isConfigured, provider } = yield* mcpUpstream(target.config, name, given.address)
    const offered = yield* withProgress(
      "Reading the tools of the server",
      Carrier.use((carrier) => listTools(provider, carrier))
    ).pipe(
      Effect.provide(UpstreamCarrier.layer()),
      Effect.catch((reason) => fail(`${provider.baseUrl} cannot be read as an MCP server: ${reason}.`))
    )
    const prices = new Map(given.price.flatMap(([tool, price]) => (tool === undefined ? [] : [[tool, price] as const])))
    const forAll = given.price.flatMap(([tool, price]) => (tool === undefined ? [price] : []))
    if (forAll.length > 1) return yield* fail("--price is given twice for all tools.")
    const all = importTools(offered, { ...target.options, price: forAll[0] ?? "pending", prices })
    const imported = withoutRefused(all, { name, protocol: "mcp" })
    const unknown = [...prices.keys()].find((tool) => !imported.keys.has(`tool ${tool}`))
    if (unknown !== undefined)
      return yield* fail(`--price names ${JSON.stringify(unknown)}, which is no tool of the server.`)
    if (imported.chosen === 0) {
      return yield* fail(imported.total === 0 ? "The server offers no tools." : "--only matches no tool.")
    }
    const entry = entryOf(name, "mcp", provider.baseUrl, provider.private)
    const notes = isConfigured ? [] : [`Add the upstream to the configuration: ${entry}`]
    return yield* conclude({ ...target, imported, notes, isPriced: given.price.length > 0 })
  })
).pipe(Command.withDescription("Write the tools of an MCP server into a file for the configuration"))
