import * as Audit from "@tollgate/ledger/audit/Audit"
import * as NodeSqliteClient from "@tollgate/server/sqlite"
import * as Effect from "effect/Effect"
import { parentPort, workerData } from "node:worker_threads"

// It loads only what an audit needs, and reads only, so that the gateway can write meanwhile.
const store = NodeSqliteClient.layer({ filename: String(workerData), readonly: true })
parentPort?.postMessage(await Effect.runPromise(Effect.provide(Audit.run, store)))
