import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { appendPreResponseHandlerUnsafe } from "effect/http/HttpEffect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ownerOf } from "@tollgate/ledger/credential/Keys"
import type { Authenticated, Request } from "../../exchange/Exchange.ts"
import type { Gateway } from "../../call/Gateway.ts"
import { describeDefect } from "../../internal/describeDefect.ts"
import { isLarge, turns } from "../../internal/Turns.ts"
import { withoutScope } from "../../identity/grant/scopes.ts"
import { parse as parseTrace } from "../../observe/trace/TraceContext.ts"
import { refuse, Refused } from "@tollgate/contract/errors/Refused"
import { type AnswerCut, type App, type Cuttable, readBody, reasons, requestOf } from "../http/Http.ts"
import { nosniff, unbuffered } from "../http/respond.ts"
import { canShowPages } from "./approval.ts"
import { type Caller, CallsInFlight, CurrentCaller } from "./Caller.ts"
import { answerText, type DirectCall, directCall } from "./directCall.ts"
import type { Handler } from "./handlers.ts"
import * as JsonRpc from "./jsonRpc.ts"
import { isCounted, type Message, operationIn, messagesIn, mostBytes, mostEscapes } from "./messages.ts"
import { corsHeaders, Origins, preflightHeaders } from "./Origins.ts"
import { explained, type Posted, rejection } from "./rejection.ts"
import { silent } from "./progress.ts"
import type { Session, Sessions } from "./Sessions.ts"
import { isTaskMethod, type taskMethods } from "./taskMethods.ts"
import type { ToolCatalogue } from "./catalogue/Index.ts"

type ServerRequest = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Mcp = Effect.Effect<Response, unknown, ServerRequest | Scope.Scope>

export const path = "/mcp"

const sessionId = "mcp-session-id"
const protocolVersion = "mcp-protocol-version"
const methodNotAllowed = ({ headers }: ServerRequest): Response =>
  rejection(405, { ...corsHeaders(headers["origin"]), allow: "POST, DELETE" })
const noSession = ({ headers }: ServerRequest): Response => rejection(404, corsHeaders(headers["origin"]))

export interface Options {
  readonly gateway: () => Gateway
  readonly catalogueOf: (gateway: Gateway) => Effect.Effect<ToolCatalogue>
  readonly mcp: Mcp
  /** By the name of the tool. */
  readonly handlers: ReadonlyMap<string, Handler>
  /** The name and version that clients are told, as JSON. */
  readonly serverInfo: string
  readonly origins: Origins
  readonly sessions: Sessions
  /** Methods that are answered here in a session, not by the MCP server. */
  readonly methods: Readonly<Record<string, (params: Message["params"]) => unknown>>
  /** Answers the methods of the tasks extension. `undefined`: nothing starts tasks. */
  readonly ofTasks: ReturnType<typeof taskMethods> | undefined
}

/** The credential of a tool call is only read from the header `Authorization`. Other places are named in the refusal. */
const authRequest = (request: ServerRequest, names: Names): Request => {
  const { authorization } = request.headers
  const made: Request = { ...requestOf(request), face: "tools" }
  if (authorization === undefined) return made
  const tags = Headers.tags.key(names)
  // All calls of the request have its tags.
  return { ...made, url: path, headers: { authorization, [tags]: request.headers[tags] } }
}

const postedOf = (messages: ReadonlyArray<Message>): Posted => {
  if (messages.length === 0) return "not JSON"
  return messages.every(({ method }) => method === undefined) ? "no message" : "messages"
}

/** Cancels a call that the gateway runs itself. The MCP server cancels its own. */
const cancel = (session: Session, { id, method, params }: Message): void => {
  const { reason, requestId } = params
  const isValid = reason === undefined || typeof reason === "string"
  if (method === "notifications/cancelled" && id === undefined && isValid) session.cancel(requestId)
}

/** Only the MCP server can ask the client of a session, in the answer to its call. */
const mayAsk = ({ principal }: Authenticated, session: Session | undefined): boolean =>
  session?.showsPages === true && principal?.grant?.askAbove !== undefined

/** What every request to the tool server passes before the MCP server gets it. */
export const toolsEntry = (options: Options) => {
  const { catalogueOf, gateway, handlers, mcp, methods, ofTasks, origins, serverInfo, sessions } = options
  /** By request id. */
  const inFlight = new Map<string, CallsInFlight>()

  const answerCut: AnswerCut = (_, requestId, outcome) => {
    // The request can be interrupted while its calls run on.
    const mayHaveRun = outcome === "unknown" || (inFlight.get(requestId)?.running ?? 0) > 0
    return JsonRpc.refusal(reasons[mayHaveRun ? "unknown" : "not executed"], requestId, {})
  }

  /** Tells the MCP server to forget a session. */
  const end = (id: string) =>
    Effect.ignore(
      Effect.scoped(
        Effect.provideService(
          mcp,
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromClientRequest(HttpClientRequest.delete(path, { headers: { [sessionId]: id } }))
        )
      )
    )

  const counted = (gateway: Gateway, authenticated: Authenticated, count: number) =>
    Effect.forEach(Array.from({ length: count }), () => gateway.count(authenticated), { discard: true })

  /** Adds what is known only when the answer is sent: the MCP server sets the session's id at that time. */
  const atAnswer = (
    request: ServerRequest,
    authenticated: Authenticated,
    posted: Posted,
    initialize: Message | undefined
  ) => {
    const headers = { ...nosniff, ...corsHeaders(request.headers["origin"]) }
    const ofStream = { ...headers, ...unbuffered }
    return (_: ServerRequest, response: Response): Effect.Effect<Response> => {
      const id = initialize === undefined ? undefined : response.headers[sessionId]
      const revision = response.headers[protocolVersion] ?? ""
      const showsPages = canShowPages(initialize?.params["capabilities"])
      const ended = id === undefined ? undefined : sessions.add(id, owner(authenticated), revision, showsPages)
      const answer = explained(response, posted)
      const sent = HttpServerResponse.setHeaders(answer, answer.body._tag === "Stream" ? ofStream : headers)
      return ended === undefined ? Effect.succeed(sent) : Effect.as(end(ended), sent)
    }
  }

  /** Runs what may start calls. The request ends when they have ended. */
  const withCalls = Effect.fnUntraced(function* <A, E, R>(
    request: ServerRequest,
    gateway: Gateway,
    authenticated: Authenticated,
    run: (caller: Caller) => Effect.Effect<A, E, R>
  ) {
    const { requestId } = authenticated
    const calls = new CallsInFlight()
    inFlight.set(requestId, calls)
    // Runs after the finalizer by which the MCP server interrupts the calls of a caller who has left.
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        calls.ended,
        Effect.sync(() => inFlight.delete(requestId))
      )
    )
    const { traceparent, tracestate } = request.headers
    const trace = gateway.tracing === undefined ? undefined : parseTrace(traceparent, tracestate)
    return yield* run({ gateway, catalogue: catalogueOf(gateway), authenticated, calls, trace })
  })

  const handOn = Effect.fnUntraced(function* (
    request: ServerRequest,
    gateway: Gateway,
    authenticated: Authenticated,
    posted: Posted,
    initialize?: Message
  ) {
    const context = yield* Effect.context<never>()
    return yield* Effect.ensuring(
      withCalls(request, gateway, authenticated, (caller) => Effect.provideService(mcp, CurrentCaller, caller)),
      Effect.sync(() => appendPreResponseHandlerUnsafe(context, atAnswer(request, authenticated, posted, initialize)))
    )
  })

  /** Calls a tool without the MCP server, in a fiber of its own as there. */
  const callDirectly = Effect.fnUntraced(function* (
    request: ServerRequest,
    caller: Caller,
    call: DirectCall,
    handle: Handler,
    session: Session | undefined
  ) {
    const { id, inputResponses, metadata, payload, requestState, revision, takesTasks } = call
    const message = { revision, metadata, progress: silent, takesTasks, requestState, inputResponses }
    const handled = handle(caller, payload, message)
    const fiber = yield* Effect.forkChild(
      caller.calls.track(Effect.map(handled, (content) => answerText(call, content, serverInfo)))
    )
    session?.started(id, fiber)
    const exit = yield* Effect.onInterrupt(Fiber.await(fiber), () => Effect.sync(() => fiber.interruptUnsafe()))
    if (session?.hasEnded === true) return noSession(request)
    const headers = {
      ...nosniff,
      ...corsHeaders(request.headers["origin"]),
      ...(session === undefined ? {} : { [protocolVersion]: revision })
    }
    if (Exit.isSuccess(exit)) {
      return HttpServerResponse.text(exit.value, { contentType: "application/json", headers })
    }
    if (!Exit.hasInterrupts(exit)) return yield* Effect.failCause(exit.cause)
    // A call that was cancelled gets no answer.
    return HttpServerResponse.stream(Stream.empty, {
      contentType: "text/event-stream",
      headers: { ...headers, ...unbuffered }
    })
  })

  const owner = ({ principal }: Authenticated): string => (principal === undefined ? "" : ownerOf(principal))

  /** A token that lacks the scope of a call is refused by HTTP, so that the client asks its person for more. */
  const needsScope = (
    list: ReadonlyArray<Message>,
    { principal }: Authenticated,
    { resources }: Gateway
  ): Refused | undefined => {
    const operation = list.length === 1 ? operationIn(list[0]) : undefined
    return operation === undefined || principal?.grant === undefined
      ? undefined
      : withoutScope(principal.grant, operation, resources, "tools")
  }

  const post = Effect.fnUntraced(function* (
    request: ServerRequest,
    gateway: Gateway,
    authenticated: Authenticated,
    session: Session | undefined
  ) {
    const bytes = yield* readBody(request, mostBytes, true, mostEscapes)
    if (isLarge(bytes)) yield* turns.next
    const messages = messagesIn(bytes)
    if (isLarge(bytes)) yield* turns.next
    if (Result.isFailure(messages)) {
      yield* gateway.count(authenticated)
      return JsonRpc.error(400, JsonRpc.invalidRequest, messages.failure)
    }
    const { list } = messages.success
    const refused = needsScope(list, authenticated, gateway)
    if (refused !== undefined) {
      yield* gateway.count(authenticated)
      return yield* refused
    }
    const call = mayAsk(authenticated, session)
      ? undefined
      : directCall(request.headers, messages.success, session?.revision, gateway.catalogue)
    const handle = call === undefined ? undefined : handlers.get(call.tool)
    if (call !== undefined && handle !== undefined) {
      return yield* withCalls(request, gateway, authenticated, (caller) =>
        callDirectly(request, caller, call, handle, session)
      )
    }
    const [first] = list
    if (ofTasks !== undefined && !messages.success.isBatch && isTaskMethod(request.headers, first)) {
      const headers = corsHeaders(request.headers["origin"])
      return yield* withCalls(request, gateway, authenticated, (caller) =>
        ofTasks(caller, request.headers, first, headers)
      )
    }
    yield* counted(gateway, authenticated, list.length === 0 ? 1 : list.filter(isCounted).length)
    const own = first?.method !== undefined && Object.hasOwn(methods, first.method) ? methods[first.method] : undefined
    if (own !== undefined && first?.id !== undefined && session !== undefined)
      return JsonRpc.result(first.id, own(first.params))
    const initialize = first?.method === "initialize" ? first : undefined
    const response = yield* handOn(request, gateway, authenticated, postedOf(list), initialize)
    if (session !== undefined && response.status < 400) for (const message of list) cancel(session, message)
    return response
  })

  const serve = Effect.fnUntraced(function* (request: ServerRequest, gateway: Gateway, authenticated: Authenticated) {
    const id = request.headers[sessionId]
    const session = id === undefined ? undefined : sessions.use(id, owner(authenticated))
    // Another key's session does not exist.
    if (id !== undefined && session === undefined) {
      yield* gateway.count(authenticated)
      return noSession(request)
    }
    if (request.method === "POST") return yield* post(request, gateway, authenticated, session)
    yield* gateway.count(authenticated)
    if (request.method !== "DELETE") return methodNotAllowed(request)
    if (id !== undefined) sessions.remove(id)
    return yield* handOn(request, gateway, authenticated, "messages")
  })

  const failure = (cause: Cause.Cause<unknown>, requestId: string, headers: Readonly<Record<string, string>>) => {
    if (Cause.hasInterrupts(cause)) return Effect.interrupt
    const error = Cause.squash(cause)
    if (error instanceof Refused) return Effect.succeed(JsonRpc.refusal(error, requestId, headers))
    return Effect.as(
      Effect.logError("tool request failed", { requestId, defect: describeDefect(error) }),
      JsonRpc.refusal(refuse("internal_error", "The gateway failed to handle the request."), requestId, headers)
    )
  }

  return (request: ServerRequest & Cuttable): App => {
    const { origin } = request.headers
    const current = gateway()
    const { names } = current.catalogue
    if (!origins.allows(origin)) return Effect.succeed(rejection(403))
    if (request.method === "OPTIONS" && origin !== undefined) {
      return Effect.succeed(
        HttpServerResponse.empty({ status: 204, headers: { ...nosniff, ...preflightHeaders(origin, names) } })
      )
    }
    const accepted = current.accept(authRequest(request, names))
    const { requestId } = accepted
    request.ifCut?.(answerCut, requestId)
    return Effect.catchCause(
      Effect.flatMap(current.authenticate(accepted), (authenticated) => serve(request, current, authenticated)),
      (cause) => failure(cause, requestId, corsHeaders(origin))
    )
  }
}
