import { Client, type Options } from "@tollgate/client/Client"
import * as FetchCarrier from "@tollgate/client/FetchCarrier"
import * as operations from "@tollgate/client/operations"
import { type Promises, promises } from "@tollgate/client/promises"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export interface BrowserOptions extends Options {
  /** Everyone who opens the page can read a key that it holds. Only for pages that no one else opens. */
  readonly allowApiKeyInPage?: boolean
}

const isApiKey = (credential: Options["credential"]): boolean =>
  !Effect.isEffect(credential) &&
  (Redacted.isRedacted(credential) ? Redacted.value(credential) : credential).startsWith("tg_")

/** The client over `fetch`. */
export const layer = (options: BrowserOptions): Layer.Layer<Client> => {
  if (isApiKey(options.credential) && options.allowApiKeyInPage !== true) {
    throw new Error("An API key in a page is readable by all who open it. Sign in, or set allowApiKeyInPage: true.")
  }
  return Client.layer(options).pipe(Layer.provide(FetchCarrier.layer))
}

/** Every operation as a function that returns a promise. */
export const createClient = (options: BrowserOptions): Promises<typeof operations> =>
  promises(operations, layer(options))
