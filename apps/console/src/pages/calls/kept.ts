import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import { fullTime } from "../../ui/times.ts"

/** Of all calls: what of their bodies is kept. */
export const keptOfAll =
  "Requests are not stored, and this log shows no answers. The gateway stores an answer for a day if the call had an " +
  "idempotency key or came from a reseller, and longer if the call asked for that with the cache header. Of a failure it " +
  "keeps the code and the start of the message."

/** Of one call. */
export const keptWords = ({ idempotency }: Pick<CallStory, "idempotency">): string =>
  idempotency?.answer_stored === true
    ? `What the call sent is not stored. Its answer is kept until ${fullTime(idempotency.until)}, only for repeats.`
    : "What the call sent is not stored. No answer is stored for repeats of its key."
