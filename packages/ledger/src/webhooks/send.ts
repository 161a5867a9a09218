import { Carrier, type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { readBounded } from "@tollgate/contract/carrier/readBounded"
import type { Endpoint } from "../outbox/Endpoints.ts"
import * as Mac from "effect/crypto/Mac"
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"

/** The headers of Standard Webhooks: one signature for each secret. */
const sign = Effect.fnUntraced(function* (
  secrets: ReadonlyArray<Redacted.Redacted<Uint8Array>>,
  id: string,
  seconds: number,
  body: string
) {
  const mac = yield* Mac.Mac
  const signed = Utf8.encode(`${id}.${seconds}.${body}`)
  const signatures = yield* Effect.forEach(secrets, (secret) =>
    Mac.key(Mac.hmacSha256, Redacted.value(secret)).pipe(
      Effect.flatMap((key) => mac.sign(key, signed)),
      Effect.map((tag) => `v1,${Base64.encode(tag)}`),
      Effect.orDie
    )
  )
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": signatures.join(" ") }
})

/** `gone`: the receiver does not want it, now or later. */
export interface Sent {
  readonly outcome: "delivered" | "gone" | "failed"
  /** For operators: a status or a kind of failure, and nothing of the answer. */
  readonly result: string
}

export const AnswerMillis = Context.Reference<number>("@tollgate/ledger/webhooks/AnswerMillis", {
  defaultValue: () => 10_000
})

/** The answer is read so that the connection can be used again, and dropped. */
const maxAnswerBytes = 64 * 1024

const urlParts = /^(https?:\/\/[^/?#]+)([^#]*)$/

const words: Readonly<Record<NotCarried["why"], string>> = {
  "not sent": "no connection",
  broken: "the connection broke",
  timeout: "no answer in time",
  "too large": "the connection broke"
}

const outcomeOf = (status: number): Sent["outcome"] => {
  if (status >= 200 && status < 300) return "delivered"
  return status === 410 ? "gone" : "failed"
}

const timedOut = new NotCarried({ why: "timeout" })

/** Sends a message once. Redirects are not followed. */
export const send = Effect.fnUntraced(function* (endpoint: Endpoint, id: string, body: string) {
  const { carry } = yield* Carrier
  const millis = yield* AnswerMillis
  const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const [, origin = "", path = ""] = urlParts.exec(endpoint.url) ?? []
  const outgoing = {
    method: "POST",
    origin,
    path: path.startsWith("/") ? path : `/${path}`,
    headers: {
      "content-type": "application/json",
      "user-agent": "tollgate-webhooks",
      "accept-encoding": "identity",
      ...(yield* sign(endpoint.secrets, id, seconds, body))
    },
    body: Utf8.encode(body),
    deadlineMillis: millis,
    idleMillis: millis,
    private: endpoint.private,
    // The status decides, however long the rest takes.
    isStreamed: () => true
  }
  // The carrier's own limit does not include the time to connect.
  const answered: Effect.Effect<Incoming, NotCarried> = Effect.timeoutOrElse(carry(outgoing), {
    duration: millis,
    orElse: () => Effect.fail(timedOut)
  })
  return yield* Effect.matchEffect(answered, {
    onFailure: ({ late, why }) =>
      Effect.succeed<Sent>({ outcome: "failed", result: late === true ? words.timeout : words[why] }),
    onSuccess: ({ body, status }) =>
      Effect.as(Effect.ignore(Effect.timeout(readBounded(body, maxAnswerBytes), millis)), {
        outcome: outcomeOf(status),
        result: `status ${status}`
      } satisfies Sent as Sent)
  })
})
