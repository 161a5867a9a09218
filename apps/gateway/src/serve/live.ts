import type { Carrier, NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as InProcess from "@tollgate/contract/carrier/InProcess"
import { fill } from "@tollgate/contract/Names"
import { linkCallback } from "@tollgate/contract/operations/linkCallback"
import {
  BaseUrl,
  Composition,
  type Platform,
  SalesSource,
  fetchDocument,
  ledgerTotals,
  SignedSnapshot
} from "@tollgate/gateway"
import { type BillingLog, Description, Sandbox } from "@tollgate/sandbox"
import type { Signature } from "effect/crypto/Signature"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import { isDeepStrictEqual } from "node:util"
import type { Config } from "../config/Config.ts"
import { plan } from "../config/plan.ts"
import type { SalesData } from "../config/sections/salesData.ts"
import * as Data from "effect/Data"
import { readFile } from "node:fs/promises"

class FileNotRead extends Data.TaggedError("FileNotRead") {}

const readDocument = (path: string): Effect.Effect<Uint8Array, FileNotRead> =>
  Effect.tryPromise({ try: () => readFile(path), catch: () => new FileNotRead() }).pipe(
    Effect.filterOrFail(
      (bytes) => bytes.length <= SignedSnapshot.maxDocumentBytes,
      () => new FileNotRead()
    )
  )

const documentOf = (
  from: Exclude<SalesData, { readonly from: "ledger" }>
): Effect.Effect<Uint8Array, FileNotRead | NotCarried, Carrier> =>
  from.from === "file" ? readDocument(from.path) : fetchDocument(from.url, from.private)

const salesSource = Effect.fnUntraced(function* (from: SalesData) {
  const context = yield* Effect.context<SqlClient | Signature | Carrier>()
  if (from.from === "ledger") return new SalesSource(Effect.provideContext(ledgerTotals, context))
  // Fails for a key of the wrong length, which the configuration does not let through.
  const verify = yield* Effect.orDie(SignedSnapshot.make(from.publicKey))
  return new SalesSource(Effect.provideContext(Effect.flatMap(documentOf(from), verify), context))
})

const callbackOf = ({ names }: Config, baseUrl: string) => `${baseUrl}${fill(linkCallback.path ?? "", names)}`

const platformOf = (config: Config, baseUrl: string): Platform["Service"] | undefined => {
  const known = config.platform ?? (config.sandbox ? Description.platform(baseUrl) : undefined)
  return known && { ...known, redirectUri: callbackOf(config, baseUrl) }
}

/** The configuration can be replaced: requests end under theirs; ledger, limits, tasks and links stay. */
export const live = Effect.fnUntraced(function* (config: Config) {
  const baseUrl = yield* BaseUrl
  const context = yield* Effect.context<BillingLog | Carrier | Signature | SqlClient>()

  const sandboxOf = (config: Config) =>
    Effect.provideContext(Sandbox.make({ names: config.names, redirectUri: callbackOf(config, baseUrl) }), context)

  /** To the sandbox in this process, and to all other upstreams over the network. */
  const carrier = (sandbox: Sandbox.App) =>
    Layer.provide(
      InProcess.layer({ origin: Description.origin, app: sandbox, host: new URL(baseUrl).host }),
      Layer.succeedContext(context)
    )

  /** The source in force. A reload that does not change it keeps its last snapshot. */
  let sales: { readonly from: SalesData; readonly source: SalesSource } | undefined
  const salesOf = Effect.fnUntraced(function* (from: SalesData | undefined) {
    if (from === undefined) return undefined
    if (isDeepStrictEqual(sales?.from, from)) return sales?.source
    return yield* Effect.provideContext(salesSource(from), context)
  })

  const definitionOf = Effect.fnUntraced(function* (config: Config) {
    const definition = yield* plan(config)
    const source = yield* salesOf(config.salesData)
    sales = config.salesData && source && { from: config.salesData, source }
    return { ...definition, salesData: source }
  })

  const services = Composition.all({ platform: platformOf(config, baseUrl) })
  const sandbox = yield* sandboxOf(config)
  const {
    gateway,
    replace,
    services: built,
    upstreams
  } = yield* Effect.provide(Composition.make(yield* definitionOf(config), services), carrier(sandbox))
  let pages = config.sandbox ? sandbox : undefined
  let inForce = config
  return {
    gateway,
    /** The routes in force, and what is known of their upstreams. */
    upstreams,
    /** The sandbox, if the configuration in force has it. */
    pages: () => pages,
    /** Whether every call that is not answered here goes to the sandbox. */
    onlySandbox: () => inForce.sandbox && Object.keys(inForce.upstreams).length === 0,
    /** Limits, tasks, links and records, which stay. */
    services: built,
    change: Effect.fnUntraced(function* (next: Config) {
      const sandbox = yield* sandboxOf(next)
      yield* Effect.provide(replace(yield* definitionOf(next)), carrier(sandbox))
      pages = next.sandbox ? sandbox : undefined
      inForce = next
    })
  }
})

export type Live = Effect.Success<ReturnType<typeof live>>
