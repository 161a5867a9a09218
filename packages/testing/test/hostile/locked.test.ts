import { afterAll, describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask, question } from "@tollgate/testing/ask"
import { temporaryFiles } from "@tollgate/testing/store/temporaryFiles"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { DatabaseSync } from "node:sqlite"

const files = temporaryFiles()
afterAll(files.remove)

/** Another program that holds a lock on the database file until it is told to let go. */
const lockFile = (filename: string, begin: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const db = new DatabaseSync(filename)
      db.exec(begin)
      return { release: () => db.close(), isHeld: () => db.isOpen }
    }),
    ({ isHeld, release }) => Effect.sync(() => isHeld() && release())
  )

const rerank = ask("POST", "/v1/rerank", { authorization: `Bearer ${key}` }, question)
const document = Effect.map(ask("GET", "/api/contracts/version"), ({ status }) => status)

describe("a program that locks the database file", () => {
  it.live.each(["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])(
    "%s: open routes are answered meanwhile, and the billed call succeeds when the lock is gone",
    (begin) => {
      const filename = files.next()
      return Effect.gen(function* () {
        const { accounts, account } = yield* TestGateway
        expect((yield* rerank).status).toBe(200)
        const lock = yield* lockFile(filename, begin)
        const billed = yield* Effect.forkChild(rerank, { startImmediately: true })
        const entered = yield* Effect.forkChild(accounts.adjust(account, -1n, "by an operator"), {
          startImmediately: true
        })
        for (let i = 0; i < 5; i++) expect(yield* document).toBe(200)
        expect([billed.pollUnsafe(), entered.pollUnsafe()]).toEqual([undefined, undefined])
        lock.release()
        const { headers, status } = yield* Fiber.join(billed)
        expect([status, headers["x-tollgate-cost-state"]]).toEqual([200, "settled"])
        yield* Fiber.join(entered)
      }).pipe(Effect.scoped, Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ filename })))))
    }
  )
})
