import { describe, expect, it } from "@effect/vitest"
import { EmbeddedStore } from "@tollgate/ledger/store/EmbeddedStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { callLogSuite } from "./callLogSuite.ts"
import { callSuite } from "./callSuite.ts"
import { columnSuite } from "./columnSuite.ts"
import { costSuite } from "./costSuite.ts"
import { countingSuite } from "./countingSuite.ts"
import { crashSuite } from "./crashSuite.ts"
import type { Driver } from "./Driver.ts"
import { accountTransactionSuite } from "./accountTransactionSuite.ts"
import { billingSuite } from "./billingSuite.ts"
import { failureSuite } from "./failureSuite.ts"
import { idempotencySuite } from "./idempotencySuite.ts"
import { journalSuite } from "./journalSuite.ts"
import { migrationSuite } from "./migrationSuite.ts"
import { overviewSuite } from "./overviewSuite.ts"
import { overdraftSuite } from "./overdraftSuite.ts"
import { quotaSuite } from "./quotaSuite.ts"
import { raceSuite } from "./raceSuite.ts"
import { reservationSuite } from "./reservationSuite.ts"
import { seriesSuite } from "./seriesSuite.ts"
import { tagSuite } from "./tagSuite.ts"
import { transactionSuite } from "./transactionSuite.ts"
import { waitSuite } from "./waitSuite.ts"
import { webhookSuite } from "./webhookSuite.ts"

const onMigrated = (given: Driver): Driver => ({ ...given, single: given.migrated ?? given.single })

/** Whether calls, columns and reservations work at all on a driver. */
export const smokeSuite = (name: string, given: Driver): void => {
  describe(name, () => {
    const driver = onMigrated(given)
    callSuite(driver)
    columnSuite(driver)
    reservationSuite(driver)
  })
}

/** Everything that a store promises, whatever its driver. */
export const storeSuite = (name: string, given: Driver): void => {
  const driver = onMigrated(given)
  describe(name, () => {
    it.effect(`the driver ${driver.embedded ? "provides" : "does not provide"} EmbeddedStore`, () =>
      Effect.gen(function* () {
        expect(Option.isSome(yield* Effect.serviceOption(EmbeddedStore))).toBe(driver.embedded)
      }).pipe(Effect.provide(driver.single()))
    )

    migrationSuite(given)
    transactionSuite(given)
    callSuite(driver)
    columnSuite(driver)
    countingSuite(driver)
    reservationSuite(driver)
    overdraftSuite(driver)
    accountTransactionSuite(driver)
    billingSuite(driver)
    seriesSuite(driver)
    callLogSuite(driver)
    overviewSuite(driver)
    tagSuite(driver)
    costSuite(driver)
    idempotencySuite(driver)
    quotaSuite(driver)
    raceSuite(driver)
    waitSuite(driver)
    failureSuite(driver)
    crashSuite(driver)
    webhookSuite(driver)
    if (driver.embedded) journalSuite(driver)
  })
}
