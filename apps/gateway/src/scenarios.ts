import type { Scenario } from "@tollgate/contract/account/Offer"

/** What people can ask the sandbox to do, to see what the client makes of it. */
export const scenarios: ReadonlyArray<Scenario> = [
  {
    value: "status; code=429; after=2",
    title: "The upstream is busy",
    shows: "The client waits two seconds, as Retry-After says, and tries again. It gives up after its last attempt."
  },
  {
    value: "status; code=502",
    title: "The upstream fails before it begins",
    shows: "Nothing was executed, so the client tries again after a short wait. Nothing is charged."
  },
  {
    value: "status; code=500",
    title: "The upstream fails, and may have begun",
    shows:
      "The client does not repeat a call that may have run. The error has the shape of the operation's own protocol."
  },
  {
    value: "status; code=400",
    title: "The upstream refuses the request",
    shows: "The client reports InvalidRequest at once: the same request would be refused again. Nothing is charged."
  },
  {
    value: "reset",
    title: "The answer is lost",
    shows:
      "The upstream does its work and the connection breaks. The client asks again under the same idempotency key, which cannot be paid twice, and reports OutcomeUnknown."
  },
  {
    value: "truncated",
    title: "Half of an answer",
    shows: "The JSON ends in the middle. The client reports AnswerInvalid instead of a part. Nothing is charged."
  },
  {
    value: "html",
    title: "A page instead of an answer",
    shows: "The upstream answers 200 with HTML, as a proxy might. The client reports AnswerInvalid. Nothing is charged."
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
      "Nothing follows the third event. The client would wait five minutes; cancel it, and only what was sent is charged."
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
