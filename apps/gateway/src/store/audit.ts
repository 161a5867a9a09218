import { Audit } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { Worker } from "node:worker_threads"
import { databaseIn } from "./dataFolder.ts"
import { type Place, readOnlyClient } from "./layer.ts"

const program = new URL(`./auditWorker.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url)

const failed = (cause: unknown) =>
  new SqlError({ reason: new UnknownError({ cause, message: "the audit ended early", operation: "audit" }) })

/** SQLite answers in the thread that asks, and an audit reads every row: it has a thread of its own. */
const inWorker = (filename: string) =>
  Effect.callback<Audit.Audit, SqlError>((resume) => {
    const worker = new Worker(program, { workerData: filename, env: {}, execArgv: [] })
    worker.once("message", (found: Audit.Audit) => resume(Effect.succeed(found)))
    worker.once("error", (cause) => resume(Effect.fail(failed(cause))))
    worker.once("exit", (code) => resume(Effect.fail(failed(code))))
    return Effect.promise(() => worker.terminate())
  })

const embedded = (data: string): Effect.Effect<Audit.Audit, SqlError, SqlClient> =>
  SqlClient.use((sql) => Effect.andThen(sql`SELECT 1`, inWorker(databaseIn(data))))

/** Audits the store of the running gateway. A statement first brings the tables of an embedded one up to date. */
export const audit = (place: Pick<Place, "data" | "store">): Effect.Effect<Audit.Audit, SqlError, SqlClient> =>
  place.store === undefined ? embedded(place.data) : Effect.provide(Audit.run, readOnlyClient(place))
