import { type Carrier, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as RetryAfter from "@tollgate/contract/RetryAfter"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readBounded } from "@tollgate/contract/carrier/readBounded"
import { carryWith, originAndPath } from "./outgoing.ts"
import type { TaskProtocol, TaskReport, TaskRequest } from "./Protocol.ts"
import { readCanceledCost } from "./protocols/reportedCost.ts"
import type { Provider } from "./Provider.ts"
import { scrubberOf } from "./Scrubber.ts"

/** For the whole poll, including the body. */
const deadlineMillis = 10_000
const maxBytes = 262_144

export type PollResult =
  | { readonly kind: "report"; readonly report: TaskReport }
  /** The upstream does not know the task. */
  | { readonly kind: "notFound" }
  | { readonly kind: "rateLimited"; readonly retryAfterMillis: number }
  /** Nothing was learned about the task. `reason` is for the operator's log. */
  | { readonly kind: "failed"; readonly reason: string }

const failed = (reason: string): PollResult => ({ kind: "failed", reason })

const isOk = (status: number): boolean => status >= 200 && status < 300

/** A request of the gateway's own to an upstream. */
export const requestTo = (provider: Provider, { body, headers, method, path }: TaskRequest): Outgoing => {
  const { credential } = provider
  return {
    method,
    ...originAndPath(provider.baseUrl, path),
    headers: {
      ...headers,
      ...provider.headers,
      ...(credential === undefined ? {} : { [credential.header.toLowerCase()]: Redacted.value(credential.value) })
    },
    body,
    deadlineMillis: Math.min(deadlineMillis, provider.deadlineMillis),
    idleMillis: Math.min(deadlineMillis, provider.idleMillis),
    maxBytes,
    private: provider.private,
    // Streamed, so that `readBounded` can stop at the limit.
    isStreamed: ({ status }) => isOk(status)
  }
}

/** Adds what a canceled task cost, from where the operator says that the upstream reports it. */
const withCost = (report: TaskReport, { canceledCost }: Provider, body: Uint8Array): TaskReport => {
  if (report.status !== "CANCELED" || canceledCost === undefined) return report
  const cost = readCanceledCost(body, canceledCost)
  return cost === undefined ? report : { ...report, cost }
}

/** What a task says is stored and delivered. An upstream may repeat the credential in it. A result stays as it is. */
const scrubbed = (provider: Provider, protocol: TaskProtocol, body: Uint8Array, id: string): TaskReport | undefined => {
  const report = protocol.readPoll(body, id)
  if (report === undefined || report.status === "SUCCEEDED") return report
  const clean = scrubberOf(provider).bytes(body)
  return clean === body ? report : protocol.readPoll(clean, id)
}

const readReport = (provider: Provider, protocol: TaskProtocol, body: Uint8Array, id: string): PollResult => {
  const report = scrubbed(provider, protocol, body, id)
  if (report === undefined) return failed("not a task")
  return report.id === id ? { kind: "report", report: withCost(report, provider, body) } : failed("another task")
}

/** Asks an upstream for the status of a task. `id` is the upstream's. */
export const pollUpstream = (
  { carry }: Carrier["Service"],
  provider: Provider,
  protocol: TaskProtocol,
  id: string,
  requestId: string
): Effect.Effect<PollResult> =>
  carryWith(carry, provider, () => requestTo(provider, protocol.pollRequest(id, requestId))).pipe(
    Effect.flatMap(({ body, headers, status }): Effect.Effect<PollResult, NotCarried> => {
      if (status === 404 || status === 410) return Effect.succeed({ kind: "notFound" })
      if (status === 429) {
        return Effect.map(Clock.currentTimeMillis, (now) => ({
          kind: "rateLimited",
          retryAfterMillis: RetryAfter.parse(headers["retry-after"], now) ?? 0
        }))
      }
      return isOk(status)
        ? Effect.map(readBounded(body, maxBytes), (bytes) => readReport(provider, protocol, bytes, id))
        : Effect.succeed(failed(`status ${status}`))
    }),
    Effect.timeoutOrElse({ duration: deadlineMillis, orElse: () => Effect.fail(new NotCarried({ why: "timeout" })) }),
    Effect.catch(({ why }) => Effect.succeed(failed(why)))
  )

/** Asks an upstream to stop a task. Whether it did is learned by a poll. `undefined`: it cannot be asked. */
export const cancelUpstream = (
  { carry }: Carrier["Service"],
  provider: Provider,
  protocol: TaskProtocol,
  id: string,
  requestId: string
): Effect.Effect<"asked" | "refused" | "failed" | undefined> => {
  const request = protocol.cancelRequest?.(id, requestId)
  if (request === undefined) return Effect.undefined
  return carryWith(carry, provider, () => requestTo(provider, request)).pipe(
    Effect.flatMap(({ body, status }) =>
      isOk(status)
        ? Effect.as(readBounded(body, maxBytes), "asked" as const)
        : Effect.succeed(status < 500 ? ("refused" as const) : ("failed" as const))
    ),
    Effect.timeoutOrElse({ duration: deadlineMillis, orElse: () => Effect.fail(new NotCarried({ why: "timeout" })) }),
    Effect.orElseSucceed(() => "failed" as const)
  )
}
