import { afterAll, describe, expect, it } from "@effect/vitest"
import { findPostgres, startPostgres } from "@tollgate-tooling/programs/postgres.ts"
import { parseAddress, PostgresClient, showAddress } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import { hasPostgres } from "@tollgate/testing/store/postgres"

const password = "s3cret,pass"
const written = (servers: string, parameters = "") =>
  Redacted.make(`postgres://tollgate:${encodeURIComponent(password)}@${servers}/postgres${parameters}`)

describe("an address of several servers", () => {
  it("is read as libpq reads it, and shown without user and password", () => {
    const shown = (text: string) =>
      Result.match(parseAddress(Redacted.make(text)), { onFailure: (why) => why, onSuccess: showAddress })
    expect(shown("postgres://u:p@a:1,b,[::1]:3/db?target_session_attrs=read-write")).toBe("a:1,b:5432,::1:3/db")
    expect(shown("postgresql://u:p,q@a,b/db?target_session_attrs=primary&sslmode=require")).toBe("a:5432,b:5432/db")
    expect(Result.getOrThrow(parseAddress(written("a,b"))).password).toEqual(Redacted.make(password))
    for (const [text, why] of [
      ["postgres://u:p@a,,b/db", "user, host and database are needed"],
      ["postgres://u:p@a:1,b:x/db", "expected postgres://"],
      ["postgres://u:p@a,b/db?target_session_attrs=standby", "target_session_attrs must be read-write or primary"],
      ["postgres://u:p@a,b/db?host=/run", "several hosts are written before the database"],
      ["postgres://u:p@a/db?host=b,c", "several hosts are written before the database"]
    ] as const) {
      expect(shown(text)).toContain(why)
    }
  })

  it("needs a certificate unless all of them are on this machine", () => {
    const mode = (servers: string) => Result.getOrThrow(parseAddress(written(servers))).sslMode
    expect([mode("127.0.0.1:1,localhost"), mode("127.0.0.1,db.example.com")]).toEqual(["disable", "verify-full"])
  })
})

describe.runIf(hasPostgres)("two servers", async () => {
  const binaries = findPostgres() ?? ""
  const primary = await startPostgres(binaries)
  const standby = await startPostgres(binaries, { standbyOf: primary.url })
  afterAll(() => Promise.all([primary.stop(), standby.stop()]))
  const placeOf = ({ url }: typeof primary) => url.split("@")[1] ?? ""
  const address = written([standby, primary].map(placeOf).join(), "?target_session_attrs=read-write")
  const portOf = (server: typeof primary) => Number(new URL(server.url).port)

  const on = (server: typeof primary, text: string) =>
    SqlClient.use((sql) => sql.unsafe(text)).pipe(
      Effect.provide(PostgresClient.layer({ address: written(placeOf(server)), maxConnections: 1 }))
    )
  const port = SqlClient.use((sql) =>
    Effect.map(sql<{ readonly port: number }>`SELECT inet_server_port() AS port`, ([row]) => row?.port)
  )
  const write = SqlClient.use((sql) => sql`INSERT INTO t VALUES (1)`)
  /** The test's own time limit bounds it. */
  const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.retry(effect, Schedule.spaced("50 millis"))

  it.live("the one that takes writes is used, also after a failover and after the roles were swapped", () =>
    Effect.gen(function* () {
      yield* on(primary, "CREATE TABLE t (a INTEGER)")
      yield* Effect.gen(function* () {
        yield* write
        expect(yield* port).toBe(portOf(primary))
        // All connections of the pool are open and idle.
        yield* Effect.all(
          Array.from({ length: 10 }, () => port),
          { concurrency: "unbounded" }
        )

        yield* Effect.promise(primary.crash)
        const refused = yield* Effect.flip(write)
        expect(`${refused.message} ${JSON.stringify(refused)}`).not.toContain(password)
        yield* on(standby, "SELECT pg_promote()")
        yield* eventually(write)
        expect(yield* port).toBe(portOf(standby))

        // The old one comes back, and the new one takes no more writes while its connections stay open.
        yield* Effect.all(
          Array.from({ length: 10 }, () => port),
          { concurrency: "unbounded" }
        )
        yield* Effect.promise(primary.start)
        yield* on(standby, "ALTER SYSTEM SET default_transaction_read_only = on")
        yield* on(standby, "SELECT pg_reload_conf()")
        yield* eventually(Effect.flip(write))
        yield* write
        const ports = yield* Effect.all(
          Array.from({ length: 20 }, () => port),
          { concurrency: "unbounded" }
        )
        expect(new Set(ports)).toEqual(new Set([portOf(primary)]))
      }).pipe(Effect.provide(PostgresClient.layer({ address })))
    })
  )
})
