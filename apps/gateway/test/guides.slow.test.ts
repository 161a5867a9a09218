import { findPostgres } from "@tollgate-tooling/programs/postgres.ts"
import { onDemand } from "@tollgate-tooling/programs/onDemand.ts"
import { hasRedis } from "@tollgate/testing/limits/redis"
import { hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { globSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { before } from "./guide/before.ts"
import { blocksIn, commandsIn, type Step } from "./guide/blocks.ts"
import { newReader, read } from "./guide/newReader.ts"
import type { Reader } from "./guide/Reader.ts"
import { elsewhere } from "./guide/elsewhere.ts"
import { gatewayProgram, removeFolders } from "./program.ts"

/** The first has a test of its own. Every command of the second is run by reference.test.ts. */
const others = ["docs/getting-started.md", "docs/reference.md"]

const written = ["README.md", "docs/*.md", "{packages,apps}/*/README.md"]

/** All pages with commands. */
const pages = globSync(written, { cwd: join(import.meta.dirname, "../../..") })
  .toSorted()
  .filter((guide) => !others.includes(guide))
  .map((guide) => ({ guide, page: read(guide) }))
  .filter(({ page }) => blocksIn(page).some(({ language }) => language === "sh"))

const guides = pages.filter(({ page }) => commandsIn(page).some(({ block }) => block.language === "sh"))

/** Whether its commands name an address that begins so. */
const names = (page: string, address: string): boolean =>
  commandsIn(page).some(({ block }) => block.text.includes(address))
const needsPostgres = (page: string) => names(page, "postgres://")
const needsRedis = (page: string) => names(page, "redis://")

const scope = Scope.makeUnsafe()
const readers: Array<Reader> = []
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.leave()
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
afterAll(removeFolders)

/** Addresses of the guides, and what stands there in a test. */
const replaced = async (page: string): Promise<Readonly<Record<string, string>>> => {
  const found = {
    ...(await Effect.runPromise(Scope.provide(elsewhere, scope))),
    "OPENAI_API_KEY=…": "OPENAI_API_KEY=sk-0123456789",
    "https://gateway.example.com": "http://127.0.0.1:8787",
    "https://gateway.example": "http://127.0.0.1:8787"
  }
  if (!needsPostgres(page)) return found
  const server = await onDemand("postgres")
  const [, host = ""] = server.split("@")
  return {
    ...found,
    ...(needsRedis(page) ? { "redis://user:password@redis.example.com:6379/0": await onDemand("redis") } : {}),
    "postgres://…": `${server}/tollgate`,
    "user:password@db1.example.com,db2.example.com": `tollgate@${host},${host}`,
    "user:password@db.example.com": `tollgate@${host}`,
    "user:password@127.0.0.1": `tollgate@${host}`
  }
}

/** So that `createdb`, `psql` and the like find the server. */
const postgresEnv = async (page: string) => {
  if (!needsPostgres(page)) return {}
  const { hostname, port, username } = new URL(await onDemand("postgres"))
  return { PGHOST: hostname, PGPORT: port, PGUSER: username }
}

/** The commands of a guide, and before those of a section what its reader has by then. */
const stepsOf = (guide: string, page: string): ReadonlyArray<Step> => {
  const steps = commandsIn(page)
  return steps.flatMap((step, index) => {
    const { heading } = step.block
    return heading === steps[index - 1]?.block.heading ? [step] : [...(before[guide]?.[heading] ?? []), step]
  })
}

describe("the commands of", () => {
  for (const { guide, page } of guides) {
    const isPossible = (hasPostgres || !needsPostgres(page)) && (hasRedis || !needsRedis(page))
    it.runIf(isPossible)(`${guide} work as they are written`, async () => {
      const reader = await newReader({
        tollgate: gatewayProgram,
        replaced: await replaced(page),
        env: await postgresEnv(page),
        path: [findPostgres()].filter((folder) => folder !== undefined)
      })
      readers.push(reader)
      expect(await reader.follow(stepsOf(guide, page))).toBe("")
      expect(await reader.leave()).toEqual([])
    })
  }
})

describe("guides", () => {
  it("say why a command is not run, in a few words", () => {
    for (const { guide, page } of pages)
      for (const { notRun, place } of blocksIn(page).filter(({ language }) => language === "sh"))
        if (notRun !== undefined)
          expect([guide, place, notRun]).toEqual([guide, place, expect.stringMatching(/^\w.{8,}/)])
  })

  it("have each section that something is prepared for", () => {
    const prepared = Object.entries(before).flatMap(([guide, sections]) =>
      Object.keys(sections).map((heading) => `${guide} ${heading}`)
    )
    const found = guides.flatMap(({ guide, page }) => commandsIn(page).map(({ block }) => `${guide} ${block.heading}`))
    expect(prepared.filter((section) => !found.includes(section))).toEqual([])
  })
})
