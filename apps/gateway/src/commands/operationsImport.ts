import * as Argument from "effect/cli/Argument"
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
import type { Imported } from "../operations/import/imported.ts"
import { formatFile, type OperationsFile, otherUpstream, parseFile } from "../operations/import/OperationsFile.ts"
import { fileNameOf, type ImportPrice, parsePrice, prefixOf, prefixPattern } from "../operations/import/Options.ts"
import { type Given, importText, outcomeOf, carriedLine } from "../operations/import/outcome.ts"
import { serverNote, upstreamsIn, usableServer } from "../operations/import/servers.ts"
import { nameOf, readSource } from "../operations/import/document.ts"
import { field, textOf } from "../operations/import/values.ts"
import * as Print from "../terminal/print.ts"
import { typed, CommandError } from "../terminal/print.ts"
import { withProgress } from "../terminal/progress.ts"
import { withoutRefused } from "../operations/import/acceptable.ts"
import { importTools } from "../operations/mcp/importTools.ts"
import { mcpUpstream } from "../operations/mcp/mcpUpstream.ts"

const document = Argument.String("document").pipe(
  Argument.withDescription("An OpenAPI document, 3.0 to 3.2, JSON or YAML: a file, or an address with https")
)

const upstream = Flag.String("upstream").pipe(
  Flag.withMetavar("name"),
  Flag.withDescription("The upstream of the configuration that executes the operations")
)

const price = Flag.String("price").pipe(
  Flag.withMetavar("usd"),
  Flag.filterMap(parsePrice, () => "an amount of USD with at most nine decimals, such as 0.002, or free"),
  Flag.withDescription("What each call costs, in USD, or free; without it calls are refused"),
  Flag.optional
)

export const only = Flag.String("only").pipe(
  Flag.withMetavar("pattern"),
  Flag.withDescription(
    "Only operations whose id, path, method and path, or tag is this; * stands for any text; repeatable"
  ),
  Flag.atLeast(0)
)

const out = Flag.String("out").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription("The file to write; default: <upstream>.operations.json beside the configuration"),
  Flag.optional
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

const update = Flag.Boolean("update").pipe(
  Flag.withDescription("Change an existing file; without it the differences are only shown"),
  Flag.withDefault(false)
)

/** The message may quote a document of others. */
const fail = (message: string) => Effect.fail(new CommandError({ message: Print.escaped(message) }))

/** The file of an earlier import for this upstream. */
const readOld = (file: string, upstream: string): Effect.Effect<OperationsFile | undefined, CommandError> =>
  Effect.gen(function* () {
    if (!existsSync(file)) return undefined
    const text = yield* Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: () => new CommandError({ message: `${file} cannot be read.` })
    })
    const parsed = parseFile(text)
    if (Result.isFailure(parsed)) return yield* fail(`${file}${parsed.failure}`)
    const other = otherUpstream(parsed.success, upstream)
    if (other === undefined) return parsed.success
    return yield* fail(
      `${file} has the operations of the upstream ${JSON.stringify(other)}. Name another file with --out.`
    )
  })

/** All or nothing: a gateway may read the file meanwhile. */
const writeFile = (file: string, text: string) =>
  Effect.try({
    try: () => {
      const part = `${file}.part`
      writeFileSync(part, text)
      renameSync(part, file)
    },
    catch: () => new CommandError({ message: `${file} cannot be written.` })
  })

/** An upstream at the address that the document names. */
const entryOf = (name: string, server: string | undefined): string => {
  const usable = usableServer(server)
  const baseUrl = usable ?? "https://…"
  const isPrivate = usable !== undefined && baseUrlProblem(usable, { private: false, insecure: true }) !== undefined
  const shown = `"protocol": "json", "baseUrl": ${JSON.stringify(baseUrl)}${isPrivate ? ', "private": true' : ""}`
  return `${JSON.stringify(name)}: { ${shown} }`
}

const notesOf = ({ server }: Imported, name: string, config: string | undefined): ReadonlyArray<string> => {
  const upstreams = upstreamsIn(config)
  if (upstreams === undefined) return []
  if (!Object.hasOwn(upstreams, name))
    return [
      `${config} has no upstream ${JSON.stringify(name)} yet. Add it to "upstreams", with a "credential" if it needs one:`,
      `  ${entryOf(name, server)}`
    ]
  const note = serverNote(server, textOf(field(upstreams[name], "baseUrl")))
  return note === undefined ? [] : [note]
}

const nextSteps = (file: string, config: string | undefined): ReadonlyArray<string> => {
  const path = config === undefined ? basename(file) : relative(dirname(resolve(config)), resolve(file))
  return [
    "",
    `Add this line to "operations" in ${config ?? "your configuration file"}:`,
    `  { "file": ${JSON.stringify(path)} }`,
    `Then check it: ${typed.program} config check ${config ?? "<file>"}`
  ]
}

const print = (lines: ReadonlyArray<string>) => Print.line(lines.join("\n"))

/** The file to write: the one that is named, or one for the upstream beside the configuration. */
const fileOf = (out: Option.Option<string>, config: string | undefined, upstream: string): string =>
  Option.getOrElse(out, () => join(config === undefined ? "." : dirname(config), fileNameOf(upstream)))

interface Conclusion extends Given {
  readonly file: string
  readonly config: string | undefined
  readonly update: boolean
}

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
    const config = Option.getOrUndefined(yield* configPath)
    const file = fileOf(given.out, config, given.upstream)
    const old = yield* readOld(file, given.upstream)
    const name = nameOf(given.document)
    const source = yield* withProgress(`Reading ${name}`, readSource(given.document))
    const read = yield* withProgress(
      `Importing ${name}`,
      Effect.sync(() =>
        importText(source, {
          upstream: given.upstream,
          prefix: Option.getOrElse(given.prefix, () => prefixOf(given.upstream)),
          price: Option.getOrElse(given.price, (): ImportPrice => "pending"),
          only: given.only
        })
      )
    )
    if (Result.isFailure(read)) return yield* fail(`${name} ${read.failure}.`)
    const imported = read.success
    return yield* conclude({
      imported,
      old,
      file,
      config,
      upstream: given.upstream,
      first: carriedLine(imported),
      notes: notesOf(imported, given.upstream, config),
      isPriced: Option.isSome(given.price),
      update: given.update
    })
  })
).pipe(Command.withDescription("Write the operations of an OpenAPI document into a file for the configuration"))

const address = Argument.String("address").pipe(
  Argument.withDescription("The address of an MCP server that speaks streamable HTTP, such as https://host/mcp")
)

const toolUpstream = Flag.String("upstream").pipe(
  Flag.withMetavar("name"),
  Flag.withDescription(
    "The upstream of the configuration that calls the tools, and whose credential reads them; default: the server's host"
  ),
  Flag.optional
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

/** The name for a server that the caller gave none. */
const serverNameOf = (address: string): string =>
  (URL.parse(address)?.hostname ?? "").replaceAll(unsafeName, "-").replaceAll(/^-+|-+$/g, "") || "mcp"

export const importMcp = Command.make(
  "mcp",
  { address, upstream: toolUpstream, price: toolPrice, only, out, prefix, update },
  Effect.fnUntraced(function* (given) {
    const config = Option.getOrUndefined(yield* configPath)
    const name = Option.getOrElse(given.upstream, () => serverNameOf(given.address))
    const file = fileOf(given.out, config, name)
    const old = yield* readOld(file, name)
    const { isConfigured, provider } = yield* mcpUpstream(config, name, given.address)
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
    const all = importTools(offered, {
      upstream: name,
      prefix: Option.getOrElse(given.prefix, () => prefixOf(name)),
      price: forAll[0] ?? "pending",
      prices,
      only: given.only
    })
    const imported = withoutRefused(all, { name, protocol: "mcp" })
    const unknown = [...prices.keys()].find((tool) => !imported.keys.has(`tool ${tool}`))
    if (unknown !== undefined)
      return yield* fail(`--price names ${JSON.stringify(unknown)}, which is no tool of the server.`)
    if (imported.chosen === 0) {
      return yield* fail(imported.total === 0 ? "The server offers no tools." : "--only matches no tool.")
    }
    const { operations, title, total, version } = imported
    const first = `${title}, MCP ${version}: ${operations.length} of ${total} tools imported.`
    const isPrivate = provider.private ? ', "private": true' : ""
    const entry = `${JSON.stringify(name)}: { "protocol": "mcp", "baseUrl": ${JSON.stringify(provider.baseUrl)}${isPrivate} }`
    return yield* conclude({
      imported,
      old,
      file,
      config,
      upstream: name,
      first,
      notes: isConfigured ? [] : [`Add the upstream to the configuration: ${entry}`],
      isPriced: given.price.length > 0,
      update: given.update
    })
  })
).pipe(Command.withDescription("Write the tools of an MCP server into a file for the configuration"))
