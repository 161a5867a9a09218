import { type Binding, bind, type Bound, type Operation } from "@tollgate/contract/Operation"
import { defaults, fill, type Names } from "@tollgate/contract/Names"
import { isNotSent } from "@tollgate/contract/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export interface Options {
  /** The key or token. It goes into the `Authorization` header and nowhere else. */
  readonly credential: string | Redacted.Redacted
  readonly baseUrl?: string
  readonly names?: Names
  /** Paths and parameter names of pending operations, by operation id. */
  readonly bindings?: Readonly<Record<string, Binding>>
  /** From the first byte sent to the last received. */
  readonly deadlineMillis?: number
}

export const defaultBaseUrl = "http://127.0.0.1:8787"
export const defaultDeadlineMillis = 60_000

/** What every operation needs to know: where the gateway is, who calls, and over which transport. */
export class Client extends Context.Service<
  Client,
  {
    readonly http: HttpClient.HttpClient
    readonly baseUrl: string
    readonly credential: Redacted.Redacted
    readonly names: Names
    readonly deadlineMillis: number
    readonly isNotSent: (error: HttpClientError) => boolean
    readonly bound: <O extends Operation>(operation: O) => Bound<O> | undefined
  }
>()("@tollgate/client/Client") {
  static readonly layer = (options: Options): Layer.Layer<Client, never, HttpClient.HttpClient> =>
    Layer.effect(
      Client,
      Effect.gen(function* () {
        const names = options.names ?? defaults
        return {
          http: yield* HttpClient.HttpClient,
          baseUrl: (options.baseUrl ?? defaultBaseUrl).replace(/\/+$/, ""),
          credential:
            typeof options.credential === "string"
              ? Redacted.make(options.credential, { label: "credential" })
              : options.credential,
          names,
          deadlineMillis: options.deadlineMillis ?? defaultDeadlineMillis,
          isNotSent: yield* isNotSent,
          bound: (operation) => bind(operation, names, options.bindings?.[fill(operation.id, names)])
        }
      })
    )
}
