import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import { LimitError, McpClientError, ProtocolError } from "effect/ai/McpClientError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { getPath } from "../../internal/jsonValue.ts"
import type { Provider } from "../Provider.ts"
import { Scrubber } from "../Scrubber.ts"
import { carriedClient } from "./carriedClient.ts"
import { begin, type Session } from "./Session.ts"

/** The tools that an MCP server offers, as it describes them. */
export interface OfferedTools {
  /** The server's own name. */
  readonly server: string | undefined
  readonly revision: string
  readonly tools: ReadonlyArray<unknown>
}

const mostPages = 100
const mostTools = 10_000

const fail = (description: string) => Effect.fail(new McpClientError({ reason: new LimitError({ description }) }))

/** Effect's client leaves out tools that it cannot call, and fields that it does not know. */
const readPages = Effect.fnUntraced(function* (session: Session) {
  const tools: Array<unknown> = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const params = { ...(cursor === undefined ? {} : { cursor }), _meta: session.meta }
    const message = { jsonrpc: "2.0" as const, id: session.nextId(), method: "tools/list", params }
    const response = yield* session.request(message)
    if ("error" in response) {
      const { code, message: description } = response.error
      return yield* new McpClientError({ reason: new ProtocolError({ code, description }) })
    }
    const listed = getPath(response.result, "tools")
    if (!Array.isArray(listed)) return yield* fail("it lists no tools")
    for (const tool of listed as ReadonlyArray<unknown>) tools.push(tool)
    if (tools.length > mostTools) return yield* fail(`it has more than ${mostTools} tools`)
    const next = getPath(response.result, "nextCursor")
    if (typeof next !== "string") return tools
    cursor = next
  }
  return yield* fail(`its list has more than ${mostPages} pages`)
})

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
export const listTools = (provider: Provider, { carry }: Carrier["Service"]): Effect.Effect<OfferedTools, string> => {
  const { credential } = provider
  const scrubber = new Scrubber(
    credential === undefined
      ? []
      : (credential.rotation?.all ?? [credential.value]).map((value) => Redacted.value(value))
  )
  return Effect.acquireUseRelease(
    begin(
      provider,
      carriedClient(provider, () => carry),
      undefined
    ),
    (session) =>
      Effect.map(readPages(session), (tools) => ({
        server: session.server,
        revision: session.revision.protocolVersion,
        tools
      })),
    ({ close }) => close
  ).pipe(
    Effect.timeoutOrElse({
      duration: 2 * provider.deadlineMillis,
      orElse: () => Effect.fail("it does not answer in time")
    }),
    Effect.mapError((error) =>
      typeof error === "string" ? error : scrubber.text(reasonOf(error)).slice(0, mostReason)
    )
  )
}
