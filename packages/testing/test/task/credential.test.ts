import { describe, expect, it } from "@effect/vitest"
import { advance, create, fundedCaller, poll, services, store } from "@tollgate/testing/task/setup"
import { type Plan, reply, report, Upstream } from "@tollgate/testing/task/Upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { SqlClient } from "effect/sql/SqlClient"

const secret = "of-the-gateway"
const said = `wrong key: Bearer ${secret}`
const headers = { "content-type": `text/plain; x="${said}"`, "retry-after": said, "www-authenticate": said }

/** Polls from which nothing is learned about the task. */
const failures: Readonly<Record<string, Plan>> = {
  "a status of 400": () => reply({ error: { message: said } }, 400, headers),
  "a status of 401": () => reply({ error: { message: said } }, 401, headers),
  "a status of 500": () => reply(said, 500, headers),
  "a redirect": () => reply("", 302, { location: `https://elsewhere.invalid/?key=${secret}` }),
  "no JSON": () => reply(`<p>${said}</p>`, 200, headers),
  "no task": () => reply({ code: 401, message: said }, 200, headers),
  "another task": () => reply(report(secret, "RUNNING", { message: said })),
  "a status that no task has": (id) => reply({ output: { task_id: id, task_status: said } }),
  "a success without a result": (id) => reply(report(id, "SUCCEEDED", { message: said }))
}

/** Polls that are answered, with more than the status. */
const reports: Readonly<Record<string, Plan>> = {
  "waits for something": (id) => reply(report(id, "PENDING", { message: said })),
  "has a warning": (id) => reply(report(id, "RUNNING", { warnings: [{ message: said }] }, { usage: { note: said } })),
  "is unknown": (id) => reply(report(id, "UNKNOWN", { message: said }))
}

/** What the caller of a task, the store and the log show after some polls. */
const shownOf = (plan: Plan) => {
  const upstream = new Upstream()
  const lines: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
  return Effect.gen(function* () {
    const caller = yield* fundedCaller
    const created = yield* create(caller, upstream.create("t", plan))
    yield* advance("2 minutes")
    const answer = yield* poll(caller, created.id)
    const sql = yield* SqlClient
    const stored = [yield* sql`SELECT * FROM tasks`, yield* sql`SELECT * FROM calls`]
    expect(upstream.polls.length).toBeGreaterThan(1)
    return { answer: JSON.stringify(answer), stored: JSON.stringify(stored), log: JSON.stringify(lines) }
  }).pipe(
    Effect.provide(Layer.provideMerge(services(upstream.carrier), store())),
    Effect.provide(Logger.layer([logger]))
  )
}

describe("an upstream that repeats the gateway's credential when it is asked for a task", () => {
  it.effect.each(Object.entries(failures))("does not tell it by %s", ([, plan]) =>
    Effect.gen(function* () {
      const { answer, log, stored } = yield* shownOf(plan)
      expect(log).toContain("polling upstream task status failed")
      expect(answer).toContain("PENDING")
      expect(answer + log + stored).not.toContain(secret)
    })
  )

  it.effect.each(Object.entries(reports))("does not tell it by a task that %s", ([, plan]) =>
    Effect.gen(function* () {
      const { answer, log, stored } = yield* shownOf(plan)
      expect(answer).toContain("wrong key: Bearer [redacted]")
      expect(answer + log + stored).not.toContain(secret)
    })
  )
})
