import * as Headers from "@tollgate/contract/Headers"
import * as RetryAfter from "@tollgate/contract/RetryAfter"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Decoded } from "../Exchange.ts"
import { refuse, type Refused } from "../Refused.ts"
import { Carrier, type Incoming, type NotCarried, type Outgoing } from "./Carrier.ts"
import { forwardedQuery } from "./forwardedQuery.ts"
import type { Answer, Protocol } from "./Protocol.ts"
import { json } from "./protocols/json.ts"
import type { Provider } from "./Provider.ts"

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
  }): Layer.Layer<Upstreams, never, Carrier> => Layer.effect(Upstreams, make(options))
}

const make = Effect.fnUntraced(function* (options: {
  readonly providers: Readonly<Record<string, Provider>>
  readonly protocols?: ReadonlyArray<Protocol>
}) {
  const { carry } = yield* Carrier
  const protocols = new Map([json, ...(options.protocols ?? [])].map((protocol) => [protocol.id, protocol]))

  const call = (exchange: Decoded): Effect.Effect<Called, Refused> => {
    const { operation } = exchange
    const provider = Object.hasOwn(options.providers, operation.id) ? options.providers[operation.id] : undefined
    const protocol = provider === undefined ? undefined : protocols.get(provider.protocol)
    if (provider === undefined || protocol === undefined) {
      return Effect.fail(refuse("upstream_misconfigured", `No upstream is configured for ${operation.id}.`))
    }
    return Effect.matchEffect(carry(prepare(exchange, provider, protocol)), {
      onSuccess: (incoming) => admit(incoming, protocol),
      onFailure: ({ why }) => Effect.fail(lost(why, operation.upstream === "managed" ? 503 : 502))
    })
  }

  return Upstreams.of({ call })
})

const lost = (why: NotCarried["why"], status: number): Refused => {
  switch (why) {
    case "not sent":
      return refuse("upstream_unreachable", "The upstream could not be reached; nothing was executed.", { status })
    case "broken":
      return refuse("upstream_failed", "The upstream broke off; whether it executed the call is not known.", { status })
    case "timeout":
      return refuse("upstream_timeout", "The upstream did not answer in time; whether it executed is not known.", {
        status
      })
  }
}

/** `https://host/base` and `/v1/x` are at `https://host`, under `/base/v1/x`. */
const place = (baseUrl: string, path: string): Pick<Outgoing, "origin" | "path"> => {
  const at = baseUrl.indexOf("/", baseUrl.indexOf("://") + 3)
  return at === -1 ? { origin: baseUrl, path } : { origin: baseUrl.slice(0, at), path: baseUrl.slice(at) + path }
}

const prepare = (exchange: Decoded, provider: Provider, protocol: Protocol): Outgoing => {
  const forwarded = exchange.query === "" ? exchange : { ...exchange, query: forwardedQuery(exchange) }
  const { body, headers, path } = protocol.request(forwarded, {})
  const all: Record<string, string> = { ...headers }
  if (provider.credential !== undefined) all[provider.credential.header] = Redacted.value(provider.credential.value)
  if (provider.sandbox) {
    const name = Headers.scenario.key(exchange.operation.names)
    const asked = exchange.request.headers[name]
    if (asked !== undefined) all[name] = asked
  }
  return {
    method: exchange.operation.method,
    ...place(provider.baseUrl, path),
    headers: all,
    body,
    deadlineMillis: provider.deadlineMillis,
    idleMillis: provider.deadlineMillis,
    isStreamed: (head) => protocol.isStreamed(exchange, head)
  }
}

/** Two answers are not passed on: one that only the operator can mend, and one that says when to come back. */
const admit = ({ body, headers, status }: Incoming, protocol: Protocol): Effect.Effect<Called, Refused> => {
  if (status === 401 || status === 403) {
    return Effect.fail(refuse("upstream_misconfigured", "The upstream refused this gateway's own credential."))
  }
  if (status === 429) {
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.fail(
        refuse("upstream_rate_limit", "The upstream's own rate limit is reached.", {
          retryAfter: RetryAfter.parse(headers["retry-after"], now) ?? 1_000
        })
      )
    )
  }
  return Effect.succeed({
    answer: { status, contentType: headers["content-type"], headers: passOn(headers), bytes: body as Uint8Array },
    protocol
  })
}

/** Of an upstream's headers, only what describes the body goes to the caller. */
const passed = ["content-encoding", "content-language", "content-disposition", "last-modified", "etag"]

const passOn = (headers: Answer["headers"]): Record<string, string> => {
  const kept: Record<string, string> = {}
  for (const name of passed) if (headers[name] !== undefined) kept[name] = headers[name]
  return kept
}
