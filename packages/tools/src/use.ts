import * as Headers from "@tollgate/contract/Headers"
import { formatUsd, fromMicros, type NanoUsd, zero } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { costsNothing } from "@tollgate/contract/errors/codes"
import { maxStoredBytes } from "@tollgate/ledger/ledger/Transition"
import * as Effect from "effect/Effect"
import type { RefusedReply, StreamReply, WholeReply } from "@tollgate/gateway/exchange/Reply"
import { isLarge, turns } from "@tollgate/gateway/endpoint"
import type { Caller, Progress } from "./Caller.ts"
import { isFailedResult, Room, show, withNextStep } from "./answer.ts"
import { collect, type Collected, endsWithError } from "./collect.ts"
import { remainingLimits } from "./left.ts"
import { Media } from "./media.ts"
import type { Prepared } from "./prepare.ts"
import { priceIn, quote, runWithProgress } from "./pipeline.ts"
import {
  capRequired,
  errorOf,
  isAboutPrice,
  sourceError,
  statusError,
  streamBroken,
  streamAbandoned,
  toolFailed
} from "./refusal.ts"
import type { Cost, ToolError, Used } from "./shapes.ts"
import { isAboutTask, taskError, taskState, waitForTask, type Waiting } from "./tasks.ts"

type Fields = Readonly<Record<string, unknown>>

const fieldsIn = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

const listIn = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(fieldsIn) : [])

/** Whether an answer of a model ended because it was as long as it might be. */
const endsAtLimit = (body: unknown): boolean => {
  const { candidates, choices, incomplete_details, stop_reason } = fieldsIn(body)
  return (
    stop_reason === "max_tokens" ||
    fieldsIn(incomplete_details)["reason"] === "max_output_tokens" ||
    listIn(choices).some(({ finish_reason }) => finish_reason === "length") ||
    listIn(candidates).some(({ finishReason }) => finishReason === "MAX_TOKENS")
  )
}

const limitedByCap = ({ outputBound }: WholeReply["exchange"], body: unknown): boolean => {
  // Each event of a stream of Gemini's is an answer.
  const parts: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
  return outputBound !== undefined && parts.some(endsAtLimit)
}

const notReturned =
  "A part of the answer is too large to return. The call ran, and its cost is that of the whole answer. Call the operation over HTTP."

const isTooLarge = (one: unknown): one is Media => one instanceof Media && !one.isBlock

/** Keeps what is too large for a block, so that it can be opened for a while. */
export const keepLarge = Effect.fnUntraced(function* ({ authenticated, gateway }: Caller, used: Used) {
  const large = used.attached?.filter(isTooLarge) ?? []
  const account = authenticated.principal?.account
  for (const media of large) {
    const file = { bytes: media.bytes, contentType: media.type.mimeType }
    const kept =
      account === undefined
        ? undefined
        : yield* gateway.files?.keep(account, used.request_id ?? "", file) ?? Effect.undefined
    if (kept !== undefined) media.link = { uri: kept.uri, until: new Date(kept.endsAt).toISOString() }
  }
  return large.every(({ link }) => link !== undefined) ? used : { ...used, truncated: true, note: notReturned }
})

export const needsKeeping = ({ attached }: Used): boolean => attached?.some(isTooLarge) === true

const free: Cost = { state: "none", usd: "0", micros_usd: 0 }

const costOf = ({ micros, state }: Charge): Cost => {
  if (micros !== undefined) return { state, usd: formatUsd(fromMicros(micros)), micros_usd: micros }
  return state === "none" ? free : { state }
}

/** What a call was charged. `undefined`: it is pending or unknown, so it may still be charged. */
const chargedBy = ({ micros, state }: Charge): NanoUsd | undefined => {
  if (state === "pending" || state === "unknown") return undefined
  return micros === undefined ? zero : fromMicros(micros)
}

/** Whether a refused call may still be charged. A key that was used before belongs to another call. */
const chargeOfRefused = ({ refusal: { code } }: Refused): Charge =>
  costsNothing(code) || code.startsWith("idempotency_") ? { state: "none" } : { state: "unknown" }

export interface Ended {
  readonly used: Used
  /** The question to a person whose approval the call needs. */
  readonly approval?: string | undefined
  /** `undefined`: it is pending or unknown, so it may still be charged up to its cap. */
  readonly charged: NanoUsd | undefined
}

const hasKey = ({ terms }: Prepared): boolean => terms.idempotencyKey !== undefined

const endRefused = Effect.fnUntraced(function* (
  caller: Caller,
  prepared: Prepared,
  { exchange, limits, refused }: RefusedReply
): Effect.fn.Return<Ended> {
  const { call } = prepared
  const price = isAboutPrice(refused) ? priceIn(yield* quote(caller, call)) : {}
  const charge = chargeOfRefused(refused)
  const used: Used = {
    operation_id: call.operation.id,
    error: errorOf(refused, hasKey(prepared), {
      operation: call.operation,
      principal: caller.authenticated.principal,
      names: caller.gateway.catalogue.names,
      resources: caller.gateway.resources
    }),
    ...price,
    cost: costOf(charge),
    request_id: exchange.requestId,
    ...remainingLimits(limits)
  }
  return { used, charged: chargedBy(charge), approval: refused.approval }
})

/** Asks for the price instead. A call that would be refused anyway says why. */
const withoutCap = (caller: Caller, prepared: Prepared): Effect.Effect<Ended> =>
  Effect.flatMap(quote(caller, prepared.call), (reply) => {
    if (reply.kind === "refused") return endRefused(caller, prepared, reply)
    const used: Used = {
      operation_id: prepared.call.operation.id,
      error: capRequired,
      ...priceIn(reply),
      cost: costOf({ state: "none" }),
      request_id: reply.exchange.requestId,
      ...remainingLimits(reply.limits)
    }
    return Effect.succeed({ used, charged: zero })
  })

/** A 5xx does not tell whether something was created. */
const chargeOf = ({ answer, charge, exchange }: WholeReply): Charge =>
  answer.status >= 500 && exchange.operation.replay === "create" ? { state: "unknown" } : charge

const failureOf = (
  status: number,
  { body, task }: Pick<Used, "body" | "task">,
  charge: Charge,
  prepared: Prepared
): Pick<Used, "error"> => {
  const own = status >= 400 && prepared.call.operation.upstream === "gateway" ? sourceError(body) : undefined
  if (own !== undefined) return { error: own }
  if (status >= 400) return { error: statusError(status, charge, hasKey(prepared)) }
  const ofTask = task && taskError(prepared.call.operation, task, charge)
  if (ofTask !== undefined) return { error: ofTask }
  return isFailedResult(body) ? { error: toolFailed } : {}
}

/** A task with an error is not to be asked for again and again. */
const withoutNext = ({ task }: Pick<Used, "task">): Pick<Used, "task"> => {
  if (task === undefined) return {}
  const { next: _, ...rest } = task
  return { task: rest }
}

const streamError = (
  { isLeft, refused }: Collected,
  shown: Pick<Used, "body">,
  prepared: Prepared
): Pick<Used, "error"> | undefined => {
  if (refused !== undefined) return { error: errorOf(refused, hasKey(prepared)) }
  if (isLeft) return { error: streamAbandoned }
  return endsWithError(shown) ? { error: streamBroken } : undefined
}

const endWhole = (caller: Caller, prepared: Prepared, reply: WholeReply, room: Room, stream?: Collected): Ended => {
  const { answer, exchange, limits } = reply
  const { operation } = prepared.call
  const about: Pick<Used, "task"> = isAboutTask(operation) ? taskState(caller, operation, answer) : {}
  // The parts are those of what was asked for, not of an error or of a task that goes on.
  const isAsked = answer.status < 400 && (about.task === undefined || about.task.status === "SUCCEEDED")
  const parts = isAsked ? prepared.parts : undefined
  const { whole, ...shown } = show(answer.bytes, answer.contentType, room, parts, stream?.received)
  const isStored = stream === undefined && hasKey(prepared) && answer.bytes.length <= maxStoredBytes
  const body = whole ?? shown.body
  const charge = chargeOf(reply)
  const failure =
    (stream && streamError(stream, shown, prepared)) ?? failureOf(answer.status, { body, ...about }, charge, prepared)
  const used: Used = {
    operation_id: operation.id,
    status: answer.status,
    ...withNextStep(shown, isStored),
    ...(answer.headers?.[Headers.idempotentReplayed] === "true" ? { replayed: true } : {}),
    ...(failure.error === undefined ? about : withoutNext(about)),
    cost: costOf(charge),
    ...(limitedByCap(exchange, body) ? { limited_by_cap: true } : {}),
    ...failure,
    request_id: exchange.requestId,
    ...remainingLimits(limits)
  }
  return { used, charged: chargedBy(charge) }
}

/** What a task that this operation started has come to, by the answer to a poll. That is too short to hold a large file. */
export const endedTask = (caller: Caller, call: Prepared["call"], reply: WholeReply): Used =>
  endWhole(caller, { call, terms: {}, lacksCap: false }, reply, new Room(false)).used

/** Waits for the end of a task. A poll before it says nothing about the charge of the call that started the task. */
const endTask = Effect.fnUntraced(function* (
  caller: Caller,
  prepared: Prepared,
  started: Ended,
  waiting: Waiting,
  progress: Progress,
  room: Room
) {
  const last = yield* waitForTask(caller, prepared.call.operation, started.used.task, waiting, progress)
  if (last === undefined) return started
  const seen = endWhole(caller, prepared, last, room)
  if (seen.used.task?.done === true || seen.used.error !== undefined) return seen
  const { cost } = started.used
  return { used: { ...seen.used, ...(cost === undefined ? {} : { cost }) }, charged: started.charged }
})

/** Reads a stream to its end. What it was is then shown as any answer is. */
const endStream = Effect.fnUntraced(function* (
  caller: Caller,
  prepared: Prepared,
  stream: StreamReply,
  progress: Progress,
  room: Room
) {
  const { exchange, head, limits } = stream
  const collected = yield* collect(stream, progress)
  const { bytes, charge } = collected
  const reply = { kind: "whole", exchange, answer: { ...head, bytes }, limits, charge } as const
  return endWhole(caller, prepared, reply, room, collected)
})

const ended = (
  caller: Caller,
  prepared: Prepared,
  progress: Progress,
  waiting: Waiting | undefined,
  room: Room
): Effect.Effect<Ended> =>
  Effect.scoped(
    Effect.flatMap(runWithProgress(caller, prepared.call, prepared.terms, progress), (reply): Effect.Effect<Ended> => {
      switch (reply.kind) {
        case "refused":
          return endRefused(caller, prepared, reply)
        case "stream":
          return endStream(caller, prepared, reply, progress, room)
        case "whole": {
          if (isLarge(reply.answer.bytes)) return Effect.map(turns.next, () => endWhole(caller, prepared, reply, room))
          const ended = endWhole(caller, prepared, reply, room)
          const { error, task } = ended.used
          const isOpen = task?.done === false && error === undefined && waiting !== undefined && waiting.seconds > 0
          return isOpen ? endTask(caller, prepared, ended, waiting, progress, room) : Effect.succeed(ended)
        }
      }
    })
  )

/** Makes one call through the pipeline and returns what a model can work with. */
export const use = (
  caller: Caller,
  prepared: Prepared,
  progress: Progress,
  waiting: Waiting | undefined,
  room: Room
): Effect.Effect<Ended> => {
  if (prepared.lacksCap) return withoutCap(caller, prepared)
  return Effect.flatMap(ended(caller, prepared, progress, waiting, room), (ended) =>
    needsKeeping(ended.used)
      ? Effect.map(keepLarge(caller, ended.used), (used) => ({ ...ended, used }))
      : Effect.succeed(ended)
  )
}

/** A call that is refused before the pipeline counts as a request all the same. */
export const refuse = ({ authenticated, gateway }: Caller, operation_id: string, error: ToolError) =>
  Effect.match(gateway.count(authenticated), {
    onSuccess: (limits): Used => ({ operation_id, error, ...remainingLimits(limits) }),
    onFailure: (refused): Used => ({ operation_id, error: errorOf(refused, false) })
  })
