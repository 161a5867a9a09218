import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawnSync } from "node:child_process"
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { Fleet } from "@tollgate/gateway"
import { decode } from "../../src/config/Config.ts"
import { replaceFile } from "../../src/config/replaceFile.ts"
import { configFile, priceStore } from "../../src/serve/configFile.ts"
import { folder, removeFolders } from "../program.ts"

afterAll(removeFolders)

const alone = Layer.provide(Fleet.layerAlone, SecureRandom.layerWebCrypto)

const made = () => {
  const path = join(folder(), "tollgate.jsonc")
  writeFileSync(path, "{} // old")
  return path
}

/** Replaces the file in a process that may write files of 8 kB at most. */
const replaceWithin = (path: string, text: string, isUnchanged: string) =>
  spawnSync(
    "sh",
    [
      "-c",
      'ulimit -f 8; exec "$0" --input-type=module -e "$1"',
      process.execPath,
      `import { replaceFile, reasonOf } from ${JSON.stringify(new URL("../../src/config/replaceFile.ts", import.meta.url).href)}
      await replaceFile(${JSON.stringify(path)}, ${text}, ${isUnchanged}).catch((cause) => console.log(reasonOf(cause)))`
    ],
    { encoding: "utf8" }
  )

describe("a file is replaced in one step", () => {
  it("a process that is killed before the new text takes its place leaves the old file", async () => {
    const path = made()
    const { signal } = replaceWithin(path, "'{} // new'", "() => process.kill(process.pid, 'SIGKILL')")
    expect(signal).toBe("SIGKILL")
    expect(readFileSync(path, "utf8")).toBe("{} // old")
    expect(readdirSync(dirname(path))).toEqual(["tollgate.jsonc", "tollgate.jsonc.part"])
    // What it left is gone with the next change.
    expect(await replaceFile(path, "{} // new")).toBe(true)
    expect(readdirSync(dirname(path))).toEqual(["tollgate.jsonc"])
    expect(readFileSync(path, "utf8")).toBe("{} // new")
  })

  it("without room for the new file the old one stays, and nothing is left beside it", () => {
    const path = made()
    const { stdout } = replaceWithin(path, "'x'.repeat(1e6)", "undefined")
    expect(stdout.trim()).toBe("EFBIG")
    expect(readFileSync(path, "utf8")).toBe("{} // old")
    expect(readdirSync(dirname(path))).toEqual(["tollgate.jsonc"])
  })

  it("a change in the last moment counts, and is kept", async () => {
    const path = made()
    expect(await replaceFile(path, "{} // new", async () => false)).toBe(false)
    expect(readFileSync(path, "utf8")).toBe("{} // old")
  })
})

describe("a reload that refuses the new file", () => {
  const old = '{ "prices": {} } // old'

  const refusedBy = (reload: (path: string) => Effect.Effect<{ valid: false; problems: string[]; in_force: false }>) =>
    Effect.gen(function* () {
      const path = made()
      writeFileSync(path, old)
      const config = yield* decode(old)
      const store = priceStore(
        yield* configFile({ path, isAllowed: true, current: () => config, reload: () => reload(path) })
      )
      const { fingerprint } = yield* store.read
      const error = yield* Effect.flip(store.replace({ operations: { usage: "free" } }, fingerprint ?? ""))
      return { message: "message" in error ? error.message : "", text: readFileSync(path, "utf8") }
    }).pipe(Effect.provide(alone), Effect.runPromise)

  it("puts the old file back, and says what was wrong", async () => {
    const { message, text } = await refusedBy((path) =>
      Effect.sync(() => {
        expect(readFileSync(path, "utf8")).toContain('"usage": "free"')
        return { valid: false, problems: ["line 1: no"], in_force: false }
      })
    )
    expect(message).toBe("The gateway refused the new file.\nThe old file is back.\nline 1: no")
    expect(text).toBe(old)
  })

  it("puts the old file back if it fails altogether", async () => {
    const { text } = await refusedBy(() => Effect.die("broken"))
    expect(text).toBe(old)
  })

  it("leaves a file that somebody changed meanwhile", async () => {
    const { message, text } = await refusedBy((path) =>
      Effect.sync(() => {
        writeFileSync(path, "{} // by hand")
        return { valid: false, problems: [], in_force: false }
      })
    )
    expect(text).toBe("{} // by hand")
    expect(message).toContain("Somebody changed the file meanwhile")
  })
})

describe("gateways that share a store", () => {
  it("write no file, because each has its own", async () => {
    const path = made()
    const several = Layer.effect(
      Fleet,
      Effect.map(Fleet, (fleet) => ({ ...fleet, size: () => 2 }))
    ).pipe(Layer.provide(alone))
    const refusal = await Effect.gen(function* () {
      const config = yield* decode("{}")
      const reload = () => Effect.die("not reached")
      const store = yield* configFile({ path, isAllowed: true, current: () => config, reload })
      return (yield* store.read).refusal
    }).pipe(Effect.provide(several), Effect.runPromise)
    expect(refusal).toContain("Several gateways share the store")
  })
})
