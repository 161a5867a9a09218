import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { listTools } from "@tollgate/gateway/operator"
import { UpstreamCarrier } from "@tollgate/server"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { configPath } from "../settings/Settings.ts"
import { type ImportPrice, parsePrice, prefixOf } from "../operations/import/Options.ts"
import { withoutRefused } from "../operations/import/acceptable.ts"
import { importTools } from "../operations/mcp/importTools.ts"
import { mcpUpstream } from "../operations/mcp/mcpUpstream.ts"
import { CommandError } from "../terminal/print.ts"
import { withProgress } from "../terminal/progress.ts"
import { conclude, fileOf, only, out, prefix, readOld, update } from "./operationsImport.ts"

const address = Argument.String("address").pipe(
  Argument.withDescription("The address of an MCP server that speaks streamable HTTP, such as https://host/mcp")
)

const upstream = Flag.String("upstream").pipe(
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

const price = Flag.String("price").pipe(
  Flag.withMetavar("usd"),
  Flag.filterMap(toolPriceOf, () => "an amount of USD such as 0.002, or free, or both for one tool: echo=0.01"),
  Flag.withDescription(
    "What each call costs, in USD, or free; tool=0.01 for one tool; repeatable; without it calls are refused"
  ),
  Flag.atLeast(0)
)

const fail = (message: string) => Effect.fail(new CommandError({ message }))

const unsafeName = /[^A-Za-z0-9_-]+/g

/** The name for a server that the caller gave none. */
const nameOf = (address: string): string =>
  (URL.parse(address)?.hostname ?? "").replaceAll(unsafeName, "-").replaceAll(/^-+|-+$/g, "") || "mcp"

export const importMcp = Command.make(
  "mcp",
  { address, upstream, price, only, out, prefix, update },
  Effect.fnUntraced(function* (given) {
    const config = Option.getOrUndefined(yield* configPath)
    const name = Option.getOrElse(given.upstream, () => nameOf(given.address))
    const file = fileOf(given.out, config, name)
    const old = yield* readOld(file, name)
    const { isConfigured, provider } = yield* mcpUpstream(config, name, given.address)
    const offered = yield* withProgress("Reading the tools of the server", () =>
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
