import { describe, expect, it } from "@effect/vitest"
import {
  type ConnectedMcpSessionPort,
  type JsonRpcResponse,
  resultFromTaskOutcome,
  withTasks as withTasksOf
} from "@modelcontextprotocol/ext-tasks/client"
import { Served } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import { key, TestGateway } from "@tollgate/testing/TestGateway"
import {
  ask,
  bearer,
  callTool,
  initialize,
  inSession,
  request,
  rpc,
  send,
  withTasks
} from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

// The tasks extension, `io.modelcontextprotocol/tasks`.

type Result = Readonly<Record<string, unknown>>

const video = (prompt: string, more: object = {}) => ({
  operation_id: "video.create",
  arguments: { model: "sandbox-video", input: { prompt } },
  max_price_usd: 1,
  ...more
})

const use = (input: object, meta: object = withTasks) =>
  Effect.map(
    ask("tools/call", { name: "use", arguments: input }, bearer, meta),
    ({ messages }) => messages.at(-1)?.result
  )

const start = (prompt: string, more: object = {}) =>
  Effect.map(use(video(prompt, more)), (result): Result => {
    expect(result).toMatchObject({ resultType: "task" })
    return result ?? {}
  })

const about = (method: string, taskId: unknown, headers: Readonly<Record<string, string>> = bearer, meta = withTasks) =>
  Effect.map(ask(`tasks/${method}`, { taskId }, headers, meta), ({ messages: [message], status }) => ({
    status,
    result: message?.result,
    error: message?.error
  }))

const untilOver = Effect.fnUntraced(function* (taskId: unknown) {
  for (;;) {
    const { result } = yield* about("get", taskId)
    if (result?.["status"] !== "working") return result
    yield* Effect.sleep(300)
  }
})

const served = <A, E, R>(test: Effect.Effect<A, E, R>) => Effect.provide(test, servedSandbox())

describe("a client that knows the tasks extension", () => {
  it.live("is told of it by server/discover", () =>
    served(
      Effect.gen(function* () {
        const { messages } = yield* ask("server/discover")
        expect(messages[0]?.result?.["capabilities"]).toMatchObject({
          extensions: { "io.modelcontextprotocol/tasks": {} }
        })
      })
    )
  )

  it.live("gets a task in place of an answer, and polls it", () =>
    served(
      Effect.gen(function* () {
        const started = yield* start("a river [task never]")
        expect(started).toMatchObject({
          status: "working",
          pollIntervalMs: 520,
          taskId: expect.stringMatching(/^task_/)
        })
        expect(Object.keys(started)).not.toContain("content")
        expect(new Date(String(started["createdAt"])).toISOString()).toBe(started["createdAt"])
        expect(started["ttlMs"]).toBeGreaterThan(3_600_000)

        const { result: first } = yield* about("get", started["taskId"])
        expect(first).toMatchObject({ resultType: "complete", status: "working", createdAt: started["createdAt"] })
        expect(first).not.toHaveProperty("result")
      })
    )
  )

  it.live("finds the result in the task, charged once", () =>
    served(
      Effect.gen(function* () {
        const { taskId } = yield* start("a river [task 300ms]")
        const ended = yield* untilOver(taskId)
        expect(ended).toMatchObject({
          resultType: "complete",
          taskId,
          status: "completed",
          result: {
            isError: false,
            content: [{ type: "text" }, { type: "resource_link", name: "video" }],
            structuredContent: {
              operation_id: "video.create",
              task: { status: "SUCCEEDED", done: true },
              cost: { state: "settled", usd: "0.01" }
            }
          }
        })
        expect(yield* untilOver(taskId)).toMatchObject({ status: "completed", ttlMs: ended?.["ttlMs"] })
        expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual([["settled", 10_000]])
      })
    )
  )

  it.live("gets the same task for the same idempotency key, and pays it once", () =>
    served(
      Effect.gen(function* () {
        const [first, second] = yield* Effect.forEach([1, 2], () =>
          start("a river [task 100ms]", { idempotency_key: "k" })
        )
        expect(second?.["taskId"]).toBe(first?.["taskId"])
        expect(second?.["createdAt"]).toBe(first?.["createdAt"])
        yield* untilOver(first?.["taskId"])
        expect((yield* calls).map(({ charged }) => charged)).toEqual([10_000, 0])
      })
    )
  )

  it.live("gets no task if its call names parts of the answer, but what other clients get", () =>
    served(
      Effect.gen(function* () {
        expect(yield* use(video("a river [task 100ms]", { fields: ["output.video_url"] }))).toMatchObject({
          structuredContent: { task: { done: false, next: { operation_id: "task.get" } } }
        })
      })
    )
  )

  it.live("is told why a task failed", () =>
    served(
      Effect.gen(function* () {
        const { taskId } = yield* start("a river [task fails]")
        expect(yield* untilOver(taskId)).toMatchObject({
          result: { isError: true, structuredContent: { body: { output: { task_status: "FAILED" } } } }
        })
      })
    )
  )

  it.live("gets a task that failed as a completed one whose result is an error", () =>
    served(
      Effect.gen(function* () {
        const { taskId } = yield* start("a river [task fails]")
        expect(yield* untilOver(taskId)).toMatchObject({
          status: "completed",
          result: { isError: true, structuredContent: { error: { code: "task_failed" }, cost: { state: "none" } } }
        })
      })
    )
  )

  it.live("waits for its turn if it polls four times at once", () =>
    served(
      Effect.gen(function* () {
        const { taskId } = yield* start("a river [task never]")
        const polls = yield* Effect.all(
          Array.from({ length: 4 }, () => about("get", taskId)),
          { concurrency: "unbounded" }
        )
        expect(polls.map(({ result }) => result?.["status"])).toEqual(Array.from({ length: 4 }, () => "working"))
      })
    )
  )

  it.live("gets a task though it asks for progress, and waits though it names a time", () =>
    served(
      Effect.gen(function* () {
        expect(yield* use(video("[task 50ms]"), { ...withTasks, progressToken: "p" })).toMatchObject({
          resultType: "task"
        })
        yield* start("[task 50ms]", { wait_seconds: 30 })
      })
    )
  )

  it.live("gets an answer at once if it wants to wait for nothing, and for all that starts no task", () =>
    served(
      Effect.gen(function* () {
        const atOnce = yield* use(video("[task 50ms]", { wait_seconds: 0 }))
        expect(atOnce).toMatchObject({ resultType: "complete", structuredContent: { task: { done: false } } })
        const content = atOnce?.["structuredContent"] as { task: { next: object } } | undefined
        expect(yield* use(content?.task.next ?? {})).toMatchObject({ resultType: "complete" })
        expect(yield* use({ operation_id: "models.list" })).toMatchObject({ resultType: "complete" })
        expect(yield* use(video("x", { max_price_usd: undefined }))).toMatchObject({
          structuredContent: { error: { code: "max_price_required" } }
        })
        const batch = { name: "batch_use", arguments: { calls: [video("[task 50ms]")], max_total_usd: 1 } }
        const { messages } = yield* ask("tools/call", batch, bearer, withTasks)
        expect(messages[0]?.result).toMatchObject({ resultType: "complete" })
      })
    )
  )

  it.live("may send input and cancel; the gateway says that it heard, and a video goes on", () =>
    served(
      Effect.gen(function* () {
        const { taskId } = yield* start("a river [task 300ms]")
        for (const method of ["update", "cancel"]) {
          expect((yield* about(method, taskId)).result).toEqual({ resultType: "complete" })
        }
        expect(yield* untilOver(taskId)).toMatchObject({ status: "completed" })
        expect((yield* about("cancel", taskId)).result).toEqual({ resultType: "complete" })
      })
    )
  )
})

describe("the methods of the tasks extension", () => {
  it.live("know only the tasks of the caller's account", () =>
    served(
      Effect.gen(function* () {
        const { accounts } = yield* TestGateway
        const other = yield* accounts.create("other")
        const { value } = yield* accounts.createKey(other.id, { label: "other" })
        const { taskId } = yield* start("a river [task 50ms]")
        const stranger = { authorization: `Bearer ${Redacted.value(value)}` }
        for (const method of ["get", "update", "cancel"]) {
          const refused = yield* about(method, taskId, stranger)
          expect(refused).toMatchObject({ status: 200, error: { code: -32602 } })
          expect(yield* about(method, `task_${"0".repeat(32)}`, stranger)).toEqual(refused)
          expect(yield* about(method, taskId, { authorization: "Bearer nobody" })).toMatchObject({ status: 401 })
        }
      })
    )
  )

  it.live.each(["no", "", "task_", "'; DROP TABLE tasks; --", "x".repeat(300), 5, null, {}, undefined])(
    "have no task with the id %j",
    (id) =>
      served(
        Effect.gen(function* () {
          for (const method of ["get", "update", "cancel"]) {
            expect((yield* about(method, id)).error).toMatchObject({ code: -32602 })
          }
        })
      )
  )

  it.live("refuse a client that did not declare it, a wrong Mcp-Name, and methods that the text does not have", () =>
    served(
      Effect.gen(function* () {
        const { taskId } = yield* start("a river [task 50ms]")
        for (const method of ["get", "update", "cancel"]) {
          const undeclared = yield* Effect.map(ask(`tasks/${method}`, { taskId }), ({ messages }) => messages[0]?.error)
          expect(undeclared).toMatchObject({
            code: -32021,
            data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } }
          })
          const named = yield* about(method, taskId, { ...bearer, "mcp-name": "another" })
          expect(named).toMatchObject({ status: 400, error: { code: -32020 } })
          const methodOf = yield* about(method, taskId, { ...bearer, "mcp-method": "tools/call" })
          expect(methodOf).toMatchObject({ status: 400, error: { code: -32020 } })
        }
        for (const method of ["list", "result"]) {
          expect((yield* about(method, taskId)).error).toMatchObject({ code: -32601 })
        }
      })
    )
  )

  it.live("are not of the revisions with sessions, whose calls are answered as before", () =>
    served(
      Effect.gen(function* () {
        const { session } = yield* initialize()
        const params = { name: "use", arguments: video("[task 50ms]"), _meta: withTasks }
        const started = yield* send(rpc("tools/call", params), inSession(session))
        expect(started.messages[0]?.result).toMatchObject({ structuredContent: { task: { done: false } } })
        const asked = yield* send(rpc("tasks/get", { taskId: "t", _meta: withTasks }), inSession(session))
        expect(asked.messages[0]?.error).toMatchObject({ code: -32601 })
      })
    )
  )

  it.live("count as requests of the key", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      yield* accounts.change(account, { rpm: 4 })
      const { taskId } = yield* start("a river [task 50ms]")
      const statuses = yield* Effect.forEach(["get", "cancel", "update", "update", "get"], (method) =>
        Effect.map(about(method, taskId), ({ status }) => status)
      )
      expect(statuses).toEqual([200, 200, 200, 429, 429])
    }).pipe(Effect.provide(servedSandbox({ limits: true })))
  )
})

describe("a client that does not declare the extension", () => {
  it.live("is told that a task failed, by the call that waits for it and by a later one", () =>
    served(
      Effect.gen(function* () {
        const failed = yield* callTool("use", video("a river [task fails]", { wait_seconds: 60 }))
        expect(failed).toMatchObject({
          isError: true,
          content: { task: { status: "FAILED", done: true }, error: { code: "task_failed" }, cost: { state: "none" } }
        })
        const { task_id } = failed.content["task"] as { task_id: string }
        const get = { operation_id: "task.get", arguments: { task_id } }
        expect(yield* callTool("use", get)).toMatchObject({
          isError: true,
          content: { error: { code: "task_failed" } }
        })
        const { content } = yield* callTool("batch_use", { calls: [get] })
        expect(content).toMatchObject({ succeeded: 0, failed: 1 })
      })
    )
  )

  it.live("does not wait for a task that it does not have, and is not told to ask for it again and again", () =>
    served(
      Effect.gen(function* () {
        for (const task_id of ["nothing", `task_${"0".repeat(32)}`]) {
          const get = { operation_id: "task.get", arguments: { task_id }, wait_seconds: 300 }
          const { content, isError } = yield* callTool("use", get)
          expect(isError).toBe(true)
          expect(content["task"]).toEqual({ task_id, status: "UNKNOWN", done: false })
          expect(content["error"]).toMatchObject({
            code: "task_unknown",
            what_to_do: expect.stringContaining("Check task_id") as unknown
          })
        }
      })
    )
  )

  it.live("sees what it saw before", () =>
    served(
      Effect.gen(function* () {
        const started = yield* callTool("use", video("[task 50ms]"))
        expect(started.content).toMatchObject({ task: { done: false }, cost: { state: "pending" } })
        for (const extensions of [{}, { "io.modelcontextprotocol/tasks": true }, { other: {} }, []]) {
          const meta = { "io.modelcontextprotocol/clientCapabilities": { extensions } }
          expect((yield* use(video("[task 50ms]"), meta))?.["resultType"], JSON.stringify(extensions)).not.toBe("task")
        }
      })
    )
  )
})

/** What the official client needs of a transport. */
const portTo = (baseUrl: string): ConnectedMcpSessionPort => ({
  endpointId: baseUrl,
  taskCapabilities: { generation: "v2", capabilities: {} },
  invalidated: false,
  onServerRequest: () => () => undefined,
  onNotification: () => () => undefined,
  onInvalidated: () => () => undefined,
  dispatch: async (message): Promise<JsonRpcResponse> => {
    const { method, params } = message as { method: string; params: Result }
    const made = request(method, params, withTasks)
    const response = await fetch(`${baseUrl}/mcp`, {
      method: "POST",
      headers: { ...made.headers, authorization: `Bearer ${key}` },
      body: made.body
    })
    const { error, result } = (await response.json()) as { error?: never; result: never }
    return error === undefined ? { kind: "result", result } : { kind: "error", error }
  }
})

describe("the official client of the extension", () => {
  it.live("calls a tool, waits for its task, and reads the result", () =>
    served(
      Effect.gen(function* () {
        const { baseUrl } = yield* Served
        const seen: Array<string> = []
        const result = yield* Effect.promise(async () => {
          const session = withTasksOf(portTo(baseUrl))
          const execution = await session.callTool("use", video("a river [task 700ms]"))
          const { outcome } = await execution.settle({
            onEvent: (event) => void seen.push(event.type === "task" ? event.task.status : "outcome")
          })
          await session.close()
          return resultFromTaskOutcome(outcome)
        })
        expect(seen[0]).toBe("working")
        expect(result).toMatchObject({ structuredContent: { task: { status: "SUCCEEDED" }, cost: { usd: "0.01" } } })
      })
    )
  )
})
