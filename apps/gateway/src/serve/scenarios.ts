import type { Scenario } from "@tollgate/contract/account/Offer"

/** What people can ask the sandbox to do, to see what the client makes of it. */
export const scenarios: ReadonlyArray<Scenario> = [
  {
    value: "status; code=429; after=2",
    title: "The upstream is busy",
    shows: "The client waits as long as Retry-After says, and tries again, up to three times. Nothing is charged."
  },
  {
    value: "status; code=502",
    title: "The upstream cannot be reached",
    shows:
      "The client tries again after short waits, up to three times. That cannot be paid twice. It does not repeat a stream. Then it reports UpstreamFailed. The outcome is unknown, because a proxy on the way may have failed late. Nothing is charged."
  },
  {
    value: "status; code=500",
    title: "The upstream fails, and may have begun",
    shows:
      "The client does not repeat a call that may have run, and reports ServerFault. The error has the shape of the operation's own protocol. Nothing is charged."
  },
  {
    value: "status; code=400",
    title: "The upstream refuses the request",
    shows:
      "The gateway forwards the request, and passes on the upstream's refusal. The client reports InvalidRequest at once: the same request would be refused again. Nothing is charged."
  },
  {
    value: "reset",
    title: "The answer is lost",
    shows:
      "The upstream does its work and the connection breaks. The client asks again under the same idempotency key, so it cannot be paid twice. Then it reports OutcomeUnknown."
  },
  {
    value: "truncated",
    title: "Half of an answer",
    shows:
      "The JSON ends in the middle. The upstream did the work, but the client reports AnswerInvalid and nothing is charged. A stream that ends early reports StreamFailed, and what was sent is charged."
  },
  {
    value: "html",
    title: "A page instead of an answer",
    shows:
      "The upstream answers 200 with HTML, as a proxy might. A 200 counts as executed, but an answer that nobody can read is not charged. The client reports AnswerInvalid and does not send it again."
  },
  {
    value: "reset; after=3",
    title: "A stream breaks half-way",
    shows: "Three events arrive, then StreamFailed. The text so far stays, and what was sent is charged."
  },
  {
    value: "stream-error; after=3",
    title: "A stream reports an error",
    shows:
      "After three events the upstream sends its protocol's own error event, and the client ends with StreamFailed."
  },
  {
    value: "stall; after=3",
    title: "A stream falls silent",
    shows:
      "Nothing follows the third event. The client would wait five minutes. Cancel it, and only what was sent is charged."
  },
  {
    value: "slow; ms=3000",
    title: "A slow first byte",
    shows:
      "Nothing arrives for three seconds. The client waits and sends nothing twice; the answer is charged as usual."
  },
  {
    value: "interval; ms=200",
    title: "A slow stream",
    shows: "Events are a fifth of a second apart, and each is shown as it arrives."
  }
]
