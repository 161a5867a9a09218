import * as Headers from "@tollgate/contract/Headers"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as RetryAfter from "@tollgate/contract/RetryAfter"
import type { Decoded } from "../Exchange.ts"
import { Deadlines } from "../internal/Deadlines.ts"
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

  const context = yield* Effect.context()
  const known = new Map<Provider, Deadlines>()
  const deadlines = (provider: Provider): Deadlines => {
    const found = known.get(provider) ?? new Deadlines(provider.deadlineMillis, context)
    known.set(provider, found)
    return found
  }

  const call = (exchange: Decoded): Effect.Effect<Called, Refused> => {
    const { operation } = exchange
    const provider = Object.hasOwn(options.providers, operation.id) ? options.providers[operation.id] : undefined
    const protocol = provider === undefined ? undefined : protocols.get(provider.protocol)
    if (provider === undefined || protocol === undefined) {
      return Effect.fail(refuse("upstream_misconfigured", `No upstream is configured for ${operation.id}.`))
    }
    const status = operation.upstream === "managed" ? 503 : 502
    const answered = client.execute(prepare(exchange, provider, protocol)).pipe(
      Effect.flatMap(collect),
      Effect.mapError((error) =>
        notSent(error)
          ? refuse("upstream_unreachable", "The upstream could not be reached; nothing was executed.", { status })
          : refuse("upstream_failed", "The upstream broke off; whether it executed the call is not known.", { status })
      )
    )
    const timedOut = () =>
      refuse("upstream_timeout", "The upstream did not answer in time; whether it executed is not known.", { status })
    return Effect.flatMap(deadlines(provider).within(answered, timedOut), (answer) => admit(answer, protocol))
  }

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
  if (!provider.sandbox) return request
  const { names } = exchange.operation
  const asked = exchange.request.headers[Headers.scenario.key(names)]
  return asked === undefined ? request : HttpClientRequest.setHeader(request, Headers.scenario(names), asked)
}

const collect = (response: HttpClientResponse): Effect.Effect<Answer, HttpClientError> =>
  Effect.map(response.arrayBuffer, (buffer) => ({
    status: response.status,
    contentType: response.headers["content-type"],
    headers: response.headers,
    bytes: new Uint8Array(buffer)
  }))

/** Two answers are not passed on: one that only the operator can mend, and one that says when to come back. */
const admit = (answer: Answer, protocol: Protocol): Effect.Effect<Called, Refused> => {
  if (answer.status === 401 || answer.status === 403) {
    return Effect.fail(refuse("upstream_misconfigured", "The upstream refused this gateway's own credential."))
  }
  if (answer.status === 429) {
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.fail(
        refuse("upstream_rate_limit", "The upstream's own rate limit is reached.", {
          retryAfter: RetryAfter.parse(answer.headers["retry-after"], now) ?? 1_000
        })
      )
    )
  }
  return Effect.succeed({ answer: { ...answer, headers: passOn(answer.headers) }, protocol })
}

/** Of an upstream's headers, only what describes the body goes to the caller. */
const passed = ["content-encoding", "content-language", "content-disposition", "last-modified", "etag"]

const passOn = (headers: Answer["headers"]): Record<string, string> => {
  const kept: Record<string, string> = {}
  for (const name of passed) if (headers[name] !== undefined) kept[name] = headers[name]
  return kept
}
