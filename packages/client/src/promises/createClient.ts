import * as Layer from "effect/Layer"
import { Client, type Options } from "../Client.ts"
import * as FetchCarrier from "../FetchCarrier.ts"
import * as operations from "../operations.ts"
import { promises } from "../promises.ts"
import { extras } from "./extras.ts"
import type { PromiseClient } from "./PromiseClient.ts"

export type { PromiseClient }

export const clientOf = (layer: Layer.Layer<Client>): PromiseClient => promises(operations, layer, extras)

/** The client over the runtime's own `fetch`: `createClient({ credential, baseUrl })`. */
export const createClient = (options: Options): PromiseClient =>
  clientOf(Client.layer(options).pipe(Layer.provide(FetchCarrier.layer)))
