import * as InProcess from "@tollgate/contract/carrier/InProcess"
import type { Bound } from "@tollgate/contract/Operation"
import { isByModel, type Price } from "@tollgate/contract/price/Price"
import { Composition } from "@tollgate/gateway"
import { makeReach, priceText, servingOf, shapeFor, type Target, tryTarget } from "@tollgate/gateway/operator"
import { BillingLog, Description, Sandbox } from "@tollgate/sandbox"
import { UpstreamCarrier } from "@tollgate/server"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { plan, pricing } from "../config/plan.ts"
import { read } from "../config/read.ts"
import * as Print from "../terminal/print.ts"
import { printTable } from "./answer.ts"
import { optionalText, toggle, configFile, config, optionalArgument, argument } from "./inputs.ts"

const json = toggle("json", "Print JSON: amounts are USD, as text")

interface Reached {
  readonly model: string
  readonly operation: Bound
  readonly target: Target
}

const described = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const file = yield* read(yield* configFile(given))
  const { catalogue, models = [], routes } = yield* plan(file)
  const reach = makeReach(routes)
  const reachedBy = (model: string): ReadonlyArray<Reached> => {
    const { operations } = models.find(({ id }) => id === model) ?? {}
    return catalogue.bound
      .filter(({ id, price }) => isByModel(price) && (operations?.includes(id) ?? true))
      .flatMap((operation) => reach(operation.id, model).map((target) => ({ model, operation, target })))
  }
  return { models, prices: pricing(file).prices, reachedBy }
})

const shown = ({ model, operation, target }: Reached) => ({
  operation: operation.id,
  upstream: target.provider.name,
  model: target.model ?? model,
  protocol: target.provider.protocol
})

type Row = Readonly<Record<string, unknown>>

const print = (rows: ReadonlyArray<Row>, json: boolean) =>
  json ? Print.json(rows) : printTable(rows, Object.keys(rows[0] ?? {}), "routes there")

const list = Command.make(
  "list",
  {
    model: optionalArgument("model", "A model as callers name it; default: each that the configuration names"),
    config,
    json
  },
  Effect.fnUntraced(function* ({ config, json, model }) {
    const { models, prices, reachedBy } = yield* described(config)
    const asked = Option.isSome(model) ? [model.value] : models.map(({ id }) => id)
    const words = (price: Price | undefined) => price && priceText(price).words
    const rows = asked.flatMap(reachedBy).map((one) => ({
      asked_for: one.model,
      ...shown(one),
      translated: servingOf(one.target, one.operation.id).isTranslated,
      weight: one.target.weight,
      price: words(prices.of(one.operation, one.model)),
      upstream_price: words(one.target.provider.prices?.of(one.operation, one.target.model ?? one.model)) ?? null
    }))
    yield* print(rows, json)
  })
).pipe(
  Command.withDescription("Which operations reach a model, by which upstreams in which order, and at what price"),
  Command.withShortDescription("Which operations reach a model, and at what price")
)

const keyOf = ({ target: { model, path, provider } }: Reached): string =>
  JSON.stringify([provider.name, provider.protocol, model, path])

/** Over the network, and to the sandbox in this process. */
const carrier = Layer.unwrap(
  Effect.map(Sandbox.make(), (app) => InProcess.layer({ origin: Description.origin, app, host: "sandbox.invalid" }))
).pipe(
  Layer.provideMerge(Layer.mergeAll(UpstreamCarrier.layer(), BillingLog.layerMemory())),
  Layer.provideMerge(Composition.layerCrypto)
)

const test = Command.make(
  "test",
  {
    model: argument("model", "A model as callers name it"),
    operation: optionalText("operation", "id", "Only the targets of this operation; default: each target once"),
    config,
    json
  },
  Effect.fnUntraced(function* ({ config, json, model, operation }) {
    const { prices, reachedBy } = yield* described(config)
    const all = reachedBy(model).filter(
      (one) => Option.getOrElse(operation, () => one.operation.id) === one.operation.id
    )
    const asked = all.filter(({ operation, target }) => shapeFor(target.provider, operation.id) !== undefined)
    const tests = asked.filter((one, i) => asked.findIndex((other) => keyOf(other) === keyOf(one)) === i)
    if (tests.length === 0) {
      const why = all.length > 0 ? "No language model answers there." : "No route leads there."
      return yield* Print.fail(`${why} Nothing was sent.`)
    }
    const paid = tests.flatMap(({ target: { provider } }) => {
      return provider.baseUrl === Description.origin ? [] : [provider.name]
    })
    if (paid.length > 0) {
      const names = [...new Set(paid)].join(", ")
      yield* Print.warning(`This sends a small call to each of these, which may cost money: ${names}`)
    }
    const rows = yield* Effect.forEach(
      tests,
      (one) =>
        Effect.map(tryTarget(one.target, one.operation, model, prices), (trial) => ({ ...shown(one), ...trial })),
      { concurrency: 4 }
    ).pipe(Effect.provide(carrier))
    yield* print(rows, json)
    const failed = rows.filter(({ problem }) => problem !== null).length
    if (failed > 0) return yield* Print.fail(`${failed} of ${rows.length} failed.`)
  })
).pipe(
  Command.withDescription(
    "Send a small call to each upstream of a model and say what it cost; it may cost money; exit code 1 if one fails"
  ),
  Command.withShortDescription("Send a small call to each upstream of a model")
)

export const routes = Command.make("routes").pipe(
  Command.withDescription("See which operations reach a model by which upstreams, and try them"),
  Command.withSubcommands([list, test])
)
