import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type BudgetOptions, Budgets, withBudget } from "../call/budget.ts"
import type { Client } from "../Client.ts"
import type { EffectFunction, EventStream, Functions, PromiseFunction, Promises } from "./Promises.ts"
import { onClient, type OnFiberStart, runner, type Runner } from "./runner.ts"
import { each, promisedFunctions } from "./promisedFunctions.ts"
import * as Trace from "../call/trace.ts"
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
  let begin: (running: Promise<void>) => void
  const ended = new Promise<void>((resolve) => (begin = resolve))
  ended.catch(ignore)
  const opened = new Promise<void>((resolve) => (trace.opened = resolve))
  const items = iterate(stream, (effect, onFiberStart) => {
    const running = run(effect, onFiberStart)
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
    const told = (isRead ? ended : Promise.race([opened, ended])).then(
      () => responseOf(trace),
      (error: unknown) => {
        if (trace.reading === undefined) throw error
        return responseOf(trace)
      }
    )
    told.catch(ignore)
    return told
  }
  return { ...read, text, response }
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

const faceOf = (functions: Functions, { close, run }: Runner, budgets: typeof Budgets.Service): object => {
  const promised = (f: EffectFunction): PromiseFunction => {
    const call: PromiseFunction = (input, { signal, ...given } = {}) => {
      const options = isEmpty(given) ? given : effectful(given)
      const made = f(input, options as never)
      const site = Effect.isEffect(made) ? undefined : new Error()
      const trace = Trace.make()
      const runUnder = <A>(effect: Effect.Effect<A, unknown, Client>, onFiberStart?: OnFiberStart) =>
        run(Effect.provideService(effect, Budgets, budgets), { signal, site, onFiberStart, trace })
      if (!Effect.isEffect(made)) return readOnce(made, runUnder, trace)
      const running = runUnder(made)
      return Object.assign(running, { withResponse: async () => ({ value: await running, ...responseOf(trace) }) })
    }
    // For helpers such as `resumeStream`, which need to know whose function it is.
    return Object.assign(call, { source: f })
  }
  return {
    ...promisedFunctions(functions, promised),
    withBudget: (usd: string, options?: BudgetOptions) => {
      const inner = Effect.provideService(withBudget(usd, options)(Budgets), Budgets, budgets)
      return faceOf(functions, { run, close }, Effect.runSync(inner))
    },
    close,
    [onClient]: promised,
    // All of it would be hundreds of lines.
    [Symbol.for("nodejs.util.inspect.custom")]: () => `Client { ${Object.keys(functions).join(", ")} }`
  }
}

/** The given functions for programs without Effect: they return promises and reject with the same errors. */
export const promises = <const F extends Functions>(functions: F, layer: Layer.Layer<Client>): Promises<F> =>
  faceOf(functions, runner(layer), []) as Promises<F>
