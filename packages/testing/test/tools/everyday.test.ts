import { expect, it } from "@effect/vitest"
import { Served } from "@tollgate/testing/hostile/Served"
import { bindings } from "@tollgate/testing/models"
import { key } from "@tollgate/testing/TestGateway"
import { everydayTasks } from "@tollgate/testing/tools/everydayTasks"
import { ScriptedAgent } from "@tollgate/testing/tools/ScriptedAgent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** What a model writes and reads for all tasks: a change that needs more has to say why. */
const mostBytes = 75_000

interface Row {
  readonly title: string
  readonly calls: string
  readonly kilobytes: number
}

const inKilobytes = (bytes: number): number => Math.round(bytes / 100) / 10

const gateway = servedSandbox({
  bindings: { ...bindings, "social_b.post_comments": { parameters: { cursor: "cursor" } } }
})

/** The rows of the guide: `| task | calls | kB |`. */
const documented = (): ReadonlyArray<Row> =>
  readFileSync(join(import.meta.dirname, "../../../../docs/agents.md"), "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, title, calls, kilobytes] = /^\| (.+?) +\| (.+?) +\| +([\d.]+) +\|$/.exec(line) ?? []
      return title === undefined || calls === undefined ? [] : [{ title, calls, kilobytes: Number(kilobytes) }]
    })

it.live("an agent does fifteen everyday tasks from what the tools tell it, in few bytes", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Served
    const agent = yield* Effect.acquireRelease(
      Effect.promise(() => ScriptedAgent.connect(baseUrl, key)),
      (agent) => Effect.promise(() => agent.close())
    )
    expect(agent.known.bytes).toBeLessThanOrEqual(10_000)

    const rows: Array<Row> = []
    for (const { run, title } of everydayTasks) {
      const before = agent.steps.length
      const told = yield* Effect.promise(() => run(agent))
      const steps = agent.steps.slice(before)
      const bytes = steps.reduce((sum, step) => sum + step.bytes, 0)
      rows.push({ title, calls: steps.map(({ tool }) => tool).join(", "), kilobytes: inKilobytes(bytes) })
      console.log(
        `${title}\n  ${steps.map(({ bytes, tool }) => `${tool} ${bytes}`).join(", ")}\n  ${told.slice(0, 160)}`
      )
    }
    const total = agent.steps.reduce((sum, { bytes }) => sum + bytes, 0)
    console.log(rows.map(({ calls, kilobytes, title }) => `| ${title} | ${calls} | ${kilobytes} |`).join("\n"))
    console.log(`tools and instructions: ${agent.known.bytes} bytes; ${rows.length} tasks: ${total} bytes`)

    expect(rows).toHaveLength(15)
    for (const { bytes, tool } of agent.steps) if (tool === "search") expect(bytes).toBeLessThanOrEqual(2_000)
    expect(total).toBeLessThanOrEqual(mostBytes)

    // The guide shows the same tasks and calls, and no fewer bytes, give or take a little.
    const shown = documented()
    expect(shown.map(({ calls, title }) => [title, calls])).toEqual(rows.map(({ calls, title }) => [title, calls]))
    for (const [i, { kilobytes, title }] of rows.entries()) {
      expect(kilobytes, title).toBeLessThanOrEqual((shown[i]?.kilobytes ?? 0) * 1.2 + 0.3)
    }
  }).pipe(Effect.scoped, Effect.provide(gateway))
)
