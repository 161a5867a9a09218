import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import { ledger } from "./migrations/0001_ledger.ts"
import { rotation } from "./migrations/0002_purses.ts"
import { links } from "./migrations/0003_links.ts"
import { tasks } from "./migrations/0004_tasks.ts"
import { ended } from "./migrations/0005_ended.ts"
import { accountSums } from "./migrations/0006_account_sums.ts"
import { journal } from "./migrations/0007_journal.ts"
import { overdraft } from "./migrations/0008_overdraft.ts"
import { endedKeys } from "./migrations/0009_ended_keys.ts"
import { grants } from "./migrations/0010_grants.ts"
import { signIn } from "./migrations/0011_sign_in.ts"
import { callDetails } from "./migrations/0012_call_details.ts"
import { operationSums } from "./migrations/0013_operation_sums.ts"
import { taskOwner } from "./migrations/0014_task_owner.ts"
import { gateways } from "./migrations/0015_gateways.ts"
import { limits } from "./migrations/0017_limits.ts"
import { tags } from "./migrations/0018_tags.ts"
import { webhooks } from "./migrations/0019_webhooks.ts"
import { usageDeltas } from "./migrations/0020_usage_deltas.ts"
import { answerCache } from "./migrations/0021_answer_cache.ts"
import { commitGroup } from "./migrations/0022_commit_function.ts"

// Imported, not read from a folder, so that a bundle contains them.
const migrations = {
  "0001_ledger": ledger,
  "0002_purses": rotation,
  "0003_links": links,
  "0004_tasks": tasks,
  "0005_ended": ended,
  "0006_account_sums": accountSums,
  "0007_journal": journal,
  "0008_overdraft": overdraft,
  "0009_ended_keys": endedKeys,
  "0010_grants": grants,
  "0011_sign_in": signIn,
  "0012_call_details": callDetails,
  "0013_operation_sums": operationSums,
  "0014_task_owner": taskOwner,
  "0015_gateways": gateways,
  // Made `commit_group`, which gateways before 0022 use. No new store has such gateways.
  "0016_commit_group": Effect.void,
  "0017_limits": limits,
  "0018_tags": tags,
  "0019_webhooks": webhooks,
  "0020_usage_deltas": usageDeltas,
  "0021_answer_cache": answerCache,
  "0022_commit_function": commitGroup
}
/** The migrations that this version knows. */
export const Migrations = Context.Reference<Readonly<Record<string, Effect.Effect<void, unknown, SqlClient>>>>(
  "@tollgate/gateway/Migrations",
  { defaultValue: () => migrations }
)

const newestOf = (known: object): number => Math.max(...Object.keys(known).map((name) => Number.parseInt(name, 10)))

const table = "tollgate_migrations"

/** A later version of the gateway has migrated the store. */
export class SchemaTooNew extends Data.TaggedError("SchemaTooNew")<{ readonly message: string }> {}

const refuseNewer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql<{ readonly id: number }>`SELECT MAX(migration_id) AS id FROM ${sql(table)}`
  const found = rows[0]?.id ?? 0
  const newest = newestOf(yield* Migrations)
  if (found > newest) {
    return yield* new SchemaTooNew({ message: `the store has schema ${found}, this version knows ${newest}` })
  }
})

const run = Effect.flatMap(Migrations, (known) =>
  Effect.andThen(Migrator.make({})({ table, loader: Migrator.fromRecord({ ...known }) }), refuseNewer)
)

/** Any number: it names the lock among those of the database. */
const lockId = "7405318264190"

/** Of several gateways that start together one migrates, and the others wait as long as it takes. */
const underLock = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`SET LOCAL statement_timeout = 0`
  yield* sql.unsafe(`SELECT pg_advisory_xact_lock(${lockId})`)
  return yield* run
})

/** Runs the migrations that the store does not have yet. */
export const migrate = SqlClient.use((sql) =>
  sql.onDialectOrElse({
    pg: () => sql.withTransaction(underLock(sql)),
    orElse: () => run
  })
)
