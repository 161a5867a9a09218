import type { Usd } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type BudgetOptions, Budgets, withBudget } from "../call/budget.ts"
import type { Client } from "../Client.ts"
import type { DerivedOptions } from "./PromiseOptions.ts"
import type { EffectFunction, EventStream, Functions, PromiseFunction, Promises } from "./Promises.ts"
import { type OnFiberStart, runner, type Runner, runs } from "./runner.ts"
import { each, promisedFunctions } from "./promisedFunctions.ts"
import * as Trace from "../call/trace.ts"
import { CallAborted } from "./CallAborted.ts"
import { derivedNames, refuseUnknown } from "../options/names.ts"
import { merge, Settings } from "../options/settings.ts"
import { responseOf } from "../call/withResponse.ts"
import type * as Stream from "effect/Stream"
import { type Event, textOf } from "../events/Event.ts"
import { iterate } from "./iterate.ts"

type Run = (effect: Effect.Effect<void, unknown, Client>, onFiberStart: OnFiberStart) => Promise<void>

/** The reader is told of a failure anyway. */
const ignore = () => {}

/** Reading makes the call and may be charged, so a second read throws instead of calling again. */
const readOnce = <A>(stream: Stream.Stream<A, unknown, Client>, run: Run, trace: Trace.Trace): EventStream<A> => {
  let isRead = false
  let isBegun = false
  let begin: (running: Promise<void>) => void
  const ended = new Promise<void>((resolve) => (begin = resolve))
  ended.catch(ignore)
  const opened = new Promise<void>((resolve) => (trace.opened = resolve))
  const items = iterate(stream, (effect, onFiberStart) => {
    const running = run(effect, onFiberStart)
    isBegun = true
    begin(running)
    return running
  })
  const read = {
    [Symbol.asyncIterator]: () => {
      if (isRead) throw new Error("This stream can be read only once: make another call")
      isRead = true
      return items
    }
  }
  const text = async (): Promise<string> => {
    let all = ""
    for await (const event of read) all += textOf(event as Event)
    return all
  }
  const response: EventStream<A>["response"] = () => {
    if (!isRead) items.begin()
    const told = (isRead ? ended : Promise.race([opened, ended]))
      .catch((error: unknown) => {
        if (trace.reading === undefined) throw error
      })
      .then(async () => {
        if (trace.learn !== undefined && trace.charge.state === "unknown") await Effect.runPromise(trace.learn)
        return responseOf(trace)
      })
    told.catch(ignore)
    return told
  }
  const cancel = async () => {
    trace.isCanceled = () => true
    await items.return?.()
    // A second rejection would be nobody's.
    if (!isBegun) begin(Promise.reject(new CallAborted(trace, undefined)))
    isBegun = true
    // Its loop was left before.
    if (trace.cancel !== undefined) await Effect.runPromise(trace.cancel)
  }
  const disposed = (Symbol as { readonly asyncDispose?: symbol }).asyncDispose
  const made: object = { ...read, text, response, cancel, ...(disposed && { [disposed]: cancel }) }
  return made as EventStream<A>
}

/** Turns the caller's functions into effects. */
const effectful = (options: object): object =>
  each({ ...options }, (value: unknown) =>
    typeof value === "function"
      ? (...args: ReadonlyArray<unknown>) => Effect.promise(async () => value(...args))
      : value
  )

const isEmpty = (options: object): boolean => {
  for (const _ in options) return false
  return true
}

/** What the calls of a client have in common. */
interface Common {
  readonly budgets: typeof Budgets.Service
  readonly settings: typeof Settings.Service
}

/** `parent`: a client for one call needs few of its functions, so each is made when it is used. */
const faceOf = (functions: Functions, { close, run }: Runner, common: Common, parent?: object): object => {
  const promised = (f: EffectFunction): PromiseFunction => {
    const call: PromiseFunction = (input, { signal, ...given } = {}) => {
      const options = isEmpty(given) ? given : effectful(given)
      const made = f(input, options as never)
      const site = Effect.isEffect(made) ? undefined : new Error()
      const trace = Trace.make()
      const runUnder = <A>(effect: Effect.Effect<A, unknown, Client>, onFiberStart?: OnFiberStart) =>
        run(inCommon(effect, common), { signal, site, onFiberStart, trace })
      if (!Effect.isEffect(made)) return readOnce(made, runUnder, trace)
      const running = runUnder(made)
      return Object.assign(running, { withResponse: async () => ({ value: await running, ...responseOf(trace) }) })
    }
    // For helpers such as `resumeStream`, which need to know whose function it is.
    return Object.assign(call, { source: f, ...runs(promised) })
  }
  const derived = ({ budget, wait, ...own }: DerivedOptions): object => {
    const inner = budget === undefined ? Budgets : withBudget(budget, { wait: wait as BudgetOptions["wait"] })(Budgets)
    const budgets = Effect.runSync(inCommon(inner, common))
    return faceOf(functions, { run, close }, { budgets, settings: merge(common.settings, own) }, face)
  }
  const own: Readonly<Record<PropertyKey, unknown>> = {
    with: (options: DerivedOptions) => {
      refuseUnknown(options, derivedNames)
      return derived(options)
    },
    withBudget: (budget: Usd, options?: BudgetOptions) => derived({ ...options, budget }),
    close,
    ...runs(promised),
    // All of it would be hundreds of lines.
    [Symbol.for("nodejs.util.inspect.custom")]: () => `Client { ${Object.keys(functions).join(", ")} }`
  }
  const made = new Map<PropertyKey, unknown>()
  const make = (name: PropertyKey): unknown => {
    const f = functions[String(name)]
    if (f !== undefined) return promised(f)
    return name === "quote" || name === "resume" ? promisedFunctions(functions, promised)[name] : undefined
  }
  const get = (_: object, name: PropertyKey): unknown => {
    if (name in own) return own[name]
    if (!made.has(name)) made.set(name, make(name))
    return made.get(name)
  }
  const face: object =
    parent === undefined ? { ...promisedFunctions(functions, promised), ...own } : new Proxy(parent, { get })
  return face
}

const inCommon = <A, E, R>(effect: Effect.Effect<A, E, R>, { budgets, settings }: Common): Effect.Effect<A, E, R> =>
  Effect.provideService(Effect.provideService(effect, Budgets, budgets), Settings, settings)

/** The given functions for programs without Effect: they return promises and reject with the same errors. */
export const promises = <const F extends Functions>(functions: F, layer: Layer.Layer<Client>): Promises<F> =>
  faceOf(functions, runner(layer), { budgets: [], settings: {} }) as Promises<F>
