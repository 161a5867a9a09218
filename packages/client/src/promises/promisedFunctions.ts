import { isQuotable } from "@tollgate/contract/Operation"
import { quote } from "../call/quote.ts"
import { resume } from "../call/resume.ts"
import type { EffectFunction, Functions, Promised, Promises } from "./Promises.ts"
import { type AnyPromiseClient, isPromiseClient, onClient } from "./runner.ts"

export const each = <A, B>(record: Readonly<Record<string, A>>, f: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, f(value)]))

const only = (functions: Functions, isWanted: (f: EffectFunction) => boolean): Functions =>
  Object.fromEntries(Object.entries(functions).filter(([, f]) => isWanted(f)))

const isBilled = (f: EffectFunction): boolean => "operation" in f && isQuotable(f.operation as never)

const quotesOf = (functions: Functions): Functions =>
  each(only(functions, isBilled), (f) => (input: never, options?: never) => quote(f as never, input, options))

const resumesOf = (functions: Functions): Functions =>
  each(
    only(functions, (f) => isBilled(f) || "streamed" in f),
    (f) => (error: never, options?: never) => resume(f as never, error, options)
  )

/** The promises of functions, of their quotes and of resumed calls. */
export const promisedFunctions = (functions: Functions, promised: Promised) => ({
  ...each(functions, promised),
  quote: each(quotesOf(functions), promised),
  resume: each(resumesOf(functions), promised)
})

/** The functions of one client. Budgets and connections are the client's. */
export type OnClient<F extends Functions> = Omit<Promises<F>, "with" | "withBudget" | "close">

/** Makes the promises of functions for a client from `createClient`. */
export type PromiseApi<F extends Functions> = (client: AnyPromiseClient) => OnClient<F>

/**
 * The given functions with promises, on a client from `createClient`: `onPromises({ weatherForecast })(client)`. Generated files
 * export the result as `api`.
 */
export const onPromises =
  <const F extends Functions>(functions: F): PromiseApi<F> =>
  (client) => {
    if (!isPromiseClient(client)) throw new TypeError("Pass a client from createClient")
    return promisedFunctions(functions, client[onClient]) as OnClient<F>
  }
