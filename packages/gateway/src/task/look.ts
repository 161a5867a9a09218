import { taskGet } from "@tollgate/contract/operations/taskGet"
import * as RetryAfter from "@tollgate/contract/RetryAfter"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readBounded } from "../internal/readBounded.ts"
import { type Carrier, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import type { Provider } from "../upstream/Provider.ts"
import { read, type Seen } from "./seen.ts"

/** For the whole look, and a bound on what is read and kept of it. */
const longestMillis = 10_000
const mostBytes = 262_144

export type Looked =
  | { readonly kind: "seen"; readonly seen: Seen }
  /** The upstream does not know the task. */
  | { readonly kind: "lost" }
  | { readonly kind: "limited"; readonly millis: number }
  /** Nothing is learned: for the operator, why. */
  | { readonly kind: "failed"; readonly why: string }

const failed = (why: string): Looked => ({ kind: "failed", why })

const isRead = (status: number): boolean => status >= 200 && status < 300

const outgoing = (provider: Provider, upstream: string, requestId: string): Outgoing => {
  const url = provider.baseUrl + (taskGet.path ?? "").replace("{task_id}", encodeURIComponent(upstream))
  const at = url.indexOf("/", url.indexOf("://") + 3)
  const { credential } = provider
  return {
    method: taskGet.method,
    origin: url.slice(0, at),
    path: url.slice(at),
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      // Of the call that began it, so that two sets of books can be compared.
      "x-request-id": requestId,
      ...provider.headers,
      ...(credential === undefined ? {} : { [credential.header.toLowerCase()]: Redacted.value(credential.value) })
    },
    body: undefined,
    deadlineMillis: Math.min(longestMillis, provider.deadlineMillis),
    idleMillis: Math.min(longestMillis, provider.idleMillis),
    private: provider.private,
    // Read piece by piece, so that no answer is larger than it may be.
    isStreamed: ({ status }) => isRead(status)
  }
}

const reading = (bytes: Uint8Array, upstream: string): Looked => {
  const seen = read(bytes)
  if (seen === undefined) return failed("not a task")
  return seen.id === upstream ? { kind: "seen", seen } : failed("another task")
}

/** Asks an upstream how far a task has come. */
export const look = (
  { carry }: Carrier["Service"],
  provider: Provider,
  upstream: string,
  requestId: string
): Effect.Effect<Looked> =>
  carry(outgoing(provider, upstream, requestId)).pipe(
    Effect.flatMap(({ body, headers, status }): Effect.Effect<Looked, NotCarried> => {
      if (status === 404 || status === 410) return Effect.succeed({ kind: "lost" })
      if (status === 429) {
        return Effect.map(Clock.currentTimeMillis, (now) => ({
          kind: "limited",
          millis: RetryAfter.parse(headers["retry-after"], now) ?? 0
        }))
      }
      return isRead(status)
        ? Effect.map(readBounded(body, mostBytes), (bytes) => reading(bytes, upstream))
        : Effect.succeed(failed(`status ${status}`))
    }),
    Effect.timeoutOrElse({ duration: longestMillis, orElse: () => Effect.fail(new NotCarried({ why: "timeout" })) }),
    Effect.catch(({ why }) => Effect.succeed(failed(why)))
  )
