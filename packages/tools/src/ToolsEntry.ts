import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Cause from "effect/Cause"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ownerOf } from "@tollgate/ledger/credential/Keys"
import type { Authenticated, Request } from "@tollgate/gateway/exchange/Exchange"
import type { Gateway } from "@tollgate/gateway/call/Gateway"
import { withoutScope } from "@tollgate/gateway/identity/grant/scopes"
import { parse as parseTrace } from "@tollgate/gateway/observe/trace/TraceContext"
import { refuse, Refused } from "@tollgate/contract/errors/Refused"
import {
  type AnswerCut,
  type App,
  type Cuttable,
  readBody,
  reasons,
  requestOf
} from "@tollgate/gateway/endpoints/http/Http"
import { nosniff, unbuffered } from "@tollgate/gateway/endpoints/http/respond"
import {
  admit,
  corsHeaders,
  Origins,
  preflightHeaders,
  protocolVersion,
  refusedType,
  rejection,
  sessionId
} from "./admission.ts"
import { describeDefect, isLarge, turns } from "@tollgate/gateway/endpoint"
import { canShowPages } from "./approval.ts"
import { type Caller, CallsInFlight, progressTo, type Send, tokenIn } from "./Caller.ts"
import type { Handler } from "./handlers.ts"
import * as JsonRpc from "./jsonRpc.ts"
import {
  callsTool,
  isCounted,
  isToolCall,
  type Message,
  messagesIn,
  mostBytes,
  mostEscapes,
  operationIn
} from "./messages.ts"
import { methods, type ServerInfo } from "./methods.ts"
import { toolResult } from "./result.ts"
import type { Session, Sessions } from "./Sessions.ts"
import { declaresTasks, startsTasks } from "./tasks.ts"
import { isTaskMethod, type taskMethods } from "./taskMethods.ts"
import type { ToolCatalogue } from "./ToolCatalogue.ts"

type ServerRequest = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export const path = "/mcp"

/** Of messages that the client is too slow for, the latest are kept. */
const mostWaiting = 64

export interface Options {
  readonly gateway: () => Gateway
  readonly catalogueOf: (gateway: Gateway) => Effect.Effect<ToolCatalogue>
  /** By the name of the tool. */
  readonly handlers: ReadonlyMap<string, Handler>
  readonly serverInfo: ServerInfo
  readonly origins: Origins
  readonly sessions: Sessions
  /** Answers the methods of the tasks extension. `undefined`: nothing starts tasks. */
  readonly ofTasks: ReturnType<typeof taskMethods> | undefined
}

/** The credential of a tool call is only read from the header `Authorization`. Other places are named in the refusal. */
const authRequest = (request: ServerRequest, names: Names): Request => {
  const { authorization } = request.headers
  const made: Request = { ...requestOf(request), via: "tools" }
  if (authorization === undefined) return made
  const tags = Headers.tags.key(names)
  // All calls of the request have its tags.
  return { ...made, url: path, headers: { authorization, [tags]: request.headers[tags] } }
}

const owner = ({ principal }: Authenticated): string => (principal === undefined ? "" : ownerOf(principal))

/** A person may be asked to approve the call while it runs. */
const mayAsk = ({ principal }: Authenticated, session: Session | undefined): boolean =>
  session?.showsPages === true && principal?.grant?.askAbove !== undefined

const invalidCall: JsonRpc.ErrorBody = { code: JsonRpc.invalidParams, message: "Invalid method parameters" }

/** How messages in this revision are answered. */
interface Answering {
  readonly caller: Caller
  readonly revision: string
  readonly session: Session | undefined
}

/** The tool server: every message of MCP that reaches the gateway. */
export const toolsEntry = (options: Options) => {
  const { catalogueOf, gateway, handlers, ofTasks, origins, serverInfo, sessions } = options
  const answerMethod = methods(serverInfo, ofTasks !== undefined)
  /** By request id. */
  const inFlight = new Map<string, CallsInFlight>()

  const answerCut: AnswerCut = (_, requestId, outcome) => {
    // The request can be interrupted while its calls run on.
    const mayHaveRun = outcome === "unknown" || (inFlight.get(requestId)?.running ?? 0) > 0
    return JsonRpc.refusal(reasons[mayHaveRun ? "unknown" : "not executed"], requestId, {})
  }

  const counted = (gateway: Gateway, authenticated: Authenticated, count: number) =>
    Effect.forEach(Array.from({ length: count }), () => gateway.count(authenticated), { discard: true })

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
    // Runs after the finalizer by which the calls of a caller who has left are interrupted.
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

  /** Calls a tool in a fiber of its own. Returns `undefined` if the call was cancelled. */
  const callTool = Effect.fnUntraced(function* (
    { caller, revision, session }: Answering,
    { id = "", params }: Message,
    send?: Send
  ) {
    const { _meta: metadata, arguments: payload = {}, inputResponses, name, requestState } = params
    const handle = handlers.get(String(name))
    const isValid = typeof name === "string" && Predicate.isObject(payload)
    if (!isValid || (metadata !== undefined && !Predicate.isObject(metadata))) return JsonRpc.errorText(id, invalidCall)
    if (handle === undefined) {
      return JsonRpc.errorText(id, { ...invalidCall, message: `Tool '${name.slice(0, 100)}' not found` })
    }
    const message = {
      revision,
      metadata,
      progress: progressTo(send, metadata),
      takesTasks: revision === JsonRpc.stateless && declaresTasks(metadata),
      requestState,
      inputResponses,
      showPage: send !== undefined && session?.showsPages === true ? session.showPage(send) : undefined
    }
    const answer = Effect.map(handle(caller, payload, message), (content) =>
      JsonRpc.resultText(id, toolResult(content, message, serverInfo))
    )
    const fiber = yield* Effect.forkChild(caller.calls.track(answer))
    session?.started(id, fiber)
    const exit = yield* Effect.onInterrupt(Fiber.await(fiber), () => Effect.sync(() => fiber.interruptUnsafe()))
    if (Exit.isSuccess(exit)) return exit.value
    return Exit.hasInterrupts(exit) ? undefined : yield* Effect.failCause(exit.cause)
  })

  const internal = refuse("internal_error", "The gateway failed to handle the request.")

  const logged = (cause: Cause.Cause<unknown>, requestId: string) =>
    Effect.logError("tool request failed", { requestId, defect: describeDefect(Cause.squash(cause)) })

  /** A call whose answer has company cannot fail the HTTP request. */
  const orError = (answering: Answering, id: JsonRpc.Id, call: Effect.Effect<string | undefined>) =>
    Effect.catchCause(call, (cause) =>
      Cause.hasInterrupts(cause)
        ? Effect.interrupt
        : Effect.as(
            logged(cause, answering.caller.authenticated.requestId),
            JsonRpc.errorText(id, { code: JsonRpc.internalError, message: internal.refusal.message })
          )
    )

  /** The answer to a message of a batch. `undefined`: it gets none. */
  const answerInBatch = (answering: Answering, message: Message): Effect.Effect<string | undefined> => {
    const { id = null, kind } = message
    if (kind === "invalid") {
      return Effect.succeed(JsonRpc.errorText(id, { code: JsonRpc.invalidRequest, message: "Invalid Request" }))
    }
    if (kind !== "request") return Effect.undefined
    if (isToolCall(message)) return orError(answering, id, callTool(answering, message))
    return Effect.succeed(
      Result.match(answerMethod(message, answering.revision), {
        onSuccess: (result) => JsonRpc.resultText(id, result),
        onFailure: (error) => JsonRpc.errorText(id, error)
      })
    )
  }

  const headersOf = (request: ServerRequest, session: Pick<Session, "revision"> | undefined) => ({
    ...nosniff,
    ...corsHeaders(request.headers["origin"]),
    ...(session === undefined ? {} : { [protocolVersion]: session.revision })
  })

  const events = (request: ServerRequest, session: Session | undefined, texts: Stream.Stream<string>): Response =>
    HttpServerResponse.stream(
      Stream.map(texts, (text) => Utf8.encode(`data: ${text}\n\n`)),
      { contentType: "text/event-stream", headers: { ...headersOf(request, session), ...unbuffered } }
    )

  const answered = (request: ServerRequest, session: Session | undefined, text: string | undefined): Response => {
    if (session?.hasEnded === true) return rejection(404, corsHeaders(request.headers["origin"]))
    // A call that was cancelled gets no answer.
    return text === undefined
      ? events(request, session, Stream.empty)
      : HttpServerResponse.text(text, { contentType: "application/json", headers: headersOf(request, session) })
  }

  /** Answers a call with events: what the client is told and asked meanwhile, and the result at the end. */
  const streamCall = Effect.fnUntraced(function* (request: ServerRequest, answering: Answering, message: Message) {
    const queue = yield* Queue.make<string, Cause.Done>({ capacity: mostWaiting, strategy: "sliding" })
    const send: Send = (message) => Effect.asVoid(Queue.offer(queue, JSON.stringify({ jsonrpc: "2.0", ...message })))
    const call = orError(answering, message.id ?? null, callTool(answering, message, send))
    yield* Effect.forkScoped(
      Effect.ensuring(
        Effect.flatMap(call, (text) => (text === undefined ? Effect.void : Queue.offer(queue, text))),
        Queue.end(queue)
      )
    )
    return events(request, answering.session, Stream.fromQueue(queue))
  })

  const wantsEvents = ({ caller, revision, session }: Answering, message: Message): boolean => {
    if (mayAsk(caller.authenticated, session)) return true
    const { _meta: metadata } = message.params
    if (tokenIn(metadata) === undefined) return false
    // A task has no progress.
    const operation =
      revision === JsonRpc.stateless && declaresTasks(metadata)
        ? caller.gateway.catalogue.byId.get(operationIn(message) ?? "")
        : undefined
    return operation === undefined || !startsTasks(operation)
  }

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

  /** Answers a request that calls no tool. */
  const answerRequest = (
    request: ServerRequest,
    authenticated: Authenticated,
    message: Message,
    revision: string,
    session: Session | undefined
  ): Response => {
    const { id = null, method, params } = message
    const result = answerMethod(message, revision)
    const headers = headersOf(request, session)
    if (Result.isFailure(result)) {
      const { code, message } = result.failure
      const status = revision === JsonRpc.stateless && code === JsonRpc.methodNotFound ? 404 : 200
      return JsonRpc.error(status, code, message, headers, id)
    }
    if (method !== "initialize") return JsonRpc.result(id, result.success, headers)
    const started = SecureRandom.uuidV4Unsafe()
    const agreed = String((result.success as { readonly protocolVersion?: unknown }).protocolVersion)
    sessions.add(started, owner(authenticated), agreed, canShowPages(params["capabilities"]))
    return JsonRpc.result(id, result.success, { ...headers, [sessionId]: started, [protocolVersion]: agreed })
  }

  const post = Effect.fnUntraced(function* (
    request: ServerRequest,
    gateway: Gateway,
    authenticated: Authenticated,
    session: Session | undefined
  ) {
    const { headers } = request
    const cors = corsHeaders(headers["origin"])
    const wrongType = refusedType(headers)
    if (wrongType !== undefined) {
      yield* gateway.count(authenticated)
      return rejection(wrongType, cors)
    }
    const bytes = yield* readBody(request, mostBytes, true, mostEscapes)
    if (isLarge(bytes)) yield* turns.next
    const messages = messagesIn(bytes)
    if (isLarge(bytes)) yield* turns.next
    if (Result.isFailure(messages)) {
      yield* gateway.count(authenticated)
      return JsonRpc.error(400, JsonRpc.invalidRequest, messages.failure, cors)
    }
    const { isBatch, list } = messages.success
    const refused = needsScope(list, authenticated, gateway)
    if (refused !== undefined) {
      yield* gateway.count(authenticated)
      return yield* refused
    }
    const admitted = admit(headers, messages.success, session, cors)
    if (Result.isFailure(admitted)) {
      yield* gateway.count(authenticated)
      return admitted.failure
    }
    const revision = admitted.success
    const [first] = list
    if (ofTasks !== undefined && revision === JsonRpc.stateless && isTaskMethod(first)) {
      return yield* withCalls(request, gateway, authenticated, (caller) => ofTasks(caller, headers, first, cors))
    }
    yield* counted(gateway, authenticated, list.filter(isCounted).length)
    for (const message of list) session?.hear(message)
    const calling = session === undefined || revision === JsonRpc.stateless ? undefined : session
    if (!list.some(({ kind }) => kind === "request" || kind === "invalid")) {
      return HttpServerResponse.empty({ status: 202, headers: headersOf(request, calling) })
    }
    if (!isBatch && first !== undefined && !isToolCall(first)) {
      return answerRequest(request, authenticated, first, revision, calling)
    }
    return yield* withCalls(request, gateway, authenticated, (caller) => {
      const answering = { caller, revision, session: calling }
      if (!isBatch && first !== undefined) {
        return callsTool(first) && wantsEvents(answering, first)
          ? streamCall(request, answering, first)
          : Effect.map(callTool(answering, first), (text) => answered(request, calling, text))
      }
      const answers = Effect.forEach(list, (message) => answerInBatch(answering, message), { concurrency: "unbounded" })
      return Effect.map(answers, (texts) => {
        const sent = texts.filter((text) => text !== undefined)
        return answered(request, calling, sent.length === 0 ? undefined : `[${sent.join(",")}]`)
      })
    })
  })

  const serve = Effect.fnUntraced(function* (request: ServerRequest, gateway: Gateway, authenticated: Authenticated) {
    const cors = corsHeaders(request.headers["origin"])
    const id = request.headers[sessionId]
    const session = id === undefined ? undefined : sessions.use(id, owner(authenticated))
    // Another key's session does not exist.
    if (id !== undefined && session === undefined) {
      yield* gateway.count(authenticated)
      return rejection(404, cors)
    }
    if (request.method === "POST") return yield* post(request, gateway, authenticated, session)
    yield* gateway.count(authenticated)
    if (request.method !== "DELETE") return rejection(405, { ...cors, allow: "POST, DELETE" })
    if (id === undefined) return rejection(400, cors)
    sessions.remove(id)
    return HttpServerResponse.empty({ status: 204, headers: { ...nosniff, ...cors } })
  })

  const failure = (cause: Cause.Cause<unknown>, requestId: string, headers: Readonly<Record<string, string>>) => {
    if (Cause.hasInterrupts(cause)) return Effect.interrupt
    const error = Cause.squash(cause)
    if (error instanceof Refused) return Effect.succeed(JsonRpc.refusal(error, requestId, headers))
    return Effect.as(logged(cause, requestId), JsonRpc.refusal(internal, requestId, headers))
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
