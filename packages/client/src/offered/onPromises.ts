import { type AnyPromiseClient, isPromiseClient, onClient } from "../promises/onClient.ts"
import { promisedFunctions } from "../promises/promisedFunctions.ts"
import type { Functions, Promises } from "../promises/Promises.ts"

/** The functions of one client. Budgets and connections are the client's. */
export type OnClient<F extends Functions> = Omit<Promises<F>, "withBudget" | "close">

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
