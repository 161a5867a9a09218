import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Context from "effect/Context"
import type { Progress } from "../../exchange/Exchange.ts"

/** One call of a tool on its way through Effect's client, which has no place for what is here. */
export interface CarriedCall {
  /** Sent with the call only. */
  readonly headers: Readonly<Record<string, string>>
  /** The arguments as the caller wrote them. Effect's client would round long integers. */
  readonly arguments: string | undefined
  /** `undefined`: nobody asks for progress. */
  readonly onProgress: ((progress: Progress) => void) | undefined
  /** The call itself was passed to the carrier. What follows it are answers to the server, and the cancellation. */
  isSent: boolean
  /** The status of the answer to the call itself. */
  status: number | undefined
  /** Why the carrier failed at the call. */
  notCarried: NotCarried | undefined
  /** The bytes of the `result`, as the server sent them. */
  result: Uint8Array | undefined
}

export const CurrentCall = Context.Reference<CarriedCall | undefined>("@tollgate/gateway/mcp/CurrentCall", {
  defaultValue: () => undefined
})
