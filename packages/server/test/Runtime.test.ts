import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("./fixtures/main.ts", import.meta.url))

/** Runs the program; sends one signal after each line that it prints. */
const run = (args: ReadonlyArray<string>, signals: ReadonlyArray<NodeJS.Signals> = []) =>
  Effect.promise(
    () =>
      new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
        const child = spawn(process.execPath, [main, ...args])
        let out = ""
        let err = ""
        child.stdout.on("data", (chunk: Buffer) => {
          out += chunk.toString()
          if (!out.startsWith("ready")) return
          signals.forEach((signal, i) => setTimeout(() => child.kill(signal), i * 100))
          signals = []
        })
        child.stderr.on("data", (chunk: Buffer) => {
          err += chunk.toString()
        })
        child.once("close", (code) => resolve({ code, out, err }))
      })
  )

describe("runMain", () => {
  it.live("ends with 0 when the program is done", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(["done"]), { code: 0, out: "done\n", err: "" })
    })
  )

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it.live(`${signal}: releases what the program holds and ends with 0`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* run(["wait"], [signal]), { code: 0, out: "ready\nreleased\n", err: "" })
      })
    )
  }

  it.live("a second signal does not wait", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run(["stuck"], ["SIGINT", "SIGTERM"])).code, 143)
    })
  )

  it.live("a worker ends with what it holds, however many signals it gets", () =>
    Effect.gen(function* () {
      const signals = ["SIGINT", "SIGTERM", "SIGTERM"] as const
      assert.deepStrictEqual(yield* run(["slow", "worker"], signals), { code: 0, out: "ready\nreleased\n", err: "" })
    })
  )

  it.live("a failure is one line on standard error and ends with 1", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(["fail"]), { code: 1, out: "", err: "the port is in use\n" })
    })
  )

  it.live("a defect comes with its trace", () =>
    Effect.gen(function* () {
      const { code, err } = yield* run(["defect"])
      assert.strictEqual(code, 1)
      assert.match(err, /a bug[^]*main\.ts/)
    })
  )
})
