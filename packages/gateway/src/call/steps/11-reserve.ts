import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Bytes from "effect/Bytes"
import * as Result from "effect/Result"
import type { Priced, Routed } from "../../exchange/Exchange.ts"
import { callerMayDisconnect } from "../../internal/callerMayDisconnect.ts"
import type { RecentAnswers } from "../../cache/RecentAnswers.ts"
import * as ResumeRequest from "../../cache/requests.ts"
import { attemptCount, refusalName, retryCount } from "../../cache/requests.ts"
import type { Attempt, Idempotency, Ledger, Reserved } from "@tollgate/ledger/ledger/Ledger"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Replay } from "../Ending.ts"

const header = Headers.idempotencyKey.toLowerCase()

/** Up to 255 printable characters, in quotes or without. */
const keyPattern = /^(?:"([\x20\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e][\x20\x21\x23-\x7e]{0,254}))$/

const malformed = refuse("invalid_request", "Idempotency-Key must be 1 to 255 printable characters.", {
  param: Headers.idempotencyKey
})

/** What a repeat of a key gets: the stored answer, or 409. `charge` and `cancel` are no repeats. */
const modes: Readonly<Record<string, boolean>> = { replay: true, refuse: false }

const unknownMode = ({ operation }: Priced): Refused => {
  const header = Headers.idempotencyMode(operation.names)
  return refuse("invalid_request", `${header} must be replay, refuse, charge or cancel.`, { param: header })
}

const unknownPaidAgain = ({ operation }: Priced): Refused => {
  const header = Headers.paidAgain(operation.names)
  return refuse("invalid_request", `${header} must be once or never.`, { param: header })
}

/** Unique within the account and operation. A digest, because callers may put secrets into this header. */
const idOf = (digest: Digest.Digest["Service"], { operation, principal }: Routed, key: string) =>
  digest.digestHex(Digest.sha256, Utf8.encode(JSON.stringify([principal?.account, operation.id, key])))

const headersOf = ({ input, operation, request }: Priced): string => {
  const { bodyType, header } = operation.request
  const type = bodyType === undefined ? "" : `${request.headers["content-type"] ?? ""}\n`
  return header === undefined ? type : `${type}${JSON.stringify(input.header)}\n`
}

/** Tells requests apart, for a key that is reused for another one. */
const payloadOf = (digest: Digest.Digest["Service"], exchange: Priced) => {
  const { asSent, operation, path, query } = exchange
  const bytes = asSent ?? exchange.bytes
  const head = `${operation.method} ${path}?${query}\n${headersOf(exchange)}`
  return digest.digestHex(Digest.sha256, Bytes.concat([Utf8.encode(head), bytes]))
}

const keyIn = (text: string): string | undefined => {
  const match = keyPattern.exec(text.trim())
  return match?.[1] ?? match?.[2]
}

/** The id of the request's idempotency key. `undefined`: it has none, or it is malformed. */
export const idempotencyId = (
  digest: Digest.Digest["Service"],
  exchange: Routed
): Effect.Effect<string> | undefined => {
  const key = keyIn(exchange.request.headers[header] ?? "")
  return key === undefined ? undefined : idOf(digest, exchange, key)
}

/** How often the end of a call of another gateway is looked for, and how long its answer after that. */
const lookMillis = 250
const wantedMillis = 5_000

/** The reservation of a call, or the answer to an earlier one that it repeats. */
export type ReservedOrReplay = Extract<Reserved, { readonly kind: "reserved" }> | Replay

type Earlier = Extract<Reserved, { readonly kind: "earlier" }>

/** The answers of calls whose SDK counts its attempts, and the digest by which an attempt finds the earlier ones. */
interface Attempts {
  readonly held: RecentAnswers["Service"]
  readonly digestOf: (exchange: Priced, caller: string) => Effect.Effect<string>
}

const notHeld = (call: string): Refused =>
  refuse(
    "idempotency_completed",
    `Another attempt at this call is ${call}, which was executed. Its answer is not there any more, or it is a stream that` +
      " was cut. A new request is executed and charged again."
  )

/** The reservation, or the stored answer of the call that had the same idempotency key. */
const orReplay = (reserved: Reserved): Effect.Effect<ReservedOrReplay, Refused> => {
  switch (reserved.kind) {
    case "reserved":
      return Effect.succeed(reserved)
    case "replay": {
      const { answer, charge } = reserved
      return Effect.succeed({
        kind: "replay",
        charge,
        repeatable: { kind: "whole", answer: { headers: {}, ...answer } }
      })
    }
    case "earlier":
      return Effect.fail(notHeld(reserved.call))
  }
}

/**
 * Reserves a call whose SDK counts its attempts. A repeat waits for the earlier attempt and gets its answer, and so does an attempt
 * that a repeat has overtaken. If that one failed, it is a call of its own.
 */
const reserveAttempt = (ledger: Ledger["Service"], { digestOf, held }: Attempts) => {
  const endOf = (call: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (held.isRunning(call)) return held.ended(call)
      return Effect.flatMap(ledger.hasEnded(call), (ended) =>
        ended ? Effect.void : Effect.andThen(Effect.sleep(lookMillis), endOf(call))
      )
    })

  const answerOf = Effect.fnUntraced(function* ({ call, charge }: Earlier): Effect.fn.Return<Replay, Refused> {
    // It may be settled and not handed over yet.
    if (held.isRunning(call)) yield* callerMayDisconnect(held.ended(call))
    const repeatable = held.find(call)
    if (repeatable !== undefined) return { kind: "replay", charge, repeatable }
    const answer = yield* ledger.answerOf(call)
    if (answer === undefined) return yield* notHeld(call)
    return { kind: "replay", charge, repeatable: { kind: "whole", answer: { headers: {}, ...answer } } }
  })

  /** A stream is in the memory of the gateway that sends it, and stored when it has ended if another one asks for it. */
  const stored = (call: string, left = wantedMillis): Effect.Effect<boolean> =>
    Effect.flatMap(ledger.answerOf(call), (answer) =>
      answer !== undefined || left <= 0
        ? Effect.succeed(answer !== undefined)
        : Effect.andThen(
            Effect.sleep(lookMillis),
            Effect.suspend(() => stored(call, left - lookMillis))
          )
    )

  const attempted = (exchange: Priced, attempt: Attempt): Effect.Effect<ReservedOrReplay, Refused> =>
    Effect.flatMap(ledger.reserve(exchange, undefined, attempt), (reserved) => {
      if (reserved.kind === "reserved") {
        held.begin(exchange.requestId, exchange.principal?.account ?? "")
        return Effect.succeed(reserved)
      }
      if (reserved.kind === "replay") return orReplay(reserved)
      const { call, charge, state } = reserved
      if (state === "answered") return answerOf(reserved)
      const repeatable = held.find(call)
      if (repeatable !== undefined) return Effect.succeed({ kind: "replay", charge, repeatable })
      const again = Effect.suspend(() => attempted(exchange, { ...attempt, of: call }))
      if (held.isRunning(call)) return Effect.andThen(callerMayDisconnect(held.ended(call)), again)
      return Effect.flatMap(ledger.wantAnswer(call), (hasOthers) => {
        if (state === "open") return Effect.andThen(callerMayDisconnect(endOf(call)), again)
        const found = hasOthers ? callerMayDisconnect(stored(call)) : Effect.succeed(false)
        return Effect.flatMap(found, (found) => (found ? again : Effect.fail(notHeld(call))))
      })
    })

  return Effect.fnUntraced(function* (exchange: Priced, count: number) {
    const { account, key } = exchange.principal ?? { account: "", key: undefined }
    const digest = yield* digestOf(exchange, JSON.stringify([account, key]))
    const holds = (call: string) => held.has(call)
    const before = refusalName(exchange, count - 1)
    const attempt = { digest, count, since: exchange.since, holds }
    if (count === 0 || !held.takeRefused(before)) return yield* attempted(exchange, attempt)
    return yield* Effect.tapError(attempted(exchange, { ...attempt, isNew: true }), () =>
      Effect.sync(() => held.refused(before))
    )
  })
}

const notBegun = refuse(
  "invalid_request",
  `No call of the last 24 hours has this ${Headers.idempotencyKey}, so no stream can be resumed under it. Without` +
    ` ${Headers.lastEventId} the request is executed.`,
  { param: Headers.lastEventId }
)

const notSent = refuse("invalid_request", "The stream has not sent an event with this id.", {
  param: Headers.lastEventId
})

const endedOtherwise = (call: string): Refused =>
  refuse(
    "idempotency_in_flight",
    `The first call under this key is ${call}, which ended without a stream. Send this request with its key again.`
  )

/** Reserves a call whose stream can be resumed, or goes on with that stream if it is in memory here. */
const reserveResumable = (ledger: Ledger["Service"], held: RecentAnswers["Service"] | undefined) => {
  const joined = (held: RecentAnswers["Service"], call: string, from: number): Effect.Effect<Replay, Refused> =>
    Effect.suspend(() => {
      if (held.isRunning(call)) {
        return Effect.andThen(
          callerMayDisconnect(held.ended(call)),
          Effect.suspend(() => joined(held, call, from))
        )
      }
      const repeatable = held.find(call, from)
      if (repeatable === undefined) return Effect.fail(endedOtherwise(call))
      if (repeatable.kind === "stream" && from > repeatable.length) return Effect.fail(notSent)
      return Effect.succeed({ kind: "replay", charge: { state: "pending" }, repeatable })
    })

  return (
    exchange: Priced,
    idempotency: Idempotency,
    from: number,
    reserve: Effect.Effect<ReservedOrReplay, Refused>
  ): Effect.Effect<ReservedOrReplay, Refused> => {
    const { id, payload } = idempotency
    const { account = "", key = "", rootKey = key } = exchange.principal ?? {}
    const first = held?.claimed(id)
    if (held !== undefined && first?.payload === payload) return joined(held, first.call, from)
    if (from > 0) {
      // Its reservation would execute it a second time.
      return Effect.flatMap(ledger.isClaimed(id), (claimed) => (claimed ? reserve : Effect.fail(notBegun)))
    }
    if (held?.canResume !== true || first !== undefined) return reserve
    // Before it is reserved, so that who comes at the same moment finds it.
    held.begin(exchange.requestId, account, { id, payload, rootKey })
    return reserve
  }
}

/** Records the idempotency key, the reservation and the request in one commit, before anything is sent. */
export const reserve = (
  ledger: Ledger["Service"],
  digest: Digest.Digest["Service"],
  names: Names,
  replayByDefault: boolean,
  attempts: Attempts | undefined
) => {
  const idempotencyMode = Headers.idempotencyMode.key(names)
  const resumable = Headers.resumable.key(names)
  const paidAgain = Headers.paidAgain.key(names)
  const withAttempt = attempts && reserveAttempt(ledger, attempts)
  const withResume = reserveResumable(ledger, attempts?.held)

  const withKey = (
    exchange: Priced,
    text: string,
    replay: boolean,
    from: number | undefined
  ): Effect.Effect<ReservedOrReplay, Refused> => {
    const key = keyIn(text)
    if (key === undefined) return Effect.fail(malformed)
    return Effect.flatMap(Effect.all([idOf(digest, exchange, key), payloadOf(digest, exchange)]), ([id, payload]) => {
      const idempotency: Idempotency = { id, payload, replay }
      const reserved = Effect.flatMap(ledger.reserve(exchange, idempotency), (reserved) =>
        exchange.overCap !== undefined && reserved.kind === "reserved"
          ? Effect.andThen(
              ledger.refuse(reserved.reservation, { error: exchange.overCap.refusal }),
              Effect.fail(exchange.overCap)
            )
          : orReplay(reserved)
      )
      return from === undefined ? reserved : withResume(exchange, idempotency, from, reserved)
    })
  }
  return (exchange: Priced): Effect.Effect<ReservedOrReplay, Refused> => {
    const { headers } = exchange.request
    const mode = headers[idempotencyMode]
    const replay = mode === undefined ? replayByDefault : Object.hasOwn(modes, mode) ? modes[mode] : undefined
    if (replay === undefined) return Effect.fail(unknownMode(exchange))
    const again = headers[paidAgain]
    if (again !== undefined && again !== "once" && again !== "never") return Effect.fail(unknownPaidAgain(exchange))
    const text = headers[header]
    if (headers[resumable] !== undefined) {
      const from = ResumeRequest.parseResumeRequest(exchange)
      if (Result.isFailure(from)) return Effect.fail(from.failure)
      return withKey(exchange, text ?? "", replay, from.success)
    }
    if (text !== undefined) return withKey(exchange, text, replay, undefined)
    const count = headers[retryCount] === undefined ? undefined : attemptCount(exchange)
    return count === undefined || withAttempt === undefined
      ? Effect.flatMapEager(ledger.reserve(exchange, undefined), orReplay)
      : withAttempt(exchange, count)
  }
}
