import type { PriceFile, PricePreviewRequest, prices as routes } from "@tollgate/contract/admin/Prices"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { AccountsError } from "@tollgate/ledger/account/Accounts"
import type { Gateway } from "../../../call/Gateway.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type * as Rows from "@tollgate/ledger/store/rows"
import { recordedGaps } from "@tollgate/ledger/usage/recordedGaps"
import * as Window from "@tollgate/ledger/usage/Query"
import type { Handlers } from "../../managementApi/ApiRouter.ts"
import { type AdminRequest, priceRecords } from "../changeRecords.ts"
import { type Book, changesBetween, priceLines } from "./list.ts"
import { gapShape, openGaps } from "./gaps.ts"
import { preview } from "./preview.ts"
import type { FindPrice } from "./recorded.ts"

/** How the prices of the configuration file are read. */
export interface PriceSection {
  /** The prices of a section `prices`, or what is wrong with it, a line for each problem. */
  readonly read: (section: unknown) => Result.Result<Book, ReadonlyArray<string>>
  /** Whether the section can hold the price of this operation. */
  readonly holds: (operation: string) => boolean
}

/** The section `prices` where the program keeps it. */
export interface PriceStore {
  readonly read: Effect.Effect<PriceFile>
  /** Writes and reloads. Returns the new fingerprint. A conflict: nothing was changed, and its message says why. */
  readonly replace: (section: unknown, fingerprint: string) => Effect.Effect<string, AccountsError | Refused>
}

const findIn =
  ({ catalogue, prices }: Book): FindPrice =>
  (id, model) => {
    const operation = catalogue.byId.get(id)
    return operation && prices.of(operation, model)
  }

const daySeconds = 86_400
const maxMillis = 7 * daySeconds * 1000
const defaultMost = 200_000

const windowOf = ({ end_time, start_time }: PricePreviewRequest, now: number): Result.Result<Window.Window, string> => {
  const end = end_time ?? Math.floor(now / 1000) + 1
  const window = Window.parse({ start_time: start_time ?? end - daySeconds, end_time: end }, now)
  return Result.flatMap(window, (window) =>
    window.end - window.start > maxMillis ? Result.fail("the window is longer than 7 days") : Result.succeed(window)
  )
}

export interface PriceParts {
  readonly gateway: () => Gateway
  readonly section: PriceSection
  readonly store: PriceStore
}

/** A preview reads at most `most` calls, and one runs at a time. */
export const priceHandlers = (
  { gateway, section, store }: PriceParts,
  rows: Rows.Rows,
  most = defaultMost
): Handlers<typeof routes, AdminRequest> => {
  const turn = Semaphore.makeUnsafe(1)
  const records = priceRecords(rows)
  const read = (prices: unknown): Effect.Effect<Book, Refused> =>
    Effect.mapError(Effect.fromResult(section.read(prices)), (problems) =>
      refuse("invalid_request", problems.join("\n"), { param: "prices" })
    )
  const changesTo = (next: Book) =>
    changesBetween(priceLines(gateway(), section.holds), priceLines(next, section.holds))
  return {
    prices: () => Effect.sync(() => ({ prices: priceLines(gateway(), section.holds) })),
    gaps: () =>
      Effect.map(recordedGaps(rows), (recorded) => ({ gaps: openGaps(recorded, findIn(gateway())).map(gapShape) })),
    previewPrices: Effect.fnUntraced(function* ({ body }) {
      const window = windowOf(body, yield* Clock.currentTimeMillis)
      if (Result.isFailure(window)) return yield* refuse("invalid_request", window.failure)
      const book = yield* read(body.prices)
      const shown = yield* turn.withPermits(1)(preview(rows, window.success, findIn(book), most))
      return { ...shown, ...changesTo(book) }
    }),
    priceFile: () => store.read,
    applyPrices: Effect.fnUntraced(function* ({ body: { fingerprint, note = "", prices } }, asked) {
      const changes = changesTo(yield* read(prices))
      yield* records.begin(asked, { note, ...changes })
      // What has begun is finished, whether or not the caller waits.
      const replaced = store.replace(prices, fingerprint).pipe(
        Effect.onExit((exit) => records.end(asked, Exit.isSuccess(exit) ? "applied" : "refused")),
        Effect.uninterruptible
      )
      return { fingerprint: yield* replaced, ...changes }
    }),
    priceRecords: () => records.list,
    priceRecord: ({ id }) => records.find(id)
  }
}
