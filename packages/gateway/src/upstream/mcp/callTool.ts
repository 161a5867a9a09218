import { type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { isFree } from "@tollgate/contract/price/Price"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Tool } from "effect/ai/McpSchema"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { DisablePropagation } from "effect/Tracer"
import type { Sent, Progress, Decoded } from "../../exchange/Exchange.ts"
import { describeDefect } from "../../internal/describeDefect.ts"
import { refuse, Refused } from "@tollgate/contract/errors/Refused"
import { tryParse } from "../../internal/jsonValue.ts"
import { isLarge } from "../../internal/Turns.ts"
import type { Provider } from "../Provider.ts"
import type { TargetNames } from "../Route.ts"
import { type CarriedCall, CurrentCall, progressToken } from "./messages.ts"
import type { Carry } from "./carriedClient.ts"
import { isForgotten, noTool, ofBegin, ofFailure, ofResult, refusesParameters, toolMissing } from "./outcome.ts"
import type { Outcome } from "./outcome.ts"
import { endEvents, makeEvents, offerProgress, progressAnswer } from "./protocol.ts"
import type { Session, SessionKeeper } from "./Session.ts"
import { protocolError } from "./toolList.ts"
import * as Predicate from "effect/Predicate"
import { type Names, upstreamsName } from "../translate/names.ts"

interface Arguments {
  readonly value: Readonly<Record<string, unknown>>
  /** As the caller wrote them. `undefined`: some are not from the body. */
  readonly text: string | undefined
}

const renamed = (values: Readonly<Record<string, unknown>>, names: Names = {}) =>
  Object.entries(values).map(([name, value]) => [upstreamsName(names, name), value] as const)

/**
 * The tool's arguments: the body, which has the tool's names, with what is in path and query. `undefined`: the body is no
 * object.
 */
export const argumentsOf = ({ bytes, input }: Decoded, names: TargetNames = {}): Arguments | undefined => {
  // The body of a large request is as it was parsed.
  const body = bytes.length === 0 ? {} : isLarge(bytes) ? input.body : tryParse(bytes)
  if (!Predicate.isObject(body)) return undefined
  const others = Object.fromEntries([...renamed(input.path, names.path), ...renamed(input.query, names.query)])
  return Object.keys(others).length === 0 && bytes.length > 0
    ? { value: body, text: Utf8.decode(bytes) }
    : { value: { ...body, ...others }, text: undefined }
}

interface ToolCall {
  readonly exchange: Sent
  readonly provider: Provider
  readonly sessions: SessionKeeper
  readonly tool: string | undefined
  /** The tool's names for arguments that have others here. */
  readonly names: TargetNames | undefined
  readonly carry: Carry
  /** Sent with the call only: the caller's that are forwarded, and those of the trace. */
  readonly headers: Readonly<Record<string, string>>
}

const request = (tool: Tool, given: Arguments, session: Session, wantsProgress: boolean) => {
  const meta = wantsProgress ? { ...session.meta, progressToken } : session.meta
  return {
    jsonrpc: "2.0" as const,
    id: session.nextId(),
    method: "tools/call",
    params: {
      name: tool.name,
      arguments: given.value,
      ...(Object.keys(meta).length === 0 ? {} : { _meta: meta })
    }
  }
}

const send = Effect.fnUntraced(function* (
  exchange: Sent,
  name: string,
  given: Arguments,
  call: CarriedCall,
  session: Session
): Effect.fn.Return<Outcome, "forgotten"> {
  const tool = yield* session.tool(name)
  if (tool === undefined) return toolMissing(name)
  call.isSent = false
  call.status = undefined
  call.result = undefined
  const sent = session.request(request(tool, given, session, call.onProgress !== undefined), tool).pipe(
    Effect.flatMap((response) =>
      "error" in response
        ? Effect.fail(protocolError(response.error.message, response.error.code))
        : Effect.succeed(response.result)
    ),
    Effect.provideService(CurrentCall, call),
    Effect.provideService(DisablePropagation, true)
  )
  return yield* Effect.matchEffect(sent, {
    onSuccess: (result) => Effect.succeed(ofResult(exchange, result, call)),
    onFailure: (error) => {
      if (isForgotten(call, error)) {
        call.isSent = false
        return Effect.fail("forgotten" as const)
      }
      const isGone = refusesParameters(error)
        ? Effect.map(Effect.andThen(session.relist, session.tool(name)), (found) => found === undefined)
        : Effect.succeed(false)
      return Effect.map(isGone, (gone) => (gone ? toolMissing(name) : ofFailure(exchange, call, error)))
    }
  })
})

/** A call that the server refused because it forgot the session is sent once more, in a new one. */
const sendInSession = ({ carry, exchange, sessions }: ToolCall, tool: string, given: Arguments, call: CarriedCall) => {
  const attempt = (isLast: boolean): Effect.Effect<Outcome> =>
    Effect.catch(
      sessions.use(carry, (session, forget) =>
        Effect.tapError(send(exchange, tool, given, call, session), () => forget)
      ),
      (error) => {
        if (error !== "forgotten") return Effect.succeed(ofBegin(error))
        return isLast ? Effect.succeed(new NotCarried({ why: "not sent" })) : attempt(true)
      }
    )
  return Effect.catchDefect(attempt(false), (defect) =>
    Effect.as(
      Effect.logWarning("calling a tool failed", { tool, defect: describeDefect(defect) }),
      new NotCarried({ why: call.isSent ? "broken" : "not sent" })
    )
  )
}

const settle = (outcome: Outcome): Effect.Effect<Incoming, NotCarried | Refused> =>
  outcome instanceof NotCarried || outcome instanceof Refused ? Effect.fail(outcome) : Effect.succeed(outcome)

/** Progress that goes back is not passed on. */
const increasing = (onProgress: (progress: Progress) => void) => {
  let last = -Infinity
  return (progress: Progress) => {
    if (progress.progress <= last) return
    last = progress.progress
    onProgress(progress)
  }
}

/** A tool's progress and result are sent as events to a caller who accepts them. */
export const acceptsEvents = ({ request }: Sent): boolean =>
  /\btext\/event-stream\b/i.test(request.headers["accept"] ?? "")

/**
 * Calls a tool like any upstream. The call runs in a fiber of its own, which is interrupted, and so canceled at the server, when
 * its time is over or a caller who pays nothing leaves.
 */
export const callTool = Effect.fnUntraced(function* (
  toolCall: ToolCall
): Effect.fn.Return<Incoming, NotCarried | Refused> {
  const { exchange, headers, provider, tool } = toolCall
  const given = argumentsOf(exchange, toolCall.names)
  if (tool === undefined) return yield* noTool(exchange)
  if (given === undefined) return yield* refuse("invalid_request", "The body has to be a JSON object.")
  const events = acceptsEvents(exchange) ? yield* makeEvents : undefined
  const began = Deferred.makeUnsafe<void>()
  const { onProgress } = exchange.request
  const tellProgress =
    events === undefined
      ? onProgress
      : (progress: Progress) => {
          offerProgress(events, progress)
          Deferred.doneUnsafe(began, Effect.void)
        }
  const call: CarriedCall = {
    headers,
    arguments: given.text,
    onProgress: tellProgress && increasing(tellProgress),
    isSent: false,
    status: undefined,
    notCarried: undefined,
    result: undefined
  }
  const running = sendInSession(toolCall, tool, given, call)
  const ending = events === undefined ? running : Effect.tap(running, (outcome) => endEvents(events, exchange, outcome))
  const fiber = yield* Effect.forkDetach(Effect.interruptible(ending))
  // Nobody waits for the server to be told.
  const cancel = Effect.asVoid(Effect.forkDetach(Fiber.interrupt(fiber)))
  const timedOut = Effect.andThen(
    cancel,
    Effect.suspend(() =>
      Effect.fail(new NotCarried(call.isSent ? { why: "timeout" } : { why: "not sent", late: true }))
    )
  )
  const ended = Effect.map(Fiber.join(fiber), (outcome): Outcome | undefined => outcome)
  const first = events === undefined ? ended : Effect.raceFirst(ended, Effect.as(Deferred.await(began), undefined))
  const outcome = yield* first.pipe(
    Effect.timeoutOrElse({ duration: provider.deadlineMillis, orElse: () => timedOut }),
    Effect.onInterrupt(() => cancel)
  )
  if (events === undefined || (outcome !== undefined && !isAnswer(outcome))) {
    return yield* settle(outcome ?? new NotCarried({ why: "broken" }))
  }
  // A call that is paid is carried to its end.
  const onLeave = isFree(exchange.price ?? exchange.operation.price)
    ? cancel
    : Effect.asVoid(Effect.forkDetach(Effect.delay(cancel, provider.deadlineMillis)))
  return progressAnswer(events, provider.idleMillis, onLeave)
})

const isAnswer = (outcome: Outcome): boolean => "status" in outcome && outcome.status === 200
