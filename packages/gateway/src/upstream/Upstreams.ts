import * as Headers from "@tollgate/contract/Headers"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as RetryAfter from "@tollgate/contract/RetryAfter"
import type { Decoded } from "../Exchange.ts"
import { refuse, type Refused } from "../Refused.ts"
import { forwardedQuery } from "./forwardedQuery.ts"
import type { Answer, Protocol } from "./Protocol.ts"
import { json } from "./protocols/json.ts"
import type { Provider } from "./Provider.ts"
import { isNotSent } from "@tollgate/contract/Transport"

export interface Called {
  readonly answer: Answer
  readonly protocol: Protocol
}

/** The port to everything that is not this gateway. */
export class Upstreams extends Context.Service<
  Upstreams,
  { readonly call: (exchange: Decoded) => Effect.Effect<Called, Refused> }
>()("@tollgate/gateway/Upstreams") {
  static readonly layer = (options: {
    /** The provider for each operation id. */
    readonly providers: Readonly<Record<string, Provider>>
    readonly protocols?: ReadonlyArray<Protocol>
  }): Layer.Layer<Upstreams, never, HttpClient.HttpClient> => Layer.effect(Upstreams, make(options))
}

const make = Effect.fnUntraced(function* (options: {
  readonly providers: Readonly<Record<string, Provider>>
  readonly protocols?: ReadonlyArray<Protocol>
}) {
  const client = yield* HttpClient.HttpClient
  const notSent = yield* isNotSent
  const protocols = new Map([json, ...(options.protocols ?? [])].map((protocol) => [protocol.id, protocol]))

  const call = Effect.fnUntraced(function* (exchange: Decoded): Effect.fn.Return<Called, Refused> {
    const { operation } = exchange
    const provider = Object.hasOwn(options.providers, operation.id) ? options.providers[operation.id] : undefined
    const protocol = provider === undefined ? undefined : protocols.get(provider.protocol)
    if (provider === undefined || protocol === undefined) {
      return yield* refuse("upstream_misconfigured", `No upstream is configured for ${operation.id}.`)
    }
    const status = operation.upstream === "managed" ? 503 : 502
    const answer = yield* client.execute(prepare(exchange, provider, protocol)).pipe(
      Effect.flatMap((response) =>
        Effect.map(response.arrayBuffer, (buffer): Answer => ({
          status: response.status,
          contentType: response.headers["content-type"],
          headers: response.headers,
          bytes: new Uint8Array(buffer)
        }))
      ),
      Effect.mapError((error) =>
        notSent(error)
          ? refuse("upstream_unreachable", "The upstream could not be reached; nothing was executed.", { status })
          : refuse("upstream_failed", "The upstream broke off; whether it executed the call is not known.", { status })
      ),
      Effect.timeoutOrElse({
        duration: provider.deadlineMillis,
        orElse: () =>
          Effect.fail(
            refuse("upstream_timeout", "The upstream did not answer in time; whether it executed is not known.", {
              status
            })
          )
      }),
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
    return yield* admit(answer, protocol)
  })

  return Upstreams.of({ call })
})

const prepare = (exchange: Decoded, provider: Provider, protocol: Protocol): HttpClientRequest.HttpClientRequest => {
  const forwarded = exchange.query === "" ? exchange : { ...exchange, query: forwardedQuery(exchange) }
  let request = protocol.request(forwarded, provider)
  if (provider.credential !== undefined) {
    request = HttpClientRequest.setHeader(
      request,
      provider.credential.header,
      Redacted.value(provider.credential.value)
    )
  }
  const scenario = Headers.scenario(exchange.operation.names)
  const asked = provider.sandbox ? exchange.request.headers[scenario.toLowerCase()] : undefined
  return asked === undefined ? request : HttpClientRequest.setHeader(request, scenario, asked)
}

/** Two answers are not passed on: one that only the operator can mend, and one that says when to come back. */
const admit = Effect.fnUntraced(function* (answer: Answer, protocol: Protocol): Effect.fn.Return<Called, Refused> {
  if (answer.status === 401 || answer.status === 403) {
    return yield* refuse("upstream_misconfigured", "The upstream refused this gateway's own credential.")
  }
  if (answer.status === 429) {
    const retryAfter = RetryAfter.parse(answer.headers["retry-after"], yield* Clock.currentTimeMillis)
    return yield* refuse("upstream_rate_limit", "The upstream's own rate limit is reached.", {
      retryAfter: retryAfter ?? 1_000
    })
  }
  return { answer: { ...answer, headers: passOn(answer.headers) }, protocol }
})

/** Of an upstream's headers, only what describes the body goes to the caller. */
const passed = ["content-language", "content-disposition", "last-modified", "etag"]

const passOn = (headers: Answer["headers"]): Record<string, string> => {
  const kept: Record<string, string> = {}
  for (const name of passed) if (headers[name] !== undefined) kept[name] = headers[name]
  return kept
}
