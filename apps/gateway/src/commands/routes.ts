import * as InProcess from "@tollgate/contract/carrier/InProcess"
import { formatUsd, type NanoUsd } from "@tollgate/contract/Money"
import type { Bound } from "@tollgate/contract/Operation"
import { modelInWords } from "@tollgate/contract/price/contracts/modelSection"
import { findModel } from "@tollgate/contract/price/modelFamily"
import { isByModel, modelsOf, type Price } from "@tollgate/contract/price/Price"
import { type TokenUsage, totalTokens } from "@tollgate/contract/price/TokenKind"
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
  if (path === undefined)
    return yield* fail("Name the configuration file: --config tollgate.jsonc, or TOLLGATE_CONFIG.")
  const file = yield* read(path)
  const { catalogue, models = [], routes } = yield* plan(file)
  const reach = makeReach(routes)
  const byModel = catalogue.bound.filter(({ price }) => isByModel(price))
  const reachedBy = (model: string): ReadonlyArray<Reached> => {
    const { operations } = models.find(({ id }) => id === model) ?? {}
    return byModel
      .filter(({ id }) => operations?.includes(id) ?? true)
      .flatMap((operation) => reach(operation.id, model).map((target) => ({ model, operation, target })))
  }
  return { catalogue, models, prices: pricing(file).prices, reachedBy }
})

/** A price of one model in words. */
const inWords = (price: Price | undefined, model: string): string | null => {
  if (price === undefined) return null
  if (!isByModel(price)) return priceText(price).words
  const found = findModel(modelsOf(price), model)
  return found === undefined ? null : modelInWords(found)
}

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
    const rows = asked.flatMap(reachedBy).map(({ model, operation, target }) => ({
      model,
      operation: operation.id,
      ...servingOf(target, operation.id),
      sent_as: target.model ?? model,
      weight: target.weight,
      price: inWords(prices.of(operation, model), model),
      upstream_price: inWords(target.provider.prices?.of(operation, target.model ?? model), target.model ?? model)
    }))
    if (json) return yield* Print.json(rows.map(({ isTranslated: translated, ...row }) => ({ ...row, translated })))
    yield* Print.table(
      rows,
      {
        model: ({ model }) => model,
        operation: ({ operation }) => operation,
        upstream: ({ upstream }) => upstream,
        "sent as": ({ sent_as }) => sent_as,
        weight: ({ weight }) => String(weight),
        protocol: ({ isTranslated, protocol }) => `${protocol}${isTranslated ? " (translated)" : ""}`,
        price: ({ price }) => price ?? "none: calls are refused",
        "upstream's price": ({ upstream_price }) => upstream_price ?? "not known"
      },
      "No route leads there."
    )
  })
).pipe(
  Command.withDescription("Which operations reach a model, by which upstreams in which order, and at what price"),
  Command.withShortDescription("Which operations reach a model, and at what price")
)

const targetKey = ({ target: { model, path, provider } }: Reached): string =>
  JSON.stringify([provider.name, provider.protocol, model, path])

/** Each target once, by the first operation that reaches it. */
const distinct = (reached: ReadonlyArray<Reached>): ReadonlyArray<Reached> => {
  const keys = reached.map(targetKey)
  return reached.filter((_, i) => keys.indexOf(keys[i] ?? "") === i)
}

const promptTokens = (usage: TokenUsage): number => totalTokens(usage) - usage.output

const costText = (usd: string | null, problem: string | null, none: string): string =>
  usd === null ? (problem === null ? none : "") : `${usd} USD`

const amount = (nano: NanoUsd | undefined): string | null => (nano === undefined ? null : formatUsd(nano))

/** Over the network, and to the sandbox in this process. */
const carrier = Layer.unwrap(
  Effect.map(Sandbox.make(), (app) => InProcess.layer({ origin: Description.origin, app, host: "sandbox.invalid" }))
).pipe(
  Layer.provideMerge(Layer.mergeAll(UpstreamCarrier.layer(), BillingLog.layerMemory())),
  Layer.provideMerge(Composition.layerCrypto)
)

const shown = ({ operation, target: { model: sentAs, provider } }: Reached, model: string, trial: Trial) => ({
  upstream: provider.name,
  model: sentAs ?? model,
  protocol: provider.protocol,
  operation: operation.id,
  status: trial.status ?? null,
  milliseconds: trial.millis,
  tokens: trial.usage ?? null,
  upstream_usd: amount(trial.cost),
  list_usd: amount(trial.listed),
  problem: trial.problem ?? null
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
    const { catalogue, prices, reachedBy } = yield* described(config)
    const id = Option.getOrUndefined(operation)
    if (id !== undefined && !catalogue.byId.has(id)) return yield* fail(`There is no operation ${id}.`)
    const all = reachedBy(model).filter((one) => id === undefined || one.operation.id === id)
    const tests = distinct(all.filter(({ operation, target }) => shapeFor(target.provider, operation.id) !== undefined))
    if (tests.length === 0) {
      return yield* fail(
        all.length === 0
          ? `No route leads to ${JSON.stringify(model)}.`
          : "Only upstreams of language models can be tested, which answer a conversation."
      )
    }
    const paid = tests.filter(({ target }) => target.provider.baseUrl !== Description.origin)
    if (paid.length > 0) {
      const names = new Set(paid.map(({ target }) => target.provider.name))
      yield* Print.warning(`This sends a small call to each of these, which may cost money: ${[...names].join(", ")}`)
    }
    const trials = yield* Effect.forEach(
      tests,
      (one) => Effect.map(tryTarget(one.target, one.operation, model, prices), (trial) => shown(one, model, trial)),
      { concurrency: 4 }
    ).pipe(Effect.provide(carrier))
    if (json) yield* Print.json(trials)
    else {
      yield* Print.table(
        trials,
        {
          upstream: ({ upstream }) => upstream,
          model: ({ model }) => model,
          protocol: ({ protocol }) => protocol,
          status: ({ status }) => String(status ?? "none"),
          ms: ({ milliseconds }) => String(milliseconds),
          tokens: ({ tokens }) => (tokens === null ? "" : `${promptTokens(tokens)} in, ${tokens.output} out`),
          cost: ({ problem, upstream_usd }) => costText(upstream_usd, problem, "not known"),
          "list price": ({ list_usd, problem }) => costText(list_usd, problem, "none"),
          result: ({ problem }) => problem ?? "ok"
        },
        ""
      )
    }
    const failed = trials.filter(({ problem }) => problem !== null).length
    if (failed > 0) return yield* fail(`${failed} of ${trials.length} failed.`)
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
