import { micro } from "@tollgate/contract/Money"
import { Accounts, Audit, Composition } from "@tollgate/gateway"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { pause } from "./seeded.ts"

type Row = Readonly<Record<string, unknown>>

/** What an operator and an auditor ask of the database. */
export const openDatabase = (url: string, secret: Uint8Array) => {
  const address = Redacted.make(url)
  const runtime = ManagedRuntime.make(
    Composition.layerStore(Redacted.make(secret)).pipe(
      Layer.provideMerge(PostgresClient.layer({ address, maxConnections: 4 }))
    )
  )

  const query = (text: string) => runtime.runPromise(SqlClient.use((sql) => sql.unsafe<Row>(text)))

  /** Asks again while the database is gone. */
  const ask = async (text: string): Promise<ReadonlyArray<Row>> => {
    for (;;) {
      try {
        return await query(text)
      } catch {
        await pause(50)
      }
    }
  }

  return {
    ask,
    time: async () => Number((await ask("SELECT EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS t"))[0]?.["t"]),

    /** An account with a key. */
    account: (label: string, usd: bigint, rpm: number) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const accounts = yield* Accounts
          const { id } = yield* accounts.create(label)
          yield* accounts.topUp(id, micro(usd * 1_000_000n), "for the campaign")
          yield* accounts.change(id, { rpm, tpm: 1_000_000_000, concurrency: 10_000 })
          const key = yield* accounts.createKey(id, {})
          return { id, keyId: key.id, key: Redacted.value(key.value) }
        })
      ),
    adjustTo: (account: string, balance: bigint) =>
      runtime.runPromise(
        Accounts.use((accounts) =>
          Effect.flatMap(accounts.get(account), (found) =>
            accounts.adjust(account, balance - found.balance, "all but one call")
          )
        )
      ),
    audit: () => runtime.runPromise(Audit.run),
    close: () => runtime.dispose()
  }
}

export type Database = ReturnType<typeof openDatabase>
