import { checkNames, Client, type Options } from "@tollgate/client/Client"
import * as FetchCarrier from "@tollgate/client/FetchCarrier"
import { clientOf, type PromiseClient } from "@tollgate/client/promises/createClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export interface BrowserOptions extends Options, FetchCarrier.FetchOptions {
  /** Everyone who opens the page can read the key. Set this only for pages that nobody else opens. */
  readonly allowKeyInPage?: boolean | undefined
}

const isApiKey = (credential: Options["credential"]): boolean =>
  (typeof credential === "string"
    ? credential
    : Redacted.isRedacted(credential)
      ? Redacted.value(credential)
      : ""
  ).startsWith("tg_")

/** Without those that only this package uses. */
const clientOptions = ({ allowKeyInPage: _, fetch: _fetch, ...options }: BrowserOptions): Options => options

/** The client over `fetch`. */
export const layer = (options: BrowserOptions = {}): Layer.Layer<Client> => {
  checkNames(options, ["fetch", "allowKeyInPage"])
  if (isApiKey(options.credential) && options.allowKeyInPage !== true) {
    throw new Error("Everyone who opens the page can read an API key in it. Sign in, or set allowKeyInPage: true.")
  }
  return Client.layer(clientOptions(options)).pipe(Layer.provide(FetchCarrier.layerWith(options)))
}

/** Every function of the client, as promises and as iterables for `for await`. */
export const createClient = (options: BrowserOptions = {}): PromiseClient =>
  clientOf(layer(options), clientOptions(options))
