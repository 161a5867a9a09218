import { expect, it } from "@effect/vitest"
import { nano } from "@tollgate/contract/Money"
import { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type { TaskStatus } from "@tollgate/contract/Task"
import * as Utf8 from "@tollgate/contract/Utf8"
import { Audit } from "@tollgate/gateway"
import type { Protocol, TaskProtocol, TaskReport } from "@tollgate/gateway/upstream/Protocol"
import { json } from "@tollgate/gateway/upstream/protocols/json"
import { advance, balanceOf, create, fundedCaller, poll, provider, services, store } from "@tollgate/testing/task/setup"
import type { Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

// An upstream with other paths, fields and statuses than the contract's.

interface Job {
  readonly job: string
  readonly state: "queued" | "working" | "done" | "stopped"
  readonly file?: string
  readonly microUsd?: number
}

const statuses = { queued: "PENDING", working: "RUNNING", done: "SUCCEEDED", stopped: "CANCELED" } as const

const readJob = (bytes: Uint8Array): TaskReport => {
  const { file, job, microUsd, state } = JSON.parse(Utf8.decode(bytes)) as Job
  const status: TaskStatus = statuses[state]
  return {
    id: job,
    status,
    output: { task_status: status, ...(file === undefined ? {} : { video_url: file }) },
    ...(microUsd === undefined ? {} : { cost: nano(BigInt(microUsd) * 1_000n) })
  }
}

const jobs: TaskProtocol = {
  readCreated: ({ bytes }) => readJob(bytes),
  createdAnswer: (answer, id, requestId) => ({
    ...answer,
    bytes: Utf8.encode(
      JSON.stringify({ output: { task_id: id, task_status: readJob(answer.bytes).status }, request_id: requestId })
    )
  }),
  pollRequest: (id) => ({
    method: "POST",
    path: "/jobs/status",
    headers: { "content-type": "application/json" },
    body: Utf8.encode(JSON.stringify({ job: id }))
  }),
  readPoll: readJob
}

const protocol: Protocol = { ...json, id: "jobs", task: jobs }

const runJob = Effect.fnUntraced(function* (end: Job) {
  const polls: Array<Outgoing> = []
  const carrier = {
    carry: (outgoing: Outgoing) =>
      Effect.sync(() => {
        polls.push(outgoing)
        const job: Job = polls.length < 3 ? { job: "j1", state: "working" } : end
        return { status: 200, headers: {}, body: Utf8.encode(JSON.stringify(job)) }
      })
  }
  return yield* Effect.gen(function* () {
    const caller = yield* fundedCaller
    const queued = Effect.succeed('{"job":"j1","state":"queued"}')
    const created = yield* create(caller, queued, undefined, 200, protocol)
    yield* advance("10 seconds")
    const { body } = yield* poll(caller, created.id)
    expect((yield* Audit.run).differences).toEqual([])
    return { created, body, polls, balance: yield* balanceOf(caller.account) }
  }).pipe(
    Effect.provide(services(carrier, [{ ...provider, protocol: "jobs" }], [protocol]).pipe(Layer.provideMerge(store())))
  )
})

it.effect("an upstream with another task shape needs only a protocol of its own", () =>
  Effect.gen(function* () {
    const { balance, body, created, polls } = yield* runJob({ job: "j1", state: "done", file: "https://x" })
    expect(created).toMatchObject({ cost: "pending", body: { output: { task_status: "PENDING" } } })
    expect(created.id).toMatch(/^task_/)
    expect(polls[0]).toMatchObject({
      method: "POST",
      path: "/base/jobs/status",
      headers: { authorization: "Bearer of-the-gateway" }
    })
    expect(Utf8.decode(polls[0]?.body ?? new Uint8Array())).toBe('{"job":"j1"}')
    expect(Schema.is(VideoTask)(body)).toBe(true)
    expect(body.output).toMatchObject({ task_id: created.id, task_status: "SUCCEEDED", video_url: "https://x" })
    expect(JSON.stringify(body)).not.toContain("j1")
    expect(balance).toEqual({ spent: 50_000n, reserved: 0n })
  })
)

it.effect("a canceled task costs what its protocol reports, also more than its price", () =>
  Effect.gen(function* () {
    const spent = (microUsd: number) =>
      Effect.map(runJob({ job: "j1", state: "stopped", microUsd }), ({ balance }) => balance)
    expect(yield* spent(20_000)).toEqual({ spent: 20_000n, reserved: 0n })
    expect(yield* spent(0)).toEqual({ spent: 0n, reserved: 0n })
    expect(yield* spent(2_000_000)).toEqual({ spent: 2_000_000n, reserved: 0n })
  })
)
