import { AccountsSql, FleetSql, KeyHash, LedgerSql, migrate, SignupCredit } from "@tollgate/gateway"
import { ReservationWait, type WaitOptions } from "@tollgate/ledger/commit/Waiting"
import { FleetTimes } from "@tollgate/ledger/fleet/Fleet"
import { micro } from "@tollgate/contract/Money"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { nobodyWaits } from "../ledger/ledgerOn.ts"

export const never: FleetTimes = { beatMillis: 2 ** 30, deadMillis: 2 ** 30 }

/** Fleet, ledger and accounts of one gateway among others on the same database. */
export const ledgerInFleet = (
  address: Redacted.Redacted,
  name: string,
  times: FleetTimes = never,
  wait: WaitOptions = nobodyWaits
) =>
  Layer.mergeAll(LedgerSql.layer, AccountsSql.layer).pipe(
    Layer.provide(Layer.succeed(ReservationWait, wait)),
    Layer.provide(KeyHash.layer(Redacted.make(new Uint8Array(32)))),
    Layer.provide(Mac.layerWebCrypto),
    Layer.provide(Layer.succeed(SignupCredit, micro(1_000_000_000n))),
    Layer.provideMerge(FleetSql.layer({ name, version: "1.0.0", config: "" })),
    Layer.provide(Layer.succeed(FleetTimes, times)),
    Layer.provide(Layer.effectDiscard(migrate)),
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provideMerge(PostgresClient.layer({ address }))
  )
