import * as InProcess from "@tollgate/contract/carrier/InProcess"
import { formatUsd, type NanoUsd } from "@tollgate/contract/Money"
import type { Bound } from "@tollgate/contract/Operation"
import { modelInWords } from "@tollgate/contract/price/contracts/modelSection"
import { findModel } from "@tollgate/contract/price/modelFamily"
import { isByModel, modelsOf, type Price } from "@tollgate/contract/price/Price"
import { totalTokens } from "@tollgate/contract/price/TokenKind"
import { Composition } from "@tollgate/gateway"
import {
  makeReach,
  priceText,
  servingOf,
  shapeFor,
  type Target,
  type Trial,
  tryTarget
} from "@tollgate/gateway/operator"
import { BillingLog, Description, Sandbox } from "@tollgate/sandbox"
import { UpstreamCarrier } from "@tollgate/server"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { plan, pricing } from "../config/plan.ts"
import { read } from "../config/read.ts"
import { configPath } from "../settings/Settings.ts"
import * as Print from "../terminal/print.ts"
import { CommandError } from "../terminal/print.ts"
import { printTable } from "./answer.ts"
import { optionalText, toggle } from "./inputs.ts"

const config = optionalText("config", "file", "A configuration file; default: TOLLGATE_CONFIG")
const json = toggle("json", "Print JSON: amounts are USD, as text")

const fail = (message: string) => Effect.fail(new CommandError({ message }))

/** An operation that reaches a model, and one of the targets to which its calls go. */
interface Reached {
  readonly model: string
  readonly operation: Bound
  readonly target: Target
}

/** The prices of a file, its models, and who serves a model. */
const described = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const path = Option.getOrUndefined(Option.isSome(given) ? given : yield* configPath)
  if (path === undefined) return yield* fail("Name the configuration file by --config or TOLLGATE_CONFIG.")
  const file = yield* read(path)
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

/** A price of one model in words. */
const inWords = (price: Price | undefined, model: string): string | null => {
  if (price === undefined) return null
  const found = findModel(modelsOf(price), model)
  return isByModel(price) ? (found === undefined ? null : modelInWords(found)) : priceText(price).words
}

type Row = Readonly<Record<string, unknown>>

const print = (rows: ReadonlyArray<Row>, json: boolean) =>
  json ? Print.json(rows) : printTable(rows, Object.keys(rows[0] ?? {}), "routes there")

const list = Command.make(
  "list",
  {
    model: Argument.String("model").pipe(
      Argument.withDescription("A model as callers name it; default: each that the configuration names"),
      Argument.optional
    ),
    config,
    json
  },
  Effect.fnUntraced(function* ({ config, json, model }) {
    const { models, prices, reachedBy } = yield* described(config)
    const asked = Option.isSome(model) ? [model.value] : models.map(({ id }) => id)
    const rows = asked.flatMap(reachedBy).map(({ model, operation, target: { model: sentAs = model, ...target } }) => ({
      model,
      operation: operation.id,
      upstream: target.provider.name,
      sent_as: sentAs,
      weight: target.weight,
      protocol: target.provider.protocol,
      translated: servingOf(target, operation.id).isTranslated,
      price: inWords(prices.of(operation, model), model),
      upstream_price: inWords(target.provider.prices?.of(operation, sentAs), sentAs)
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

const usdOf = (amount: NanoUsd | undefined): string | null => (amount === undefined ? null : formatUsd(amount))

const rowOf = ({ model, operation, target }: Reached, { cost, listed, millis, problem, status, usage }: Trial) => ({
  upstream: target.provider.name,
  model: target.model ?? model,
  protocol: target.provider.protocol,
  operation: operation.id,
  status: status ?? null,
  milliseconds: millis,
  input_tokens: usage === undefined ? null : totalTokens(usage) - usage.output,
  output_tokens: usage?.output ?? null,
  upstream_usd: usdOf(cost),
  list_usd: usdOf(listed),
  problem: problem ?? null
})

const test = Command.make(
  "test",
  {
    model: Argument.String("model").pipe(Argument.withDescription("A model as callers name it")),
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
      const only = "Only upstreams of language models can be tested, which answer a conversation."
      const by = Option.match(operation, { onNone: () => "", onSome: (id) => ` of ${id}` })
      return yield* fail(all.length === 0 ? `No route${by} leads to ${JSON.stringify(model)}.` : only)
    }
    const paid = tests.flatMap(({ target: { provider } }) =>
      provider.baseUrl === Description.origin ? [] : [provider.name]
    )
    if (paid.length > 0) {
      const names = [...new Set(paid)].join(", ")
      yield* Print.warning(`This sends a small call to each of these, which may cost money: ${names}`)
    }
    const rows = yield* Effect.forEach(
      tests,
      (one) => Effect.map(tryTarget(one.target, one.operation, model, prices), (trial) => rowOf(one, trial)),
      { concurrency: 4 }
    ).pipe(Effect.provide(carrier))
    yield* print(rows, json)
    const failed = rows.filter(({ problem }) => problem !== null).length
    if (failed > 0) return yield* fail(`${failed} of ${rows.length} failed.`)
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
