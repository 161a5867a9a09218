import * as Layer from "effect/Layer"
import { checkNames, Client, configOf, type Options } from "../Client.ts"
import { checkCredential } from "../credential/credential.ts"
import * as FetchCarrier from "../FetchCarrier.ts"
import * as operations from "../operations.ts"
import { promises } from "./makePromises.ts"
import type { PromiseClient } from "./PromiseClient.ts"

export type { PromiseClient }

/** With the options it throws at once if one is unknown or not valid, or if they have no usable credential. */
export const clientOf = (layer: Layer.Layer<Client>, options?: Options): PromiseClient => {
  if (options !== undefined) {
    configOf(options)
    checkCredential(options)
  }
  return promises(operations, layer)
}

/** The client over `fetch`: `createClient({ credential, baseUrl })`, or `createClient()` with both from the environment. */
export const createClient = (options: Options & FetchCarrier.FetchOptions = {}): PromiseClient => {
  checkNames(options, ["fetch"])
  const { fetch: _, ...own } = options
  return clientOf(Client.layer(own).pipe(Layer.provide(FetchCarrier.layerWith(options))), own)
}
