import { migrate } from "@tollgate/gateway"
import { PostgresClient } from "@tollgate/server/postgres"
import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SafeIntegers, SqlClient } from "effect/sql/SqlClient"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank, start } from "../program.ts"
import { tollgate } from "../tollgate.ts"

const password = "s3cret-password"
const scope = Scope.makeUnsafe()
afterAll(removeFolders)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const database = async (): Promise<string> => {
  const address = await Effect.runPromise(Scope.provide(emptyDatabase, scope))
  return Redacted.value(address).replace("tollgate@", `tollgate:${password}@`)
}

const inTarget = <A, E>(address: string, effect: Effect.Effect<A, E, SqlClient>) =>
  effect.pipe(
    Effect.provideService(SafeIntegers, true),
    Effect.provide(PostgresClient.layer({ address: Redacted.make(address) })),
    Effect.runPromise
  )

const query = (address: string, text: string) =>
  inTarget(
    address,
    SqlClient.use((sql) => sql.unsafe(text))
  )

describe("a move", () => {
  it("says where to move to, and refuses what is no address", async () => {
    const data = folder()
    expect((await tollgate({ TOLLGATE_DATA: data }, "move")).stderr).toContain("is not a gateway's data folder")
    const program = start({ TOLLGATE_DATA: data })
    await program.started
    expect(await tollgate({ TOLLGATE_DATA: data }, "move")).toMatchObject({
      code: 1,
      stderr: "Name the database to move to: tollgate move --to postgres://…\n"
    })
    const wrong = await tollgate({ TOLLGATE_DATA: data }, "move", "--to", `mysql://me:${password}@db/x`)
    expect(wrong.stderr).toMatch(/^--to: expected postgres:/)
    // Beside a gateway it is refused before anything else.
    const beside = await tollgate({ TOLLGATE_DATA: data }, "move", "--to", `postgres://me:${password}@127.0.0.1:1/x`)
    expect(beside.stderr).toMatch(/^TOLLGATE_DATA: another gateway [^\n]* is using the folder [^\n]*\n$/)
    await program.stop()
    const nobody = await tollgate({ TOLLGATE_DATA: data }, "move", "--to", `postgres://me:${password}@127.0.0.1:1/x`)
    expect([nobody.code, nobody.stderr]).toEqual([
      1,
      expect.stringMatching(/^Cannot move the store: cannot use PostgreSQL at 127\.0\.0\.1:1\/x[^\n]*\n$/)
    ])
    expect(wrong.stderr + beside.stderr + nobody.stderr).not.toContain(password)
  })
})

describe.runIf(hasPostgres)("a move to PostgreSQL", () => {
  let data = ""
  let key = ""

  /** A store with calls, a rotated key, large amounts, odd texts and bytes. */
  beforeAll(async () => {
    data = folder()
    const program = start({ TOLLGATE_DATA: data })
    const banner = await program.started
    key = keyIn(banner)
    for (let i = 0; i < 3; i++) expect((await rerank(addressIn(banner), key)).status).toBe(200)
    const command = async (...words: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await tollgate({ TOLLGATE_DATA: data }, ...words, "--json")
      expect([code, stderr]).toEqual([0, ""])
      return JSON.parse(stdout) as { readonly id: string }
    }
    const { id } = await command("accounts", "create", "Größe 北京")
    for (let i = 0; i < 12; i++) await command("topup", id, "1000000000", "--id", `pay-${i}`)
    const made = await command("keys", "create", id)
    await command("keys", "rotate", made.id)
    await program.stop()
    const db = new DatabaseSync(join(data, "tollgate.db"))
    db.prepare("UPDATE accounts SET label = ? WHERE id = ?").run("nul\0in it", id)
    const insert = db.prepare(
      "INSERT INTO answer_cache (id, account, body, since, upto, ends_at, call, status, headers, list_nano, evidence, stored_at)" +
        " VALUES (?, ?, ?, ?, ?, ?, 'call', 200, '{}', '0', '{}', 0)"
    )
    for (let i = 0; i < 120; i++) insert.run(`kept_${i}`, id, new Uint8Array([0, 255, i]), 2n ** 53n + 1n, 2n ** 62n, 9)
    db.close()
  })

  /** The store of another test is a copy: a move marks it. */
  const copied = (): string => {
    const copy = folder()
    for (const file of ["tollgate.db", "secret"]) copyFileSync(join(data, file), join(copy, file))
    return copy
  }
  const move = (data: string, to: string, ...words: ReadonlyArray<string>) =>
    tollgate({ TOLLGATE_DATA: data }, "move", "--to", to, ...words)

  it("takes every row; keys, balances and the audit are the same there, and the old store refuses", async () => {
    const source = copied()
    const to = await database()
    const before = await tollgate({ TOLLGATE_DATA: source }, "audit", "--json")
    const { code, stderr, stdout } = await move(source, to)
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toMatch(/^answer_cache: 120 rows$/m)
    expect(stdout).toMatch(/^Next: set TOLLGATE_STORE .* keep .*secret, and start the gateway\.$/m)
    expect(stdout).not.toContain(password)
    const env = { TOLLGATE_DATA: source, TOLLGATE_STORE: to }
    const after = await tollgate(env, "audit", "--json")
    expect(JSON.parse(after.stdout)).toEqual(JSON.parse(before.stdout))
    expect(await query(to, "SELECT since, upto, body FROM answer_cache WHERE id = 'kept_7'")).toEqual([
      { since: 2n ** 53n + 1n, upto: 2n ** 62n, body: new Uint8Array([0, 255, 7]) }
    ])
    expect(await query(to, "SELECT label FROM accounts WHERE label LIKE 'nul%'")).toEqual([{ label: "nul\uFFFDin it" }])
    // The mark names the database, and the way back.
    const refused = await tollgate({ TOLLGATE_DATA: source }, "start")
    expect(refused.stderr).toMatch(/^TOLLGATE_DATA: [^\n]*moved to PostgreSQL[^\n]*tollgate move --undo\n$/)
    expect(refused.stderr).not.toContain(password)
    expect((await tollgate({ TOLLGATE_DATA: source }, "accounts", "list")).code).toBe(1)
    const program = start(env)
    const address = addressIn(await program.started)
    expect((await rerank(address, key)).status).toBe(200)
    // A second move, also from a copy of the store, is refused and changes nothing.
    expect((await move(source, to)).stderr).toMatch(
      /^A gateway \([^)]+\) uses 127\.0\.0\.1:\d+\/\w+; stop it first\.\n$/
    )
    // Two ledgers would go on, so not even by force.
    for (const words of [["--undo"], ["--undo", "--force"]]) {
      const { code, stderr } = await move(source, to, ...words)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^A gateway \([^)]+\) uses [^\n]+; stop it first\.\n$/)])
    }
    await program.stop()
    const movedBefore = /^This store was moved to \S+ before\. [^\n]+use an empty database\.\n$/
    expect((await move(source, to)).stderr).toMatch(movedBefore)
    expect((await move(source, await database())).stderr).toMatch(/ before\. [^\n]+run tollgate move --undo first\.\n$/)
    expect((await move(copied(), to)).stderr).toMatch(movedBefore)
    expect((await tollgate(env, "audit")).code).toBe(0)
    expect((await tollgate(env, "move", "--undo")).stdout).toMatch(/^A gateway starts on the embedded store/)
    expect((await move(source, to)).stderr).toMatch(movedBefore)
    expect((await tollgate({ TOLLGATE_DATA: source }, "accounts", "list")).code).toBe(0)
  })

  it("is taken back only by force if nobody can say whether a gateway uses the database", async () => {
    const source = copied()
    const to = await database()
    expect((await move(source, to)).code).toBe(0)
    const undo = (env: Readonly<Record<string, string>>, ...words: ReadonlyArray<string>) =>
      tollgate({ TOLLGATE_DATA: source, ...env }, "move", "--undo", ...words)
    const other = `postgres://me:${password}@127.0.0.1:1/x`
    await query(to, "INSERT INTO gateways VALUES ('dead', 'host:1', '1.0.0', '', 1, 1)")
    for (const [env, why] of [
      [{}, "neither --to nor TOLLGATE_STORE"],
      [{ TOLLGATE_STORE: other }, "the database that is given is 127.0.0.1:1/x"],
      [{ TOLLGATE_STORE: to }, "host:1 is silent for"]
    ] as const) {
      const { code, stderr } = await undo(env)
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^Cannot check that no gateway uses [^\n]+--force\.\n$/)
      ])
      expect(stderr).toContain(why)
      expect(stderr).not.toContain(password)
    }
    // One that cannot be reached.
    const file = new DatabaseSync(join(source, "tollgate.db"))
    file.exec("UPDATE facts SET value = '127.0.0.1:1/x' WHERE name = 'moved'")
    file.close()
    const unreachable = await undo({}, "--to", other)
    expect([unreachable.code, unreachable.stderr]).toEqual([1, expect.stringContaining("cannot use PostgreSQL at")])
    expect((await tollgate({ TOLLGATE_DATA: source }, "accounts", "list")).code).toBe(1)
    const forced = await undo({}, "--to", other, "--force")
    expect([forced.code, forced.stderr]).toEqual([0, ""])
    expect(forced.stdout).toMatch(/^Cannot check that no gateway uses [^\n]+\nA gateway starts on the embedded store/)
    expect((await tollgate({ TOLLGATE_DATA: source }, "accounts", "list")).code).toBe(0)
  })

  it("is refused if the database is not empty, or holds a part of another store", async () => {
    const to = await database()
    await inTarget(to, migrate)
    await query(to, "INSERT INTO accounts (id, label, created_at) VALUES ('acct_x', 'x', 1)")
    expect((await move(copied(), to)).stderr).toMatch(/is not empty: its table accounts has rows\.\n$/)
    await query(to, "DELETE FROM accounts")
    const other = { store: "another", content: "x", isDone: false, parts: 3 }
    await query(to, `INSERT INTO facts VALUES ('move', '${JSON.stringify(other)}')`)
    expect((await move(copied(), to)).stderr).toMatch(/holds a move of another store; use an empty database\.\n$/)
  })

  it("is refused if the ledger is wrong, and then nothing is marked", async () => {
    const source = copied()
    const db = new DatabaseSync(join(source, "tollgate.db"))
    db.exec("UPDATE accounts SET balance = balance + 1")
    db.close()
    const to = await database()
    expect((await move(source, to)).stderr).toMatch(/^The ledger of the embedded store has \d differences/)
    expect((await tollgate({ TOLLGATE_DATA: source }, "accounts", "list")).code).toBe(0)
  })

  it("that is killed begins again; until then no gateway starts on half a store", async () => {
    const source = copied()
    const to = await database()
    await inTarget(to, migrate)
    // The second batch of a table sleeps, so that the move is killed in the middle.
    await query(
      to,
      `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT 1 FROM answer_cache) THEN PERFORM pg_sleep(3600); END IF; RETURN NEW; END $$`
    )
    await query(to, "CREATE TRIGGER hold BEFORE INSERT ON answer_cache FOR EACH STATEMENT EXECUTE FUNCTION hold()")
    const program = start({ TOLLGATE_DATA: source }, ["move", "--to", to])
    const sleeping = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
    while ((await query(to, sleeping)).length === 0) await new Promise((next) => setTimeout(next, 20))
    program.child.kill("SIGKILL")
    await program.ended
    await query(to, `SELECT pg_terminate_backend(pid) FROM (${sleeping}) AS held`)
    const copiedRows = await query(to, "SELECT COUNT(*) AS n FROM answer_cache")
    expect(copiedRows).toEqual([{ n: 50n }])
    const early = await tollgate({ TOLLGATE_DATA: source, TOLLGATE_STORE: to }, "start")
    expect(early.stderr).toBe("TOLLGATE_STORE: a move into this database has not ended; run tollgate move again\n")
    expect((await tollgate({ TOLLGATE_DATA: source }, "accounts", "list")).code).toBe(0)

    await query(to, "CREATE OR REPLACE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$")
    const again = await move(source, to)
    expect([again.code, again.stderr]).toEqual([0, ""])
    expect(again.stdout).toContain("it begins again")
    expect(await query(to, "SELECT COUNT(*) AS n FROM answer_cache")).toEqual([{ n: 120n }])
    expect((await tollgate({ TOLLGATE_DATA: source, TOLLGATE_STORE: to }, "audit")).code).toBe(0)
  })

  it("that was cut begins again if the store has changed since", async () => {
    const source = copied()
    const to = await database()
    const first = await move(source, to)
    expect([first.code, first.stderr]).toEqual([0, ""])
    // As if it had been cut before its last step.
    await query(to, `UPDATE facts SET value = replace(value, ' done', '')`)
    expect((await move(source, to, "--undo")).code).toBe(0)
    expect((await tollgate({ TOLLGATE_DATA: source }, "accounts", "create", "late")).code).toBe(0)
    const again = await move(source, to)
    expect([again.code, again.stderr]).toEqual([0, ""])
    expect(again.stdout).toContain("it begins again")
    expect(await query(to, "SELECT label FROM accounts WHERE label = 'late'")).toEqual([{ label: "late" }])
  })
})
