import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import type { McpClientError } from "effect/ai/McpClientError"
import * as Effect from "effect/Effect"
import type { Provider } from "../Provider.ts"
import { scrubberOf } from "../Scrubber.ts"
import { carriedClient } from "./carriedClient.ts"
import { begin } from "./Session.ts"

const reasonOf = ({ reason }: McpClientError): string => {
  switch (reason._tag) {
    case "HttpError":
      return reason.status === 401 || reason.status === 403
        ? `it refuses the credential (status ${reason.status})`
        : reason.message
    case "TransportError":
      return "no connection, or it broke"
    case "TimeoutError":
      return "it does not answer in time"
    default:
      return reason.message
  }
}

const mostReason = 300

/** Reads the list of tools of a server, with its credential. Fails with a reason that does not repeat the credential. */
export const listTools = (provider: Provider, { carry }: Carrier["Service"]) => {
  const scrubber = scrubberOf(provider)
  const session = begin(
    provider,
    carriedClient(provider, () => carry),
    undefined,
    () => Effect.void
  )
  return Effect.scoped(session).pipe(
    Effect.map(({ offered, revision: { protocolVersion }, server }) => {
      const { leftOut, usable } = offered()
      return { server, revision: protocolVersion, tools: [...usable.values()], leftOut }
    }),
    Effect.timeoutOrElse({
      duration: 2 * provider.deadlineMillis,
      orElse: () => Effect.fail("it does not answer in time")
    }),
    Effect.mapError((error) =>
      typeof error === "string" ? error : scrubber.text(reasonOf(error)).slice(0, mostReason)
    )
  )
}

export type ListedTools = Effect.Success<ReturnType<typeof listTools>>
