import { expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { type Call, calls, priced } from "@tollgate/testing/models"
import { type Asked, input, type Started, type Told, userBudget } from "@tollgate/testing/servers/Pattern"
import { patterns } from "@tollgate/testing/servers/patterns"
import { createClient } from "@tollgate/node/effect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { setTimeout } from "node:timers/promises"

// Three hundred users at once, thirty at each of ten servers. Some read their answers until their budgets refuse, some press Stop in the
// middle of a stream that has fallen silent, and some press it at any moment.

const usersOfKind = 10
const whole = "interval; ms=5"
/** Three events, and then silence. */
const silent = "stall; after=3"
const names = Object.keys(patterns)

interface User {
  readonly name: string
  readonly told: Array<Told>
  millis: number
}

const asks = async (server: Started, user: User, scenario: string, onEvent: () => void, signal: AbortSignal) => {
  const asked: Asked = { user: user.name, scenario }
  const began = performance.now()
  user.told.push(await server.ask(asked, { onEvent, signal }))
  user.millis = Math.max(user.millis, performance.now() - began)
}

/** Nobody opens three hundred connections in one moment. */
const arrive = (nth: number) => setTimeout(nth * 100)

const reads = async (server: Started, user: User, nth: number) => {
  await arrive(nth)
  for (let i = 0; i < 3; i++) await asks(server, user, whole, () => {}, new AbortController().signal)
}

/** Upstreams of a gateway may not be silent for long. */
const mostSilentMillis = 8_000

/** Presses Stop after the last event that comes, when all who read have their answers. */
const stops = async (server: Started, user: User, nth: number, othersHaveRead: Promise<unknown>) => {
  await arrive(nth)
  const controller = new AbortController()
  let events = 0
  const seen = Promise.withResolvers<void>()
  const asked = asks(server, user, silent, () => ++events === 3 && seen.resolve(), controller.signal)
  await Promise.race([seen.promise, asked])
  await Promise.race([othersHaveRead, setTimeout(mostSilentMillis)])
  controller.abort()
  await asked
}

const hurries = async (server: Started, user: User, nth: number) => {
  await arrive(nth)
  for (let i = 0; i < 2; i++) {
    const controller = new AbortController()
    setTimeout(nth * 7 + i * 3).then(() => controller.abort())
    await asks(server, user, whole, () => {}, controller.signal)
  }
}

const tagOf = ({ tags }: Call): string => /"user":"([^"]*)"/.exec(tags ?? "")?.[1] ?? ""

/** Of a stream that this program itself aborts after the same events. */
const abortedItself = (baseUrl: string) =>
  Effect.promise(async () => {
    const client = createClient({ credential: key, baseUrl })
    const controller = new AbortController()
    const asked = { user: "plain", scenario: silent }
    const options = { scenario: silent, tags: { user: asked.user }, signal: controller.signal }
    let events = 0
    try {
      for await (const _ of client.chatCompletionsStream(input, options)) if (++events === 3) controller.abort()
    } catch {
      // Its own doing.
    }
    await client.close()
    return asked.user
  })

const sockets = () => process.getActiveResourcesInfo().filter((name) => /TCP(?:Socket|Server)/.test(name)).length

it.live("servers with a budget for each user, and Stop, under load", () =>
  Effect.gen(function* () {
    const warnings: Array<Error> = []
    const onWarning = (warning: Error) => void warnings.push(warning)
    process.on("warning", onWarning)
    const { baseUrl } = yield* Host
    const plain = yield* abortedItself(baseUrl)
    const before = sockets()

    const users: Array<User> = []
    const ran = yield* Effect.promise(async () => {
      const running = await Promise.all(
        names.map(async (name, at) => {
          const client = createClient({ credential: key, baseUrl, pace: false })
          const server = await patterns[name]!(client, { credential: key, baseUrl })
          const make = (kind: string) =>
            Array.from({ length: usersOfKind }, (_, i): User => {
              const user = { name: `${kind}-${at}-${i}`, told: [], millis: 0 }
              users.push(user)
              return user
            })
          return { name, client, server, readers: make("read"), stoppers: make("stop"), hurried: make("hurr") }
        })
      )
      const reading = Promise.all(
        running.flatMap(({ readers, server }) => readers.map((user, i) => reads(server, user, i)))
      )
      await Promise.all([
        reading,
        ...running.flatMap(({ server, stoppers }) => stoppers.map((user, i) => stops(server, user, i, reading))),
        ...running.flatMap(({ hurried, server }) => hurried.map((user, i) => hurries(server, user, i)))
      ])
      return running
    })
    while ((yield* calls).some(({ state }) => state === "open")) yield* Effect.sleep("20 millis")
    const all = (yield* calls).filter(({ state }) => state !== "replayed")
    const chargedTo = (user: string) =>
      all.filter((call) => tagOf(call) === user).reduce((sum, { charged }) => sum + charged, 0)

    const most = Number(userBudget) * 1_000_000
    const reports = yield* Effect.promise(() =>
      Promise.all(
        ran.flatMap(({ hurried, readers, server, stoppers }) =>
          [...readers, ...stoppers, ...hurried].map(async ({ name }) => {
            let report = await server.budgetOf(name)
            // What a call cost that was left is learnt in the background.
            for (let i = 0; i < 500 && report?.reserved.micros !== 0; i++) {
              await setTimeout(20)
              report = await server.budgetOf(name)
            }
            return { name, charged: chargedTo(name), spent: report?.spent.micros, reserved: report?.reserved.micros }
          })
        )
      )
    )
    for (const { charged, name, reserved, spent } of reports) {
      expect([name, reserved, spent]).toEqual([name, 0, charged])
      expect(charged).toBeLessThanOrEqual(most)
    }
    expect(reports.reduce((sum, { spent = 0 }) => sum + spent, 0)).toBe(
      all.filter((call) => tagOf(call) !== plain).reduce((sum, { charged }) => sum + charged, 0)
    )

    const median = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0
    for (const { hurried, name, readers, stoppers } of ran) {
      const statuses = (users: ReadonlyArray<User>) => users.flatMap(({ told }) => told.map(({ status }) => status))
      console.log(
        `${name}: ${statuses(readers).filter((status) => status === 200).length} read, ` +
          `${statuses(readers).filter((status) => status === 402).length} refused, ` +
          `slowest of a reader ${median(readers.map(({ millis }) => millis)).toFixed()} ms; ` +
          `${statuses([...stoppers, ...hurried]).filter((status) => status === "stopped").length} stopped`
      )
      const failed = [...readers, ...stoppers, ...hurried].flatMap(({ told }) =>
        told.filter(({ status }) => status === 500)
      )
      expect([name, failed]).toEqual([name, []])
      // Nobody who reads waits for those whose streams are silent.
      expect([name, new Set(statuses(readers))]).toEqual([name, new Set([200, 402])])
      expect([name, new Set(statuses(stoppers))]).toEqual([name, new Set(["stopped"])])
      for (const status of statuses(hurried)) expect([200, 402, "stopped"]).toContain(status)
    }
    const costOf = (user: string) => all.filter((call) => tagOf(call) === user).map(({ charged }) => charged)
    expect(new Set(ran.flatMap(({ stoppers }) => stoppers.flatMap(({ name }) => costOf(name))))).toEqual(
      new Set(costOf(plain))
    )

    yield* Effect.promise(async () => {
      for (const { client, server } of ran) {
        await server.stop()
        await client.close()
      }
    })
    for (let i = 0; i < 200 && sockets() > before; i++) yield* Effect.sleep("50 millis")
    expect(sockets()).toBeLessThanOrEqual(before)
    process.off("warning", onWarning)
    expect(warnings.filter(({ name }) => name.startsWith("MaxListeners"))).toEqual([])
  }).pipe(
    Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" }))))
  )
)
