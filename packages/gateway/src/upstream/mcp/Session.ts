import * as McpClient from "effect/ai/McpClient"
import { isMcpClientError, McpClientError, TimeoutError } from "effect/ai/McpClientError"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { HttpClient } from "effect/http/HttpClient"
import * as RcRef from "effect/RcRef"
import * as Scope from "effect/Scope"
import { DisablePropagation } from "effect/Tracer"
import type { Provider } from "../Provider.ts"
import { carriedClient, type Carry } from "./carriedClient.ts"
import { type LeftOutTool, protocolError, readPages, type sortTools } from "./toolList.ts"

const clientInfo = { name: "tollgate", version: "1.0.0" }

/** The revisions that Effect's client speaks, the newest first. */
const revisions = [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25] as const
type Revision = (typeof revisions)[number]

/** Tools that changed are noticed, but the list is not read more often than this. */
const relistMillis = 1_000

export type Offered = ReturnType<typeof sortTools>

type OnList = (offered: Offered) => Effect.Effect<void>

const metaOf = (revision: Revision): Readonly<Record<string, unknown>> =>
  revision.protocolVersion === "2026-07-28"
    ? {
        "io.modelcontextprotocol/protocolVersion": revision.protocolVersion,
        "io.modelcontextprotocol/clientInfo": clientInfo,
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    : {}

/** Also long enough for a request: the carrier bounds answers more tightly. */
const leastMessageBytes = 33_554_432

const within = <A, R>(millis: number, operation: string, effect: Effect.Effect<A, McpClientError, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: millis,
    orElse: () => Effect.fail(new McpClientError({ reason: new TimeoutError({ operation }) }))
  })

const connect = Effect.fnUntraced(function* (
  { answerBytes, baseUrl, deadlineMillis }: Provider,
  revision: Revision,
  onList: OnList
) {
  const maxMessageBytes = Math.max(answerBytes, leastMessageBytes)
  const transport = yield* McpClient.http({ url: baseUrl, protocol: revision, maxMessageBytes })
  const client = yield* Effect.provideService(
    McpClient.make({ ...clientInfo, timeout: deadlineMillis }),
    McpClient.Transport,
    transport
  )
  // The ids below are Effect's own.
  let id = 1_000_000
  const nextId = () => ++id
  const meta = metaOf(revision)
  const list = within(
    deadlineMillis,
    "tools discovery",
    Effect.suspend(() => readPages(transport, nextId, meta))
  )
  let offered = yield* Effect.tap(list, onList)
  let relistedAt = -Infinity

  const relist = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (now - relistedAt < relistMillis) return Effect.void
    relistedAt = now
    return Effect.catchCause(
      Effect.flatMap(list, (read) => {
        offered = read
        return onList(read)
      }),
      () => Effect.void
    )
  })
  return {
    /** The server's own name. */
    server: client.serverInfo?.name,
    revision,
    request: transport.request,
    /** `_meta` of a request, which tells the newer revision what the older one tells once. */
    meta,
    offered: (): Offered => offered,
    /** The tool with this name. `undefined`: the server does not offer it, also after its list was read again. */
    tool: (name: string) =>
      Effect.suspend(() => {
        const known = offered.usable.get(name)
        return known === undefined
          ? Effect.map(relist, () => offered.usable.get(name)?.tool)
          : Effect.succeed(known.tool)
      }),
    /** Reads the list again. The tools before stay if that fails. */
    relist,
    nextId
  }
})

/** A connection to one MCP server, and the tools that it offers. */
export type Session = Effect.Success<ReturnType<typeof connect>>

const open = (
  provider: Provider,
  http: HttpClient,
  revision: Revision,
  onList: OnList
): Effect.Effect<Session, McpClientError, Scope.Scope> =>
  connect(provider, revision, onList).pipe(
    Effect.provideService(HttpClient, http),
    Effect.provideService(DisablePropagation, true)
  )

/** Whether the server may still know the older revision: it answered, and not because of the credential or a limit. */
const mayBeOlder = ({ reason }: McpClientError): boolean => {
  switch (reason._tag) {
    case "HttpError":
      return reason.status >= 400 && ![401, 403, 429].includes(reason.status)
    case "ProtocolError":
    case "UnsupportedError":
    case "ValidationError":
      return true
    default:
      return false
  }
}

/** Begins a session, which lasts as long as the scope. `known` is the revision that the server spoke before. */
export const begin = (
  provider: Provider,
  http: HttpClient,
  known: Revision | undefined,
  onList: OnList
): Effect.Effect<Session, McpClientError, Scope.Scope> => {
  const [newest, older] = revisions
  const opened =
    known === undefined
      ? Effect.catchIf(open(provider, http, newest, onList), mayBeOlder, () => open(provider, http, older, onList))
      : open(provider, http, known, onList)
  // A server can send what Effect's client does not expect.
  return Effect.catchDefect(within(provider.deadlineMillis, "initialization", opened), (defect) =>
    Effect.fail(isMcpClientError(defect) ? defect : protocolError("Invalid MCP messages"))
  )
}

/** A line of the log names no more tools than this. */
const mostTold = 20

/** Keeps one session for all calls to an MCP server: it begins with the first, and begins anew when the server forgot it. */
export class SessionKeeper {
  readonly #provider: Provider
  readonly #http: HttpClient
  readonly #ref: RcRef.RcRef<Session, McpClientError>
  #carry: Carry | undefined
  #current: Session | undefined
  #revision: Revision | undefined
  #leftOut: ReadonlyArray<LeftOutTool> = []
  #told = ""
  #isClosed = false

  constructor(provider: Provider) {
    this.#provider = provider
    this.#http = carriedClient(provider, () => this.#carry ?? (() => Effect.never))
    const acquire = Effect.suspend(() => begin(provider, this.#http, this.#revision, this.#onList)).pipe(
      Effect.tapError(() => Effect.sync(() => (this.#revision = undefined))),
      Effect.tap((session) =>
        Effect.sync(() => {
          this.#current = session
          this.#revision = session.revision
        })
      )
    )
    // A session ends when it is invalidated and its last call has ended, so the scope of all is never closed.
    this.#ref = Effect.runSync(
      Effect.provideService(RcRef.make({ acquire, idleTimeToLive: Infinity }), Scope.Scope, Scope.makeUnsafe())
    )
  }

  /** The tools that cannot be called, of the latest list. */
  get leftOut(): ReadonlyArray<LeftOutTool> {
    return this.#leftOut
  }

  /** Uses the session. `forget` makes the next call begin another one. */
  use<A, E>(
    carry: Carry,
    effect: (session: Session, forget: Effect.Effect<void>) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | McpClientError> {
    return Effect.suspend(() => {
      this.#carry = carry
      return Effect.scoped(
        Effect.flatMap(RcRef.get(this.#ref), (session) => {
          const forget = Effect.suspend(() => (this.#current === session ? RcRef.invalidate(this.#ref) : Effect.void))
          return Effect.andThen(this.#isClosed ? forget : Effect.void, effect(session, forget))
        })
      )
    })
  }

  /** A list that is read again is told only if what is left out of it changed. */
  readonly #onList: OnList = ({ leftOut }) => {
    this.#leftOut = leftOut
    const tools = leftOut.slice(0, mostTold).map(({ name, reason }) => `${JSON.stringify(name)} ${reason}`)
    const before = this.#told
    this.#told = tools.join("\n")
    return this.#told === before
      ? Effect.void
      : Effect.logWarning("tools of an MCP server are left out", {
          upstream: this.#provider.name,
          count: leftOut.length,
          tools
        })
  }

  /** No session is kept from now on. One that is in use is closed after its last call. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#isClosed = true
    return RcRef.invalidate(this.#ref)
  })
}
