// All that a program without Effect uses. `@tollgate/node` and `@tollgate/browser` are this, with a `createClient` of their own.

import * as functions from "./discovered/functions.ts"
import * as money from "./workflows/Money.ts"
import * as policies from "./retry/Policy.ts"

export * from "./common.ts"

// Helpers: the client is their first argument.
export { budget, wait } from "./budget/budget.ts"
export { charge } from "./charge/charge.ts"
export { ContractMismatch, ContractUnverified, verifyContract } from "./promises/verifyContract.ts"
export { link, withLink } from "./promises/linkAccount.ts"
export { LinkExpired, LinkUnusable } from "./workflows/link/link.ts"
export { log } from "./log/index.ts"
export { observe } from "./observe/observe.ts"
export type { Observer } from "./observe/Observer.ts"
export { cancelStream, resumable, resumeStream, type ResumeToken } from "./resumable/resumable.ts"
export { verifyWebhook, WebhookInvalid, type WebhookMessage } from "./webhook/index.ts"

// Objects, and no namespaces: bundlers drop those of a bundle that a page does not use.

/** Micro-USD as decimal USD, and for people to read. */
export const Money = { usd: money.usd, format: money.format }
/** How often calls are retried: the option `retry`. */
export const Policy = { standard: policies.standard, none: policies.none }
/** Operations of a gateway's own, by their ids. */
export const discovered: Pick<typeof functions, "call" | "quote" | "stream" | "pages" | "resume"> = {
  call: functions.call,
  quote: functions.quote,
  stream: functions.stream,
  pages: functions.pages,
  resume: functions.resume
}
