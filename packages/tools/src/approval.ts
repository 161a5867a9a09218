import { type BigMicroUsd, formatUsd, fromMicros } from "@tollgate/contract/Money"
import { refuse } from "@tollgate/contract/errors/Refused"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { Approval, Approvals } from "@tollgate/gateway/identity/approval/Approvals"
import { inShort } from "@tollgate/gateway/identity/approval/shownRequest"
import { getPath } from "@tollgate/gateway/endpoint"
import { capabilities } from "./tasks.ts"
import type { CallMessage, Caller, Progress, Question, ShownPage } from "./Caller.ts"
import { stateless } from "./jsonRpc.ts"
import { errorOf, toolError } from "./refusal.ts"
import type { ToolError, Used } from "./shapes.ts"
import { type Ended, refuse as refuseCall } from "./use.ts"

/** So many calls wait for a person, of a grant and in all, because each holds a connection. Others are answered with the link. */
const mostWaiting = { ofGrant: 20, inAll: 1_000 }

/** The one question that a call asks. */
const question = "approval"

const reportMillis = 5_000

/**
 * Whether a client with these capabilities shows its person a page. A form proves nothing about a person, because the client's own
 * software can answer it: approval is only given on the gateway's page.
 */
export const canShowPages = (capabilities: unknown): boolean =>
  Predicate.isObject(getPath(capabilities, "elicitation", "url"))

/** A call with a grant whose calls can need approval. */
export const canNeedApproval = ({ authenticated, gateway }: Caller): boolean =>
  authenticated.principal?.grant?.askAbove !== undefined && gateway.approvals !== undefined

type End = "no" | "declined" | "over" | "stopping"
/** How the wait for a decision ended. `undecided`: the person has more time than the client. */
type Verdict = "yes" | End | "undecided" | "not waiting"

const stop = "Do not send the call again unless the user asks for it."

export const notApproved: Readonly<Record<End, ToolError>> = {
  no: toolError("not_approved", "The owner of the account denied the call. It was not made.", stop),
  declined: toolError(
    "not_approved",
    "The user did not open the page to approve the call. The call was not made.",
    stop
  ),
  over: toolError(
    "not_approved",
    "Nobody approved the call in time, or access was revoked. The call was not made.",
    "Tell the user. If the user still wants the call, send it again."
  ),
  stopping: errorOf(
    refuse(
      "shutting_down",
      "The gateway is stopping. The call was not made, and the question to the owner of the account stays open."
    ),
    false
  )
}

const isEnd = (verdict: Verdict): verdict is End => Object.hasOwn(notApproved, verdict)

const usd = (amount: BigMicroUsd): string => `${formatUsd(fromMicros(amount))} USD`

const longestRequest = 300

const onOneLine = (request: string): string => {
  const line = inShort(request).replaceAll(/\s+/g, " ")
  return line.length > longestRequest ? `${line.slice(0, longestRequest).toWellFormed()}…` : line
}

const pageOf = ({ id, likely, most, operation, request }: Approval, url: string): ShownPage => ({
  id,
  url,
  message:
    `Approve the call of ${operation}? It costs about ${usd(likely)}, at most ${usd(most)}. Decide on this page.` +
    ` The request: ${onOneLine(request)}`
})

const isDeclined = ({ inputResponses }: CallMessage): boolean => {
  const action = getPath(inputResponses, question, "action")
  return action === "decline" || action === "cancel"
}

const reporting = (progress: Progress): Effect.Effect<never> => {
  let reports = 0
  // Far less than one, so that what the call itself reports is more.
  const report = Effect.suspend(() =>
    progress.report(++reports / 1_000_000, "Waiting for a person to approve the call")
  )
  return Effect.forever(Effect.andThen(report, Effect.sleep(reportMillis)))
}

/**
 * Asks for the approval that a call needs where the client can ask its person, and makes the call after it. When the process begins to
 * stop, `stopping` ends the calls that wait: another gateway, or the next process, finds what the person decides.
 */
export const make = (seconds: number, stopping: Effect.Effect<unknown> = Effect.never) => {
  /** By grant. */
  const waiting = new Map<string, number>()
  let all = 0

  const hold = (grant: string, wait: Effect.Effect<Verdict>): Effect.Effect<Verdict> =>
    Effect.suspend(() => {
      const others = waiting.get(grant) ?? 0
      if (others >= mostWaiting.ofGrant || all >= mostWaiting.inAll) return Effect.succeed("not waiting" as const)
      waiting.set(grant, others + 1)
      all++
      const end = () => {
        all--
        const left = (waiting.get(grant) ?? 1) - 1
        if (left === 0) waiting.delete(grant)
        else waiting.set(grant, left)
      }
      return Effect.ensuring(wait, Effect.sync(end))
    })

  const decision = (approvals: Approvals["Service"], { grant, id }: Approval): Effect.Effect<Verdict> =>
    hold(
      grant,
      Effect.raceFirst(
        Effect.match(approvals.decided(id), {
          onSuccess: Option.getOrElse((): Verdict => "over"),
          onFailure: (): Verdict => "not waiting"
        }),
        Effect.as(stopping, "stopping" as const)
      )
    )

  const atMost = (decision: Effect.Effect<Verdict>): Effect.Effect<Verdict> =>
    Effect.raceFirst(decision, Effect.as(Effect.sleep(seconds * 1_000), "undecided" as const))

  /** A client that wants progress waits as long as the person may take. */
  const whileShown = (decision: Effect.Effect<Verdict>, { progress }: CallMessage): Effect.Effect<Verdict> =>
    progress.isWanted ? Effect.raceFirst(decision, reporting(progress)) : atMost(decision)

  const found = Effect.fnUntraced(function* ({ authenticated, gateway }: Caller, id: unknown) {
    if (typeof id !== "string" || gateway.approvals === undefined) return undefined
    const approval = Option.flatten(yield* Effect.option(gateway.approvals.find(id)))
    const grant = authenticated.principal?.grant?.id
    return Option.getOrUndefined(Option.filter(approval, (approval) => approval.grant === grant))
  })

  return Effect.fnUntraced(function* (
    caller: Caller,
    operation: string,
    message: CallMessage,
    call: Effect.Effect<Ended>
  ): Effect.fn.Return<Used | { readonly asks: Question }> {
    const { approvals, resources } = caller.gateway
    if (approvals === undefined || resources?.approvalPage === undefined) return (yield* call).used

    // What the client sends back only says for which question to wait. Whether the call may be made is in the store.
    const asked = yield* found(caller, message.requestState)
    if (asked !== undefined) {
      const verdict = isDeclined(message) ? "declined" : yield* atMost(decision(approvals, asked))
      if (verdict === "undecided") return { asks: { requestState: asked.id } }
      if (isEnd(verdict)) return yield* refuseCall(caller, operation, notApproved[verdict])
    }

    const first = yield* call
    const approval = yield* found(caller, first.approval)
    if (approval === undefined || approval.id === asked?.id) return first.used
    const page = pageOf(approval, resources.approvalPage(approval.id))
    if (message.revision === stateless) {
      if (!canShowPages(getPath(message.metadata, capabilities))) return first.used
      const params = { mode: "url", message: page.message, url: page.url }
      const inputRequests = { [question]: { method: "elicitation/create" as const, params } }
      return { asks: { inputRequests, requestState: approval.id } }
    }
    if (message.showPage === undefined) return first.used
    // An `accept` only says that the page is shown. A client that does not answer does not hold up a decision.
    const shown = Effect.matchCauseEffect(message.showPage(page), {
      onSuccess: (action): Effect.Effect<Verdict> => (action === "accept" ? Effect.never : Effect.succeed("declined")),
      onFailure: () => Effect.succeed<Verdict>("not waiting")
    })
    const verdict = yield* Effect.raceFirst(whileShown(decision(approvals, approval), message), shown)
    if (verdict === "yes") return (yield* call).used
    return isEnd(verdict) ? { ...first.used, error: notApproved[verdict] } : first.used
  })
}
