import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import type { Verdict, VerifyOptions } from "../contract/verifyContract.ts"
import type * as operations from "../operations.ts"
import type { Abortable } from "./CallOptions.ts"
import type { CallPromise } from "./CallPromise.ts"
import type { PlainLinkOptions, PlainWithLinkOptions } from "./linking.ts"
import type { Promises } from "./Promises.ts"

type Functions = Promises<typeof operations>

/** What the whole client adds to its functions. */
export interface PromiseExtras {
  /**
   * Links a platform account to the client's key, and waits for the user until the address expires. It replaces what was
   * linked before.
   *
   * @example
   * await client.link({ open: ({ auth_url }) => show(auth_url), confirm: () => buttonPressed() })
   */
  readonly link: (options: PlainLinkOptions, more?: Abortable) => CallPromise<LinkSession>
  /**
   * The writes that act for a linked account. They link it when a call needs it, and are then retried. Make it once for a
   * program: its calls share one link.
   *
   * @example
   * const linked = client.withLink({ open: ({ auth_url }) => show(auth_url) })
   * await linked.follow({ target_user_id: "12" })
   */
  readonly withLink: (options: PlainWithLinkOptions) => Pick<Functions, "follow">
  /**
   * Compares the gateway's contract with the client's. Free of charge.
   *
   * @example
   * await client.verifyContract({ onMismatch: "fail" })
   */
  readonly verifyContract: (options: VerifyOptions, more?: Abortable) => CallPromise<Verdict>
}
